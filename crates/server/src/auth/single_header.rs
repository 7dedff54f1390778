//! Headers that identify the caller or the target. Each may occur once: of two values a proxy could
//! read one and the server the other.

use http::{HeaderMap, HeaderValue};
use loci_model::{Error, Result};

/// Returns the value of a header; `None` if it is absent.
///
/// # Errors
/// `Invalid` on the header if it occurs more than once.
pub(crate) fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h HeaderValue>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        (_, Some(_)) => Err(Error::invalid(name, format!("the header {name} must occur only once"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_stands_once_or_not_at_all() {
        let check = |values: &[&'static str], expect: Result<Option<&str>, &str>| {
            let pair = |value: &&'static str| {
                (http::HeaderName::from_static("x-loci-user"), HeaderValue::from_static(value))
            };
            let headers: HeaderMap = values.iter().map(pair).collect();
            let found = single(&headers, "x-loci-user");
            let found = found.map(|value| value.map(|value| value.to_str().unwrap().to_owned()));
            let found = found.map_err(|error| error.field.unwrap());
            let expect = expect.map(|value| value.map(str::to_owned)).map_err(str::to_owned);
            assert_eq!(found, expect, "{values:?}");
        };
        check(&[], Ok(None));
        check(&["a"], Ok(Some("a")));
        check(&["a", "b"], Err("x-loci-user"));
        check(&["a", "a"], Err("x-loci-user"));
    }
}
