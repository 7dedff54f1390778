//! The rules of telemetry, T1 to T7. Each is a check of a record's events.
//!
//! The rules do not depend on events that retention removes (returned facts, valid verifications).
//! The needed information is kept as a number, or is younger than the retention.

use loci_model::facts::fact::{Fact, FactEvent, FactEventKind, KeptVerdict};
use loci_model::facts::verdict::Verdict;
use loci_model::ports::store::ReadTx;
use loci_model::record::Record;
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::TelemetryViolation;
use super::replay::replay;
use crate::facts::receipts::VERIFICATIONS;

/// A rule of telemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TelemetryRule {
    /// Replaying the events yields state and counters.
    T1,
    /// The number of events for returned facts equals the counter.
    T2,
    /// Each verification has an event with its verdict. The ids of events exclude a second one.
    T3,
    /// Superseding and superseded facts come in pairs.
    T4,
    /// A record is created once. A rejection has a reason and no record.
    T5,
    /// An invalidation has its own event, not that of a verification.
    T6,
    /// After a deletion an event without text remains.
    T7,
}

impl TelemetryRule {
    /// All telemetry rules.
    pub const ALL: &'static [Self] = &[Self::T1, Self::T2, Self::T3, Self::T4, Self::T5, Self::T6, Self::T7];

    /// Returns the rule's short name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::T1 => "T1",
            Self::T2 => "T2",
            Self::T3 => "T3",
            Self::T4 => "T4",
            Self::T5 => "T5",
            Self::T6 => "T6",
            Self::T7 => "T7",
        }
    }

    /// Returns the rule's text.
    pub fn says(self) -> &'static str {
        match self {
            Self::T1 => "replaying what happened gives the state and the counters of every fact",
            Self::T2 => "every fact that was returned has its row",
            Self::T3 => "every verification has its row, of its verdict",
            Self::T4 => "what took a place and what gave it away go in pairs",
            Self::T5 => "a fact is created once; a refused one has its reason",
            Self::T6 => "declaring wrong is told as that, not as a verification",
            Self::T7 => "of what was deleted a row without text remains",
        }
    }
}

/// A record's events, with its fact, its current version and its cached verdicts.
pub(super) struct Trail {
    record: RecordId,
    fact: Option<Fact>,
    current: Option<Record>,
    /// The retained events, oldest first.
    history: Vec<FactEvent>,
    /// The newest events of all kinds, newest first.
    newest: Vec<FactEvent>,
    returned: u64,
    kept: Vec<KeptVerdict>,
    pub(super) is_cut: bool,
}

impl Trail {
    pub(super) fn read(
        tx: &dyn ReadTx,
        memory: &MemoryId,
        record: &RecordId,
        events_max: usize,
    ) -> Result<Self> {
        let newest = tx.fact_events().of_record(memory, record, events_max)?;
        let counts = tx.fact_events().counts(memory, record)?;
        let of =
            |kind: FactEventKind| counts.iter().find(|(one, _)| *one == kind).map_or(0, |(_, count)| *count);
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        Ok(Self {
            record: record.clone(),
            fact: tx.facts().get(memory, record)?,
            current: tx.records().get(memory, record)?,
            history: tx.fact_events().history(memory, record)?,
            is_cut: all > newest.len() as u64,
            newest,
            returned: of(FactEventKind::Retrieved),
            kept: tx.verdicts().of_record(memory, record)?,
        })
    }

    fn violation(
        &self,
        rule: TelemetryRule,
        event: Option<&FactEvent>,
        what: impl Into<String>,
    ) -> TelemetryViolation {
        TelemetryViolation {
            rule,
            record: Some(self.record.clone()),
            event: event.map(|event| event.id.clone()),
            what: what.into(),
        }
    }
}

/// Returns the violations of a record.
pub(super) fn of_record(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    trail: &Trail,
) -> Result<Vec<TelemetryViolation>> {
    let mut found = Vec::new();
    match &trail.fact {
        Some(fact) => {
            found.extend(t1(trail, fact));
            found.extend(t2(trail, fact));
            found.extend(t4(tx, memory, trail)?);
            found.extend(t5(trail));
            found.extend(t6(trail, fact));
        }
        None => found.extend(t7(trail)),
    }
    found.extend(t3(trail));
    Ok(found)
}

fn t1(trail: &Trail, fact: &Fact) -> Vec<TelemetryViolation> {
    let mut found = Vec::new();
    let replayed = replay(trail.history.iter().chain(deletion(trail)));
    let mut check = |same: bool, what: String| {
        if !same {
            found.push(trail.violation(TelemetryRule::T1, None, what));
        }
    };
    let said = replayed.status.map_or("nothing", |status| status.as_str());
    check(
        replayed.status == Some(fact.status),
        format!("it is {}, its rows say {said}", fact.status.as_str()),
    );
    let counters = &fact.counters;
    for (name, counted, said) in [
        ("verifications", counters.verifications, replayed.verifications),
        ("rejections", counters.rejections, replayed.rejections),
        ("applied", counters.applied, replayed.applied),
    ] {
        check(counted == said, format!("{name} is {counted}, its rows say {said}"));
    }
    let state = trail.current.as_ref().map(|record| record.state);
    check(state == Some(fact.status), format!("it is {}, its record is {state:?}", fact.status.as_str()));
    found
}

/// Returns the event of a deletion. It is not retained without limit, but as long as the fact
/// exists.
fn deletion(trail: &Trail) -> Option<&FactEvent> {
    trail.newest.iter().find(|event| event.kind == FactEventKind::Deleted)
}

fn t2(trail: &Trail, fact: &Fact) -> Option<TelemetryViolation> {
    let (counted, said) = (fact.counters.retrieved, fact.counters.retrieved_swept + trail.returned);
    let what = || format!("it was returned {counted} times, its rows say {said}");
    (counted != said).then(|| trail.violation(TelemetryRule::T2, None, what()))
}

fn t3(trail: &Trail) -> Vec<TelemetryViolation> {
    let verified: Vec<&FactEvent> =
        trail.newest.iter().filter(|event| VERIFICATIONS.contains(&event.kind)).collect();
    let mut found = Vec::new();
    for event in &verified {
        let is_of_kind = match event.verdict {
            Some(Verdict::Valid) => event.kind == FactEventKind::VerifiedValid,
            Some(Verdict::Unverifiable) => {
                event.kind == FactEventKind::VerificationSkipped && event.cause.is_some()
            }
            Some(Verdict::Drifted | Verdict::Gone | Verdict::Contradicted) => {
                event.kind == FactEventKind::VerifiedInvalid
            }
            None => false,
        };
        if !is_of_kind {
            let verdict = event.verdict.map_or("no verdict", Verdict::as_str);
            let what = format!("{} with {verdict}", event.kind.as_str());
            found.push(trail.violation(TelemetryRule::T3, Some(event), what));
        }
    }
    let oldest = trail.newest.last().map_or(Timestamp::LATEST, |event| event.at);
    for kept in trail.kept.iter().filter(|kept| !trail.is_cut || kept.at > oldest) {
        let tells = |event: &&&FactEvent| {
            event.at == kept.at
                && event.commit == Some(kept.commit)
                && event.verdict == Some(kept.verification.verdict)
        };
        if !verified.iter().any(|event| tells(&event)) {
            let what = format!("the verification of {} at {} has no row", kept.at.to_rfc3339(), kept.commit);
            found.push(trail.violation(TelemetryRule::T3, None, what));
        }
    }
    found
}

fn t4(tx: &dyn ReadTx, memory: &MemoryId, trail: &Trail) -> Result<Vec<TelemetryViolation>> {
    let mut found = Vec::new();
    let empty = Vec::new();
    let before = trail.current.as_ref().map_or(&empty, |record| &record.supersedes);
    for event in trail.history.iter().filter(|event| event.kind == FactEventKind::Corrected) {
        let mut has_pair = false;
        for old in before {
            // A fact that was erased since has no events to compare.
            has_pair |= tx.facts().get(memory, old)?.is_none()
                || has(tx, memory, old, &[FactEventKind::Superseded], event.at)?;
        }
        if !has_pair {
            let what = "it took a place that nothing gave away";
            found.push(trail.violation(TelemetryRule::T4, Some(event), what));
        }
    }
    for event in trail.history.iter().filter(|event| event.kind == FactEventKind::Superseded) {
        let Some(new) = by(event) else { continue }; // Another door's: its record says by what.
        const CAME: &[FactEventKind] =
            &[FactEventKind::Corrected, FactEventKind::Created, FactEventKind::Refreshed];
        if tx.facts().get(memory, &new)?.is_some() && !has(tx, memory, &new, CAME, event.at)? {
            let what = format!("it gave its place to {new}, which did not take it");
            found.push(trail.violation(TelemetryRule::T4, Some(event), what));
        }
    }
    Ok(found)
}

/// Returns the record that superseded this one, from the event's details.
fn by(event: &FactEvent) -> Option<RecordId> {
    let details: serde_json::Value = serde_json::from_str(event.details.as_ref()?.as_str()).ok()?;
    RecordId::parse(details.get("by")?.as_str()?).ok()
}

/// The maximum distance of two events of one write, in milliseconds. They have one time, unless one
/// was moved after a later event of its fact. Then the clocks of servers, or overlapping calls,
/// separate them.
const APART_MS_MAX: u64 = 60_000;

fn has(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    record: &RecordId,
    kinds: &[FactEventKind],
    at: Timestamp,
) -> Result<bool> {
    let history = tx.fact_events().history(memory, record)?;
    let is_near = |event: &FactEvent| event.at.millis().abs_diff(at.millis()) <= APART_MS_MAX;
    Ok(history.iter().any(|event| is_near(event) && kinds.contains(&event.kind)))
}

fn t5(trail: &Trail) -> Vec<TelemetryViolation> {
    let came = |event: &&FactEvent| matches!(event.kind, FactEventKind::Created | FactEventKind::Corrected);
    let mut found: Vec<TelemetryViolation> = trail
        .history
        .iter()
        .filter(came)
        .skip(1)
        .map(|event| trail.violation(TelemetryRule::T5, Some(event), "it came to be a second time"))
        .collect();
    let refused = trail.newest.iter().filter(|event| event.kind == FactEventKind::RejectedStore);
    found.extend(
        refused.map(|event| trail.violation(TelemetryRule::T5, Some(event), "a refusal is about no record")),
    );
    found
}

fn t6(trail: &Trail, fact: &Fact) -> Option<TelemetryViolation> {
    let (_, at) = fact.detail.invalidated.as_ref()?;
    // Events are ordered by what happened, so one may be later than the time that the call read
    // from the clock.
    let is_told = |event: &FactEvent| event.kind == FactEventKind::Invalidated && event.at >= *at;
    let what = format!("it was declared wrong at {}, and no row says so", at.to_rfc3339());
    (!trail.history.iter().any(is_told)).then(|| trail.violation(TelemetryRule::T6, None, what))
}

fn t7(trail: &Trail) -> Vec<TelemetryViolation> {
    let mut found = Vec::new();
    if deletion(trail).is_none() {
        found.push(trail.violation(
            TelemetryRule::T7,
            None,
            "it is gone, and no row says that it was deleted",
        ));
    }
    let speaking = trail.newest.iter().filter(|event| event.details.is_some());
    found.extend(speaking.map(|event| {
        trail.violation(TelemetryRule::T7, Some(event), "a row of what was deleted still holds details")
    }));
    found
}

/// Returns the violation of an event without a record: a rejection without a reason, or an event
/// that must have a record.
pub(super) fn of_no_record(event: &FactEvent) -> Option<TelemetryViolation> {
    let (rule, what) = match event.kind {
        FactEventKind::RejectedStore if event.cause.is_some() => return None,
        FactEventKind::RejectedStore => (TelemetryRule::T5, "a refusal without its reason".to_owned()),
        kind if VERIFICATIONS.contains(&kind) && event.verdict.is_some() => return None,
        kind => (TelemetryRule::T3, format!("{} is about no record, or says no verdict", kind.as_str())),
    };
    Some(TelemetryViolation { rule, record: None, event: Some(event.id.clone()), what })
}
