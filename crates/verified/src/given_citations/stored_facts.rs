//! The stored facts behind given citations, and the events that their verification adds to those
//! facts.
//!
//! A caller that received a fact may send its citations back and take the answer for a verdict on
//! the fact. The events must show that no verification read the code. A verification of single
//! citations is no receipt: it never marks a fact as verified.

use std::collections::BTreeMap;

use loci_model::facts::citation::{Citation, CitationInput};
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{CitationVerdict, Verdict, Verification};
use loci_model::ports::ids::IdSource;
use loci_model::ports::store::{PathChoice, ReadTx};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};

use crate::facts::events::Scene;
use crate::facts::receipts::VERIFICATIONS;
use crate::remote_verification::reported_verdicts;
use crate::verifier::check_place;

/// The maximum number of facts on one path that are compared with a citation.
const ON_PATH: usize = 1_000;

/// A fact that has some of the given citations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CitedFact {
    record: RecordId,
    /// The indexes of the given citations.
    given: Vec<usize>,
}

/// The stored citations and facts that match the given citations.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredMatches {
    /// The stored citation at the exact place of each given one, in their order.
    pub(super) citations: Vec<Option<Citation>>,
    /// The facts that have the given citations.
    pub(super) facts: Vec<CitedFact>,
}

/// Finds the stored citations and facts for given citations.
pub(super) fn stored_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    given: &[CitationInput],
) -> Result<StoredMatches> {
    let mut on_path: BTreeMap<&str, Vec<Fact>> = BTreeMap::new();
    for input in given.iter().filter(|input| check_place(&input.place).is_ok()) {
        let path = input.place.path.as_str();
        if !on_path.contains_key(path) {
            let choice = PathChoice::Exact(path.to_owned());
            let rows = tx.facts().with_path(memory, repository, &choice, None, ON_PATH)?;
            let ids: Vec<_> = rows.into_iter().map(|(_, record)| record).collect();
            let facts = tx.facts().get_many(memory, &ids)?;
            on_path.insert(path, facts.into_iter().filter(|fact| !fact.proposed).collect());
        }
    }
    let mut stored = StoredMatches::default();
    let mut facts: BTreeMap<RecordId, Vec<usize>> = BTreeMap::new();
    for (index, input) in given.iter().enumerate() {
        let there = on_path.get(input.place.path.as_str()).map(Vec::as_slice).unwrap_or_default();
        let cited = there.iter().flat_map(|fact| &fact.detail.citations);
        stored.citations.push(cited.into_iter().find(|one| one.anchor.place == input.place).cloned());
        let of = |fact: &&Fact| fact.detail.citations.iter().any(|one| is_of(input, one));
        for fact in there.iter().filter(|fact| can_be_invalidated(fact)).filter(of) {
            facts.entry(fact.record.clone()).or_default().push(index);
        }
    }
    stored.facts = facts.into_iter().map(|(record, given)| CitedFact { record, given }).collect();
    Ok(stored)
}

/// Returns true if a given citation matches this stored one: by its original place, by the current
/// place of its lines, or by its hash.
fn is_of(given: &CitationInput, stored: &Citation) -> bool {
    let is_now = stored.current.as_ref().is_some_and(|(place, _)| *place == given.place);
    stored.anchor.place == given.place
        || is_now
        || given.snippet_hash.as_ref().is_some_and(|hash| *hash == stored.anchor.snippet_hash)
}

fn can_be_invalidated(fact: &Fact) -> bool {
    matches!(fact.status, RecordState::Active | RecordState::Quarantined | RecordState::Expired)
}

/// Returns the events for the facts that have the citations: one for each fact whose code could not
/// be read, and one for each that is found wrong after that, so that it can be invalidated again.
/// With a quorum, one citation decides nothing about its fact.
pub(super) fn rows(
    tx: &dyn ReadTx,
    ids: &dyn IdSource,
    scene: &Scene,
    facts: &[CitedFact],
    found: &[CitationVerdict],
    since: Timestamp,
    has_quorum: bool,
) -> Result<Vec<FactEvent>> {
    let mut rows = Vec::new();
    for fact in facts {
        let citations: Vec<_> = fact.given.iter().filter_map(|index| found.get(*index)).cloned().collect();
        let worst = citations.iter().map(|one| one.verdict).max_by_key(|verdict| verdict.severity());
        let Some(verdict) = worst.filter(|verdict| *verdict != Verdict::Valid) else { continue };
        if verdict.is_conclusive() && (has_quorum || !was_unreadable(tx, scene, &fact.record, since)?) {
            continue;
        }
        let part = Verification { verdict, citations, claims: Vec::new(), support: None };
        // The duration is that of the whole call, which has its own event.
        rows.push(FactEvent { duration_ms: None, ..scene.verified(ids, Some(&fact.record), &part, 0) });
    }
    Ok(rows)
}

/// Returns true if the newest verification on this server could not read the code. A verdict
/// reported by a caller neither blocks nor replaces it.
pub(super) fn was_unreadable(
    tx: &dyn ReadTx,
    scene: &Scene,
    record: &RecordId,
    since: Timestamp,
) -> Result<bool> {
    Ok(newest(tx, scene, record, since)?.is_some_and(|row| row.kind == FactEventKind::VerificationSkipped))
}

/// Returns the newest verification made on this server, by any caller.
pub(crate) fn newest(
    tx: &dyn ReadTx,
    scene: &Scene,
    record: &RecordId,
    since: Timestamp,
) -> Result<Option<FactEvent>> {
    tx.fact_events().newest(&scene.memory, record, VERIFICATIONS, since, Some(reported_verdicts::TOLD))
}
