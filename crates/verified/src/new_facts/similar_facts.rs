//! Facts that say nearly the same, or the opposite: found among the best matches of one search and among facts on the same
//! paths, compared by their words. Never decided here: both are returned, with a flag.

use std::collections::{BTreeSet, HashMap};

use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::SearchRequest;
use loci_model::facts::citation::{Citation, Place};
use loci_model::ports::search::ListLengths;
use loci_model::ports::store::{PathChoice, ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, Namespace, RecordId, RepositoryId, Result};
use loci_text::marks::marks;
use loci_text::similarity::jaccard;

use super::{NewText, Passed};
use crate::Verified;
use crate::facts::content_hash::normal;
use crate::facts::fact_record::Remembered;
use crate::repositories::Found;

/// Best matches that are compared.
const COMPARED: u32 = 20;
/// What is compared is words, so words find it: the question is not embedded.
const BY_WORDS: ListLengths = ListLengths { window: 100, turn: 100, dense: 0 };
/// Facts on the same path that are compared beside the best matches. What shares half of its words is among those: a path only adds
/// what a search is short of, and a file with hundreds of facts must not make each further one slower.
const ON_PATH: usize = 30;
/// Facts that are said to be similar.
const SIMILAR_MAX: usize = 5;
/// Facts that are flagged as saying otherwise, the most alike of them; how many more there are is said.
const CONFLICTS_MAX: usize = 10;

/// What a new fact is like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Alike {
    /// They say nearly the same.
    pub(crate) similar: Vec<RecordId>,
    /// They say something else about the same.
    pub(crate) conflicts: Vec<RecordId>,
    /// So many more do.
    pub(crate) more_conflicts: usize,
}

/// A new fact, as it is compared.
#[derive(Debug, Clone)]
pub(crate) struct Comparing {
    pub(crate) memory: MemoryId,
    pub(crate) repository: RepositoryId,
    pub(crate) namespace: Namespace,
    pub(crate) subject: String,
    pub(crate) fact: String,
    pub(crate) content_hash: String,
    pub(crate) citations: Vec<Citation>,
}

impl Comparing {
    /// A fact that passed the gates.
    pub(crate) fn of(found: &Found, text: &NewText, passed: &Passed) -> Self {
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
    /// Compares a new fact with those that may be alike.
    pub(crate) async fn alike(&self, caller: &Principal, new: Comparing) -> Result<Alike> {
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

/// Active facts that were not proposed, of which so many words are the same that it matters, with their likeness. Texts come
/// first: most of what stands on a path is about something else, and its citations need not be read.
fn alike_by_words(
    tx: &dyn ReadTx,
    new: &Comparing,
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

fn compare(new: &Comparing, others: Vec<(f32, Remembered)>, near: f32) -> Result<Alike> {
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

/// Citations of both overlap: lines of one file, where they were cited or where they are by now; or
/// one definition, for lines move between two commits.
fn cites_the_same(new: &Comparing, others: &[Citation]) -> bool {
    let overlap = |one: &Place, other: &Place| {
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

/// Two facts about one thing share this much of their words; less, and they are about different things on one path.
const CONFLICT_LIKENESS: f32 = 0.5;

/// One denies, or counts, what the other does not.
fn says_otherwise(one: &str, other: &str) -> bool {
    let (one, other) = (marks(one), marks(other));
    !(one.holds(&other) && other.holds(&one))
}
