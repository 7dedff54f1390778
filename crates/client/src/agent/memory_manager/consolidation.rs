//! `consolidate`: the upkeep of the documents of every writable store, one store after the other.

use loci_api::documents::consolidation::{ConsolidationRun, ConsolidationStart};

use super::MemoryManager;
use crate::agent::error::StoreError;

/// The upkeep of one store.
#[derive(Debug)]
pub struct StoreConsolidation {
    /// The name of the store.
    pub store_name: String,
    /// The run: a plan, or the applied changes.
    pub run: Result<ConsolidationRun, StoreError>,
}

impl MemoryManager {
    /// Plans the upkeep of the documents of all writable stores that keep some, in the order of the
    /// stores. It applies the plans if `start` requests so. A store that fails stops no other.
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
