//! Consolidation of the documents of every writable store, one store after the other.

use loci_api::documents::consolidation::{ConsolidationRun, ConsolidationStart};

use super::MemoryManager;
use crate::agent::error::StoreError;

/// The consolidation of the documents of one store.
#[derive(Debug)]
pub struct StoreConsolidation {
    /// The name of the store.
    pub store_name: String,
    /// The consolidation run: a plan, or the applied changes.
    pub run: Result<ConsolidationRun, StoreError>,
}

impl MemoryManager {
    /// Plans the consolidation of the documents of all writable stores that have documents, in the
    /// order of the stores. Applies the plans if `start` requests that. A failure of one store does
    /// not stop the others.
    pub async fn consolidate(&self, start: &ConsolidationStart) -> Vec<StoreConsolidation> {
        let mut all = Vec::new();
        for store in self.stores().iter().filter(|store| store.capabilities().writable) {
            if let Some(run) = store.consolidate(start).await.transpose() {
                all.push(StoreConsolidation { store_name: store.name().to_owned(), run });
            }
        }
        all
    }
}
