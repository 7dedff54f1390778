//! Sections of a memory for operations agents: its settings, and its strategies.

pub mod memory;
pub mod strategy;
