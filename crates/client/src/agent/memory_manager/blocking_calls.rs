//! A manager for programs without an async runtime. Every call blocks until it ends, and the end
//! of an invocation saves all messages. It wraps the async manager, which runs on a runtime of its
//! own.

use futures::future::BoxFuture;
use loci_api::documents::consolidation::ConsolidationStart;
use tokio::runtime::{Builder, Handle, Runtime};

use super::MemoryManager;
use super::additions::AddOptions;
use super::builder::MemoryManagerBuilder;
use super::consolidation::StoreConsolidation;
use super::search::{SearchDetails, SearchOptions};
use crate::agent::coordinator::UnsavedStore;
use crate::agent::entry::Entry;
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::injection::InjectedInput;
use crate::agent::message::Message;
use crate::agent::tools::{Tool, ToolAnswer, ToolError};

/// A blocking wrapper of [`MemoryManager`].
#[derive(Debug)]
pub struct BlockingMemoryManager {
    manager: MemoryManager,
    /// The tokio runtime. `None` only while the wrapper is dropped.
    runtime: Option<Runtime>,
}

fn gone() -> StoreError {
    StoreError::transient("the memory manager was shut down")
}

impl Drop for BlockingMemoryManager {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Dropped within another runtime, it must not block.
            runtime.shutdown_background();
        }
    }
}

impl BlockingMemoryManager {
    /// Builds a blocking manager. The builder's runtime context needs no executor: background work
    /// is done at the end of an invocation.
    ///
    /// # Errors
    /// The errors of [`MemoryManagerBuilder::build`]. Also if this thread belongs to an async
    /// runtime, which must not be blocked.
    pub fn build(builder: MemoryManagerBuilder) -> Result<Self, MemoryError> {
        if Handle::try_current().is_ok() {
            return Err(MemoryError::Configuration(
                "this thread belongs to an async runtime, which must not be blocked: build the manager itself, and await it"
                    .to_owned(),
            ));
        }
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            MemoryError::Configuration(format!("the system gives no runtime to wait with: {error}"))
        })?;
        let manager = runtime.block_on(builder.build())?;
        Ok(Self { manager, runtime: Some(runtime) })
    }

    /// Returns the wrapped manager, for calls that do not block: the tools, the stores, the
    /// quarantine.
    pub fn manager(&self) -> &MemoryManager {
        &self.manager
    }

    /// Blocks until a call ends. On a thread of another runtime the call runs on a second thread,
    /// because no runtime permits nested blocking.
    fn wait<T: Send>(&self, call: impl Future<Output = T> + Send) -> Result<T, StoreError> {
        let mut answer = None;
        self.run(Box::pin(async { answer = Some(call.await) }))?;
        answer.ok_or_else(gone)
    }

    /// Runs a future to its end. It is boxed, so that this code is compiled once.
    fn run(&self, work: BoxFuture<'_, ()>) -> Result<(), StoreError> {
        let runtime = self.runtime.as_ref().ok_or_else(gone)?;
        if Handle::try_current().is_err() {
            runtime.block_on(work);
            return Ok(());
        }
        std::thread::scope(|scope| scope.spawn(|| runtime.block_on(work)).join()).map_err(|_| gone())
    }

    /// Calls a tool of [`MemoryManager::tools`].
    ///
    /// # Errors
    /// The errors of the tool.
    pub fn call_tool(&self, tool: &Tool, arguments: serde_json::Value) -> Result<ToolAnswer, ToolError> {
        self.wait(tool.call(arguments)).unwrap_or_else(|error| Err(ToolError(error.to_string())))
    }

    /// Blocking form of [`MemoryManager::search`].
    ///
    /// # Errors
    /// If an argument breaks a rule.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        self.wait(self.manager.search(query, options)).map_err(ended)?
    }

    /// Blocking form of [`MemoryManager::search_detailed`].
    ///
    /// # Errors
    /// If an argument breaks a rule.
    pub fn search_detailed(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchDetails, MemoryError> {
        self.wait(self.manager.search_detailed(query, options)).map_err(ended)?
    }

    /// Blocking form of [`MemoryManager::add`].
    ///
    /// # Errors
    /// If an argument breaks a rule, or stores failed.
    pub fn add(&self, content: &str, options: &AddOptions) -> Result<(), MemoryError> {
        self.wait(self.manager.add(content, options)).map_err(ended)?
    }

    /// Blocking form of [`MemoryManager::consolidate`].
    ///
    /// # Errors
    /// If the manager was shut down.
    pub fn consolidate(&self, start: &ConsolidationStart) -> Result<Vec<StoreConsolidation>, StoreError> {
        self.wait(self.manager.consolidate(start))
    }

    /// Blocking form of [`MemoryManager::inject`].
    pub fn inject(&self, messages: &[Message], state: &serde_json::Value) -> InjectedInput {
        let untouched = || InjectedInput {
            messages: messages.to_vec(),
            appended_blocks: 0,
            entries: Vec::new(),
            skipped: 0,
        };
        self.wait(self.manager.inject(messages, state)).unwrap_or_else(|_| untouched())
    }

    /// Blocking form of [`MemoryManager::message_added`].
    ///
    /// # Errors
    /// If the message cannot be written to the spool; it is kept in memory nevertheless. After
    /// `close` it is not kept.
    pub fn message_added(&self, message: &Message) -> Result<(), StoreError> {
        self.manager.message_added(message)
    }

    /// Ends an invocation and saves all messages now, regardless of the triggers, because nothing
    /// runs between two calls. Returns the stores with unsaved messages, which the next call
    /// retries.
    pub fn invocation_ended(&self) -> Vec<UnsavedStore> {
        self.manager.invocation_ended();
        self.wait(self.manager.coordinator().flush()).unwrap_or_else(|_| self.manager.coordinator().unsaved())
    }

    /// Saves the remaining messages and closes the manager. Returns the stores with messages that
    /// could not be saved.
    pub fn close(self) -> Vec<UnsavedStore> {
        self.wait(self.manager.coordinator().close()).unwrap_or_else(|_| self.manager.coordinator().unsaved())
    }
}

fn ended(error: StoreError) -> MemoryError {
    MemoryError::Configuration(error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::RuntimeContext;
    use crate::agent::coordinator::ExtractionConfig;
    use crate::agent::tests::test_store::TestStore;

    fn blocking(store: TestStore) -> Result<BlockingMemoryManager, MemoryError> {
        BlockingMemoryManager::build(MemoryManager::builder(RuntimeContext::system()).store(store))
    }

    #[test]
    fn every_invocation_is_saved_at_its_end() {
        let store = TestStore::taking("t").extracting(ExtractionConfig::default());
        let kept = store.kept.clone();
        let manager = blocking(store).unwrap();
        for said in ["one", "two"] {
            manager.message_added(&Message::user(said)).unwrap();
            assert!(manager.invocation_ended().is_empty());
        }
        assert_eq!(kept.texts(), ["one", "two"], "long before the fifth turn");
        assert!(manager.close().is_empty());
    }

    #[test]
    fn entries_are_found_and_injected() {
        let found = vec![Entry::new("r", "The boat is called Gull.")];
        let manager = blocking(TestStore::reading("r").found(found)).unwrap();
        assert_eq!(manager.search("boat", &SearchOptions::default()).unwrap().len(), 1);
        let history = [Message::user("What is the boat called?")];
        assert_eq!(manager.inject(&history, &serde_json::json!({})).appended_blocks, 1);
    }

    #[test]
    fn it_may_be_used_and_dropped_within_a_runtime() {
        let manager = blocking(TestStore::reading("r").found(vec![Entry::new("r", "Gull")])).unwrap();
        let runtime = Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async move {
            let tool = manager.manager().tools().remove(0);
            let called = manager.call_tool(&tool, serde_json::json!({ "query": "boat" })).unwrap();
            assert_eq!(called.into_value()[0]["content"], "Gull");
            manager.search("boat", &SearchOptions::default()).unwrap().len()
        });
        assert_eq!(found, 1);
    }

    #[test]
    fn a_runtime_is_not_blocked() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let error = runtime.block_on(async { blocking(TestStore::reading("r")).unwrap_err() });
        assert!(error.to_string().contains("must not be blocked"), "{error}");
    }
}
