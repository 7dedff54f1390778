//! Claims: statements about code that decide if a fact still holds.
//!
//! `read` parses them from JSON and rejects those that could never be evaluated. `pattern` bounds
//! their patterns. `evaluate` evaluates them, and `tree` does so for claims about many files.
//! `relevance` selects the claims that support a statement. `config_file` reads values of
//! configuration files.

pub(super) mod claim_scanners;
mod config_file;
mod evaluate;
mod pattern;
mod read;
mod relevance;
mod tree;
mod yaml;

pub use read::{check_claim, read_claims};
