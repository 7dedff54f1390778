//! Sections of a memory for operations agents: how it serves them, and its strategies.

pub mod memory;
pub mod strategy;
