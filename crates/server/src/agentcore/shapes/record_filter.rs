//! Metadata filters of record reads. The engine decides which operator fits which type.

use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use serde::Deserialize;

use super::record_metadata::ValueShape;

/// `RecordFilter`.
#[derive(Debug, Deserialize)]
pub(crate) struct FilterShape {
    left: LeftShape,
    operator: FilterOperator,
    right: Option<RightShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeftShape {
    metadata_key: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RightShape {
    metadata_value: Option<ValueShape>,
}

/// Returns the filters in the engine's form.
pub(crate) fn filters(given: Option<Vec<FilterShape>>) -> Vec<MetadataFilter> {
    let filter = |shape: FilterShape| MetadataFilter {
        key: shape.left.metadata_key.unwrap_or_default(),
        operator: shape.operator,
        right: shape.right.and_then(|right| right.metadata_value).and_then(ValueShape::into_value),
    };
    given.unwrap_or_default().into_iter().map(filter).collect()
}
