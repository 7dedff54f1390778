//! The target of a call: the method of an operation, and its path with the parameter values
//! inserted.

use std::marker::PhantomData;

use http::Method;
use loci_api::operation::{self, Operation, OperationDescription};
use serde::Serialize;
use serde_json::Value;

use crate::error::ClientError;

/// The method and the path of one call, whose response has the type `A`.
pub(crate) struct CallTarget<A> {
    pub(crate) method: Method,
    pub(crate) path: String,
    answer: PhantomData<fn() -> A>,
}

/// Returns the target of an operation. `values` are the values of the path parameters, in order.
/// The last value may contain slashes if the operation takes the rest of the path.
pub(crate) fn at<Q, A>(operation: &Operation<Q, A>, values: &[&str]) -> CallTarget<A> {
    let (method, path) = filled_in(&operation.place, values);
    CallTarget { method, path, answer: PhantomData }
}

/// Returns the method of an operation, and its path with the parameter values inserted.
fn filled_in(place: &OperationDescription, values: &[&str]) -> (Method, String) {
    let count = values.len();
    let mut values = values.iter();
    let mut segments = Vec::new();
    for segment in place.path.split('/').skip(1) {
        if !segment.starts_with('{') {
            segments.push(segment);
        } else if let Some(value) = values.next() {
            match segment.starts_with("{*") {
                true => segments.extend(value.split('/').filter(|part| !part.is_empty())),
                false => segments.push(value),
            }
        }
    }
    debug_assert_eq!(place.path.matches('{').count(), count, "{} has other parameters", place.path);
    let method = match place.method {
        operation::Method::Get => Method::GET,
        operation::Method::Post => Method::POST,
        operation::Method::Put => Method::PUT,
        operation::Method::Patch => Method::PATCH,
        operation::Method::Delete => Method::DELETE,
    };
    (method, path(&segments))
}

impl<A> CallTarget<A> {
    /// Adds the members of a flat type to the query string.
    ///
    /// # Errors
    /// [`Request`](ClientError::Request) if the type is not flat.
    pub(crate) fn with_query(self, query: &impl Serialize) -> Result<Self, ClientError> {
        Ok(Self { path: with_query(self.path, query)?, ..self })
    }

    /// Returns the same target for a response of type `B`.
    pub(crate) fn reading<B>(self) -> CallTarget<B> {
        CallTarget { method: self.method, path: self.path, answer: PhantomData }
    }
}

/// Returns a URL path of these segments, each percent-encoded.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut out = String::new();
    for segment in segments {
        out.push('/');
        for byte in segment.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => {
                    out.push(char::from(byte))
                }
                _ => out.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    out
}

/// Appends the members of a flat type to a path as its query string. Absent members are omitted.
pub(crate) fn with_query(path: String, query: &impl Serialize) -> Result<String, ClientError> {
    with_members(path, serde_json::to_value(query).map_err(|_| not_flat())?)
}

fn not_flat() -> ClientError {
    ClientError::Request("a query of the native API is flat".to_owned())
}

fn with_members(path: String, query: Value) -> Result<String, ClientError> {
    let Value::Object(members) = query else { return Err(not_flat()) };
    let mut out = path;
    let mut separator = '?';
    for (name, value) in members {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(not_flat()),
        };
        let value = self::path(&[&text]);
        out.push(separator);
        out.push_str(&name);
        out.push('=');
        out.push_str(value.trim_start_matches('/'));
        separator = '&';
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_filled_in_and_encoded() {
        let check = |template: &'static str, values: &[&str], expect: &str| {
            assert_eq!(at(&Operation::<(), ()>::get(template, ""), values).path, expect, "{template}");
        };
        check("/v1/search", &[], "/v1/search");
        check("/v1/memories/{memory}/records:list", &["a/b"], "/v1/memories/a%2Fb/records:list");
        check("/v1/{a}/x/{*path}", &["1", "b c/d"], "/v1/1/x/b%20c/d");
    }

    #[test]
    fn paths_and_queries_are_encoded() {
        assert_eq!(path(&["v1", "a/b", "x#y z"]), "/v1/a%2Fb/x%23y%20z");
        let listing = loci_api::event::EventListing {
            actor: "org/a&b".into(),
            session: "s".into(),
            limit: Some(5),
            ..Default::default()
        };
        let query = with_query("/v1".into(), &listing).unwrap();
        assert_eq!(
            query,
            "/v1?actor=org%2Fa%26b&session=s&include_parents=false&without_payload=false&limit=5"
        );
    }
}
