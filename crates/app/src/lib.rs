//! The binary `loci` as a library: what it wires together, so that its own benchmarks can embed the same engine.
//!
//! `adapters`: clock, ids and vault of the real world; `wiring`: every concrete thing named once; `config`: what can be
//! configured; `commands`: one file per command.

pub mod adapters;
pub mod commands;
pub mod config;
pub mod logging;
pub mod wiring;
