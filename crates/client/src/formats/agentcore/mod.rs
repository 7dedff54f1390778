//! Import and export of a memory of Amazon Bedrock AgentCore, or of any server with the same wire
//! format. Imports convert wire objects to items, and exports convert Loci's objects to calls. The
//! caller's [`Wire`] sends, signs and retries the calls.
//!
//! `wire`: a call and its error; `pages`: lists, page by page; `shapes`: the wire types; `limits`:
//! the service's limits; `order`: the order of events, in which a branch follows its start;
//! `details`: the settings of a remote memory; `strategies`: strategies by name; `events`,
//! `records`: one noun each, in both directions; `reader`: reads a remote memory in pieces;
//! `writer`: writes a local memory, noun by noun; `checksum`: a checksum of the lossless parts.

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

pub use reader::{AgentCoreReadOptions, AgentCoreReader};
pub use wire::{Method, Plane, Wire, WireCall, WireError};
pub use writer::{AgentCoreExportResult, AgentCoreWriteOptions, AgentCoreWriter};

/// The format's name.
pub const NAME: &str = "agentcore";
/// The metadata key on the remote side for the memory and the id of the local item and, for
/// records, a digest of the written content.
const MARK: &str = "loci_id";
/// The metadata key on the remote side for a record's kind, if its strategy does not imply it.
const KIND: &str = "loci_kind";

/// The kinds of data to transfer: events, records or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// True to transfer events.
    pub events: bool,
    /// True to transfer records.
    pub records: bool,
}

/// Returns bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
