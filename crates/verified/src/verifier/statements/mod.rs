//! Statements: their names and values, and the support that cited code gives them.

mod denial;
mod literal;
mod stated_values;
mod stated_versions;
mod stated_words;
pub(super) mod statement;
pub(super) mod support;
pub(super) mod support_cache;
#[cfg(test)]
mod support_tests;
