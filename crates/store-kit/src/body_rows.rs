//! Rows that are one body: what a row of theirs holds is a document, the other columns only find it. The same in both stores.

use loci_model::Result;
use serde::de::DeserializeOwned;

use crate::codes::stored;
use crate::fields::Fields;

/// The body of a row, which is a `what`.
///
/// # Errors
/// A bug, where the row is damaged.
pub fn body<T: DeserializeOwned>(row: &impl Fields, what: &'static str) -> Result<T> {
    stored(serde_json::from_str(row.text(0)?), what)
}
