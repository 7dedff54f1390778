//! The addition of entries: it first checks all target stores, then writes to them concurrently.

use std::sync::Arc;

use futures::future::join_all;
use tracing::Instrument;

use super::MemoryManager;
use crate::agent::entry::{Metadata, NewEntry};
use crate::agent::error::{MemoryError, StoreFailure};
use crate::agent::isolation::caught;
use crate::agent::store::MemoryStore;

/// The options of adding an entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AddOptions {
    /// The metadata to store with the entry.
    pub metadata: Metadata,
    /// The names of the target stores. `None` means every writable store that takes entries.
    pub stores: Option<Vec<String>>,
}

impl MemoryManager {
    /// Adds an entry to the target stores.
    ///
    /// # Errors
    /// If an argument breaks a rule; then no store is written to. If stores fail, the error names
    /// them, and the others keep the entry.
    pub async fn add(&self, content: &str, options: &AddOptions) -> Result<(), MemoryError> {
        if content.trim().is_empty() {
            return Err(MemoryError::Argument("content must not be empty".to_owned()));
        }
        let targets = self.add_targets(options.stores.as_deref())?;
        let entry = NewEntry {
            content: content.to_owned(),
            metadata: options.metadata.clone(),
            observed_at_ms: None,
        };
        self.write_to(&targets, &entry).await
    }

    async fn write_to(&self, targets: &[Arc<dyn MemoryStore>], entry: &NewEntry) -> Result<(), MemoryError> {
        let names: Vec<&str> = targets.iter().map(|store| store.name()).collect();
        let span = tracing::info_span!(
            "memory.add",
            "memory.store.names" = serde_json::json!(names).to_string(),
            "memory.store.count" = targets.len(),
            "memory.store.failure_count" = tracing::field::Empty,
        );
        let writes = targets.iter().map(|store| caught("the store", async { store.add(entry).await }));
        let answers = join_all(writes).instrument(span.clone()).await;
        let mut failures = Vec::new();
        for (store, answer) in targets.iter().zip(answers) {
            if let Err(error) = answer {
                span.in_scope(|| {
                    tracing::warn!("store=<{}>, reason=<{error}> | store add failed", store.name())
                });
                failures.push(StoreFailure { store_name: store.name().to_owned(), error });
            }
        }
        span.record("memory.store.failure_count", failures.len());
        if failures.is_empty() { Ok(()) } else { Err(MemoryError::Add(failures)) }
    }

    fn add_targets(&self, names: Option<&[String]>) -> Result<Vec<Arc<dyn MemoryStore>>, MemoryError> {
        let refused = |what: String| Err(MemoryError::Argument(what));
        for name in names.unwrap_or_default() {
            let Some(store) = self.parts.stores.iter().find(|store| store.name() == name) else {
                return refused(format!("store '{name}' not found"));
            };
            if !store.capabilities().writable {
                return refused(format!("store '{name}' is read-only"));
            }
            if !store.capabilities().add {
                return refused(format!("store '{name}' takes messages only: it has no add"));
            }
        }
        let is_target = |store: &&Arc<dyn MemoryStore>| {
            let can = store.capabilities();
            can.writable && can.add && names.is_none_or(|names| names.iter().any(|name| name == store.name()))
        };
        let targets: Vec<_> = self.parts.stores.iter().filter(is_target).cloned().collect();
        if targets.is_empty() {
            return refused("no writable store matched".to_owned());
        }
        Ok(targets)
    }
}
