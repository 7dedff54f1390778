//! `memory_ensure`: makes sure that a memory with this name and a profile's strategies exists, in
//! one write that creates or completes it. Missing strategies are added; values that differ are
//! changed only on request.

use std::collections::BTreeMap;

use loci_api::profile::{ProfileApplied, ProfileChange};
use loci_model::memory::Memory;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::{Result, Timestamp};

use super::apply::{count, pairs};
use super::file::{Profile, ProfileSettings};
use super::shipped_profiles;
use super::template_change::migrate_namespaces;
use crate::deliveries::record_streams;
use crate::memories::{NewMemory, NewStrategy};
use crate::{Engine, access, memories};

/// The retention of events in days, if neither the profile nor a strategy specifies it.
const EVENT_EXPIRY_DAYS_DEFAULT: u32 = 90;
/// The tag whose value is the name of the memory's profile.
const TAG: &str = "loci:profile";

/// A request that a memory with certain strategies exists.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryEnsure {
    /// The full name of the memory.
    pub name: String,
    /// The description if the memory is created; `None` means that of the profile.
    pub description: Option<String>,
    /// The name of the profile; `None` for a memory without a profile.
    pub profile: Option<String>,
    /// Strategies in addition to those of the profile. A strategy with the name of one in the
    /// profile replaces it.
    pub strategies: Vec<NewStrategy>,
    /// True to change values of an existing memory that differ from the request; false to only
    /// report them.
    pub update: bool,
}

/// The memory that exists after `memory_ensure`.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEnsured {
    /// The memory.
    pub memory: Memory,
    /// True if the call created the memory.
    pub created: bool,
    /// The names of the strategies that the call added to an existing memory.
    pub added: Vec<String>,
    /// The differences between the memory and the request; if they were changed, the changes and
    /// the number of records that could not move.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Creates a memory, or adds what is missing in the memory with this name. A second call with
    /// the same request changes nothing.
    ///
    /// # Errors
    /// `Denied` if the memory does not exist and the caller does not administer the server, or it
    /// exists and the caller does not administer it; `Invalid` for an unknown profile and any
    /// violated rule; `Conflict` if a strategy of the same name is of another kind; `TooLarge` over
    /// a quota.
    pub async fn memory_ensure(&self, caller: &Principal, asked: MemoryEnsure) -> Result<MemoryEnsured> {
        let now = self.clock.now();
        let profile = self.wanted(&asked)?;
        let new = self.build_memory(&new_memory(&asked, &profile), now)?;
        let (engine, caller, update) = (self.clone(), caller.clone(), asked.update);
        self.store
            .write(move |tx| match tx.memories().by_name(&new.name)? {
                Some(old) => {
                    if access::require_whole(&caller, &old.id, Capability::Admin).is_err() {
                        // The same error as for a missing memory, so that its name reveals nothing.
                        access::require_server_admin(&caller)?;
                    }
                    engine.complete(tx, memories::served(old)?, &profile, update, now)
                }
                None => {
                    access::require_server_admin(&caller)?;
                    memories::insert(tx, &new, engine.settings.memories_max)?;
                    record_streams::enabled(tx, None, &new, now)?;
                    let memory = new.clone();
                    Ok(MemoryEnsured { memory, created: true, added: Vec::new(), warnings: Vec::new() })
                }
            })
            .await
    }

    /// Returns the requested profile, extended by the strategies of the request.
    fn wanted(&self, asked: &MemoryEnsure) -> Result<Profile> {
        let mut profile = match &asked.profile {
            Some(name) => shipped_profiles::named(&self.settings, name, "profile")?.clone(),
            None => Profile {
                name: String::new(),
                version: 1,
                description: String::new(),
                event_expiry_days: None,
                settings: ProfileSettings::default(),
                known_by: Vec::new(),
                namespace_keys: Vec::new(),
                indexed_keys: Vec::new(),
                strategies: Vec::new(),
                text: String::new(),
            },
        };
        self.products.configure(&mut profile, &asked.name)?;
        profile.strategies.retain(|one| asked.strategies.iter().all(|other| other.name != one.name));
        profile.strategies.extend(asked.strategies.iter().cloned());
        Ok(profile)
    }

    /// Adds the missing strategies, keys and variables to an existing memory.
    fn complete(
        &self,
        tx: &mut dyn Tx,
        old: Memory,
        profile: &Profile,
        update: bool,
        now: Timestamp,
    ) -> Result<MemoryEnsured> {
        let mut target = self.target(&old, profile, now)?;
        let mut warnings: Vec<String> = target.applied.changed.iter().map(|one| told(one, update)).collect();
        let added = std::mem::take(&mut target.applied.added);
        let mut memory = old.clone();
        if update && !(added.is_empty() && target.applied.changed.is_empty()) {
            memory = target.memory;
            let mut applied = ProfileApplied::default();
            for (from, to) in pairs(&old, &memory) {
                count(&mut applied, migrate_namespaces(tx, &memory, from, to, now)?);
            }
            if applied.unmoved_records > 0 {
                let many = applied.unmoved_records;
                warnings
                    .push(format!("{many} records stay in their namespaces: their new ones cannot be told"));
            }
            tx.memories_mut().update(&memory)?;
        } else if !added.is_empty() {
            let is_added = |name: &String| added.contains(name);
            let strategies = target.memory.strategies.into_iter();
            let strategies: Vec<_> = strategies.filter(|strategy| is_added(&strategy.name)).collect();
            if let Some(settings) = memories::recognised(&self.settings, &memory, &strategies)? {
                memory.settings = settings;
            }
            memory.strategies.extend(strategies);
            memory.updated_at = now;
            memories::check_whole(&memory)?;
            tx.memories_mut().update(&memory)?;
        }
        Ok(MemoryEnsured { memory, created: false, added, warnings })
    }
}

fn new_memory(asked: &MemoryEnsure, profile: &Profile) -> NewMemory {
    let longest = profile.strategies.iter().filter_map(|one| one.record_expiry_days).max();
    let description = Some(profile.description.clone()).filter(|text| !text.is_empty());
    let tag = asked.profile.iter().map(|name| (TAG.to_owned(), name.clone()));
    NewMemory {
        name: asked.name.clone(),
        description: asked.description.clone().or(description),
        event_expiry_days: profile.event_expiry_days.or(longest).unwrap_or(EVENT_EXPIRY_DAYS_DEFAULT),
        strategies: profile.strategies.clone(),
        indexed_keys: profile.indexed_keys.clone(),
        namespace_keys: profile.namespace_keys.clone(),
        tags: BTreeMap::from_iter(tag),
        ..NewMemory::default()
    }
}

/// Returns the warning for a value that differs from the profile, or that was changed if `update`
/// is set.
fn told(change: &ProfileChange, update: bool) -> String {
    let unset = "not set".to_owned();
    let (from, to) = (change.from.as_ref().unwrap_or(&unset), change.to.as_ref().unwrap_or(&unset));
    let what = match &change.strategy {
        Some(strategy) => format!("{} of the strategy {strategy}", change.member),
        None => format!("{} of the memory", change.member),
    };
    if update {
        format!("{what} was {from} and is {to}")
    } else {
        format!("{what} is {from}, not {to} as asked: it stays, update=true changes it")
    }
}
