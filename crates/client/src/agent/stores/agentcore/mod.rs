//! Stores in a memory of Amazon Bedrock AgentCore, or of any server with the same API, such as
//! Loci's own.
//!
//! * [`AgentCoreStore`]: one place of a memory; [`agentcore_stores`]: several places of one
//!   conversation, one of them writable;
//! * [`AgentCoreConnection`]: the server and the credentials; its HTTP is that of every other
//!   client of this crate;
//! * `events`: messages as events to send; `records`: the search request, and the entries of its
//!   response.
//!
//! Compiled only with the cargo feature `agentcore`, because the AWS SDK is as large as all the
//! rest of the client.

mod connection;
mod event_times;
mod events;
mod factory;
mod filters;
mod http_client;
mod limits;
mod options;
mod records;
mod sdk_errors;
mod store;
mod text_cut;
mod top_k;

#[cfg(test)]
mod recorder;
#[cfg(test)]
mod tests;

pub use super::event_metadata::MetadataProvider;
pub use aws_sdk_bedrockagentcore::Client as AgentCoreClient;
pub use aws_sdk_bedrockagentcore::config::Credentials as AgentCoreCredentials;
pub use connection::{AgentCoreConnection, Environment, process_environment};
pub use factory::{AgentCorePlace, AgentCoreStoresOptions, agentcore_stores};
pub use options::{AgentCoreStoreOptions, ExtractionMode};
pub use store::AgentCoreStore;
