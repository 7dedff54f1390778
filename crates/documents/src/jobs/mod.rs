//! The job handlers of the documents product.

pub(crate) mod tree_plan;
