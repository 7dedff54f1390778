//! Maps a verification result to the next state of a fact. Pure. Only a result at the tip of the
//! default branch changes the state of a fact; unreadable code never does.

use loci_model::Result;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind, GoneSince, LastVerified};
use loci_model::facts::verdict::{CommittedLines, Verdict, Verification};
use loci_model::ports::ids::IdSource;
use loci_model::record::RecordState;
use loci_model::time::DAY_MS;

use crate::facts::events::{Scene, details, is_unanchored};
use crate::remote_verification::reported_verdicts;
use crate::settings::VerifiedSettings;

/// The cause of verifications of proposed citations.
pub(crate) const PROPOSED: &str = "proposed";
/// The maximum number of commits without the code that a fact stores.
const GONE_COMMITS_MAX: usize = 16;

/// The origin of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A call. A read does not extend a fact's life.
    Caller,
    /// A report of a caller that has the code. It changes nothing.
    Told,
    /// The background, on the default branch. A valid verdict extends the fact's life.
    Background,
}

/// The consequences for a fact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FactConsequences {
    /// The fact to write; `None` if nothing changes.
    pub(super) fact: Option<Fact>,
    /// The new state and its reason.
    pub(super) state: Option<(RecordState, String)>,
    /// The events, beginning with the verification.
    pub(super) events: Vec<FactEvent>,
}

/// A verification of a fact, with its origin.
pub(crate) struct FactVerification<'a> {
    pub(crate) verification: &'a Verification,
    pub(crate) duration_ms: u32,
    /// The tip of the default branch, if that was verified.
    pub(crate) default_tip: Option<ObjectId>,
    pub(crate) origin: Origin,
}

/// Returns the consequences of a verification.
pub(crate) fn settle(
    fact: &Fact,
    seen: &FactVerification<'_>,
    scene: &Scene,
    settings: &VerifiedSettings,
    ids: &dyn IdSource,
) -> Result<FactConsequences> {
    let verification = seen.verification;
    let verified = scene.verified(ids, Some(&fact.record), verification, seen.duration_ms);
    if seen.origin == Origin::Told {
        return Ok(FactConsequences {
            fact: None,
            state: None,
            events: vec![reported_verdicts::row(verified)?],
        });
    }
    let mut events = vec![if fact.proposed { of_proposal(verified)? } else { verified }];
    let mut changed = fact.clone();
    let committed = anchor_committed(&mut changed, verification);
    for index in &committed {
        let event = scene.event(ids, FactEventKind::Reanchored, Some(&fact.record));
        let said = serde_json::json!({ "citation": index, "committed": true });
        events.push(FactEvent { details: details(&said)?, ..event });
    }
    let tip = seen.default_tip.filter(|_| verification.verdict.is_conclusive());
    let Some(tip) = tip.filter(|_| !is_unanchored(verification)) else {
        let fact = (!committed.is_empty()).then_some(changed);
        return Ok(FactConsequences { fact, state: None, events });
    };
    changed.detail.last_verified = Some(LastVerified {
        at: scene.at,
        by: scene.principal.clone(),
        commit: tip,
        verdict: verification.verdict,
    });
    if verification.support.is_some() {
        changed.detail.support = verification.support.clone();
    }
    for index in reanchor(&mut changed, verification, tip) {
        let event = scene.event(ids, FactEventKind::Reanchored, Some(&fact.record));
        events.push(FactEvent { details: details(&serde_json::json!({ "citation": index }))?, ..event });
    }
    let turn = turn(&mut changed, seen, tip, scene, settings);
    if let Some((kind, cause, _)) = &turn {
        let event = scene.event(ids, *kind, Some(&fact.record));
        events.push(FactEvent {
            verdict: Some(verification.verdict),
            cause: Some((*cause).to_owned()),
            ..event
        });
    }
    let state = turn.map(|(_, _, change)| change);
    if let Some((to, _)) = &state {
        changed.status = *to;
    }
    Ok(FactConsequences { fact: Some(changed), state, events })
}

/// Returns the event of a verification of proposed citations. Its mark excludes it from a
/// repository's rates and durations.
fn of_proposal(verified: FactEvent) -> Result<FactEvent> {
    let details = details(&serde_json::json!({ "why": verified.cause }))?;
    Ok(FactEvent { cause: Some(PROPOSED.to_owned()), details, duration_ms: None, ..verified })
}

/// The meaning of a verdict at the tip of the default branch for a fact of a given state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The code is back.
    Back,
    /// The fact holds.
    Holds,
    /// The code is gone.
    Gone,
    /// The code is still gone.
    Away,
    /// A claim is false.
    Contradicted,
}

/// Returns the meaning of a verdict. A verdict on proposed citations has none, because no caller
/// has confirmed them.
fn turn_of(fact: &Fact, verdict: Verdict) -> Option<Turn> {
    match (verdict, fact.status) {
        _ if fact.proposed => None,
        (Verdict::Valid, RecordState::Quarantined) => fact.detail.gone.is_some().then_some(Turn::Back),
        (Verdict::Valid, RecordState::Active) => Some(Turn::Holds),
        (Verdict::Gone, RecordState::Active) => Some(Turn::Gone),
        (Verdict::Gone, RecordState::Quarantined) => fact.detail.gone.is_some().then_some(Turn::Away),
        (Verdict::Contradicted, RecordState::Active) => Some(Turn::Contradicted),
        _ => None,
    }
}

/// Returns true if a verdict at the tip of the default branch changes the state of a fact.
pub(crate) fn turns(fact: &Fact, verdict: Verdict) -> bool {
    matches!(turn_of(fact, verdict), Some(Turn::Back | Turn::Gone | Turn::Contradicted))
}

/// Returns the resulting change of state, with its event and cause.
fn turn(
    fact: &mut Fact,
    seen: &FactVerification<'_>,
    tip: ObjectId,
    scene: &Scene,
    settings: &VerifiedSettings,
) -> Option<(FactEventKind, &'static str, (RecordState, String))> {
    let short = tip.to_string().chars().take(12).collect::<String>();
    match turn_of(fact, seen.verification.verdict)? {
        Turn::Back => {
            fact.detail.gone = None;
            let reason = format!("the cited code is there again at {short}");
            Some((FactEventKind::Restored, "valid", (RecordState::Active, reason)))
        }
        Turn::Holds => {
            if seen.origin == Origin::Background {
                fact.expires_at = fact.expires_at.max(scene.at.plus_days(settings.expiry_days));
            }
            None
        }
        Turn::Gone => {
            fact.detail.gone = Some(GoneSince { at: scene.at, commits: vec![tip] });
            fact.counters.rejections += 1;
            let reason = format!("the cited code is gone from the default branch at {short}");
            Some((FactEventKind::Quarantined, "gone", (RecordState::Quarantined, reason)))
        }
        Turn::Away => still_gone(fact, tip, scene, settings),
        Turn::Contradicted => {
            fact.counters.rejections += 1;
            let reason = format!("a claim is false on the default branch at {short}");
            Some((FactEventKind::ContradictionDetected, "claim", (RecordState::Invalid, reason)))
        }
    }
}

/// Counts one more commit without the code. Beyond the configured time and number of commits the
/// fact becomes invalid.
fn still_gone(
    fact: &mut Fact,
    tip: ObjectId,
    scene: &Scene,
    settings: &VerifiedSettings,
) -> Option<(FactEventKind, &'static str, (RecordState, String))> {
    let gone = fact.detail.gone.as_mut()?;
    if !gone.commits.contains(&tip) && gone.commits.len() < GONE_COMMITS_MAX {
        gone.commits.push(tip);
    }
    let for_ms = scene.at.millis() - gone.at.millis();
    let over = for_ms >= i64::from(settings.quarantine_grace_days) * DAY_MS
        && gone.commits.len() >= settings.quarantine_commits;
    over.then(|| {
        fact.counters.rejections += 1;
        fact.detail.invalidated = Some((scene.principal.clone(), scene.at));
        let reason = format!("the cited code stayed away at {} commits", gone.commits.len());
        (FactEventKind::Invalidated, "gone", (RecordState::Invalid, reason))
    })
}

/// Anchors citations that were read from a working tree to the commit that introduced their lines.
/// Returns the indexes of these citations.
fn anchor_committed(fact: &mut Fact, verification: &Verification) -> Vec<usize> {
    let mut anchored = Vec::new();
    let pairs = fact.detail.citations.iter_mut().zip(&verification.citations);
    for (index, (citation, verdict)) in pairs.enumerate() {
        let anchor = &mut citation.anchor;
        let is_same =
            |lines: &&CommittedLines| anchor.is_uncommitted && lines.place.path == anchor.place.path;
        let Some(lines) = verdict.committed.as_ref().filter(is_same) else { continue };
        (anchor.commit, anchor.blob) = (Some(lines.commit), lines.blob);
        anchor.place = lines.place.clone();
        anchor.is_uncommitted = false;
        anchored.push(index);
        let source = &mut fact.detail.source;
        source.commit = Some(lines.commit);
    }
    let is_open = fact.detail.citations.iter().any(|citation| citation.anchor.is_uncommitted);
    if !anchored.is_empty() && !is_open {
        fact.detail.source.kind = Some("branch".to_owned());
    }
    anchored
}

/// Stores the current places of valid citations, and returns the indexes of those that moved.
fn reanchor(fact: &mut Fact, verification: &Verification, tip: ObjectId) -> Vec<usize> {
    let mut moved = Vec::new();
    let pairs = fact.detail.citations.iter_mut().zip(&verification.citations);
    for (index, (citation, verdict)) in pairs.enumerate() {
        let Some(found) = verdict.found.as_ref().filter(|_| verdict.verdict == Verdict::Valid) else {
            continue;
        };
        let known = citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place);
        if known == found {
            continue;
        }
        let (before, cited) = (known.path.clone(), &citation.anchor.place.path);
        if before != found.path && before != *cited && !citation.earlier_paths.contains(&before) {
            citation.earlier_paths.push(before);
        }
        citation.current = (*found != citation.anchor.place).then(|| (found.clone(), tip));
        moved.push(index);
    }
    moved
}
