//! Strategies: how events become records. Pure: a strategy sees turns and settings, never a store, a clock or a model.
//!
//! To add a strategy: one file with its deterministic half, one line in the table.
