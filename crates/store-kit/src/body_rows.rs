//! Rows with one body: the content of such a row is a document, and the other columns only find it.
//! Equal in both stores.

use loci_model::Result;
use serde::de::DeserializeOwned;

use crate::codes::stored;
use crate::fields::Fields;

/// Returns the body of a row, which is a `what`.
///
/// # Errors
/// A bug, if the row is damaged.
pub fn body<T: DeserializeOwned>(row: &impl Fields, what: &'static str) -> Result<T> {
    stored(serde_json::from_str(row.text(0)?), what)
}
