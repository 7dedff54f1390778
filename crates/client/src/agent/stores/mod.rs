//! The implementations of stores. [`RemoteStore`] uses a Loci server over a URL, a unix socket or
//! in this process. [`FileStore`] uses files that people also read. With the cargo feature
//! `agentcore`, `AgentCoreStore` uses Amazon Bedrock AgentCore Memory.
//!
//! A new store is a new file here that implements [`MemoryStore`](crate::agent::MemoryStore). The
//! other modules hold code that several stores use: namespace templates, grouping of messages into
//! events, and the rule about writable stores.

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
