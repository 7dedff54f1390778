//! Rows with one JSON document in the column `body`: the other columns only select the row.
//! SQLite and PostgreSQL store these rows in the same way.

use loci_model::Result;
use serde::de::DeserializeOwned;

use crate::codes::stored;
use crate::fields::Fields;

/// Returns the document in the body of a row; `what` names the kind of document in the error.
///
/// # Errors
/// A bug, if the row is damaged.
pub fn body<T: DeserializeOwned>(row: &impl Fields, what: &'static str) -> Result<T> {
    stored(serde_json::from_str(row.text(0)?), what)
}
