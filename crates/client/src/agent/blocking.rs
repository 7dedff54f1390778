//! A manager for programs without a runtime: every call waits for its end, and an invocation ends when what was said in it is saved. The
//! manager itself is the same; it runs on a runtime of its own.

use tokio::runtime::{Builder, Handle, Runtime};

use super::adding::AddOptions;
use super::builder::MemoryManagerBuilder;
use super::coordinator::Unsaved;
use super::entry::Entry;
use super::error::{MemoryError, StoreError};
use super::injection::Injected;
use super::memory_manager::MemoryManager;
use super::message::Message;
use super::searching::{SearchDetails, SearchOptions};

/// See the file.
#[derive(Debug)]
pub struct BlockingMemoryManager {
    manager: MemoryManager,
    runtime: Runtime,
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
        Ok(Self { manager, runtime })
    }

    /// The manager within, for what does not wait: its tools, its stores, what is in quarantine.
    pub fn manager(&self) -> &MemoryManager {
        &self.manager
    }

    /// See [`MemoryManager::search`].
    ///
    /// # Errors
    /// Where an argument breaks a rule.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        self.runtime.block_on(self.manager.search(query, options))
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
        self.runtime.block_on(self.manager.search_detailed(query, options))
    }

    /// See [`MemoryManager::add`].
    ///
    /// # Errors
    /// Where an argument breaks a rule, or stores failed.
    pub fn add(&self, content: &str, options: &AddOptions) -> Result<(), MemoryError> {
        self.runtime.block_on(self.manager.add(content, options))
    }

    /// See [`MemoryManager::inject`].
    pub fn inject(&self, messages: &[Message], state: &serde_json::Value) -> Injected {
        self.runtime.block_on(self.manager.inject(messages, state))
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
        self.runtime.block_on(self.manager.coordinator().flush())
    }

    /// Saves what is left and ends.
    pub fn close(self) -> Vec<Unsaved> {
        self.runtime.block_on(self.manager.coordinator().close())
    }
}

#[cfg(test)]
mod tests {
    use super::super::coordinator::ExtractionConfig;
    use super::super::test_store::TestStore;
    use super::*;
    use crate::agent::Surroundings;

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
    fn a_runtime_is_not_blocked() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let error = runtime.block_on(async { blocking(TestStore::reading("r")).unwrap_err() });
        assert!(error.to_string().contains("must not be blocked"), "{error}");
    }
}
