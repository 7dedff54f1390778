//! Finds facts with a nearly equal or an opposite statement.
//!
//! The candidates are the best matches of one search and facts on the same paths, compared by their
//! words. Both kinds are returned, with a flag; nothing is decided here.

use std::collections::{BTreeSet, HashMap};

use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::SearchRequest;
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::ports::search::ListLengths;
use loci_model::ports::store::{PathChoice, ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, Namespace, RecordId, RepositoryId, Result};
use loci_text::marks::marks;
use loci_text::similarity::jaccard;

use super::{AdmittedFact, NewText};
use crate::Verified;
use crate::facts::content_hash::normal;
use crate::facts::fact_record::Remembered;
use crate::repositories::VisibleRepository;

/// The number of best matches that are compared.
const COMPARED: u32 = 20;
/// The comparison uses words only, so the search does too and the question is not embedded.
const BY_WORDS: ListLengths = ListLengths { window: 100, turn: 100, dense: 0 };
/// The number of facts on each path that are compared in addition to the best matches. A fact that
/// shares half of its words is normally among the matches; the path adds the few that a search
/// misses. The limit keeps a file with hundreds of facts from slowing each further one.
const ON_PATH: usize = 30;
/// The maximum number of similar facts that are returned.
const SIMILAR_MAX: usize = 5;
/// The maximum number of facts that are flagged as contradicting, the most similar first. The
/// number of further ones is returned.
const CONFLICTS_MAX: usize = 10;

/// The facts that resemble a new one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Alike {
    /// Facts with a nearly equal statement.
    pub(crate) similar: Vec<RecordId>,
    /// Facts that contradict it.
    pub(crate) conflicts: Vec<RecordId>,
    /// The number of further contradicting facts.
    pub(crate) more_conflicts: usize,
}

/// The parts of a new fact that are compared.
#[derive(Debug, Clone)]
pub(crate) struct ComparedFact {
    pub(crate) memory: MemoryId,
    pub(crate) repository: RepositoryId,
    pub(crate) namespace: Namespace,
    pub(crate) subject: String,
    pub(crate) fact: String,
    pub(crate) content_hash: String,
    pub(crate) citations: Vec<Citation>,
}

impl ComparedFact {
    /// Returns the parts of a fact that passed the gates.
    pub(crate) fn of(found: &VisibleRepository, text: &NewText, passed: &AdmittedFact) -> Self {
        Self {
            memory: found.repository.memory.clone(),
            repository: found.repository.id.clone(),
            namespace: found.namespace.clone(),
            subject: text.subject.clone(),
            fact: text.fact.clone(),
            content_hash: text.content_hash.clone(),
            citations: passed.citations.clone(),
        }
    }

    fn paths(&self) -> BTreeSet<&str> {
        self.citations.iter().map(|citation| citation.anchor.place.path.as_str()).collect()
    }
}

impl Verified {
    /// Compares a new fact with the candidates.
    pub(crate) async fn alike(&self, caller: &Principal, new: ComparedFact) -> Result<Alike> {
        let question = format!("{} {}", new.subject, new.fact);
        let asked = SearchRequest {
            namespaces: vec![NamespaceAsk::Node(new.namespace.clone())],
            kinds: vec![RecordKind::Fact],
            citing: Some(new.repository.clone()),
            lists: Some(BY_WORDS),
            include_system: true,
            ..SearchRequest::new(new.memory.clone(), question, COMPARED)
        };
        let found = self.engine.search_unread(caller, asked).await?;
        let mut ids: BTreeSet<RecordId> = found.hits.into_iter().map(|hit| hit.record.id).collect();
        let near = self.parts.settings.near_duplicate;
        self.engine
            .store()
            .read(move |tx| {
                for path in new.paths() {
                    let path = PathChoice::Exact(path.to_owned());
                    let rows = tx.facts().with_path(&new.memory, &new.repository, &path, None, ON_PATH)?;
                    ids.extend(rows.into_iter().map(|(_, record)| record));
                }
                let ids: Vec<RecordId> = ids.iter().cloned().collect();
                compare(&new, alike_by_words(tx, &new, &ids, near)?, near)
            })
            .await
    }
}

/// Returns the stored active facts that share enough words, with their similarity. Texts are
/// compared first: most facts on a path have another topic, so their citations need not be read.
fn alike_by_words(
    tx: &dyn ReadTx,
    new: &ComparedFact,
    ids: &[RecordId],
    near: f32,
) -> Result<Vec<(f32, Remembered)>> {
    let terms = loci_text::terms(&new.fact);
    let least = near.min(CONFLICT_LIKENESS);
    let mut records: HashMap<RecordId, (f32, Record)> = HashMap::new();
    for record in tx.records().get_many(&new.memory, ids)? {
        let score = jaccard(&terms, &loci_text::terms(&record.text));
        if score >= least {
            records.insert(record.id.clone(), (score, record));
        }
    }
    let ids: Vec<RecordId> = ids.iter().filter(|id| records.contains_key(*id)).cloned().collect();
    let joined = tx.facts().get_many(&new.memory, &ids)?.into_iter().filter_map(|fact| {
        let (score, record) = records.remove(&fact.record)?;
        Some((score, Remembered { record, fact }))
    });
    let counts = |one: &Remembered| one.fact.status == RecordState::Active && !one.fact.proposed;
    Ok(joined.filter(|(_, one)| counts(one) && one.is_whole()).collect())
}

fn compare(new: &ComparedFact, others: Vec<(f32, Remembered)>, near: f32) -> Result<Alike> {
    let (mut similar, mut contrary) = (Vec::new(), Vec::new());
    for (score, other) in others.iter().filter(|(_, other)| {
        other.fact.repository == new.repository && other.fact.content_hash != new.content_hash
    }) {
        if *score >= near {
            similar.push((*score, other.record.id.clone()));
        }
        let is_about_the_same = normal(other.subject()) == normal(&new.subject)
            || cites_the_same(new, &other.fact.detail.citations);
        if is_about_the_same && *score >= CONFLICT_LIKENESS && says_otherwise(&new.fact, &other.record.text) {
            contrary.push((*score, other.record.id.clone()));
        }
    }
    let mut alike =
        Alike { more_conflicts: contrary.len().saturating_sub(CONFLICTS_MAX), ..Alike::default() };
    alike.similar = most_alike(similar, SIMILAR_MAX);
    alike.conflicts = most_alike(contrary, CONFLICTS_MAX);
    alike.conflicts.sort();
    Ok(alike)
}

fn most_alike(mut scored: Vec<(f32, RecordId)>, count: usize) -> Vec<RecordId> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(count).map(|(_, id)| id).collect()
}

/// Returns true if citations of both facts overlap: lines of one file, at their original or current
/// place, or one definition, because lines move between two commits.
fn cites_the_same(new: &ComparedFact, others: &[Citation]) -> bool {
    let overlap = |one: &LineRange, other: &LineRange| {
        one.path == other.path && one.line_start <= other.line_end && other.line_start <= one.line_end
    };
    new.citations.iter().any(|mine| {
        let place = &mine.anchor.place;
        others.iter().any(|other| {
            let (anchor, now) = (&other.anchor, other.current.as_ref().map(|(now, _)| now));
            let is_one_symbol = anchor.place.path == place.path
                && anchor.symbol.is_some()
                && anchor.symbol == mine.anchor.symbol;
            is_one_symbol || overlap(place, &anchor.place) || now.is_some_and(|now| overlap(place, now))
        })
    })
}

/// The minimum similarity of two facts about one thing. Below it they are about different things on
/// one path.
const CONFLICT_LIKENESS: f32 = 0.5;

/// Returns true if one statement denies or counts something that the other does not.
fn says_otherwise(one: &str, other: &str) -> bool {
    let (one, other) = (marks(one), marks(other));
    !(one.holds(&other) && other.holds(&one))
}
