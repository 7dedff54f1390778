//! `sre_preferences`: all current preferences of a user by type and key. The set is complete and
//! ordered, and not ranked by similarity.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, MemoryId, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};
use serde_json::{Map, Value};

use super::preference;
use crate::Operations;
use crate::contacts::protected_preferences::{Class, needs_person};
use crate::records::namespace_rules;
use crate::records::precedence::source;
use crate::settings::SreSettings;

const PAGE: usize = 200;
/// The state of an active preference.
pub(crate) const IN_FORCE: &str = "active";
pub(super) const CONTRADICTS: &str = "conflict";
pub(super) const WAITS: &str = "pending_confirmation";

/// A user's preferences of one type.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SrePreferences {
    /// The active values, by key.
    pub value: Map<String, Value>,
    /// All entries by key: active ones first, then conflicting ones, then those pending
    /// confirmation.
    pub entries: Vec<SrePreference>,
}

/// One preference.
#[derive(Debug, Clone, PartialEq)]
pub struct SrePreference {
    /// The key of the preference.
    pub key: String,
    /// The value of the preference.
    pub value: Value,
    /// The source.
    pub source: &'static str,
    /// `active`, `conflict` or `pending_confirmation`.
    pub state: &'static str,
    /// The record of the preference.
    pub record: Record,
}

impl SrePreferences {
    /// Returns the values pending confirmation, by key. If a key has several, returns the first in
    /// order.
    pub fn waiting(&self) -> Map<String, Value> {
        let mut waiting = Map::new();
        for entry in self.entries.iter().filter(|entry| entry.state == WAITS) {
            waiting.entry(entry.key.clone()).or_insert_with(|| entry.value.clone());
        }
        waiting
    }
}

impl Operations {
    /// Returns all preferences of a user, by type.
    ///
    /// # Errors
    /// `Invalid` if `user` is not a valid id; `Denied` if the caller is neither that user nor an
    /// administrator.
    pub async fn sre_preferences(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
    ) -> Result<BTreeMap<String, SrePreferences>> {
        let actor = namespace_rules::actor(SreType::Preferences, user, self.settings.of(memory))?;
        access::require_user(caller, memory, (&actor, user), Capability::Read)?;
        Ok(merged(
            self.preference_records(caller, memory, &PreferenceSelection::of(actor)).await?,
            self.settings.of(memory),
        ))
    }

    /// Returns the preference records that the caller may read.
    pub(super) async fn preference_records(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        wanted: &PreferenceSelection,
    ) -> Result<Vec<Record>> {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let (memory, wanted) = (memory.clone(), wanted.clone());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let session = namespace_rules::session(SreType::Preferences, None)?;
                let strategy = namespace_rules::strategy(&memory, SreType::Preferences)?;
                let mut namespaces = Vec::new();
                if let Some(actor) = &wanted.actor {
                    let node = namespace_rules::namespace(strategy, actor, &session)?;
                    namespaces.push(NamespaceFilter::new(&node, NamespaceMatch::Exact));
                }
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    namespaces,
                    states: wanted.states.clone(),
                    as_of: wanted.as_of,
                    ..namespace_rules::scope(&memory, SreType::Preferences, None, now)?
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
            .await
    }
}

/// A selection of preference records.
#[derive(Clone)]
pub(super) struct PreferenceSelection {
    /// The user. `None`: all users.
    pub(super) actor: Option<ActorId>,
    pub(super) states: Vec<RecordState>,
    pub(super) as_of: Option<Timestamp>,
}

impl PreferenceSelection {
    /// Selects the active and pending preferences of one user.
    fn of(actor: ActorId) -> Self {
        Self { actor: Some(actor), states: vec![RecordState::Active, RecordState::Candidate], as_of: None }
    }
}

/// Groups records by type and key. [`unreadable`] reports those that cannot be parsed.
pub(crate) fn merged(records: Vec<Record>, settings: &SreSettings) -> BTreeMap<String, SrePreferences> {
    let mut types: BTreeMap<String, SrePreferences> = BTreeMap::new();
    for record in records {
        let Ok(all) = preference::all(&record.text) else { continue };
        let said_by = source(&record);
        for said in all {
            // A contact is active only if a person stated it, regardless of the record's state and
            // origin.
            let is_guarded = needs_person(said_by) && said.class(settings) != Class::Other;
            let waits = record.state == RecordState::Candidate || is_guarded;
            let state = if waits { WAITS } else { IN_FORCE };
            let (one, record) = (said.one, record.clone());
            let entry =
                SrePreference { key: one.key, value: one.value, source: said_by.as_str(), state, record };
            types.entry(said.kind).or_default().entries.push(entry);
        }
    }
    types.values_mut().for_each(settle);
    types
}

/// Returns the preference records that cannot be parsed, with the reason.
pub(super) fn unreadable(records: &[Record]) -> Vec<(RecordId, String)> {
    let why = |record: &Record| preference::all(&record.text).err().map(|why| (record.id.clone(), why));
    records.iter().filter_map(why).collect()
}

/// Selects the active entry of a key: the highest rank, then the newest. The others are
/// conflicting.
fn settle(one: &mut SrePreferences) {
    one.entries.sort_by(|a, b| place(a).cmp(&place(b)));
    let mut last: Option<String> = None;
    for entry in one.entries.iter_mut().filter(|entry| entry.state == IN_FORCE) {
        if last.as_ref() == Some(&entry.key) {
            entry.state = CONTRADICTS;
        } else {
            one.value.insert(entry.key.clone(), entry.value.clone());
            last = Some(entry.key.clone());
        }
    }
}

/// Returns the sort key of an entry: key, active first, rank, newest first, and the id as a
/// tie-break.
fn place(entry: &SrePreference) -> (&str, bool, Reverse<(u8, Timestamp)>, &RecordId) {
    let record = &entry.record;
    let weight = Reverse((source(record).rank(), record.timestamp));
    (&entry.key, entry.state == WAITS, weight, &record.id)
}
