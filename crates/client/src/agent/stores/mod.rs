//! The stores that are ready: [`RemoteStore`] on a Loci server, over a URL, a unix socket or in this process; [`FileStore`] on files
//! that people read, too; with the cargo feature `agentcore`, `AgentCoreStore` on Amazon Bedrock AgentCore Memory.
//!
//! A new store is a file here that implements the port. What stores of one kind have in common lies beside them: places with
//! placeholders, messages grouped into events, who may write.

#[cfg(feature = "agentcore")]
pub mod agentcore;
mod document_context;
mod event_metadata;
mod file;
mod grouping;
mod place_template;
mod range_token;
mod remote;
mod sending;
pub mod topology;

pub use document_context::DocumentContext;
pub use event_metadata::MetadataProvider;
pub use file::store::{FileStore, FileStoreOptions};
pub use place_template::{Place, PlaceTemplate, name_of_template};
pub use remote::options::RemoteStoreOptions;
pub use remote::store::RemoteStore;
