//! `memory_update`: changes a memory completely or not at all, before the call returns.

use loci_model::memory::Memory;
use loci_model::memory::index_key::IndexedKey;
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::warning::{Notices, Warning};
use loci_model::{Error, FieldName, MemoryId, Result, StrategyId, Timestamp, limits};

use super::create::{check_expiry_days, check_namespace_keys, check_set};
use super::get::existing;
use super::strategy_input::{self, Surroundings};
use super::{MemoryUpdate, MemoryUpdated, NewStrategy, StrategyUpdate, descriptions, profile};
use crate::calls::idempotency::{ClientToken, recall, remember, replayed};
use crate::deliveries::record_streams;
use crate::memories::profiles::template_change::{MovedRecordCounts, migrate_namespaces};
use crate::safety::SafetyPolicy;
use crate::settings::EngineSettings;
use crate::{Engine, access};

const OPERATION: &str = "UpdateMemory";

impl Engine {
    /// Changes a memory.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory or strategy; `Invalid` for any violated rule, an indexed
    /// key with another type, or the removal of a namespace variable that a template still uses;
    /// `TooLarge` over a quota.
    pub async fn memory_update(
        &self,
        caller: &Principal,
        id: &MemoryId,
        change: MemoryUpdate,
        token: Option<ClientToken>,
    ) -> Result<MemoryUpdated> {
        access::require_whole(caller, id, Capability::Admin)?;
        let now = self.clock.now();
        let engine = self.clone();
        let id = id.clone();
        self.store
            .write(move |tx| {
                if let Some(first) = replayed(recall(tx, token.as_ref(), Some(&id), OPERATION, now)?)? {
                    return Ok(MemoryUpdated { memory: first, notices: Notices::default() });
                }
                let old = existing(tx, &id)?;
                let mut memory = old.clone();
                engine.apply_update(&mut memory, &change, now)?;
                let mut moved = MovedRecordCounts::default();
                for strategy in &old.strategies {
                    if let Some(changed) = memory.strategy(&strategy.id) {
                        moved += migrate_namespaces(tx, &memory, strategy, changed, now)?;
                    }
                }
                cancel_jobs(tx, &id, &change.delete_strategies)?;
                tx.memories_mut().update(&memory)?;
                record_streams::enabled(tx, Some(&old), &memory, now)?;
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&id), OPERATION, &memory, expires)?;
                let mut notices = Notices::default();
                if moved.unmoved > 0 {
                    notices.warn(Warning::RecordsUnmoved);
                }
                Ok(MemoryUpdated { memory, notices })
            })
            .await
    }

    fn apply_update(&self, memory: &mut Memory, change: &MemoryUpdate, now: Timestamp) -> Result<()> {
        if let Some(description) = &change.description {
            memory.description = Some(description.clone());
        }
        if let Some(days) = change.event_expiry_days {
            check_expiry_days(days)?;
            memory.event_expiry_days = days;
        }
        if let Some(role) = &change.execution_role_arn {
            memory.execution_role_arn = Some(role.clone());
        }
        if let Some(stream) = &change.stream {
            memory.stream = Some(stream.clone());
        }
        add_indexed_keys(&mut memory.indexed_keys, &change.add_indexed_keys)?;
        if let Some(keys) = &change.namespace_keys {
            check_namespace_keys(keys)?;
            memory.namespace_keys.clone_from(keys);
        }
        for id in &change.delete_strategies {
            strategy_input::find(&mut memory.strategies, id)?;
            memory.strategies.retain(|strategy| strategy.id != *id);
        }
        for update in &change.modify_strategies {
            let strategy = strategy_input::find(&mut memory.strategies, &update.id)?;
            modify(strategy, update, &self.settings)?;
            strategy.updated_at = now;
        }
        let mut added = self.new_strategies(memory, &change.add_strategies, now)?;
        if let Some(settings) = profile::recognised(&self.settings, memory, &added)? {
            memory.settings = settings;
        }
        profile::add_retention((&self.settings, &self.products), &memory.name, &memory.settings, &mut added)?;
        let mode = SafetyPolicy::of(&self.settings, &memory.settings).secrets;
        descriptions::check_strategies(&added, mode)?;
        memory.strategies.extend(added);
        descriptions::mask(memory, mode);
        memory.updated_at = now;
        check_whole(memory)
    }

    fn new_strategies(
        &self,
        memory: &Memory,
        asked: &[NewStrategy],
        now: Timestamp,
    ) -> Result<Vec<Strategy>> {
        let around = Surroundings {
            settings: &self.settings,
            ids: self.ids.as_ref(),
            indexed_keys: &memory.indexed_keys,
            namespace_keys: &memory.namespace_keys,
            now,
        };
        let mut added = Vec::new();
        for new in asked {
            if !repeats_one(memory, new, &self.settings)? {
                added.push(strategy_input::build(new, &around)?);
            }
        }
        Ok(added)
    }
}

fn repeats_one(memory: &Memory, new: &NewStrategy, settings: &EngineSettings) -> Result<bool> {
    for existing in &memory.strategies {
        if strategy_input::is_repeated(new, existing, settings)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn cancel_jobs(tx: &mut dyn Tx, memory: &MemoryId, strategies: &[StrategyId]) -> Result<()> {
    for strategy in strategies {
        tx.jobs_mut().cancel(memory, Some(strategy), None)?;
    }
    Ok(())
}

/// Adds metadata keys for filters. A key that exists must have the same type.
pub(crate) fn add_indexed_keys(keys: &mut Vec<IndexedKey>, added: &[IndexedKey]) -> Result<()> {
    for key in added {
        match keys.iter().find(|existing| existing.key == key.key) {
            Some(existing) if existing.kind == key.kind => {}
            Some(_) => {
                let rule = "an indexed key cannot change its type: choose another key";
                return Err(Error::invalid(FieldName::AddedKeyKind, rule));
            }
            None => keys.push(key.clone()),
        }
    }
    if keys.len() > limits::INDEXED_KEYS_MAX {
        return Err(Error::invalid(FieldName::AddIndexedKeys, "a memory has at most 10 indexed keys"));
    }
    Ok(())
}

/// Checks the rules that concern several parts of a memory, after every change.
pub(crate) fn check_whole(memory: &Memory) -> Result<()> {
    check_set(&memory.strategies)?;
    if memory.namespace_keys.len() > limits::NAMESPACE_KEYS_MAX {
        return Err(Error::invalid(FieldName::NamespaceKeys, "a memory has at most 5 namespace keys"));
    }
    memory.strategies.iter().try_for_each(|strategy| {
        strategy_input::check(strategy, &memory.indexed_keys, &memory.namespace_keys)
    })
}

fn modify(strategy: &mut Strategy, update: &StrategyUpdate, settings: &EngineSettings) -> Result<()> {
    if let Some(description) = &update.description {
        strategy.description = Some(description.clone());
    }
    if let Some(template) = &update.template {
        strategy.template = template.clone();
    }
    if let Some(schema) = &update.schema {
        strategy.schema = Some(schema.clone());
    }
    match update.expiry {
        None => {}
        Some(ExpirySpecification::Days(days)) => strategy.record_expiry_days = Some(days),
        Some(ExpirySpecification::Remove) => strategy.record_expiry_days = None,
    }
    if let Some(asked) = &update.reflection {
        strategy.reflection = strategy_input::reflection(strategy.base, Some(asked), &strategy.template)?;
    }
    modify_prompts(strategy, update)?;
    if let Some(asked) = &update.self_managed {
        strategy_input::check_targets(asked.topic_arn.as_ref(), asked.payload_bucket.as_ref(), settings)?;
        let own = strategy_input::self_managed(strategy)?;
        if let Some(triggers) = &asked.triggers {
            own.triggers = strategy_input::all_triggers(triggers);
        }
        if let Some(topic) = &asked.topic_arn {
            own.topic_arn.clone_from(topic);
        }
        if let Some(bucket) = &asked.payload_bucket {
            own.payload_bucket.clone_from(bucket);
        }
        if let Some(history) = asked.history_messages {
            own.history_messages = history;
        }
    }
    Ok(())
}

fn modify_prompts(strategy: &mut Strategy, update: &StrategyUpdate) -> Result<()> {
    let base = strategy.base;
    let fits = |asked: StrategyBase| {
        if asked == base {
            Ok(())
        } else {
            let rule = "the override is for another type of strategy";
            Err(Error::invalid(FieldName::Strategies + ".configuration", rule))
        }
    };
    if update.extraction.is_none() && update.consolidation.is_none() {
        return Ok(());
    }
    let Some(custom) = &mut strategy.custom else {
        let rule = "only custom strategies have prompt overrides: delete the strategy and add a custom one";
        return Err(Error::invalid(FieldName::Strategies + ".configuration", rule));
    };
    if let Some((asked, step)) = &update.extraction {
        fits(*asked)?;
        custom.extraction = Some(step.clone());
    }
    if let Some((asked, step)) = &update.consolidation {
        fits(*asked)?;
        custom.consolidation = Some(step.clone());
    }
    Ok(())
}
