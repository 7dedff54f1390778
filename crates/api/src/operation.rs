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

/// The place of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The method.
    pub method: Method,
    /// The path; a segment in braces is a parameter, one that begins with `*` takes the rest.
    pub path: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The status of success.
    pub status: u16,
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
        Self { place: Place { method, path, summary, status }, shapes: PhantomData }
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

/// Defines a table of operations: a constant for each line, and the places of all.
macro_rules! operations {
    ($($name:ident = $method:ident $path:literal: $request:ty => $answer:ty, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub const $name: $crate::operation::Operation<$request, $answer> =
                $crate::operation::Operation::$method($path, $summary);
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

    use super::*;

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
