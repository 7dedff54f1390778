//! The jobs of coding memory.

pub(crate) mod co_change;
mod dead_letters;
pub(crate) mod repository_reflection;
pub(crate) mod review_rules;
pub(crate) mod reviews;
