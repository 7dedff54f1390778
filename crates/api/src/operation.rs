//! An operation of the native API: its place, and the shapes of its request and its answer. The
//! tables of operations are the one place where a path is written: routes, the description of the
//! API, clients and tests read them.

use std::marker::PhantomData;

/// The methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Reads; has no effects.
    Get,
    /// Everything that no other method means.
    Post,
    /// Puts something in a named place; again, it changes nothing.
    Put,
    /// Changes members of something.
    Patch,
    /// Takes something away.
    Delete,
}

impl Method {
    /// Returns its name in HTTP.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// The effect of a call that is sent again because its answer did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// The call may have an effect each time: it is not sent again.
    Never,
    /// The call has no effects.
    Read,
    /// The server takes an `Idempotency-Key`: calls with the same key have one effect.
    Key,
}

impl Repetition {
    /// Returns its word in `clients/generate/operations.txt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "",
            Self::Read => "read",
            Self::Key => "key",
        }
    }
}

/// The place of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The name of the operation's constant; see [`Place::name`].
    pub constant: &'static str,
    /// The method.
    pub method: Method,
    /// The path; a segment in braces is a parameter, one that begins with `*` takes the rest.
    pub path: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The status of success.
    pub status: u16,
    /// The effect of a call that is sent again.
    pub repetition: Repetition,
}

impl Place {
    /// Returns the operation's name: that of its method in each client.
    pub fn name(&self) -> String {
        self.constant.to_ascii_lowercase()
    }
}

/// JSON lines, as a request or as an answer.
#[derive(Debug, Clone, Copy)]
pub struct Lines;

/// Bytes, as a request or as an answer.
#[derive(Debug, Clone, Copy)]
pub struct Bytes;

/// An operation whose request has the shape `Q`, in the body or in the query, and whose answer has
/// the shape `A`.
#[derive(Debug)]
pub struct Operation<Q, A> {
    /// Its place.
    pub place: Place,
    shapes: PhantomData<fn(Q) -> A>,
}

impl<Q, A> Operation<Q, A> {
    const fn new(method: Method, path: &'static str, summary: &'static str, status: u16) -> Self {
        let repetition = match method {
            Method::Get => Repetition::Read,
            Method::Post | Method::Put | Method::Patch | Method::Delete => Repetition::Never,
        };
        Self { place: Place { constant: "", method, path, summary, status, repetition }, shapes: PhantomData }
    }

    /// Returns the same with the name of its constant.
    pub(crate) const fn named(mut self, constant: &'static str) -> Self {
        self.place.constant = constant;
        self
    }

    /// Returns the same without effects.
    pub(crate) const fn read(mut self) -> Self {
        self.place.repetition = Repetition::Read;
        self
    }

    /// Returns the same with one effect for all calls of an `Idempotency-Key`.
    pub(crate) const fn key(mut self) -> Self {
        self.place.repetition = Repetition::Key;
        self
    }

    /// Returns a `GET`.
    pub const fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Get, path, summary, 200)
    }

    /// Returns a `POST` that answers 200.
    pub const fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 200)
    }

    /// Returns a `POST` that answers 201.
    pub const fn create(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 201)
    }

    /// Returns a `POST` that answers 202.
    pub const fn accept(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 202)
    }

    /// Returns a `PUT`.
    pub const fn put(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Put, path, summary, 200)
    }

    /// Returns a `PATCH`.
    pub const fn patch(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Patch, path, summary, 200)
    }

    /// Returns a `DELETE`.
    pub const fn delete(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Delete, path, summary, 200)
    }
}

/// Defines a table of operations: a constant for each line, and the places of all. A line ends with
/// `key` where the server takes an `Idempotency-Key`, and with `read` where another method than
/// `GET` has no effects.
macro_rules! operations {
    ($(
        $name:ident = $method:ident $path:literal: $request:ty => $answer:ty,
            $summary:literal $(, $repetition:ident)?;
    )*) => {
        $(
            #[doc = $summary]
            pub const $name: $crate::operation::Operation<$request, $answer> =
                $crate::operation::Operation::$method($path, $summary)
                    .named(stringify!($name))
                    $(.$repetition())?;
        )*

        /// The places of all operations of this table.
        pub const PLACES: &[$crate::operation::Place] = &[$($name.place),*];
    };
}

pub(crate) use operations;

/// Returns the places of all operations.
pub fn places() -> impl Iterator<Item = &'static Place> {
    let tables = [
        crate::table::PLACES,
        crate::verified::table::PLACES,
        crate::coding::table::PLACES,
        crate::documents::table::PLACES,
        crate::operations::table::PLACES,
    ];
    tables.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use expect_test::expect_file;

    use super::*;

    const HEAD: &str = "\
# The operations of the native API: name, method, path, and whether a call may be repeated when its answer is missing.
# A GET may, for it has no effects. Others may not, unless they say `read` (changes nothing) or `key` (the server takes an
# Idempotency-Key: each call then carries one, the same in every try). The generator of the clients reads this file. It is
# written from the tables of operations: UPDATE_EXPECT=1 cargo test --package loci-api operation
";

    #[test]
    fn the_clients_generator_has_every_operation() {
        let mut all: Vec<&Place> = places().collect();
        all.sort_by_key(|place| (place.path.replace("{*", "{"), place.method));
        let width = all.iter().map(|place| place.constant.len()).max().unwrap_or_default();
        let mut text = HEAD.to_owned();
        for place in all {
            let word = match place.method {
                Method::Get => "",
                _ => place.repetition.as_str(),
            };
            let path = place.path.replace("{*", "{");
            let line = format!("{:<width$} {:<6} {path}  {word}", place.name(), place.method.as_str());
            writeln!(text, "{}", line.trim_end()).unwrap();
        }
        expect_file!["../../../clients/generate/operations.txt"].assert_eq(&text);
    }

    #[test]
    fn no_two_operations_have_one_place() {
        let mut seen = BTreeSet::new();
        for place in places() {
            assert!(seen.insert((place.method, place.path)), "{place:?}");
            assert!(place.path.starts_with("/v1/") && place.summary.ends_with('.'), "{place:?}");
        }
        assert!(seen.len() > 200, "{}", seen.len());
    }
}
