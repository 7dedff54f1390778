//! `sre_user`, `sre_preferences_list`, `sre_preference_history`: lists of preferences for people,
//! and their history. [`super::current_set`] selects the active ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use loci_api::operations::preference as shape;
use loci_engine::access;
use loci_engine::access::View;
use loci_engine::access::segment;
use loci_engine::memories::existing;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, MemoryId, Result, Timestamp, limits};
use serde_json::Value;

use super::current_set::{SrePreference, SrePreferences, WAITS, merged};
use super::preference;
use super::preference_effect::effective;
use crate::Operations;
use crate::records::namespace_rules;
use crate::records::precedence::source;

const PAGE: usize = 200;

impl Operations {
    /// Returns all preferences of a user, and their current effect.
    ///
    /// # Errors
    /// As [`Operations::sre_preferences`].
    pub async fn sre_user(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
    ) -> Result<shape::SreUserPreferences> {
        let types = self.sre_preferences(caller, memory, user).await?;
        let zone = &self.settings.of(memory).default_timezone;
        let effective = effective(&types, zone, self.engine.now());
        let of_type = |(kind, one): (String, SrePreferences)| shape::SrePreferencesOfType {
            entries: one.entries.into_iter().map(|entry| shown(user, &kind, entry)).collect(),
            preference_value: one.value,
            preference_type: kind,
        };
        Ok(shape::SreUserPreferences {
            preferences: types.into_iter().map(of_type).collect(),
            effective: shape::SreEffective {
                quiet_now: effective.quiet_now,
                severity_filter: effective.severity_filter,
                timezone: effective.timezone,
            },
            warnings: effective.warnings,
            user_id: user.to_owned(),
        })
    }

    /// Returns the preferences of every user that the caller may read. Pending ones come first, or
    /// alone if `waiting_only`.
    ///
    /// # Errors
    /// `Denied` if the caller may not read the memory.
    pub async fn sre_preferences_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        waiting_only: bool,
    ) -> Result<shape::SrePreferenceList> {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let (id, states) = (memory.clone(), vec![RecordState::Active, RecordState::Candidate]);
        let records = self
            .engine
            .store()
            .read(move |tx| records_of(tx, &existing(tx, &id)?, Some(&view), None, &states, now))
            .await?;
        let mut items = Vec::new();
        for (actor, records) in by_user(records) {
            let user = segment::decode(actor.as_str());
            // A key for the memory does not give access to every user.
            if access::require_user(caller, memory, (&actor, &user), Capability::Read).is_err() {
                continue;
            }
            for (kind, one) in merged(records, self.settings.of(memory)) {
                items.extend(one.entries.into_iter().map(|entry| shown(&user, &kind, entry)));
            }
        }
        items.retain(|one| !waiting_only || one.state == WAITS);
        // The sort is stable: the order within a user, a type and a key is kept.
        items.sort_by_key(|one| one.state != WAITS);
        let mut warnings = Vec::new();
        let left_out = items.len().saturating_sub(limits::SRE_PREFERENCES_LISTED_MAX);
        if left_out > 0 {
            items.truncate(limits::SRE_PREFERENCES_LISTED_MAX);
            warnings.push(format!("{left_out} preferences are left out: ask for those of one user"));
        }
        Ok(shape::SrePreferenceList { preferences: items, warnings })
    }

    /// Returns all versions of a user's preferences, or of one key, newest first.
    ///
    /// # Errors
    /// As [`Operations::sre_preferences`].
    pub async fn sre_preference_history(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
        (kind, key): (Option<&str>, Option<&str>),
    ) -> Result<Vec<shape::SrePreference>> {
        let actor = namespace_rules::actor(SreType::Preferences, user, self.settings.of(memory))?;
        access::require_user(caller, memory, (&actor, user), Capability::Read)?;
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let id = memory.clone();
        let states = [
            RecordState::Active,
            RecordState::Candidate,
            RecordState::Superseded,
            RecordState::Invalid,
            RecordState::Expired,
            RecordState::Quarantined,
        ];
        let mut records = self
            .engine
            .store()
            .read(move |tx| records_of(tx, &existing(tx, &id)?, Some(&view), Some(&actor), &states, now))
            .await?;
        records.sort_by_key(|record| (Reverse(record.timestamp), record.id.clone()));
        let mut all: Vec<_> = records.into_iter().filter_map(|record| past(user, record, now)).collect();
        all.retain(|one| {
            kind.is_none_or(|kind| kind == one.preference_type) && key.is_none_or(|key| key == one.key)
        });
        Ok(all)
    }
}

fn past(user: &str, record: Record, now: Timestamp) -> Option<shape::SrePreference> {
    let (kind, one) = preference::stored(&record.text)?;
    let state = match record.state {
        _ if record.is_expired(now) => "expired",
        RecordState::Active => "active",
        RecordState::Candidate => WAITS,
        RecordState::Invalid => "rejected",
        RecordState::Quarantined => "quarantined",
        RecordState::Expired => "expired",
        RecordState::Superseded
        | RecordState::Stale
        | RecordState::Archived
        | RecordState::RolledBack
        | RecordState::Erased => "superseded",
    };
    let source = source(&record).as_str();
    let entry = SrePreference { key: one.key, value: one.value, source, state, record };
    Some(shown(user, &kind, entry))
}

fn shown(user: &str, kind: &str, entry: SrePreference) -> shape::SrePreference {
    let SrePreference { key, value, source, state, record } = entry;
    let stored: Value = serde_json::from_str(&record.text).unwrap_or(Value::Null);
    shape::SrePreference {
        preference_id: record.id.to_string(),
        user_id: user.to_owned(),
        preference_type: kind.to_owned(),
        key,
        value,
        source: source.to_owned(),
        state: state.to_owned(),
        timestamp: record.timestamp.to_rfc3339(),
        context: stored.get("context").and_then(Value::as_str).map(str::to_owned),
        expires_at: record.expires_at.map(|at| at.to_rfc3339()),
        valid_to: record.valid_to.map(|at| at.to_rfc3339()),
        superseded_by: record.superseded_by.as_ref().map(ToString::to_string),
    }
}

/// Groups records by user.
pub(super) fn by_user(records: Vec<Record>) -> BTreeMap<ActorId, Vec<Record>> {
    let mut users: BTreeMap<ActorId, Vec<Record>> = BTreeMap::new();
    for record in records {
        if let Some(actor) = record.provenance.actor.clone() {
            users.entry(actor).or_default().push(record);
        }
    }
    users
}

/// Returns the preference records of one user or of all that a view shows.
pub(crate) fn records_of(
    tx: &dyn ReadTx,
    memory: &Memory,
    view: Option<&View>,
    actor: Option<&ActorId>,
    states: &[RecordState],
    now: Timestamp,
) -> Result<Vec<Record>> {
    let scope = namespace_rules::scope(memory, SreType::Preferences, actor, now)?;
    let scope = RecordScope {
        view: view.map(|view| view.clauses().to_vec()).unwrap_or(scope.view.clone()),
        states: states.to_vec(),
        ..scope
    };
    let mut page = RecordPage { scope, after: None, limit: PAGE };
    let mut all = Vec::new();
    loop {
        let some = tx.records().list(&page)?;
        let is_last = some.len() < PAGE;
        page.after = some.last().map(|record| (record.created_at, record.id.clone()));
        all.extend(some);
        if is_last {
            return Ok(all);
        }
    }
}
