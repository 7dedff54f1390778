//! The result list of a search: parsed records ordered by similarity, recency and confidence, with
//! conflicting records next to each other. Pure.

use std::collections::{HashMap, HashSet};

use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::KnowledgeType;
use loci_model::{RecordId, Timestamp};
use serde_json::{Value, json};

use super::filters::Filters;
use super::retrieve::{SreFound, SreRetrieve, SreRetrieved};
use super::scores;
use super::word_similarity::{Text, Wording};
use crate::records::knowledge::SENTENCE;
use crate::records::{precedence, record_content, repetition};

/// The boosts for a matching service and environment, added to the similarity.
const OF_SERVICE: f64 = 0.2;
const OF_ENVIRONMENT: f64 = 0.05;

/// A record and its similarity to the query, 0 to 1.
pub(super) struct SimilarRecord {
    pub(super) record: Record,
    pub(super) similarity: f64,
}

impl SimilarRecord {
    pub(super) fn of(record: Record, similarity: f64) -> Self {
        Self { record, similarity: similarity.clamp(0.0, 1.0) }
    }
}

/// The context of a result list.
pub(super) struct Pool<'a> {
    pub(super) asked: &'a SreRetrieve,
    pub(super) filters: &'a Filters,
    /// The query and its synonyms.
    pub(super) wording: Wording,
    /// The time at which recency and staleness are evaluated.
    pub(super) now: Timestamp,
}

impl Pool<'_> {
    /// Adds the best results to the response. `partners` conflict with some of the found records,
    /// and are listed with them.
    pub(super) fn list(
        mut self,
        found: Vec<SimilarRecord>,
        partners: Vec<Record>,
        wanted: usize,
        answer: &mut SreRetrieved,
    ) {
        let mut results: Vec<SreFound> = Vec::new();
        let partners = partners.into_iter().map(|record| SimilarRecord::of(record, 0.0));
        for one in found.into_iter().chain(partners) {
            match record_content::content(&one.record.text) {
                Err(why) => answer.skipped.push((one.record.id, why)),
                Ok(content) => results.push(self.result(one, content)),
            }
        }
        if let Some(least) = self.asked.min_confidence {
            results.retain(|result| result.confidence >= least);
        }
        scores::below_trusted(&mut results);
        let results = together(in_order(results));
        let hidden: HashSet<&RecordId> = self.asked.leave_out.iter().collect();
        let mut given = 0;
        for result in results {
            if given >= wanted {
                break;
            }
            if hidden.contains(&result.record.id) {
                answer.left_out += 1;
                continue;
            }
            given += 1;
            answer.results.push(result);
        }
    }

    /// Returns a result with its scores. The share of matching query words is reported, and does
    /// not affect the order.
    fn result(&mut self, one: SimilarRecord, content: Value) -> SreFound {
        let SimilarRecord { record, mut similarity } = one;
        if self.filters.boost {
            let is_of_service = !self.filters.services.is_empty() && self.filters.is_of_service(&content);
            let is_there = !self.filters.environments.is_empty() && self.filters.is_of_environment(&content);
            similarity += f64::from(u8::from(is_of_service)) * OF_SERVICE;
            similarity += f64::from(u8::from(is_there)) * OF_ENVIRONMENT;
        }
        let text: Text = self.wording.read(record.indexed());
        similarity += self.wording.likeness(&text, is_setting(&content));
        let lexical = self.wording.share(&text);
        let parts = scores::parts(&record, &content, self.now, (similarity, lexical));
        let kind = self.filters.kind;
        SreFound {
            kind,
            score: scores::score(&parts),
            confidence: parts.confidence,
            parts,
            age_days: scores::age_days(&record, self.now),
            stale: scores::is_stale(kind, &record, &content, self.now),
            conflict: false,
            namespaces: vec![record.namespace.clone()],
            content: with_sayings(&record, without_gone(&record, content, self.asked.include_superseded)),
            record,
        }
    }
}

/// Sorts by score. At equal scores trusted records come first, then newer ones.
fn in_order(results: Vec<SreFound>) -> Vec<SreFound> {
    let with_trust = |one: SreFound| (scores::is_untrusted(&one.record, &one.content), one);
    let mut results: Vec<(bool, SreFound)> = results.into_iter().map(with_trust).collect();
    results.sort_by(|(a_untrusted, a), (b_untrusted, b)| {
        let newer = b.record.timestamp.cmp(&a.record.timestamp);
        let by_score = b.score.total_cmp(&a.score).then(a_untrusted.cmp(b_untrusted));
        by_score.then(newer).then_with(|| a.record.id.cmp(&b.record.id))
    });
    results.into_iter().map(|(_, one)| one).collect()
}

/// True for knowledge about a configuration or a usual state.
fn is_setting(content: &Value) -> bool {
    let kind = content.get("knowledge_type").and_then(Value::as_str).and_then(KnowledgeType::parse);
    kind.is_some_and(|kind| kind != KnowledgeType::Pattern)
}

/// Adds the number of sessions that made a statement, if more than one, and for dependencies the
/// time of the last confirmation.
fn with_sayings(record: &Record, mut content: Value) -> Value {
    let is_dependency =
        content.get("knowledge_type").and_then(Value::as_str) == Some(KnowledgeType::Dependency.as_str());
    if let Some(members) = content.as_object_mut() {
        if let Some(times) = repetition::times(record) {
            members.insert("seen".to_owned(), json!(times));
        }
        if is_dependency {
            members.insert("last_confirmed".to_owned(), json!(record.timestamp.to_rfc3339()));
        }
    }
    content
}

/// Removes superseded members, or lists their names.
fn without_gone(record: &Record, mut content: Value, are_shown: bool) -> Value {
    let gone = precedence::gone(record);
    if gone.is_empty() {
        return content;
    }
    if are_shown {
        if let Some(members) = content.as_object_mut() {
            members.insert("superseded_keys".to_owned(), json!(gone));
        }
    } else if let Some(data) = content.get_mut("knowledge_data").and_then(Value::as_object_mut) {
        // The sentence also states the superseded values.
        data.retain(|name, _| !gone.contains(name) && name != SENTENCE);
    }
    content
}

/// Marks conflicting results and groups them at the position of the best one, with the highest rank
/// first. All get the score of that position, so that scores never rise along the list.
fn together(results: Vec<SreFound>) -> Vec<SreFound> {
    let in_force: HashSet<RecordId> = results
        .iter()
        .filter(|result| result.record.state == RecordState::Active)
        .map(|result| result.record.id.clone())
        .collect();
    let greater_of = |result: &SreFound| {
        let is_active = result.record.state == RecordState::Active;
        precedence::contradicted(&result.record).filter(|greater| is_active && in_force.contains(greater))
    };
    let greater: Vec<Option<RecordId>> = results.iter().map(greater_of).collect();
    let heads: HashSet<RecordId> = greater.iter().flatten().cloned().collect();
    let mut groups: Vec<Vec<SreFound>> = Vec::new();
    let mut place: HashMap<RecordId, usize> = HashMap::new();
    for (mut result, greater) in results.into_iter().zip(greater) {
        let head = greater.or_else(|| heads.contains(&result.record.id).then(|| result.record.id.clone()));
        let Some(head) = head else {
            groups.push(vec![result]);
            continue;
        };
        result.conflict = true;
        let at = *place.entry(head.clone()).or_insert(groups.len());
        match groups.get_mut(at) {
            None => groups.push(vec![result]),
            Some(group) => {
                result.score = group.first().map_or(result.score, |best| best.score);
                let is_head = result.record.id == head;
                let behind = group.len();
                group.insert(if is_head { 0 } else { behind }, result);
            }
        }
    }
    groups.into_iter().flatten().collect()
}
