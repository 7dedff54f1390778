//! `sre_user`, `sre_preferences_list`, `sre_preference_history`: preferences as people look at them, and what became of each (sre-memory.md
//! §3.1, §13). What counts is [`super::current_set`]' matter.

use std::cmp::Reverse;
use std::collections::BTreeMap;

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
use super::effective::{SreEffective, effective};
use super::preference;
use crate::Operations;
use crate::records::namespace_rules;
use crate::records::precedence::source;

const PAGE: usize = 200;

/// Everything that somebody wants, and what it means now.
#[derive(Debug, Clone, PartialEq)]
pub struct SreUser {
    /// By type.
    pub types: BTreeMap<String, SrePreferences>,
    /// At the moment that it was asked for.
    pub effective: SreEffective,
}

/// A preference of somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct SreListed {
    /// Whose.
    pub user: String,
    /// Its type.
    pub kind: String,
    /// The preference.
    pub entry: SrePreference,
}

/// Preferences of everybody, those that wait for a person first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreListing {
    /// At most [`limits::SRE_PREFERENCES_LISTED_MAX`].
    pub items: Vec<SreListed>,
    /// What was left out.
    pub warnings: Vec<String>,
}

/// What was once said under a key.
#[derive(Debug, Clone, PartialEq)]
pub struct SrePast {
    /// Its type.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// What was wanted.
    pub value: Value,
    /// Who said it.
    pub source: &'static str,
    /// `active`, `pending_confirmation`, `superseded`, `rejected`, `expired` or `quarantined`.
    pub state: &'static str,
    /// Its record.
    pub record: Record,
}

impl Operations {
    /// Everything that somebody wants, and what it means now.
    ///
    /// # Errors
    /// As [`Operations::sre_preferences`].
    pub async fn sre_user(&self, caller: &Principal, memory: &MemoryId, user: &str) -> Result<SreUser> {
        let types = self.sre_preferences(caller, memory, user).await?;
        let zone = &self.settings.of(memory).default_timezone;
        let effective = effective(&types, zone, self.engine.now());
        Ok(SreUser { types, effective })
    }

    /// Preferences of every user whose they are the caller's to read; those that wait for a person first, or alone.
    ///
    /// # Errors
    /// `Denied` for whoever may read nothing of the memory.
    pub async fn sre_preferences_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        waiting_only: bool,
    ) -> Result<SreListing> {
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
            // A key for the memory is not every user's.
            if access::require_user(caller, memory, (&actor, &user), Capability::Read).is_err() {
                continue;
            }
            for (kind, one) in merged(records, self.settings.of(memory)) {
                let listed = |entry| SreListed { user: user.clone(), kind: kind.clone(), entry };
                items.extend(one.entries.into_iter().map(listed));
            }
        }
        items.retain(|one| !waiting_only || one.entry.state == WAITS);
        // The order within a user, a type and a key stays.
        items.sort_by_key(|one| one.entry.state != WAITS);
        let mut listing = SreListing::default();
        let left_out = items.len().saturating_sub(limits::SRE_PREFERENCES_LISTED_MAX);
        if left_out > 0 {
            items.truncate(limits::SRE_PREFERENCES_LISTED_MAX);
            listing.warnings.push(format!("{left_out} preferences are left out: ask for those of one user"));
        }
        listing.items = items;
        Ok(listing)
    }

    /// Everything that was ever said of a user's preferences, or of one key, the newest first.
    ///
    /// # Errors
    /// As [`Operations::sre_preferences`].
    pub async fn sre_preference_history(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        user: &str,
        (kind, key): (Option<&str>, Option<&str>),
    ) -> Result<Vec<SrePast>> {
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
        let records = self
            .engine
            .store()
            .read(move |tx| records_of(tx, &existing(tx, &id)?, Some(&view), Some(&actor), &states, now))
            .await?;
        let mut all: Vec<SrePast> = records.into_iter().filter_map(|record| past(record, now)).collect();
        all.retain(|one| kind.is_none_or(|kind| kind == one.kind) && key.is_none_or(|key| key == one.key));
        all.sort_by(|a, b| {
            let place = |one: &SrePast| (Reverse(one.record.timestamp), one.record.id.clone());
            place(a).cmp(&place(b))
        });
        Ok(all)
    }
}

fn past(record: Record, now: Timestamp) -> Option<SrePast> {
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
    Some(SrePast { kind, key: one.key, value: one.value, source, state, record })
}

/// Records by whose they are.
pub(super) fn by_user(records: Vec<Record>) -> BTreeMap<ActorId, Vec<Record>> {
    let mut users: BTreeMap<ActorId, Vec<Record>> = BTreeMap::new();
    for record in records {
        if let Some(actor) = record.provenance.actor.clone() {
            users.entry(actor).or_default().push(record);
        }
    }
    users
}

/// Records of preferences, of one user or of all, as far as a view shows them.
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
