//! `memory_create`: creates a memory that exists and is ACTIVE when the call returns.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::memory::Memory;
use loci_model::memory::index_key::{IndexedKey, NamespaceKey};
use loci_model::memory::strategy::Strategy;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::{Error, ErrorKind, FieldName, Reason, Result, Timestamp, limits};

use super::strategy_input::{self, Surroundings};
use super::{NewMemory, descriptions, profile, resource_names, served};
use crate::calls::caller_pattern::CallerPattern;
use crate::calls::idempotency::{ClientToken, recall, remember, replayed};
use crate::deliveries::record_streams;
use crate::safety::SafetyPolicy;
use crate::{Engine, access};

const OPERATION: &str = "CreateMemory";
const NAME_RULE: &str = "name must start with a letter and have up to 48 letters, digits or _";

impl Engine {
    /// Creates a memory.
    ///
    /// # Errors
    /// `Denied` without administration of the server; `Invalid` with `ResourceConflict` for a taken
    /// name, and for any violated rule; `TooLarge` with `QuotaExceeded` for more than six
    /// strategies or the configured number of memories.
    pub async fn memory_create(
        &self,
        caller: &Principal,
        new: NewMemory,
        token: Option<ClientToken>,
    ) -> Result<Memory> {
        let watch = self.watch("create_memory_store", None);
        let outcome = self.create_memory(caller, new, token).await;
        if let Some(watch) = watch {
            watch.tell_made(&outcome);
        }
        outcome
    }

    async fn create_memory(
        &self,
        caller: &Principal,
        new: NewMemory,
        token: Option<ClientToken>,
    ) -> Result<Memory> {
        access::require_server_admin(caller)?;
        let now = self.clock.now();
        let mut memory = self.build_memory(&new, now)?;
        let settings = &memory.settings;
        profile::add_retention(
            (&self.settings, &self.products),
            &memory.name,
            settings,
            &mut memory.strategies,
        )?;
        let memories_max = self.settings.memories_max;
        self.store
            .write(move |tx| {
                if let Some(first) = replayed(recall(tx, token.as_ref(), None, OPERATION, now)?)? {
                    return Ok(first);
                }
                insert(tx, &memory, memories_max)?;
                record_streams::enabled(tx, None, &memory, now)?;
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), None, OPERATION, &memory, expires)?;
                Ok(memory.clone())
            })
            .await
    }

    /// Builds a memory from a request, without writing it.
    pub(crate) fn build_memory(&self, new: &NewMemory, now: Timestamp) -> Result<Memory> {
        if !resource_names::is_name(&new.name) {
            return Err(Error::invalid("name", NAME_RULE));
        }
        check_expiry_days(new.event_expiry_days)?;
        check_keys(&new.indexed_keys, &new.namespace_keys, &new.tags)?;
        let around = Surroundings {
            settings: &self.settings,
            ids: self.ids.as_ref(),
            indexed_keys: &new.indexed_keys,
            namespace_keys: &new.namespace_keys,
            now,
        };
        let strategies = new
            .strategies
            .iter()
            .map(|one| strategy_input::build(one, &around))
            .collect::<Result<Vec<_>>>()?;
        check_set(&strategies)?;
        let settings = match &new.settings {
            Some(settings) => {
                super::settings::check(settings)?;
                self.check_mode(settings)?;
                settings.clone()
            }
            None => profile::initial_settings(&self.settings, &new.name, &new.tags, &strategies)?,
        };
        let mut memory = Memory {
            id: resource_names::memory_id(self.ids.as_ref(), &new.name)?,
            name: new.name.clone(),
            description: new.description.clone(),
            encryption_key_arn: new.encryption_key_arn.clone(),
            execution_role_arn: new.execution_role_arn.clone(),
            event_expiry_days: new.event_expiry_days,
            strategies,
            indexed_keys: new.indexed_keys.clone(),
            namespace_keys: new.namespace_keys.clone(),
            stream: new.stream.clone(),
            tags: new.tags.clone(),
            settings,
            created_at: now,
            updated_at: now,
            import: None,
        };
        let mode = SafetyPolicy::of(&self.settings, &memory.settings).secrets;
        descriptions::check_new(&memory, mode)?;
        descriptions::mask(&mut memory, mode);
        Ok(memory)
    }
}

/// Writes a new memory. `memories_max` limits the number of memories of the server; `None` for no
/// limit.
///
/// # Errors
/// `Invalid` for a taken name; `TooLarge` for more than the configured number.
pub(crate) fn insert(tx: &mut dyn Tx, memory: &Memory, memories_max: Option<u64>) -> Result<()> {
    if let Some(old) = tx.memories().by_name(&memory.name)? {
        served(old)?;
        let message = format!("Memory with name {} already exists", memory.name);
        return Err(Error::new(ErrorKind::Invalid, message).on("name").because(Reason::ResourceConflict));
    }
    if let Some(limit) = memories_max {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        if tx.memories().list(None, wanted)?.len() >= wanted {
            return Err(quota(format!("the server is configured for at most {limit} memories")));
        }
    }
    tx.memories_mut().insert(memory)
}

/// Returns the error for a request that exceeds a limit on the number of resources.
pub(super) fn quota(message: String) -> Error {
    Error::new(ErrorKind::TooLarge, message).because(Reason::QuotaExceeded)
}

/// Checks that the retention of events, in days, is within the allowed range.
pub(crate) fn check_expiry_days(days: u32) -> Result<()> {
    if (3..=3650).contains(&days) {
        Ok(())
    } else {
        Err(Error::invalid(
            FieldName::EventExpiryDays,
            FieldName::EventExpiryDays + " must be 3 to 3650 days",
        ))
    }
}

/// Checks the number of a memory's strategies, and that no two have the same name.
pub(super) fn check_set(strategies: &[Strategy]) -> Result<()> {
    if strategies.len() > limits::STRATEGIES_MAX {
        return Err(quota(format!("a memory has at most {} strategies", limits::STRATEGIES_MAX)));
    }
    let names: BTreeSet<_> = strategies.iter().map(|strategy| &strategy.name).collect();
    if names.len() == strategies.len() {
        Ok(())
    } else {
        Err(Error::invalid(FieldName::Strategies + ".name", "strategy names must be unique within a memory"))
    }
}

/// Checks a complete memory that an import provides, by the rules for a new memory.
///
/// # Errors
/// `Invalid` and `TooLarge`, which name the member.
pub(crate) fn check_given(memory: &Memory) -> Result<()> {
    if !resource_names::is_name(&memory.name) {
        return Err(Error::invalid("name", NAME_RULE));
    }
    check_expiry_days(memory.event_expiry_days)?;
    check_keys(&memory.indexed_keys, &memory.namespace_keys, &memory.tags)?;
    super::settings::check(&memory.settings)?;
    super::update::check_whole(memory)
}

fn check_keys(
    indexed_keys: &[IndexedKey],
    namespace_keys: &[NamespaceKey],
    tags: &BTreeMap<String, String>,
) -> Result<()> {
    let over = |field: FieldName, limit: usize| {
        Err(Error::invalid(field, field + format!(" must have at most {limit} entries")))
    };
    if indexed_keys.len() > limits::INDEXED_KEYS_MAX {
        return over(FieldName::IndexedKeys, limits::INDEXED_KEYS_MAX);
    }
    if namespace_keys.len() > limits::NAMESPACE_KEYS_MAX {
        return over(FieldName::NamespaceKeys, limits::NAMESPACE_KEYS_MAX);
    }
    if tags.len() > limits::TAGS_MAX {
        return Err(quota(format!("a memory has at most {} tags", limits::TAGS_MAX)));
    }
    check_namespace_keys(namespace_keys)?;
    let distinct: BTreeSet<_> = indexed_keys.iter().map(|key| &key.key).collect();
    if distinct.len() == indexed_keys.len() {
        Ok(())
    } else {
        Err({
            let field = FieldName::IndexedKeys;
            Error::invalid(field + ".key", field + " must name each key once")
        })
    }
}

/// Checks that namespace variables are distinct and their patterns compile.
pub(crate) fn check_namespace_keys(keys: &[NamespaceKey]) -> Result<()> {
    let distinct: BTreeSet<_> = keys.iter().map(|key| &key.key).collect();
    if distinct.len() != keys.len() {
        let field = FieldName::NamespaceKeys;
        return Err(Error::invalid(field + ".key", field + " must name each key once"));
    }
    for pattern in keys.iter().filter_map(|key| key.validation.as_ref()?.pattern.as_ref()) {
        crate::events::variable_pattern(pattern)?;
        // A value is matched within a write, so the states of its pattern are limited.
        CallerPattern::parse(pattern, false).map_err(|error| error.on(FieldName::NamespaceKeyPattern))?;
    }
    Ok(())
}
