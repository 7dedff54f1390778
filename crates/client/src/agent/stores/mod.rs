//! The stores of this crate. [`RemoteStore`] uses a Loci server over a URL, a unix socket or in
//! this process. [`FileStore`] uses files that people also read. With the cargo feature
//! `agentcore`, `AgentCoreStore` uses Amazon Bedrock AgentCore Memory.
//!
//! A new store is a file here that implements the port. The modules next to the stores hold their
//! common parts: places with placeholders, messages grouped into events, and the rule of writable
//! stores.

#[cfg(feature = "agentcore")]
pub mod agentcore;
mod document_context;
mod event_delivery;
mod event_metadata;
mod file;
mod namespace_template;
mod range_token;
mod remote;
mod runs;
pub mod topology;

pub use document_context::DocumentContext;
pub use event_metadata::MetadataProvider;
pub use file::store::{FileStore, FileStoreOptions};
pub use namespace_template::{ReadNamespace, ReadNamespaceTemplate, name_of_template};
pub use remote::options::RemoteStoreOptions;
pub use remote::store::RemoteStore;
