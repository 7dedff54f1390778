//! Facts: the strategy of facts that people and agents state, and its question to a model.

pub mod semantic;
pub mod semantic_model;
