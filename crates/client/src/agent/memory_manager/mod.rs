//! The manager: its stores, and the operations over all of them. [`MemoryManager::builder`] creates
//! it.

pub(super) mod additions;
pub(super) mod blocking_calls;
pub(super) mod builder;
pub(super) mod consolidation;
pub(super) mod search;

use std::sync::Arc;

use super::coordinator::ExtractionCoordinator;
use super::error::StoreError;
use super::fusion::Fusion;
use super::injection::{InjectedInput, InjectionOptions};
use super::message::Message;
use super::prompt_context::PromptContext;
use super::runtime::RuntimeContext;
use super::store::MemoryStore;
use super::tokens::Estimator;
use super::tools::{AddToolOptions, SearchToolOptions, Tool};
use builder::MemoryManagerBuilder;

/// Memory for an agent, over one or several stores. Clones share its state.
#[derive(Clone)]
pub struct MemoryManager {
    pub(super) parts: Arc<Parts>,
}

/// The shared parts of a manager.
pub(super) struct Parts {
    pub(super) stores: Vec<Arc<dyn MemoryStore>>,
    pub(super) fusion: Fusion,
    pub(super) estimator: Estimator,
    pub(super) search_tool: Option<SearchToolOptions>,
    pub(super) add_tool: Option<AddToolOptions>,
    pub(super) injection: Option<InjectionOptions>,
    /// The prompt contexts whose texts injection puts before the entries, in order.
    pub(super) contexts: Vec<Arc<dyn PromptContext>>,
    pub(super) extended_tools: bool,
    /// True if tracing spans of searches contain the query and the results.
    pub(super) capture_content: bool,
    pub(super) coordinator: ExtractionCoordinator,
    pub(super) surroundings: RuntimeContext,
}

impl MemoryManager {
    /// Returns a builder of a manager.
    pub fn builder(surroundings: RuntimeContext) -> MemoryManagerBuilder {
        MemoryManagerBuilder::new(surroundings)
    }

    /// Returns the stores in the order in which they were added.
    pub fn stores(&self) -> &[Arc<dyn MemoryStore>] {
        &self.parts.stores
    }

    /// Returns the coordinator that sends messages to the stores.
    pub fn coordinator(&self) -> &ExtractionCoordinator {
        &self.parts.coordinator
    }

    /// Records that the agent's history has a new message, and keeps a copy for the stores that
    /// receive messages.
    ///
    /// # Errors
    /// If the message cannot be written to the spool; it is kept in memory nevertheless. After
    /// `close` it is not kept.
    pub fn message_added(&self, message: &Message) -> Result<(), StoreError> {
        self.parts.coordinator.record(message)
    }

    /// Records the end of an invocation, after the agent has answered and the framework has saved
    /// its session. Triggers may then start a save.
    pub fn invocation_ended(&self) {
        self.parts.coordinator.invocation_ended();
    }

    /// Returns the tools for the model in a fixed order: search, add, then the tools of the stores.
    pub fn tools(&self) -> Vec<Tool> {
        let own = self.search_memory_tool().into_iter().chain(self.add_memory_tool());
        own.chain(self.parts.stores.iter().flat_map(|store| store.tools())).collect()
    }

    /// Returns the messages of a model call with matching entries appended to the user's last
    /// message. The history itself is unchanged. The call never fails: it logs errors and appends
    /// nothing.
    pub async fn inject(&self, messages: &[Message], state: &serde_json::Value) -> InjectedInput {
        super::injection::inject(self, messages, state).await
    }
}

impl std::fmt::Debug for MemoryManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.parts.stores.iter().map(|store| store.name()).collect();
        f.debug_struct("MemoryManager").field("stores", &names).finish_non_exhaustive()
    }
}
