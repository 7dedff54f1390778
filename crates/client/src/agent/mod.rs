//! Memory for an agent in any framework: one [`MemoryManager`] over several stores.
//!
//! * [`MemoryStore`]: the port that a store implements; [`stores`]: the implementations of this
//!   crate;
//! * [`MemoryManager`]: sends each call to the right stores, isolates their failures and schedules
//!   saves. The stores decide how they keep entries;
//! * `fusion`: merges the search results of several stores; `tools`: the tools for a model;
//!   [`injection`]: adds entries to the input of a model call;
//! * [`coordinator`]: sends messages to the stores in order and exactly once, even after a crash.
//!
//! Programs without an async runtime use [`BlockingMemoryManager`].
//!
//! The clock, the randomness and the executor are arguments ([`RuntimeContext`]). Except for the
//! stores, nothing here depends on a wire format or a server.

mod batch;
pub(crate) mod blocking_task;
pub mod coordinator;
mod entry;
mod error;
mod fusion;
pub mod injection;
mod isolation;
mod limits;
mod memory_manager;
mod message;
mod prompt_context;
mod runtime;
mod store;
pub mod stores;
mod time_text;
mod tokens;
mod tools;

#[cfg(test)]
pub(crate) mod tests;

pub use batch::{BatchOutcome, EventFailure, EventsNotStored, MessageBatch, SequencedMessage, Unstored};
pub use entry::{Added, Entry, Metadata, NewEntry, Trust};
pub use error::{ErrorClass, MemoryError, StoreError, StoreFailure};
pub use fusion::Fusion;
pub use loci_api::documents::consolidation::{ConsolidationRun, ConsolidationStart};
pub use loci_api::record::feedback::FeedbackVerdict;
pub use memory_manager::MemoryManager;
pub use memory_manager::additions::AddOptions;
pub use memory_manager::blocking_calls::BlockingMemoryManager;
pub use memory_manager::builder::MemoryManagerBuilder;
pub use memory_manager::consolidation::StoreConsolidation;
pub use memory_manager::search::{SearchDetails, SearchOptions};
pub use message::{Block, Message, Role};
pub use prompt_context::PromptContext;
pub use runtime::{Clock, Executor, Randomness, RuntimeContext, SystemClock, SystemRandomness};
pub use store::{Capabilities, ExtractionWaited, FeedbackStanding, MemoryStore, SearchQuery, WritePlace};
pub use tokens::Estimator;
pub use tools::{AddToolOptions, SearchToolOptions, Tool, ToolAnswer, ToolError, ToolWork};
