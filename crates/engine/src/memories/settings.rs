//! `memory_settings_put`: the settings that the wire lacks.

use loci_model::memory::Memory;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::settings::MemorySettings;
use loci_model::{Error, MemoryId, Result, limits};

use super::get::existing;
use crate::retrieval::weights::Weights;
use crate::{Engine, access};

/// Ten years, in milliseconds and days: longer is a typing error.
const ERASE_AFTER_MS_MAX: u64 = 3650 * 24 * 3600 * 1000;
const HISTORY_DAYS_MAX: u32 = 36_500;

impl Engine {
    /// Replaces the settings of a memory.
    pub async fn memory_settings_put(
        &self,
        caller: &Principal,
        id: &MemoryId,
        settings: MemorySettings,
    ) -> Result<Memory> {
        access::require_whole(caller, id, Capability::Admin)?;
        check(&settings)?;
        let now = self.clock.now();
        let id = id.clone();
        self.store
            .write(move |tx| {
                let mut memory = existing(tx, &id)?;
                memory.settings = settings.clone();
                memory.updated_at = now;
                tx.memories_mut().update(&memory)?;
                Ok(memory)
            })
            .await
    }
}

/// What settings must be, wherever they come from.
pub(crate) fn check(settings: &MemorySettings) -> Result<()> {
    if settings.erase_after_ms > ERASE_AFTER_MS_MAX {
        return Err(Error::invalid("erase_after_ms", "erase_after_ms must be at most ten years"));
    }
    if settings.history_days > HISTORY_DAYS_MAX {
        return Err(Error::invalid("history_days", "history_days must be at most 36500"));
    }
    if let Some(weights) = &settings.retrieval_weights {
        if weights.len() > limits::RETRIEVAL_WEIGHTS_BYTES_MAX {
            let message = format!(
                "retrieval_weights must be at most {} bytes: shorten their provenance",
                limits::RETRIEVAL_WEIGHTS_BYTES_MAX
            );
            return Err(Error::invalid("retrieval_weights", message));
        }
        Weights::parse(weights).map_err(|error| {
            let remedy = "give every signal of the shipped weights.json once, with its other members, or leave the member out";
            Error::invalid("retrieval_weights", format!("retrieval_weights: {}; {remedy}", error.message))
        })?;
    }
    Ok(())
}
