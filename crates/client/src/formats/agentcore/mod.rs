//! Memory of Amazon Bedrock AgentCore, or of any server that speaks its wire, in and out. What the wire carries becomes items here, and what Loci
//! has becomes calls there; who calls, signs and repeats is whoever gives a [`Wire`].
//!
//! `wire`: a call and why it fails; `pages`: lists, page by page; `shapes`: what the wire says; `limits`: what the service takes; `order`: events so
//! that branches find where they start; `details`: what a memory there is set to;
//! `strategies`: strategies by name; `events`, `records`: one noun each, both ways; `reader`: a memory there,
//! piece by piece; `writer`: a memory here, noun by noun; `checksum`: what of it is lossless, as one number.

mod checksum;
mod details;
mod events;
mod limits;
mod order;
mod pages;
mod reader;
mod records;
mod shapes;
mod strategies;
#[cfg(test)]
mod tests;
mod wire;
mod writer;
mod writer_records;

pub use reader::{AgentCoreReader, Asked};
pub use wire::{Method, Plane, Wire, WireCall, WireError};
pub use writer::{AgentCoreWriter, Target, Written};

/// The format's name.
pub const NAME: &str = "agentcore";
/// Metadata there: the memory and the id that an item has here, and of records a digest of what was written.
const MARK: &str = "loci_id";
/// Metadata there: a record's kind, where its strategy does not say it.
const KIND: &str = "loci_kind";

/// Which nouns go along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// What happened.
    pub events: bool,
    /// What is remembered.
    pub records: bool,
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
