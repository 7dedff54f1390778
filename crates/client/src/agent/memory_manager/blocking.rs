//! A manager for programs without a runtime: every call waits for its end, and an invocation ends when what was said in it is saved. The
//! manager itself is the same; it runs on a runtime of its own.

use futures::future::BoxFuture;
use loci_api::documents::consolidation::ConsolidationStart;
use tokio::runtime::{Builder, Handle, Runtime};

use super::MemoryManager;
use super::additions::AddOptions;
use super::builder::MemoryManagerBuilder;
use super::consolidation::StoreConsolidation;
use super::search::{SearchDetails, SearchOptions};
use crate::agent::coordinator::Unsaved;
use crate::agent::entry::Entry;
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::injection::Injected;
use crate::agent::message::Message;
use crate::agent::tools::{Tool, ToolAnswer, ToolError};

/// See the file.
#[derive(Debug)]
pub struct BlockingMemoryManager {
    manager: MemoryManager,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

fn gone() -> StoreError {
    StoreError::transient("the memory manager was shut down")
}

impl Drop for BlockingMemoryManager {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Dropped within another runtime it must not wait.
            runtime.shutdown_background();
        }
    }
}

impl BlockingMemoryManager {
    /// The manager of a builder. Give it surroundings without an executor: what it would run is done at the end of an invocation.
    ///
    /// # Errors
    /// As [`MemoryManagerBuilder::build`]; where this thread belongs to a runtime already, which must not be blocked.
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

    /// The manager within, for what does not wait: its tools, its stores, what is in quarantine.
    pub fn manager(&self) -> &MemoryManager {
        &self.manager
    }

    /// Waits for a call. A thread that belongs to another runtime waits as well, for its callers chose to: on a thread beside it, since no
    /// runtime lets itself be blocked.
    fn wait<T: Send>(&self, call: impl Future<Output = T> + Send) -> Result<T, StoreError> {
        let mut answer = None;
        self.run(Box::pin(async { answer = Some(call.await) }))?;
        answer.ok_or_else(gone)
    }

    /// Runs work to its end; one kind of work, so that it is compiled once.
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
    /// As the tool's.
    pub fn call_tool(&self, tool: &Tool, arguments: serde_json::Value) -> Result<ToolAnswer, ToolError> {
        self.wait(tool.call(arguments)).unwrap_or_else(|error| Err(ToolError(error.to_string())))
    }

    /// See [`MemoryManager::search`].
    ///
    /// # Errors
    /// Where an argument breaks a rule.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        self.wait(self.manager.search(query, options)).map_err(ended)?
    }

    /// See [`MemoryManager::search_detailed`].
    ///
    /// # Errors
    /// Where an argument breaks a rule.
    pub fn search_detailed(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchDetails, MemoryError> {
        self.wait(self.manager.search_detailed(query, options)).map_err(ended)?
    }

    /// See [`MemoryManager::add`].
    ///
    /// # Errors
    /// Where an argument breaks a rule, or stores failed.
    pub fn add(&self, content: &str, options: &AddOptions) -> Result<(), MemoryError> {
        self.wait(self.manager.add(content, options)).map_err(ended)?
    }

    /// See [`MemoryManager::consolidate`].
    ///
    /// # Errors
    /// Errors if the manager was shut down.
    pub fn consolidate(&self, start: &ConsolidationStart) -> Result<Vec<StoreConsolidation>, StoreError> {
        self.wait(self.manager.consolidate(start))
    }

    /// See [`MemoryManager::inject`].
    pub fn inject(&self, messages: &[Message], state: &serde_json::Value) -> Injected {
        let untouched =
            || Injected { messages: messages.to_vec(), appended_blocks: 0, entries: Vec::new(), skipped: 0 };
        self.wait(self.manager.inject(messages, state)).unwrap_or_else(|_| untouched())
    }

    /// See [`MemoryManager::message_added`].
    ///
    /// # Errors
    /// Where the spool cannot be written; the message is buffered all the same. After the end (`close`), where it is not.
    pub fn message_added(&self, message: &Message) -> Result<(), StoreError> {
        self.manager.message_added(message)
    }

    /// The agent has answered: everything that was said is saved now, whatever the triggers say, for nothing runs between the calls. What
    /// could not be saved is returned, and tried again at the next end.
    pub fn invocation_ended(&self) -> Vec<Unsaved> {
        self.manager.invocation_ended();
        self.wait(self.manager.coordinator().flush()).unwrap_or_else(|_| self.manager.coordinator().unsaved())
    }

    /// Saves what is left and ends.
    pub fn close(self) -> Vec<Unsaved> {
        self.wait(self.manager.coordinator().close()).unwrap_or_else(|_| self.manager.coordinator().unsaved())
    }
}

fn ended(error: StoreError) -> MemoryError {
    MemoryError::Configuration(error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Surroundings;
    use crate::agent::coordinator::ExtractionConfig;
    use crate::agent::tests::test_store::TestStore;

    fn blocking(store: TestStore) -> Result<BlockingMemoryManager, MemoryError> {
        BlockingMemoryManager::build(MemoryManager::builder(Surroundings::system()).store(store))
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
