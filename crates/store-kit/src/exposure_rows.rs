//! Exposures read from rows, as both stores have them.

use loci_model::Result;
use loci_model::exposure::Exposure;

use crate::codes::stored;
use crate::fields::Fields;

/// An exposure: body.
///
/// # Errors
/// A bug, where the row is damaged.
pub fn exposure(row: &impl Fields) -> Result<Exposure> {
    stored(serde_json::from_str(row.text(0)?), "exposure")
}
