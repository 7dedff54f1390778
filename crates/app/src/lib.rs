//! The binary `loci` as a library, so that its own benchmarks can embed the same engine.
//!
//! `adapters`: clock, ids and vault of a real machine. `wiring`: the one place that names the
//! concrete types. `config`: the configuration. `cli`: the commands and their options. `commands`:
//! one file per command. `session`: the connection of a command to the native API.
//! `memory_argument`: the memory of a command. `output` and `exit`: its output and exit code.
//! `embedded_engine`: the engine for other programs.
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
mod confirmation;
pub mod embedded_engine;
mod exit;
mod git_program;
mod help;
mod input;
#[cfg(feature = "verified")]
mod local_code;
pub mod logging;
mod memory_argument;
mod output;
pub mod process;
mod replaced_file;
mod session;
#[cfg(feature = "coding")]
mod spool;
mod staged_output;
pub mod wiring;
