//! An operation of the native API: method, path, and the types of its request and response. Only
//! the tables of operations define paths. Routes, the OpenAPI description, clients and tests read
//! the tables.

pub mod examples;

use std::marker::PhantomData;

/// The HTTP methods that operations use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Reads without side effects.
    Get,
    /// Covers every operation that fits no other method.
    Post,
    /// Stores a resource at a named path. Repeating the request changes nothing.
    Put,
    /// Changes members of a resource.
    Patch,
    /// Removes a resource.
    Delete,
}

impl Method {
    /// Returns the HTTP name of the method.
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

/// The effect of a client's retry after it lost the response to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// Each call may have an effect. Clients do not retry it.
    Never,
    /// The call only reads, so clients may retry it.
    Read,
    /// The server accepts an `Idempotency-Key`. Calls with the same key have one effect.
    Key,
}

impl Repetition {
    /// Returns the word for the effect in `clients/generate/operations.txt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "",
            Self::Read => "read",
            Self::Key => "key",
        }
    }
}

/// Method, path and other properties of an operation, without its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationDescription {
    /// Name of the Rust constant that holds the operation; see [`OperationDescription::name`].
    pub constant: &'static str,
    /// HTTP method.
    pub method: Method,
    /// Path. A segment in braces is a parameter; a parameter that begins with `*` matches the rest
    /// of the path.
    pub path: &'static str,
    /// Summary of the operation, in one sentence.
    pub summary: &'static str,
    /// HTTP status of a successful response.
    pub status: u16,
    /// Effect of a client's retry.
    pub repetition: Repetition,
}

impl OperationDescription {
    /// Returns the name of the operation, which is also the name of its method in each client.
    pub fn name(&self) -> String {
        self.constant.to_ascii_lowercase()
    }
}

/// Marks a request or response whose body is JSON Lines.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub struct Lines;

/// Marks a request or response whose body is bytes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(serde::Serialize, serde::Deserialize))]
pub struct Bytes;

/// An operation. `Q` is the type of its request, in the body or in the query string; `A` is the
/// type of its response.
#[derive(Debug)]
pub struct Operation<Q, A> {
    /// Method, path and other properties of the operation.
    pub place: OperationDescription,
    shapes: PhantomData<fn(Q) -> A>,
}

impl<Q, A> Operation<Q, A> {
    const fn new(method: Method, path: &'static str, summary: &'static str, status: u16) -> Self {
        let repetition = match method {
            Method::Get => Repetition::Read,
            Method::Post | Method::Put | Method::Patch | Method::Delete => Repetition::Never,
        };
        Self {
            place: OperationDescription { constant: "", method, path, summary, status, repetition },
            shapes: PhantomData,
        }
    }

    /// Returns the operation with the name of its Rust constant.
    pub(crate) const fn named(mut self, constant: &'static str) -> Self {
        self.place.constant = constant;
        self
    }

    /// Returns the operation marked as [`Repetition::Read`]: free of side effects.
    pub(crate) const fn read(mut self) -> Self {
        self.place.repetition = Repetition::Read;
        self
    }

    /// Returns the operation marked as [`Repetition::Key`]: the server accepts an
    /// `Idempotency-Key`.
    pub(crate) const fn key(mut self) -> Self {
        self.place.repetition = Repetition::Key;
        self
    }

    /// Returns a `GET` operation.
    pub const fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Get, path, summary, 200)
    }

    /// Returns a `POST` operation with status 200.
    pub const fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 200)
    }

    /// Returns a `POST` operation with status 201.
    pub const fn create(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 201)
    }

    /// Returns a `POST` operation with status 202.
    pub const fn accept(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Post, path, summary, 202)
    }

    /// Returns a `PUT` operation.
    pub const fn put(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Put, path, summary, 200)
    }

    /// Returns a `PATCH` operation.
    pub const fn patch(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Patch, path, summary, 200)
    }

    /// Returns a `DELETE` operation.
    pub const fn delete(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::Delete, path, summary, 200)
    }
}

/// Defines a table of operations: a constant for each line, and the list of their descriptions. A
/// line ends with `key` if the server accepts an `Idempotency-Key`. It ends with `read` if a method
/// other than `GET` has no side effects.
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

        /// The descriptions of all operations in this table.
        pub const PLACES: &[$crate::operation::OperationDescription] = &[$($name.place),*];

        /// The functions that parse the examples of this table's operations.
        #[cfg(test)]
        pub(crate) const PARSERS: &[(&str, $crate::operation::examples::tests::Parser)] =
            &[$((stringify!($name), $crate::operation::examples::tests::parsed::<$request, $answer>)),*];
    };
}

pub(crate) use operations;

/// Returns the descriptions of the operations of all tables.
pub fn places() -> impl Iterator<Item = &'static OperationDescription> {
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
        let mut all: Vec<&OperationDescription> = places().collect();
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
        expect_file!["../../../../clients/generate/operations.txt"].assert_eq(&text);
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
