//! Preferences as search results: one object per user and type with all active values. The query
//! orders the types and excludes none.

use std::collections::{BTreeMap, HashSet};

use loci_api::operations::knowledge::SreScoreParts;
use loci_engine::access;
use loci_engine::access::segment;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Result, Timestamp};
use loci_text::terms;
use serde_json::{Map, Value, json};

use super::current_set::{
    CONTRADICTS, PreferenceSelection, SrePreference, SrePreferences, WAITS, merged, unreadable,
};
use crate::Operations;
use crate::records::namespace_rules;
use crate::retrieval::retrieve::{SreFound, SreRetrieve, SreRetrieved};
use crate::retrieval::scores;
use crate::settings::SreSettings;

/// The actor that selects all users.
const EVERY: &str = "*";

impl Operations {
    /// Returns the preferences as one result per user and type, at most `wanted`.
    ///
    /// # Errors
    /// As [`Operations::sre_preferences`].
    pub(crate) async fn sre_preference_sets(
        &self,
        caller: &Principal,
        asked: &SreRetrieve,
        wanted: usize,
    ) -> Result<SreRetrieved> {
        let user = asked.actor.as_deref().filter(|user| *user != EVERY);
        let settings = self.settings.of(&asked.memory);
        let actor =
            user.map(|user| namespace_rules::actor(SreType::Preferences, user, settings)).transpose()?;
        if let (Some(actor), Some(user)) = (&actor, user) {
            access::require_user(caller, &asked.memory, (actor, user), Capability::Read)?;
        }
        let mut states = vec![RecordState::Active, RecordState::Candidate];
        if asked.include_superseded && asked.as_of.is_none() {
            states.push(RecordState::Superseded);
        }
        let which = PreferenceSelection { actor, states, as_of: asked.as_of };
        let records = self.preference_records(caller, &asked.memory, &which).await?;
        let mut users: BTreeMap<ActorId, Vec<Record>> = BTreeMap::new();
        for record in records {
            if let Some(actor) = record.provenance.actor.clone() {
                users.entry(actor).or_default().push(record);
            }
        }
        // A key for the memory does not give access to every user.
        users.retain(|actor, _| {
            let user = segment::decode(actor.as_str());
            access::require_user(caller, &asked.memory, (actor, &user), Capability::Read).is_ok()
        });
        let now = asked.as_of.unwrap_or_else(|| self.engine.now());
        let settings = self.settings.of(&asked.memory);
        Ok(PreferenceQuery { asked, settings, terms: terms(&asked.query), now }.list(users, wanted))
    }
}

struct PreferenceQuery<'a> {
    asked: &'a SreRetrieve,
    settings: &'a SreSettings,
    terms: Vec<String>,
    now: Timestamp,
}

impl PreferenceQuery<'_> {
    fn list(&self, users: BTreeMap<ActorId, Vec<Record>>, wanted: usize) -> SreRetrieved {
        let mut answer = SreRetrieved::default();
        let mut waiting = 0;
        let mut results = Vec::new();
        let shown: HashSet<_> = self.asked.leave_out.iter().collect();
        for (actor, records) in users {
            answer.skipped.extend(unreadable(&records));
            let (past, current): (Vec<Record>, Vec<Record>) =
                records.into_iter().partition(|record| record.state == RecordState::Superseded);
            let mut past = merged(past, self.settings);
            let user = segment::decode(actor.as_str());
            for (kind, one) in merged(current, self.settings) {
                waiting += one.entries.iter().filter(|entry| entry.state == WAITS).count();
                let past = past.remove(&kind).unwrap_or_default();
                // A set is returned whole if any part of it was not excluded. Pending values were
                // never active.
                let mut in_force = one.entries.iter().filter(|entry| entry.state != WAITS).peekable();
                let has_some = in_force.peek().is_some();
                let mut records = in_force.chain(&past.entries).map(|entry| &entry.record.id);
                if has_some && records.all(|id| shown.contains(id)) {
                    answer.left_out += 1;
                    continue;
                }
                results.extend(self.result(&user, &kind, one, past));
            }
        }
        if waiting > 0 {
            answer.warn(format!(
                "preferences: {waiting} wait for a person to confirm them: they are in waiting, and not in force"
            ));
        }
        results.sort_by(|(a, place), (b, other)| b.score.total_cmp(&a.score).then_with(|| place.cmp(other)));
        if results.len() > wanted {
            answer.warn(format!(
                "preferences: {} of {} types are left out: raise top_k",
                results.len() - wanted,
                results.len()
            ));
            results.truncate(wanted);
        }
        answer.results = results.into_iter().map(|(result, _)| result).collect();
        answer
    }

    /// Returns the result for one type of one user, with its sort key. `None` if it has no active
    /// or pending value.
    fn result(
        &self,
        user: &str,
        kind: &str,
        one: SrePreferences,
        past: SrePreferences,
    ) -> Option<(SreFound, (String, String))> {
        let rank =
            |entry: &&SrePreference| (entry.state != WAITS, entry.record.timestamp, entry.record.id.clone());
        let newest = one.entries.iter().max_by_key(rank)?;
        let record = newest.record.clone();
        let mut entries: Vec<Value> = one.entries.iter().map(|entry| shown(entry, entry.state)).collect();
        entries.extend(past.entries.iter().map(|entry| shown(entry, "superseded")));
        let mut content = json!({
            "user_id": user,
            "preference_type": kind,
            "preference_value": one.value,
            "entries": entries,
        });
        let waiting = one.waiting();
        if let Some(members) = content.as_object_mut().filter(|_| !waiting.is_empty()) {
            members.insert("waiting".to_owned(), Value::Object(waiting));
        }
        let texts: Vec<&str> = one.entries.iter().map(|entry| entry.record.indexed()).collect();
        let lexical = self.share(&format!("{kind} {}", texts.join(" ")));
        let about = scores::parts(&record, &Value::Object(Map::new()), self.now, (lexical, lexical));
        let result = SreFound {
            kind: SreType::Preferences,
            // Only the similarity to the query affects the order.
            score: lexical,
            parts: SreScoreParts { confidence: 1.0, ..about },
            confidence: 1.0,
            age_days: scores::age_days(&record, self.now),
            stale: false,
            conflict: one.entries.iter().any(|entry| entry.state == CONTRADICTS),
            namespaces: vec![record.namespace.clone()],
            content,
            record,
        };
        Some((result, (user.to_owned(), kind.to_owned())))
    }

    fn share(&self, text: &str) -> f64 {
        let asked: HashSet<&String> = self.terms.iter().collect();
        if asked.is_empty() {
            return 0.0;
        }
        let has: HashSet<String> = terms(text).into_iter().collect();
        asked.iter().filter(|term| has.contains(**term)).count() as f64 / asked.len() as f64
    }
}

fn shown(entry: &SrePreference, state: &str) -> Value {
    let stored: Value = serde_json::from_str(&entry.record.text).unwrap_or(Value::Null);
    json!({
        "key": entry.key,
        "value": entry.value,
        "source": entry.source,
        "timestamp": entry.record.timestamp.to_rfc3339(),
        "context": stored.get("context").cloned().unwrap_or(Value::Null),
        "state": state,
        "record_id": entry.record.id.as_str(),
    })
}
