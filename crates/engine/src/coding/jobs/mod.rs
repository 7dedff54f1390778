//! The jobs of coding memory.

pub(crate) mod co_change;
pub(crate) mod repository_reflection;
pub(crate) mod review_rules;
pub(crate) mod reviews;
