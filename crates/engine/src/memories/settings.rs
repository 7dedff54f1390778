//! `memory_settings_put`: replaces the settings of a memory that AgentCore does not have.

use loci_model::memory::Memory;
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings, ModelMode};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, Result, limits};

use super::get::existing;
use crate::consolidation::Thresholds;
use crate::retrieval::weights::Weights;
use crate::{Engine, access};

/// The maximum delay between a deletion and the erasure of the content, in milliseconds: ten
/// years. A larger value is probably a typing error.
const ERASE_AFTER_MS_MAX: u64 = 3650 * 24 * 3600 * 1000;
const HISTORY_DAYS_MAX: u32 = 36_500;
/// The maximum number of episodes between two reflections, and that must support a reflection.
/// With a larger number no reflection would ever be made.
const REFLECT_EVERY_MAX: u32 = 1_000;
const REFLECT_EPISODES_MAX: u32 = 200;

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
        self.check_mode(&settings)?;
        let now = self.clock.now();
        let id = id.clone();
        self.store
            .write(move |tx| {
                let mut memory = existing(tx, &id)?;
                let reader_changes = memory.settings.model_mode != settings.model_mode;
                memory.settings = settings.clone();
                memory.updated_at = now;
                tx.memories_mut().update(&memory)?;
                if reader_changes {
                    // Jobs that wait for a client's answer must run under the new mode, because the
                    // client may never return.
                    tx.jobs_mut().wake_all(Some(&memory.id), now)?;
                }
                Ok(memory)
            })
            .await
            .inspect(|_| self.wake.call())
    }

    /// Rejects settings that require a language model on the server if the server has none.
    pub(crate) fn check_mode(&self, settings: &MemorySettings) -> Result<()> {
        if settings.model_mode == Some(ModelMode::Provider) && self.models.is_empty() {
            let rule = "no language model is configured on this server: configure one, or use pull or none";
            return Err(Error::invalid("model_mode", rule));
        }
        Ok(())
    }
}

/// Checks the settings of a memory, from a request or a profile.
pub(crate) fn check(settings: &MemorySettings) -> Result<()> {
    if settings.erase_after_ms > ERASE_AFTER_MS_MAX {
        return Err(Error::invalid("erase_after_ms", "erase_after_ms must be at most ten years"));
    }
    if settings.history_days > HISTORY_DAYS_MAX {
        return Err(Error::invalid("history_days", "history_days must be at most 36500"));
    }
    settings.window.check("window")?;
    check_consolidation(&settings.consolidation)?;
    if let Some(weights) = &settings.retrieval_weights {
        if weights.len() > limits::RETRIEVAL_WEIGHTS_BYTES_MAX {
            let message = format!(
                "retrieval_weights must be at most {} bytes: shorten their provenance",
                limits::RETRIEVAL_WEIGHTS_BYTES_MAX
            );
            return Err(Error::invalid("retrieval_weights", message));
        }
        Weights::parse_whole(weights).map_err(|error| {
            let remedy = "give every signal of the shipped weights.json once, with its other members, or leave the member out";
            Error::invalid("retrieval_weights", format!("retrieval_weights: {}; {remedy}", error.message))
        })?;
    }
    Ok(())
}

fn check_consolidation(settings: &ConsolidationSettings) -> Result<()> {
    if !(1..=REFLECT_EVERY_MAX).contains(&settings.reflect_every) {
        return Err(Error::invalid("consolidation.reflect_every", "reflect_every must be 1 to 1000"));
    }
    if !(2..=REFLECT_EPISODES_MAX).contains(&settings.reflect_min_episodes) {
        let rule = "reflect_min_episodes must be 2 to 200";
        return Err(Error::invalid("consolidation.reflect_min_episodes", rule));
    }
    Thresholds::read(settings.thresholds.as_deref()).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::memory::settings::WindowSettings;

    #[test]
    fn what_is_refused_names_its_member() {
        let usual = MemorySettings::default;
        let field = |settings: &MemorySettings| check(settings).err().and_then(|error| error.field);
        let of = |reflect_every, reflect_min_episodes, thresholds: Option<&str>| MemorySettings {
            consolidation: ConsolidationSettings {
                reflect_every,
                reflect_min_episodes,
                thresholds: thresholds.map(str::to_owned),
                ..ConsolidationSettings::default()
            },
            ..usual()
        };
        assert_eq!(field(&usual()), None);
        assert_eq!(field(&of(1, 2, None)), None);
        assert_eq!(field(&of(1_000, 200, None)), None);
        let check = |settings: MemorySettings, expect: &str| {
            assert_eq!(field(&settings).as_deref(), Some(expect), "{settings:?}");
        };
        check(of(0, 3, None), "consolidation.reflect_every");
        check(of(1_001, 3, None), "consolidation.reflect_every");
        check(of(5, 1, None), "consolidation.reflect_min_episodes");
        check(of(5, 201, None), "consolidation.reflect_min_episodes");
        assert_eq!(field(&of(5, 3, Some(r#"{"paraphrase":0.95}"#))), None);
        check(of(5, 3, Some(r#"{"paraphrase":2}"#)), "consolidation.thresholds");
        let window = WindowSettings { messages: 0, ..WindowSettings::default() };
        check(MemorySettings { window, ..usual() }, "window.messages");
    }
}
