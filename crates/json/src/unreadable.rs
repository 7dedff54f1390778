//! Errors of JSON that does not match a type.

use std::fmt;

/// An error of JSON, with the path of the unreadable value.
#[derive(Debug)]
pub struct Unreadable {
    /// The parser's error. Its text may quote the value.
    pub error: serde_json::Error,
    /// The path of the value, as `grants[0].memory`; empty for the whole text.
    pub path: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        self.error.fmt(formatter)
    }
}

impl std::error::Error for Unreadable {}
