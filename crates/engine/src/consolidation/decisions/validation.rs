//! Decisions of extraction as a plan, checked by the common validator. A decision that breaks a
//! rule becomes the cautious one: both stay, or the new record is held.

use loci_model::record::Record;
use loci_model::record::metadata::Metadata;

use crate::consolidation::plan::{Action, Operation, Plan, Words};
use crate::consolidation::snapshot::{PlanDocument, Snapshot};
use crate::consolidation::validator::{Bounds, RuleCode, Violation, validate};
use crate::consolidation::{Decision, Neighbourhood, Proposal, Why};

/// Replaces the decisions that break a rule.
pub(super) fn judged(
    proposals: &[Proposal<'_>],
    around: &[Neighbourhood],
    mut decisions: Vec<Decision>,
) -> Vec<Decision> {
    let snapshot = snapshot(proposals, around);
    // A cautious decision breaks a rule only together with others, so two passes are enough.
    for _ in 0..2 {
        let (plan, of) = compiled(proposals, &decisions);
        let found = validate(&plan, &snapshot, &bounds());
        if found.is_empty() {
            break;
        }
        for violation in found {
            let Some(at) = of.get(violation.action).copied() else { continue };
            if let Some((decision, proposal)) = decisions.get_mut(at).zip(proposals.get(at)) {
                *decision = careful(decision, &violation, proposal.record);
            }
        }
    }
    decisions
}

/// Returns the bounds of extraction, which creates and supersedes any number of documents.
fn bounds() -> Bounds {
    Bounds {
        operations: [Operation::ResolveContradictions].into(),
        extracts: true,
        files_max: usize::MAX,
        input_bytes_max: usize::MAX,
        by_model: true,
        ..Bounds::default()
    }
}

fn snapshot(proposals: &[Proposal<'_>], around: &[Neighbourhood]) -> Snapshot {
    let mut documents: Vec<PlanDocument> = Vec::new();
    let new = proposals.iter().map(|proposal| (proposal.record, true));
    let standing = around.iter().map(|near| (&near.record, false));
    for (record, is_new) in new.chain(standing) {
        if documents.iter().all(|known| known.id != record.id) {
            // A record with different strict values is no neighbour, so metadata is not needed.
            let document = PlanDocument::of(record, Metadata::new());
            documents.push(PlanDocument { reference: record.id.to_string(), is_new, ..document });
        }
    }
    let sequence = documents.iter().map(|document| document.sequence).max().unwrap_or(0);
    Snapshot { sequence, documents, taken: Vec::new() }
}

/// Returns the plan, and the index of the decision for each action.
fn compiled(proposals: &[Proposal<'_>], decisions: &[Decision]) -> (Plan, Vec<usize>) {
    let mut plan = Plan::default();
    let mut of = Vec::new();
    let mut push = |at: usize, action: Action| {
        plan.actions.push(action);
        of.push(at);
    };
    for (at, (proposal, decision)) in proposals.iter().zip(decisions).enumerate() {
        let new = proposal.record;
        let create = |text: &str, why: &Why| Action::Create {
            path: new.id.to_string(),
            words: Words { body: Some(text.to_owned()), ..Words::default() },
            derived_from: Vec::new(),
            reason: why.reason.clone(),
        };
        let supersede =
            |path: String, by: String, why: &Why| Action::Supersede { path, by, reason: why.reason.clone() };
        match decision {
            // The candidate's own words were checked when it was drafted.
            Decision::Add { .. } | Decision::Skip { .. } | Decision::Hold { .. } | Decision::Doubt { .. } => {
            }
            Decision::Supersede { old, why } => {
                for old in old {
                    push(at, supersede(old.to_string(), new.id.to_string(), why));
                }
            }
            Decision::Update { old, text, why, .. } => {
                push(at, create(text, why));
                push(at, supersede(old.to_string(), new.id.to_string(), why));
            }
            Decision::History { under, why } => {
                push(at, supersede(new.id.to_string(), under.to_string(), why));
            }
        }
    }
    (plan, of)
}

fn careful(decision: &Decision, violation: &Violation, new: &Record) -> Decision {
    let why = |what: &str| Why::rules(format!("{what}: {}", violation.message));
    match decision {
        // The model's words are rejected; the candidate's own words may be valid.
        Decision::Update { old, .. }
            if matches!(violation.code, RuleCode::V06 | RuleCode::V12 | RuleCode::V16) =>
        {
            Decision::Supersede { old: vec![old.clone()], why: why("in its own words") }
        }
        Decision::Supersede { old, .. } if violation.held => match old.first() {
            Some(with) if *with != new.id => Decision::Hold { with: with.clone(), why: why("held") },
            _ => Decision::Add { why: why("both stay") },
        },
        Decision::Update { old, .. } if violation.held => {
            Decision::Hold { with: old.clone(), why: why("held") }
        }
        Decision::Add { .. }
        | Decision::Skip { .. }
        | Decision::Supersede { .. }
        | Decision::Update { .. }
        | Decision::Hold { .. }
        | Decision::Doubt { .. }
        | Decision::History { .. } => Decision::Add { why: why("both stay") },
    }
}
