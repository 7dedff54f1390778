//! The fact events: the rows of a fact's history, created only here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::verdict::{CitationVerdict, Method, Unverifiable, Verdict, Verification};
use loci_model::ports::ids::{IdSource, uuid7, uuid7_at};
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::principal::Principal;
use loci_model::{Document, MemoryId, RecordId, RepositoryId, Result, Timestamp};

use loci_engine::calls::call_context::CallContext;

/// The context that all events of one call share: principal, place and time.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) memory: MemoryId,
    pub(crate) repository: RepositoryId,
    pub(crate) principal: String,
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) reference: Option<String>,
    pub(crate) commit: Option<ObjectId>,
    pub(crate) at: Timestamp,
    /// The number of events created so far. It orders events of one moment.
    pub(crate) made: Arc<AtomicU16>,
}

/// An id source whose ids of one moment are ordered by a number.
struct Numbered<'a>(&'a dyn IdSource, u16);

impl IdSource for Numbered<'_> {
    fn random(&self) -> [u8; 16] {
        let mut bytes = self.0.random();
        let [high, low] = self.1.to_be_bytes();
        // Twelve bits that a UUID of version 7 leaves free, right after its time.
        bytes[6] = high & 0x0f;
        bytes[7] = low;
        bytes
    }
}

impl Scene {
    /// Creates a scene without a revision.
    pub(crate) fn new(
        caller: &Principal,
        standing: &CallContext,
        memory: &MemoryId,
        repository: &RepositoryId,
        at: Timestamp,
    ) -> Self {
        Self {
            memory: memory.clone(),
            repository: repository.clone(),
            principal: caller.name.clone(),
            agent: standing.agent.clone(),
            session: standing.session.clone(),
            reference: None,
            commit: None,
            at,
            made: Arc::default(),
        }
    }

    /// Returns this scene at a revision.
    pub(crate) fn at_revision(mut self, reference: &str, commit: Option<ObjectId>) -> Self {
        self.reference = Some(reference.to_owned());
        self.commit = commit;
        self
    }

    /// Creates an event about a record.
    pub(crate) fn event(
        &self,
        ids: &dyn IdSource,
        kind: FactEventKind,
        record: Option<&RecordId>,
    ) -> FactEvent {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        FactEvent {
            id: uuid7(&Numbered(ids, number), self.at.millis()),
            memory: self.memory.clone(),
            repository: self.repository.clone(),
            record: record.cloned(),
            kind,
            at: self.at,
            principal: self.principal.clone(),
            agent: self.agent.clone(),
            session: self.session.clone(),
            duration_ms: None,
            reference: self.reference.clone(),
            commit: self.commit,
            verdict: None,
            method: None,
            cause: None,
            details: None,
        }
    }

    /// Creates the single event of a verification (T3).
    pub(crate) fn verified(
        &self,
        ids: &dyn IdSource,
        record: Option<&RecordId>,
        verification: &Verification,
        duration_ms: u32,
    ) -> FactEvent {
        let kind = match verification.verdict {
            Verdict::Valid => FactEventKind::VerifiedValid,
            Verdict::Drifted | Verdict::Gone | Verdict::Contradicted => FactEventKind::VerifiedInvalid,
            Verdict::Unverifiable => FactEventKind::VerificationSkipped,
        };
        let worst = worst_citation(verification);
        let unread = kind == FactEventKind::VerificationSkipped;
        let cause = why(verification).map(Unverifiable::as_str).or_else(|| unread.then_some(UNKNOWN_CLAIM));
        FactEvent {
            duration_ms: Some(duration_ms),
            verdict: Some(verification.verdict),
            method: worst.map(|citation| citation.method),
            cause: cause.map(str::to_owned),
            ..self.event(ids, kind, record)
        }
    }
}

/// The cause of a skipped verification if everything could be read, but a claim could not be
/// evaluated.
const UNKNOWN_CLAIM: &str = "unknown_claim";

/// The kinds of events that determine the state of a fact.
const STANDING: &[FactEventKind] = &[
    FactEventKind::Created,
    FactEventKind::Corrected,
    FactEventKind::Refreshed,
    FactEventKind::Superseded,
    FactEventKind::Invalidated,
    FactEventKind::Quarantined,
    FactEventKind::Restored,
    FactEventKind::Expired,
    FactEventKind::Deleted,
    FactEventKind::ContradictionDetected,
];

/// Appends events. An event that determines a fact's state is placed after all earlier ones,
/// regardless of the clock at the start of the call. Calls overlap and clocks of servers differ,
/// but the events in order must yield the state (T1).
pub(crate) fn append(tx: &mut dyn Tx, events: &[FactEvent]) -> Result<()> {
    let mut placed: Vec<FactEvent> = Vec::with_capacity(events.len());
    for event in events {
        let event = behind(tx, &placed, event)?;
        placed.push(event);
    }
    tx.fact_events_mut().append(&placed)
}

/// Returns the event, moved after the stored events and after those appended with it.
fn behind(tx: &dyn ReadTx, with: &[FactEvent], event: &FactEvent) -> Result<FactEvent> {
    let Some(record) = event.record.as_ref().filter(|_| STANDING.contains(&event.kind)) else {
        return Ok(event.clone());
    };
    let beside = |other: &&FactEvent| other.record == event.record && STANDING.contains(&other.kind);
    let last = match with.iter().rev().find(beside) {
        Some(last) => Some(last.clone()),
        None => tx.fact_events().newest(&event.memory, record, STANDING, event.at, None)?,
    };
    let last = last.filter(|last| (last.at, &last.id) >= (event.at, &event.id));
    Ok(last.map_or_else(
        || event.clone(),
        |last| {
            let at = last.at.plus_millis(1);
            FactEvent { id: uuid7_at(&event.id, at.millis()), at, ..event.clone() }
        },
    ))
}

/// Returns the details of an event, from a JSON object without text of facts or code.
pub(crate) fn details(value: &serde_json::Value) -> Result<Option<Document>> {
    Document::from_value(value).map(Some)
}

fn worst_citation(verification: &Verification) -> Option<&CitationVerdict> {
    verification.citations.iter().max_by_key(|citation| citation.verdict.severity())
}

/// Returns the reason why a verification was not possible. A temporary reason takes precedence over
/// a lasting one.
pub(crate) fn why(verification: &Verification) -> Option<Unverifiable> {
    let all = || {
        let of_claims = verification.claims.iter().filter_map(|claim| claim.unverifiable);
        verification.citations.iter().filter_map(|citation| citation.unverifiable).chain(of_claims)
    };
    all().find(|why| !why.is_lasting()).or_else(|| all().next())
}

/// Returns true if nothing was compared. Such a verification is no receipt and does not count as
/// one.
pub(crate) fn is_unanchored(verification: &Verification) -> bool {
    verification.citations.iter().any(|citation| citation.method == Method::Unanchored)
}
