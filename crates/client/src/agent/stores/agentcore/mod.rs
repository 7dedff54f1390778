//! A memory of Amazon Bedrock AgentCore, or of any server that speaks its wire: Loci's own does.
//!
//! * [`AgentCoreStore`]: one place of a memory; [`agentcore_stores`]: several places of one conversation, of which one is written to;
//! * [`AgentCoreConnection`]: which server, as whom; its HTTP is that of every other client of this crate;
//! * `events`: messages as the events that are sent; `records`: what is asked, and what comes of the answer.
//!
//! Compiled with the cargo feature `agentcore` only: the SDK of AWS is as large as all the rest of the client.

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
