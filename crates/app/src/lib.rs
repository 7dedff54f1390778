//! The binary `loci` as a library, so that its own benchmarks can embed the same engine.
//!
//! `adapters` contains the clock, ids and vault of the machine, `wiring` constructs all components,
//! `config` defines the configuration, `cli` the commands and their options, and `commands`
//! implements one command per file. `session` connects a command to the native API, `output` and
//! `exit` print results for people and programs, and `embedded` embeds the engine in another
//! program.
//!
//! To add a command: a file in the folder of its product in `commands`, a variant in `cli`, an arm
//! in `commands::run`.

#![cfg_attr(
    not(all(feature = "coding", feature = "documents", feature = "operations")),
    allow(dead_code, reason = "parts that products share have no caller in a program without them")
)]

pub mod adapters;
mod bearer;
mod cli;
pub mod commands;
pub mod config;
pub mod embedded;
mod exit;
#[cfg(feature = "verified")]
mod git_program;
mod input;
#[cfg(feature = "verified")]
mod local_code;
pub mod logging;
mod output;
pub mod process;
mod replaced_file;
mod session;
#[cfg(feature = "coding")]
mod spool;
mod unfinished;
pub mod wiring;
