//! The stored facts that given citations are of, and the rows that a look at those citations leaves for them: who is given a
//! fact, gives its citations back and takes the answer for one about the fact must be told apart from who read the code. A
//! look at some citations is no receipt: it never leaves a fact verified.

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

/// Facts on one path that are looked at for the same citation.
const ON_PATH: usize = 1_000;

/// A fact some of whose citations were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CitedFact {
    record: RecordId,
    /// Which of the given citations.
    given: Vec<usize>,
}

/// What is stored about given citations.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredOf {
    /// The stored citation at the very place of each, in their order.
    pub(super) citations: Vec<Option<Citation>>,
    /// The facts that they are of.
    pub(super) facts: Vec<CitedFact>,
}

/// Finds what is stored about citations.
pub(super) fn stored_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    given: &[CitationInput],
) -> Result<StoredOf> {
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
    let mut stored = StoredOf::default();
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

/// True where a given citation is this stored one: its place, where its lines are by now, or the same lines.
fn is_of(given: &CitationInput, stored: &Citation) -> bool {
    let is_now = stored.current.as_ref().is_some_and(|(place, _)| *place == given.place);
    stored.anchor.place == given.place
        || is_now
        || given.snippet_hash.as_ref().is_some_and(|hash| *hash == stored.anchor.snippet_hash)
}

fn can_be_invalidated(fact: &Fact) -> bool {
    matches!(fact.status, RecordState::Active | RecordState::Quarantined | RecordState::Expired)
}

/// Rows of the facts that the citations are of: of each whose code could not be read; and of each that is found wrong after that,
/// so that it may be said again. With a quorum one citation says nothing about its fact.
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
        // The time is that of the whole call, which has its row.
        rows.push(FactEvent { duration_ms: None, ..scene.verified(ids, Some(&fact.record), &part, 0) });
    }
    Ok(rows)
}

/// True where the newest verification that was made here could read nothing. What a reader tells neither holds anybody up nor
/// stands before that.
pub(super) fn was_unreadable(
    tx: &dyn ReadTx,
    scene: &Scene,
    record: &RecordId,
    since: Timestamp,
) -> Result<bool> {
    Ok(newest(tx, scene, record, since)?.is_some_and(|row| row.kind == FactEventKind::VerificationSkipped))
}

/// The newest verification that was made here, whoever asked for it.
pub(crate) fn newest(
    tx: &dyn ReadTx,
    scene: &Scene,
    record: &RecordId,
    since: Timestamp,
) -> Result<Option<FactEvent>> {
    tx.fact_events().newest(&scene.memory, record, VERIFICATIONS, since, Some(reported_verdicts::TOLD))
}
