//! Values of requests that arrive as text: a time, a flag in a query.

use loci_model::{Error, Result, Timestamp};

/// Parses a time in RFC 3339.
pub(in crate::v1) fn time(field: &'static str, text: Option<&str>) -> Result<Option<Timestamp>> {
    text.map(Timestamp::parse).transpose().map_err(|error| error.on(field))
}

/// Parses a flag in a query: `1` and `true` are true.
pub(in crate::v1) fn flag(name: &'static str, word: Option<&str>) -> Result<bool> {
    match word {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(_) => Err(Error::invalid(name, format!("{name} must be 1 or true, 0 or false"))),
    }
}
