//! `sre_preferences`: everything somebody wants, by type and key (sre-memory.md §3.1, R-5): the whole current set, in order, never by
//! likeness.

use std::collections::BTreeMap;

use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::scope::RecordScope;
use loci_model::sre::SreType;
use loci_model::{MemoryId, NamespaceFilter, NamespaceMatch, Result};
use serde_json::{Map, Value};

use super::keeping::{CONFLICT, source, word};
use super::place;
use crate::memories::existing;
use crate::{Engine, access};

const PAGE: usize = 200;

/// What somebody wants of one type.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SrePreferences {
    /// The values in force, by key.
    pub value: Map<String, Value>,
    /// Everything that is said, by key: those in force first, then what contradicts them, then what waits for a person.
    pub entries: Vec<SrePreference>,
}

/// One preference.
#[derive(Debug, Clone, PartialEq)]
pub struct SrePreference {
    /// Its key.
    pub key: String,
    /// What is wanted.
    pub value: Value,
    /// Who says it.
    pub source: &'static str,
    /// `active`, `conflict` or `pending_confirmation`.
    pub state: &'static str,
    /// Its record.
    pub record: Record,
}

impl Engine {
    /// Everything somebody wants, by type.
    ///
    /// # Errors
    /// `Invalid` for what is no user; `Denied` for whoever is neither that user nor an administrator.
    pub async fn sre_preferences(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
    ) -> Result<BTreeMap<String, SrePreferences>> {
        let actor = place::actor(SreType::Preferences, user)?;
        access::require_user(caller, memory, (&actor, user))?;
        let view = access::record_view(caller, memory, Capability::Read)?;
        let (memory, now) = (memory.clone(), self.clock.now());
        let records = self
            .store
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let session = place::session(SreType::Preferences, None)?;
                let strategy = place::strategy(&memory, SreType::Preferences)?;
                let node = place::namespace(strategy, &actor, &session)?;
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    namespaces: vec![NamespaceFilter::new(&node, NamespaceMatch::Exact)],
                    states: vec![RecordState::Active, RecordState::Candidate],
                    ..place::scope(&memory, SreType::Preferences, None, now)?
                };
                let mut page = RecordPage { scope, after: None, limit: PAGE };
                let mut all: Vec<Record> = Vec::new();
                loop {
                    let some = tx.records().list(&page)?;
                    let is_last = some.len() < PAGE;
                    page.after = some.last().map(|record| (record.created_at, record.id.clone()));
                    all.extend(some);
                    if is_last {
                        return Ok(all);
                    }
                }
            })
            .await?;
        Ok(merged(records))
    }
}

fn merged(records: Vec<Record>) -> BTreeMap<String, SrePreferences> {
    let mut types: BTreeMap<String, SrePreferences> = BTreeMap::new();
    for record in records {
        // What a client wrote itself, or what was read out of talk, has no key.
        let (Some(kind), Some(key)) = (word(&record, "preference_type"), word(&record, "key")) else {
            continue;
        };
        let (kind, key) = (kind.to_owned(), key.to_owned());
        let Some(value) = value_of(&record) else { continue };
        let state = state_of(&record);
        let source = source(&record).as_str();
        types.entry(kind).or_default().entries.push(SrePreference { key, value, source, state, record });
    }
    for one in types.values_mut() {
        let place = |entry: &SrePreference| (entry.key.clone(), rank(entry.state), entry.record.id.clone());
        one.entries.sort_by_key(place);
        let in_force = one.entries.iter().filter(|entry| entry.state == "active");
        one.value = in_force.map(|entry| (entry.key.clone(), entry.value.clone())).collect();
    }
    types
}

fn state_of(record: &Record) -> &'static str {
    match record.state {
        RecordState::Candidate => "pending_confirmation",
        _ if record.metadata.contains_key(CONFLICT) => "conflict",
        _ => "active",
    }
}

fn rank(state: &str) -> u8 {
    match state {
        "active" => 0,
        "conflict" => 1,
        _ => 2,
    }
}

/// The value that is stored under the only member of what is wanted.
fn value_of(record: &Record) -> Option<Value> {
    let stored: Value = serde_json::from_str(&record.text).ok()?;
    stored.get("preference_value")?.as_object()?.values().next().cloned()
}
