//! Where a call goes: the place of an operation, its path filled in.

use std::marker::PhantomData;

use http::Method;
use loci_api::operation::{self, Operation};
use serde::Serialize;

use crate::call::{path, with_query};
use crate::error::ClientError;

/// The method and the path of one call, whose answer has the shape `A`.
pub(crate) struct At<A> {
    pub(crate) method: Method,
    pub(crate) path: String,
    answer: PhantomData<fn() -> A>,
}

/// Returns where an operation is called, with these values for the parameters of its path, in order.
/// The last one may be a path itself, where the operation takes the rest.
pub(crate) fn at<Q, A>(operation: &Operation<Q, A>, values: &[&str]) -> At<A> {
    let count = values.len();
    let mut values = values.iter();
    let mut segments = Vec::new();
    for segment in operation.place.path.split('/').skip(1) {
        if !segment.starts_with('{') {
            segments.push(segment);
        } else if let Some(value) = values.next() {
            match segment.starts_with("{*") {
                true => segments.extend(value.split('/').filter(|part| !part.is_empty())),
                false => segments.push(value),
            }
        }
    }
    debug_assert_eq!(
        operation.place.path.matches('{').count(),
        count,
        "{} has other parameters",
        operation.place.path
    );
    let method = match operation.place.method {
        operation::Method::Get => Method::GET,
        operation::Method::Post => Method::POST,
        operation::Method::Put => Method::PUT,
        operation::Method::Patch => Method::PATCH,
        operation::Method::Delete => Method::DELETE,
    };
    At { method, path: path(&segments), answer: PhantomData }
}

impl<A> At<A> {
    /// Returns the same with the members of a flat shape as its query.
    ///
    /// # Errors
    /// `Request` for a shape that is not flat.
    pub(crate) fn with_query(self, query: &impl Serialize) -> Result<Self, ClientError> {
        Ok(Self { path: with_query(self.path, query)?, ..self })
    }

    /// Returns the same for an answer that is read as another shape.
    pub(crate) fn reading<B>(self) -> At<B> {
        At { method: self.method, path: self.path, answer: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use loci_api::operation::Operation;

    use super::at;

    #[test]
    fn parameters_are_filled_in_and_encoded() {
        let check = |template: &'static str, values: &[&str], expect: &str| {
            assert_eq!(at(&Operation::<(), ()>::get(template, ""), values).path, expect, "{template}");
        };
        check("/v1/search", &[], "/v1/search");
        check("/v1/memories/{memory}/records:list", &["a/b"], "/v1/memories/a%2Fb/records:list");
        check("/v1/{a}/x/{*path}", &["1", "b c/d"], "/v1/1/x/b%20c/d");
    }
}
