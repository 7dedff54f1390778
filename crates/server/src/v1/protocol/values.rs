//! Values of requests that come as text: a word of a closed list, a time, a flag of a query.

use loci_model::{Error, Result, Timestamp};

/// A word of a closed list.
pub(in crate::v1) fn word<T: Copy>(
    field: &'static str,
    text: Option<&str>,
    all: &[T],
    parse: impl Fn(&str) -> Option<T>,
    show: impl Fn(T) -> &'static str,
) -> Result<Option<T>> {
    let Some(text) = text else { return Ok(None) };
    let words = || all.iter().map(|one| show(*one)).collect::<Vec<_>>().join(", ");
    parse(text).map(Some).ok_or_else(|| Error::invalid(field, format!("{field} must be one of {}", words())))
}

/// A time in RFC 3339.
pub(in crate::v1) fn time(field: &'static str, text: Option<&str>) -> Result<Option<Timestamp>> {
    text.map(Timestamp::parse).transpose().map_err(|error| error.on(field))
}

/// A flag of a query: `1` and `true` are yes.
pub(in crate::v1) fn flag(name: &'static str, word: Option<&str>) -> Result<bool> {
    match word {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(_) => Err(Error::invalid(name, format!("{name} must be 1 or true, 0 or false"))),
    }
}
