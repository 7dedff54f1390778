//! A memory in the agent's own process: the engine of Loci as a library, and a store for agents on
//! it.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use loci_client::agent::coordinator::ExtractionConfig;
//! use loci_client::agent::stores::{ReadNamespace, RemoteStoreOptions};
//! use loci_client::agent::{MemoryManager, RuntimeContext};
//! use loci_client_embedded::{EmbeddedEngine, EmbeddedOptions, EmbeddedStore};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Arc::new(EmbeddedEngine::open(EmbeddedOptions::new("data")).await?);
//! let place = ReadNamespace::NamespacePath("/facts/{actorId}/".into());
//! let store = EmbeddedStore::new(&engine, RemoteStoreOptions {
//!     actor: Some("alice".into()),
//!     session: Some("s-1".into()),
//!     writable: true,
//!     extraction: Some(ExtractionConfig::default()),
//!     ..RemoteStoreOptions::new(engine.client(), "notes", place)
//! })?;
//! let manager = MemoryManager::builder(RuntimeContext::system()).store(store).build().await?;
//! # drop(manager);
//! # Ok(())
//! # }
//! ```
//!
//! The folder is that of `loci serve`: a server, the command line and MCP can use the agent's
//! memory, even at the same time. If a server has the folder open, the engine attaches to it and
//! opens nothing.
//!
//! The crate is separate from `loci-client` because of its size: it includes the engine, the stores
//! and the built-in embedding model.

mod store;

pub use loci_app::config::environment::Environment;
pub use loci_app::embedded_engine::{EmbeddedEngine, EmbeddedOptions};
pub use store::EmbeddedStore;
