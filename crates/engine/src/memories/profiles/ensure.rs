//! `memory_ensure`: a memory of that name is there, with a profile's strategies, when the answer is: made or found in one write, on the exact
//! name. What is missing is added; what is otherwise than asked is changed only where the caller
//! says so.

use std::collections::BTreeMap;

use loci_api::profile::{ProfileApplied, ProfileChange};
use loci_model::memory::Memory;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::{Result, Timestamp};

use super::apply::{count, pairs};
use super::file::{Profile, ProfileSettings};
use super::shipped;
use super::template_change::migrate_namespaces;
use crate::deliveries::record_streams;
use crate::memories::{NewMemory, NewStrategy};
use crate::{Engine, access, memories};

/// Days until events vanish, where neither the profile nor a strategy says.
const EVENT_EXPIRY_DAYS_DEFAULT: u32 = 90;
/// The tag that names a memory's profile.
const TAG: &str = "loci:profile";

/// What is to be there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryEnsure {
    /// The memory's name, in full.
    pub name: String,
    /// What a new one is for; `None`: what the profile says.
    pub description: Option<String>,
    /// The profile's name.
    pub profile: Option<String>,
    /// Strategies beside the profile's; one of the same name stands for it.
    pub strategies: Vec<NewStrategy>,
    /// What is otherwise than asked is changed, instead of being told.
    pub update: bool,
}

/// What is there.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEnsured {
    /// The memory.
    pub memory: Memory,
    /// It was not there.
    pub created: bool,
    /// Names of strategies that were added to one that was.
    pub added: Vec<String>,
    /// What is otherwise than asked; or what was changed, and how many records stayed where they were.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Makes a memory, or completes the one of that name. Called twice, the second time changes nothing.
    ///
    /// # Errors
    /// `Denied` where there is none and the caller does not administer the server, or there is one and the caller does not administer it;
    /// `Invalid` for an unknown profile and whatever breaks a rule; `Conflict` where a strategy of the same name is of another kind;
    /// `TooLarge` over a quota.
    pub async fn memory_ensure(&self, caller: &Principal, asked: MemoryEnsure) -> Result<MemoryEnsured> {
        let now = self.clock.now();
        let profile = self.wanted(&asked)?;
        let new = self.build_memory(&new_memory(&asked, &profile), now)?;
        let (engine, caller, update) = (self.clone(), caller.clone(), asked.update);
        self.store
            .write(move |tx| match tx.memories().by_name(&new.name)? {
                Some(old) => {
                    if access::require_whole(&caller, &old.id, Capability::Admin).is_err() {
                        // The same as where there is none: nobody learns of a memory by its name.
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

    /// The profile with what is asked for beside it.
    fn wanted(&self, asked: &MemoryEnsure) -> Result<Profile> {
        let mut profile = match &asked.profile {
            Some(name) => shipped::named(&self.settings, name, "profile")?.clone(),
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

    /// Adds what is missing to a memory that is there.
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

/// A difference, in words.
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
