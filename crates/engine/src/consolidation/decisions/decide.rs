//! Decides on proposals by comparison with their neighbours. The relation of each pair decides; the
//! model decides only cases that the rules leave open.
//!
//! Each proposal gets one decision with its reason. Nothing is written here.

use loci_model::RecordId;
use loci_model::Result;
use loci_model::memory::settings::ModelMode;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_text::turn::speaker_prefix;
use serde_json::Value;

use super::model_decisions::{self, OpenProposal};
use super::validation::judged;
use crate::consolidation::comparison::speakers::are_of_two_people;
use crate::consolidation::relate::{ReadStatement, Reason, Relation, Statement, relate_read};
use crate::consolidation::{
    Decision, DecisionContext, Neighbourhood, Proposal, RoundDecisions, Thresholds, Why, WordPairs,
};

/// The result of the rules for one proposal.
enum ProposalDecision {
    Decision(Decision),
    /// No decision: indexes of the related neighbours, and the reason.
    Open(Vec<usize>, Reason),
}

/// Decides on proposals by comparison with their neighbours: first by rules, then by the model for
/// the rest.
///
/// # Errors
/// Errors of the store; `Invalid` if the memory's own thresholds cannot be parsed.
pub async fn decide(
    deciding: &DecisionContext<'_>,
    proposals: &[Proposal<'_>],
    around: &[Neighbourhood],
) -> Result<RoundDecisions> {
    let limits = Thresholds::read(deciding.memory.settings.consolidation.thresholds.as_deref())?;
    let mut decisions: Vec<Decision> = Vec::with_capacity(proposals.len());
    let mut open: Vec<OpenProposal<'_>> = Vec::new();
    for (at, proposal) in proposals.iter().enumerate() {
        let near: Vec<&Neighbourhood> =
            around.iter().filter(|one| one.of == at && may_meet(&one.record)).collect();
        match by_rules(proposal.record, &near, &limits, &mut WordPairs::of_a_write()) {
            ProposalDecision::Decision(decision) => decisions.push(decision),
            ProposalDecision::Open(which, reason) => {
                let neighbours: Vec<&Record> =
                    which.iter().filter_map(|at| near.get(*at).map(|one| &one.record)).collect();
                decisions.push(left_open(&neighbours, reason));
                open.push(OpenProposal { proposal: at, record: proposal.record, neighbours });
            }
        }
    }
    if open.is_empty() || deciding.mode == ModelMode::None {
        return Ok(RoundDecisions::Plan(judged(proposals, around, decisions)));
    }
    Ok(match model_decisions::ask(deciding, &open, decisions).await? {
        RoundDecisions::Plan(decisions) => RoundDecisions::Plan(judged(proposals, around, decisions)),
        other @ (RoundDecisions::Waits | RoundDecisions::Unanswered(_)) => other,
    })
}

/// Decides on one record by rules alone. A record that the rules leave open is added, with a
/// conflict if it may contradict others. The caller selects the neighbours. `pairs`: the comparison
/// budget, shared by all decisions of one write.
pub fn decide_alone(
    new: &Record,
    near: &[Neighbourhood],
    limits: &Thresholds,
    pairs: &mut WordPairs,
) -> Decision {
    match by_rules(new, &near.iter().collect::<Vec<_>>(), limits, pairs) {
        ProposalDecision::Decision(decision) => decision,
        ProposalDecision::Open(which, reason) => {
            let neighbours: Vec<&Record> =
                which.iter().filter_map(|at| near.get(*at).map(|one| &one.record)).collect();
            left_open(&neighbours, reason)
        }
    }
}

/// Returns the decision without a model on a record that the rules leave open. It is added, and a
/// conflict is recorded with those it may contradict.
fn left_open(neighbours: &[&Record], reason: Reason) -> Decision {
    let why = Why::rules(reason.text());
    if matches!(reason, Reason::MaybeChange | Reason::MaybeValue) {
        return Decision::Doubt { with: neighbours.iter().map(|record| record.id.clone()).collect(), why };
    }
    Decision::Add { why }
}

/// Returns true for records that consolidation may change: active and extracted.
fn may_meet(record: &Record) -> bool {
    record.state == RecordState::Active && record.origin == RecordOrigin::Extracted
}

fn by_rules(
    new: &Record,
    near: &[&Neighbourhood],
    limits: &Thresholds,
    pairs: &mut WordPairs,
) -> ProposalDecision {
    let said = stated(new);
    let (speaker, own) = spoken(new, &said);
    let told = ReadStatement::of(statement(new, own));
    let found: Vec<(Relation, Reason)> = near
        .iter()
        .map(|one| {
            let known = stated(&one.record);
            let (other, words) = spoken(&one.record, &known);
            if one.record.kind != new.kind
                || one.record.provenance.role != new.provenance.role
                || other != speaker
                || are_of_two_people((new, own), (&one.record, words))
            {
                return (Relation::Related, Reason::Different);
            }
            relate_read(&told, &statement(&one.record, words), one.alike, (limits, &mut *pairs))
        })
        .collect();
    let first = |wanted: Relation| {
        let mut all = found.iter().zip(near);
        all.find(|((relation, _), _)| *relation == wanted).map(|((_, reason), one)| (&one.record, *reason))
    };
    if let Some((of, reason)) = first(Relation::Duplicate) {
        return ProposalDecision::Decision(Decision::Skip {
            of: of.id.clone(),
            why: Why::rules(reason.text()),
        });
    }
    if let Some((under, reason)) = first(Relation::SupersededBy) {
        let why = Why::rules(format!("{}, and tells of an earlier time", reason.text()));
        return ProposalDecision::Decision(Decision::History { under: under.id.clone(), why });
    }
    if let Some((with, reason)) = first(Relation::Conflict) {
        let why = Why::rules(format!("{}, but {} is trusted more", reason.text(), with.id));
        return ProposalDecision::Decision(Decision::Hold { with: with.id.clone(), why });
    }
    if let Some((_, reason)) = first(Relation::Supersedes) {
        let old: Vec<RecordId> = found
            .iter()
            .zip(near)
            .filter(|((relation, _), _)| *relation == Relation::Supersedes)
            .map(|(_, one)| one.record.id.clone())
            .collect();
        return ProposalDecision::Decision(Decision::Supersede { old, why: Why::rules(reason.text()) });
    }
    let doubtful = |(relation, _): &(Relation, Reason)| *relation == Relation::Doubtful;
    if let Some((_, reason)) = found.iter().find(|found| doubtful(found)) {
        let open: Vec<usize> =
            found.iter().enumerate().filter(|(_, found)| doubtful(found)).map(|(at, _)| at).collect();
        return ProposalDecision::Open(open, *reason);
    }
    let unclear = || found.iter().enumerate().filter(|(_, (relation, _))| *relation == Relation::Unclear);
    if let Some((_, (_, first))) = unclear().next() {
        let cut = unclear().any(|(_, (_, reason))| *reason == Reason::TooLong);
        return ProposalDecision::Open(
            unclear().map(|(at, _)| at).collect(),
            if cut { Reason::TooLong } else { *first },
        );
    }
    // The most informative reason for which both stay.
    let coexists = found.iter().find(|(relation, _)| *relation == Relation::Coexists);
    let reason = coexists.or(found.first()).map_or("nothing like it was kept", |(_, reason)| reason.text());
    ProposalDecision::Decision(Decision::Add { why: Why::rules(reason) })
}

/// Returns the statement of a record; for a preference, the text from its JSON form.
pub(in crate::consolidation) fn stated(record: &Record) -> String {
    if record.kind == RecordKind::Preference
        && let Ok(value) = serde_json::from_str::<Value>(&record.text)
        && let Some(preference) = value.get("preference").and_then(Value::as_str)
    {
        return preference.to_owned();
    }
    record.text.clone()
}

/// Returns the speaker, if the words begin with a name, and the words. In a model's sentence a name
/// with a colon is a label.
fn spoken<'a>(record: &Record, words: &'a str) -> (Option<&'a str>, &'a str) {
    let may_begin_with_a_name = record.provenance.verbatim || record.kind == RecordKind::Preference;
    match speaker_prefix(words).filter(|_| may_begin_with_a_name) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, words),
    }
}

fn statement<'a>(record: &'a Record, text: &'a str) -> Statement<'a> {
    Statement {
        text,
        kind: record.kind,
        scope: record.scope.as_deref(),
        tier: record.tier,
        told: StatementTime::of(record),
    }
}
