//! The binary `loci` as a library: what it wires together, so that its own benchmarks can embed the same engine.
//!
//! `adapters`: clock, ids and vault of the real world.

pub mod adapters;
