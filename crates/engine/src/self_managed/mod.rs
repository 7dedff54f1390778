//! Self-managed strategies (agentcore-wire.md §14): when their owner is told of new messages, and with what.

pub(crate) mod trigger;
