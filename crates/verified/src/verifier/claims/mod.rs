//! Claims: statements about code that decide whether a fact still holds. `read` takes them from
//! JSON and refuses what could never be evaluated, `pattern` bounds their patterns, `evaluate` says
//! whether they hold, `tree` does so for claims about many files, `relevance` says which say
//! something of a statement, `config_file` reads values of configuration files.

mod config_file;
mod evaluate;
mod pattern;
mod read;
mod relevance;
pub(super) mod scanned;
mod tree;
mod yaml;

pub use read::{check_claim, read_claims};
