//! Metadata of extracted records: values by the schema of a strategy, and values that a model
//! infers.

pub mod inferred_values;
pub mod schema_values;
