//! What an agent needs of memory, whatever framework it is written in: one [`MemoryManager`] over several stores.
//!
//! * [`MemoryStore`]: the port; [`stores`] has the ones that are ready, and a new one is one implementation of it;
//! * [`MemoryManager`]: routes, isolates failures and schedules; how entries are kept is the stores' affair;
//! * `fusion`: one list out of several; `tools`: what a model may call; [`injection`]: what a model is shown unasked;
//! * [`coordinator`]: what was said comes to the stores, in order, once, also after a crash.
//!
//! Programs without a runtime have [`BlockingMemoryManager`].
//!
//! Clock, randomness and the executor are arguments ([`Surroundings`]). Nothing here knows a wire or a server.

mod batch;
pub mod coordinator;
mod entry;
mod error;
mod fusion;
pub mod injection;
mod isolation;
mod limits;
mod memory_manager;
mod message;
pub(crate) mod off_thread;
mod prompt_context;
mod store;
pub mod stores;
mod surroundings;
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
pub use memory_manager::blocking::BlockingMemoryManager;
pub use memory_manager::builder::MemoryManagerBuilder;
pub use memory_manager::consolidation::StoreConsolidation;
pub use memory_manager::search::{SearchDetails, SearchOptions};
pub use message::{Block, Message, Role};
pub use prompt_context::PromptContext;
pub use store::{Capabilities, ExtractionWaited, FeedbackStanding, MemoryStore, SearchQuery, WritePlace};
pub use surroundings::{Clock, Executor, Randomness, Surroundings, SystemClock, SystemRandomness};
pub use tokens::Estimator;
pub use tools::{AddToolOptions, SearchToolOptions, Tool, ToolAnswer, ToolError, ToolWork};
