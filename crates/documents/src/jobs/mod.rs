//! The jobs of documents.

pub(crate) mod tree_plan;
