//! Brings a rule to the state that follows from its support and people's decisions. Every step is a
//! version of the record with a row of telemetry. The record's metadata hold the order for
//! hydration and the source of the rule.

use loci_engine::consolidation::Reason;
use loci_engine::records::conflicts;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::{Record, RecordState, TrustTier};
use loci_model::tasks::rule::{ApprovalReason, RuleSupport, SupportItem};
use loci_model::{ActorId, Error, RecordId, Result, limits};

use super::contradictions::{ContradictingRule, ContradictionResult, contest};
use super::relevance;
use super::support::maintainers;
use super::support::weights::{self, RuleStatus, weigh};
use crate::rules::rules_list::{APPROVAL_SUGGESTED, SAID_ON};
use crate::settings::RuleSettings;

/// The reason of a rule without support, which is out of force.
pub(super) const WITHDRAWN: &str = "withdrawn: no review supports it any more";
/// The reason of a rule that a person put in force. The person is stored in its support, where an
/// erasure finds the name.
const APPROVED: &str = "approved by a person";
/// The prefix of the reason of a rule that is out of force because of time.
pub(super) const UNUSED: &str = "not relevant";
/// The maximum number of steps of one rule at once: to a candidate, and out.
const STEPS_MAX: usize = 3;

/// The context of decisions about rules of a repository: the change, the actor and the settings.
pub(super) struct RuleContext<'a> {
    pub(super) changing: StateTransition<'a>,
    pub(super) actor: &'a ActorId,
    pub(super) settings: RuleSettings,
}

/// The latest event of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// An event without effect on its relevance.
    Quiet,
    /// A review states it again.
    SaidAgain,
    /// A person approved it.
    Approved,
}

/// Brings a rule to its state, and writes it with its support. Returns the record; `None` if it was
/// erased.
pub(super) fn settle(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    support: &mut RuleSupport,
    news: News,
) -> Result<Option<Record>> {
    let memory = &ruler.changing.memory.id;
    let found = tx.records().get(memory, &support.rule)?;
    let Some(mut record) = found.filter(|record| record.state != RecordState::Erased) else {
        return Ok(None);
    };
    let standing = stand(tx, ruler, support, record.state)?;
    let stored = record.clone();
    // Each step also writes the metadata of the rule.
    dress(&mut record, support, &standing);
    for _ in 0..STEPS_MAX {
        let Some((to, reason)) = step(&record, support, &standing, news) else { break };
        if to != RecordState::Active {
            record = advance(tx, ruler, &record, to, &reason)?;
            continue;
        }
        match contest(tx, ruler, &record, support)? {
            ContradictionResult::Wins { losers, doubts } => {
                record = win(tx, ruler, record, support, losers, &reason)?;
                for other in doubts {
                    conflicts::note(tx, (&other, &record), Reason::MaybeValue.text(), ruler.changing.at)?;
                }
            }
            ContradictionResult::Held(rivals) => {
                record = hold(tx, ruler, record, support, rivals)?;
                break;
            }
            ContradictionResult::Loses(rival) => {
                record = lose(tx, ruler, &record, &rival.record)?;
                break;
            }
        }
    }
    let freed = lift_conflicts(tx, ruler, record.state, support)?;
    let last = if record.version == stored.version { stored } else { record.clone() };
    let record = describe(tx, ruler, last, support, &standing)?;
    tx.ledger_mut().put_noun(support)?;
    relevance::follow(tx, ruler, &record, news != News::Quiet)?;
    for mut other in freed {
        // The other rule waited only for this one. Each conflict is lifted once, so the recursion
        // ends.
        settle(tx, ruler, &mut other, News::Quiet)?;
    }
    Ok(Some(record))
}

/// Weighs a rule among the repository's people. The word of a sole maintainer is sufficient; a rule
/// that came into force by it stays when another maintainer joins.
pub(super) fn stand(
    tx: &dyn ReadTx,
    ruler: &RuleContext<'_>,
    support: &RuleSupport,
    state: RecordState,
) -> Result<RuleStatus> {
    let mut standing = weigh(support, &ruler.settings);
    let Some(who) = standing.repeated_by.as_ref().filter(|_| !standing.has_quorum) else {
        return Ok(standing);
    };
    standing.is_sole = matches!(state, RecordState::Active | RecordState::Stale) || {
        let memory = &ruler.changing.memory.id;
        let repository = tx.repositories().get(memory, &support.repository)?;
        let agents = repository.and_then(|repository| repository.settings.reviews.agent_logins);
        !maintainers::has_other(tx, (memory, ruler.actor), &agents.unwrap_or_default(), who)?
    };
    Ok(standing)
}

/// True if a rule must be in force: a person decided so, or enough reviews support it and no
/// approval is required.
pub(super) fn is_wanted(support: &RuleSupport, standing: &RuleStatus) -> bool {
    support.approved.is_some()
        || support.pinned.is_some()
        || ((standing.has_quorum || standing.is_sole) && standing.waits_for.is_none())
}

/// Returns the next state of a rule with the reason; `None` if it stays.
fn step(
    record: &Record,
    support: &RuleSupport,
    standing: &RuleStatus,
    news: News,
) -> Option<(RecordState, String)> {
    if support.closed.is_some() {
        return None;
    }
    let by_person = support.approved.as_ref().or(support.pinned.as_ref());
    let has_support = standing.reviewers > 0;
    let is_wanted = is_wanted(support, standing);
    let in_force = || {
        let reason = match by_person {
            Some(_) => APPROVED.to_owned(),
            None if standing.is_sole => {
                format!("the one maintainer says it on {} pull requests", standing.prs)
            }
            None => format!(
                "quorum: {:.2} of {} reviewers on {} pull requests",
                standing.support, standing.reviewers, standing.prs
            ),
        };
        (RecordState::Active, reason)
    };
    let was = record.state_reason.as_deref().unwrap_or_default();
    match record.state {
        RecordState::Candidate if is_wanted => Some(in_force()),
        RecordState::Candidate | RecordState::Stale if !has_support && by_person.is_none() => {
            Some((RecordState::Invalid, WITHDRAWN.to_owned()))
        }
        RecordState::Active if !is_wanted => {
            let reason = match standing.waits_for {
                Some(why) => format!("waits for a person: {why}"),
                None => "what supports it fell below the quorum".to_owned(),
            };
            Some((RecordState::Candidate, reason))
        }
        RecordState::Stale if news != News::Quiet && is_wanted => Some(in_force()),
        RecordState::Stale if news != News::Quiet => {
            Some((RecordState::Candidate, "said again, and not by enough".to_owned()))
        }
        RecordState::Expired if news != News::Quiet && was.starts_with(UNUSED) => {
            Some((RecordState::Candidate, "said again".to_owned()))
        }
        RecordState::Invalid if was == WITHDRAWN && (has_support || by_person.is_some()) => {
            Some((RecordState::Candidate, "supported again".to_owned()))
        }
        RecordState::Candidate
        | RecordState::Active
        | RecordState::Stale
        | RecordState::Expired
        | RecordState::Invalid
        | RecordState::Superseded
        | RecordState::Quarantined
        | RecordState::Archived
        | RecordState::RolledBack
        | RecordState::Erased => None,
    }
}

/// Writes the next version of a rule, in another state or with other metadata.
pub(super) fn write(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    old: &Record,
    mut record: Record,
    reason: &str,
) -> Result<Record> {
    let full = || Error::conflict("the record has too many versions: create a new one");
    record.version = old.version.checked_add(1).ok_or_else(full)?;
    record.updated_at = ruler.changing.at;
    tx.records_mut().put_version(&record)?;
    ruler.changing.note(tx, &record, Some(old.state), record.state, reason)?;
    Ok(record)
}

/// Sets the state of a rule.
pub(super) fn advance(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    record: &Record,
    to: RecordState,
    reason: &str,
) -> Result<Record> {
    let reason: String = reason.chars().take(limits::REASON_CHARS_MAX).collect();
    let mut next = record.clone();
    next.state = to;
    next.state_reason = Some(reason.clone());
    if to == RecordState::Active {
        next.superseded_by = None;
        next.valid_to = None;
    }
    write(tx, ruler, record, next, &reason)
}

/// Puts the rule in force, and supersedes its rivals.
fn win(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    record: Record,
    support: &mut RuleSupport,
    losers: Vec<ContradictingRule>,
    reason: &str,
) -> Result<Record> {
    let mut winner = record.clone();
    winner.supersedes.extend(losers.iter().map(|rival| rival.record.id.clone()));
    winner.state = RecordState::Active;
    winner.state_reason = Some(reason.to_owned());
    let winner = write(tx, ruler, &record, winner, reason)?;
    for rival in losers {
        let lost = lose(tx, ruler, &rival.record, &winner)?;
        support.conflicts.remove(&lost.id);
        if let Some(mut theirs) = rival.support {
            theirs.conflicts.remove(&winner.id);
            tx.ledger_mut().put_noun(&theirs)?;
            let standing = stand(tx, ruler, &theirs, lost.state)?;
            describe(tx, ruler, lost.clone(), &theirs, &standing)?;
        }
        relevance::follow(tx, ruler, &lost, false)?;
    }
    Ok(winner)
}

/// Supersedes this rule by another one.
pub(super) fn lose(tx: &mut dyn Tx, ruler: &RuleContext<'_>, record: &Record, by: &Record) -> Result<Record> {
    let reason = format!("superseded by rule {}", by.id);
    let mut next = record.clone();
    next.state = RecordState::Superseded;
    next.state_reason = Some(reason.clone());
    next.superseded_by = Some(by.id.clone());
    next.valid_to = Some(ruler.changing.at);
    write(tx, ruler, record, next, &reason)
}

/// Records a conflict for a person's decision: the rule in force stays, and both name the conflict.
fn hold(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    record: Record,
    support: &mut RuleSupport,
    rivals: Vec<ContradictingRule>,
) -> Result<Record> {
    let ids: Vec<RecordId> = rivals.iter().map(|rival| rival.record.id.clone()).collect();
    for rival in rivals {
        let Some(mut theirs) = rival.support else { continue };
        if theirs.conflicts.insert(record.id.clone()) {
            let standing = stand(tx, ruler, &theirs, rival.record.state)?;
            describe(tx, ruler, rival.record, &theirs, &standing)?;
            tx.ledger_mut().put_noun(&theirs)?;
        }
    }
    support.conflicts.extend(ids.iter().cloned());
    let named = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let reason = format!("conflict with rule {named}: a person decides");
    if record.state == RecordState::Candidate && record.state_reason.as_deref() == Some(reason.as_str()) {
        return Ok(record);
    }
    advance(tx, ruler, &record, RecordState::Candidate, &reason)
}

/// Removes the conflicts that are decided. A conflict is open only between a rule in force and a
/// candidate. Returns the other rules whose conflicts were removed.
fn lift_conflicts(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    state: RecordState,
    support: &mut RuleSupport,
) -> Result<Vec<RuleSupport>> {
    let memory = &ruler.changing.memory.id;
    let in_force = |state| matches!(state, RecordState::Active | RecordState::Stale);
    let mut freed = Vec::new();
    for id in support.conflicts.clone() {
        let other = tx.records().get(memory, &id)?.map(|other| other.state);
        let is_open = other.is_some_and(|other| {
            (in_force(state) && other == RecordState::Candidate)
                || (in_force(other) && state == RecordState::Candidate)
        });
        if is_open {
            continue;
        }
        support.conflicts.remove(&id);
        let Some(mut theirs) = tx.ledger().noun::<RuleSupport>(memory, id.as_str())? else { continue };
        if theirs.conflicts.remove(&support.rule) {
            tx.ledger_mut().put_noun(&theirs)?;
            freed.push(theirs);
        }
    }
    Ok(freed)
}

/// Writes the status and the source of a rule into its metadata, if they changed.
fn describe(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    record: Record,
    support: &RuleSupport,
    standing: &RuleStatus,
) -> Result<Record> {
    let mut next = record.clone();
    dress(&mut next, support, standing);
    if next == record {
        return Ok(record);
    }
    write(tx, ruler, &record, next, "what supports it changed")
}

/// Sets the metadata of a rule: its status, its source, its trust.
pub(super) fn dress(rule: &mut Record, support: &RuleSupport, standing: &RuleStatus) {
    tell(&mut rule.metadata, support, standing);
    let is_suspect = !rule.findings.reasons.is_empty();
    if support.approved.is_some() || support.pinned.is_some() {
        rule.tier = TrustTier::Confirmed;
        rule.trust = 1.0;
        return;
    }
    rule.tier = if is_suspect { TrustTier::Flagged } else { TrustTier::External };
    let is_doubted = is_suspect || support.asks().contains(&ApprovalReason::InjectionScore);
    let is_mapped = support.items.is_empty() || support.items.iter().any(|item| item.is_mapped);
    rule.trust = if is_doubted { DOUBTED } else { 1.0 } * if is_mapped { 1.0 } else { UNMAPPED };
}

/// The trust factor of a text that looks like instructions.
const DOUBTED: f64 = 0.5;
/// The trust factor of a rule from pull requests without a known task.
const UNMAPPED: f64 = 0.8;

/// Sets the metadata keys of a rule's status. Other keys were set when the rule was created.
fn tell(metadata: &mut Metadata, support: &RuleSupport, standing: &RuleStatus) {
    let text = |text: &str| Some(MetadataValue::String(text.to_owned()));
    let number = |number: f64| Some(MetadataValue::Number((number * 100.0).round() / 100.0));
    let is = |is: bool| is.then(|| MetadataValue::String("true".to_owned()));
    let heaviest = heaviest(support);
    let conflicts: Vec<String> = support.conflicts.iter().map(ToString::to_string).collect();
    let told = [
        ("weight", Some(MetadataValue::Number(weights::order_weight(support, standing)))),
        ("support", number(standing.support)),
        ("reviewers", number(standing.reviewers as f64)),
        ("prs", number(standing.prs as f64)),
        ("impact", text(support.impact.as_str())),
        ("pr", heaviest.map(|item| MetadataValue::String(item.pr.to_string()))),
        ("reviewer", heaviest.map(|item| MetadataValue::String(item.reviewer.login.clone()))),
        ("pr_url", heaviest.and_then(|item| text(item.url.as_deref()?))),
        (SAID_ON, text(&said_on(support, heaviest))),
        (APPROVAL_SUGGESTED, is(standing.is_suggested && !is_wanted(support, standing))),
        ("waits_for", standing.waits_for.filter(|_| support.approved.is_none()).and_then(text)),
        ("approved_by", support.approved.as_ref().and_then(|person| text(&person.by))),
        ("pinned", is(support.pinned.is_some())),
        ("conflict", (!conflicts.is_empty()).then_some(MetadataValue::StringList(conflicts))),
    ];
    for (key, value) in told {
        match value {
            Some(value) => metadata.insert(key.to_owned(), value),
            None => metadata.remove(key),
        };
    }
}

/// Returns the day of the shown source: of the review, else of the person's decision.
fn said_on(support: &RuleSupport, heaviest: Option<&SupportItem>) -> String {
    let decided = support.approved.as_ref().map(|decided| decided.at);
    heaviest.map(|item| item.at).or(decided).unwrap_or(support.created_at).date().to_string()
}

/// Returns the shown source: the item with the highest weight, the newest of equal ones.
fn heaviest(support: &RuleSupport) -> Option<&SupportItem> {
    let by = |item: &&SupportItem| {
        let weight = (weights::item_weight(item) * 10_000.0).round() as i64;
        (weight, item.at, item.pr, item.review)
    };
    support.items.iter().max_by_key(by)
}
