//! Consolidation of a round's facts and preferences: selects the proposals, finds their neighbours,
//! and applies the decisions to the drafts (`consolidation`). Verbatim turns follow their joining
//! alone unless the memory enables consolidation for them, because a superseded turn is evidence
//! that retrieval loses.

use loci_model::Result;
use loci_model::job::Job;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::store::StoreExt;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::draft::Draft;
use super::neighbours::{NeighbourLimits, cosine, near};
use super::round::{Group, Round};
use super::write;
use crate::Engine;
use crate::consolidation::{
    self, Alike, Decision, DecisionContext, Neighbourhood, Proposal, RoundDecisions, Why,
};
use crate::language_models::Unanswered;
use crate::strategies::JoinMode;
use crate::strategies::facts::semantic::DATA;

/// Minimum Jaccard similarity of a record to a proposal.
const JACCARD_MIN: f32 = 0.4;
/// Minimum cosine similarity of a record to a proposal.
const COSINE_MIN: f32 = 0.4;
/// Maximum number of records to compare with one proposal.
const NEIGHBOURS_MAX: usize = 8;
/// Maximum number of candidates in the search for neighbours: some belong to others or are
/// superseded in the same write.
const LOOKED_AT_MAX: usize = 40;

/// The result of consolidation for a round's drafts.
pub(super) enum DraftOutcome {
    /// Indexes of the consolidated drafts, with a decision for each.
    Decided(Vec<(usize, Decision)>),
    /// A question waits for the client's own model.
    Waits,
    /// A question got no answer.
    Unanswered(Unanswered),
}

/// The round whose drafts are consolidated.
#[derive(Clone, Copy)]
pub(super) struct DraftConsolidation<'a> {
    pub(super) engine: &'a Engine,
    pub(super) job: &'a Job,
    pub(super) round: &'a Round,
}

impl DraftConsolidation<'_> {
    /// Decides on the drafts that need consolidation; `mode` selects the model for cases that the
    /// rules leave open.
    pub(super) async fn settle(&self, drafts: &[Draft], mode: ModelMode) -> Result<DraftOutcome> {
        let Self { engine, job, round } = *self;
        let chosen: Vec<usize> = (0..drafts.len())
            .filter(|at| drafts.get(*at).is_some_and(|draft| is_decided_here(round, draft)))
            .collect();
        if chosen.is_empty() {
            return Ok(DraftOutcome::Decided(Vec::new()));
        }
        let mut around = Vec::new();
        for (of, at) in chosen.iter().enumerate() {
            around.extend(neighbours(engine, round, drafts, (of, *at), &chosen).await?);
        }
        let (memory, strategy) = (&round.memory, &round.strategy);
        let deciding = DecisionContext { engine, job, memory, strategy, mode };
        let proposals: Vec<Proposal<'_>> =
            chosen.iter().filter_map(|at| drafts.get(*at)).map(proposal).collect();
        Ok(match consolidation::decide(&deciding, &proposals, &around).await? {
            RoundDecisions::Plan(decisions) => {
                let decisions = in_one_round(drafts, &chosen, decisions);
                DraftOutcome::Decided(chosen.into_iter().zip(decisions).collect())
            }
            RoundDecisions::Waits => DraftOutcome::Waits,
            RoundDecisions::Unanswered(unanswered) => DraftOutcome::Unanswered(unanswered),
        })
    }

    /// Returns the drafts with their decisions.
    pub(super) fn put(&self, mut drafts: Vec<Draft>, decisions: Vec<(usize, Decision)>) -> Vec<Draft> {
        for (at, decision) in decisions {
            if let Some(draft) = drafts.get_mut(at) {
                put(self.engine, draft, decision);
            }
        }
        drafts
    }
}

/// Returns true for drafts that need consolidation: facts in a strategy's own words; verbatim turns
/// if the memory enables it; preferences whose key does not decide. Data and held records follow
/// their joining.
fn is_decided_here(round: &Round, draft: &Draft) -> bool {
    let Draft { record, joining, .. } = draft;
    let verbatim = round.memory.settings.consolidation.verbatim;
    record.state == RecordState::Active
        && match (joining, record.kind) {
            (JoinMode::Duplicates, RecordKind::Fact) => {
                record.subtype.as_deref() != Some(DATA) && (!record.provenance.verbatim || verbatim)
            }
            (JoinMode::Duplicates | JoinMode::Key { .. }, RecordKind::Preference) => true,
            _ => false,
        }
}

fn proposal(draft: &Draft) -> Proposal<'_> {
    Proposal { record: &draft.record, joining: &draft.joining, vector: draft.vector.as_deref() }
}

/// Returns records of the group that are similar to a draft, and earlier drafts of the round.
async fn neighbours(
    engine: &Engine,
    round: &Round,
    drafts: &[Draft],
    (of, at): (usize, usize),
    chosen: &[usize],
) -> Result<Vec<Neighbourhood>> {
    let Some(draft) = drafts.get(at) else { return Ok(Vec::new()) };
    let Some(group) = round.groups.get(draft.group) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    // A group without records has no neighbours.
    if group.sequence > 0 {
        found = stored(engine, round, group, draft, of).await?;
    }
    let own = terms(draft.record.indexed());
    for earlier in chosen.iter().take(of).filter_map(|at| drafts.get(*at)) {
        let alike = Alike {
            jaccard: jaccard(&terms(earlier.record.indexed()), &own),
            cosine: cosine(earlier, draft),
        };
        let near = alike.jaccard >= JACCARD_MIN || alike.cosine.is_some_and(|cosine| cosine >= COSINE_MIN);
        if earlier.group == draft.group && near && !keyed_alike(&earlier.record, draft) {
            found.push(Neighbourhood { of, record: earlier.record.clone(), alike });
        }
    }
    Ok(found)
}

async fn stored(
    engine: &Engine,
    round: &Round,
    group: &Group,
    draft: &Draft,
    of: usize,
) -> Result<Vec<Neighbourhood>> {
    let like =
        NeighbourLimits { jaccard_min: JACCARD_MIN, cosine_min: Some(COSINE_MIN), limit: LOOKED_AT_MAX };
    let near = near(engine, round, group, draft, like).await?;
    let (place, ids) =
        (round.memory.id.clone(), near.iter().map(|near| near.record.clone()).collect::<Vec<_>>());
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let replaces = round.told.replaces.clone();
    let (records, covered) = engine
        .store
        .read(move |tx| {
            let found = tx.records().get_many(&place, &ids)?;
            let going: Vec<Record> =
                found.iter().filter(|record| replaces.contains(&record.id)).cloned().collect();
            Ok((found, write::covered_by(tx, &place, &going)?))
        })
        .await?;
    let may_meet = |record: &&Record| {
        record.origin == RecordOrigin::Extracted
            && !round.told.replaces.contains(&record.id)
            && round.may_join(record, group)
            && !keyed_alike(record, draft)
    };
    let found = near.iter().filter_map(|near| {
        let record = records.iter().find(|record| record.id == near.record).filter(may_meet)?.clone();
        Some(Neighbourhood { of, alike: Alike { jaccard: near.jaccard, cosine: near.cosine }, record })
    });
    // A record that becomes active again when others give way replaces them as neighbour.
    let own = terms(draft.record.indexed());
    let stand_ins = covered.iter().filter(may_meet).map(|record| {
        let alike = Alike { jaccard: jaccard(&terms(record.indexed()), &own), cosine: None };
        let record = Record { state: RecordState::Active, superseded_by: None, ..record.clone() };
        Neighbourhood { of, record, alike }
    });
    Ok(stand_ins.chain(found).take(NEIGHBOURS_MAX).collect())
}

/// Returns true for preferences with equal keys: the write itself decides by the key.
fn keyed_alike(record: &Record, draft: &Draft) -> bool {
    matches!(draft.joining, JoinMode::Key { .. }) && record.subtype == draft.record.subtype
}

/// Redirects decisions within one round: a draft that repeats a skipped draft repeats the record of
/// that one.
fn in_one_round(drafts: &[Draft], chosen: &[usize], decided: Vec<Decision>) -> Vec<Decision> {
    let mut settled: Vec<Decision> = Vec::with_capacity(decided.len());
    for decision in decided {
        let earlier = |id: &loci_model::RecordId| {
            chosen.iter().position(|at| drafts.get(*at).is_some_and(|draft| draft.record.id == *id))
        };
        let decision = match decision {
            Decision::Skip { of, why } => match earlier(&of).and_then(|at| settled.get(at)) {
                Some(Decision::Skip { of, .. }) => Decision::Skip { of: of.clone(), why },
                _ => Decision::Skip { of, why },
            },
            Decision::Supersede { old, why } => {
                let written = |id: &loci_model::RecordId| {
                    !matches!(earlier(id).and_then(|at| settled.get(at)), Some(Decision::Skip { .. }))
                };
                Decision::Supersede { old: old.into_iter().filter(written).collect(), why }
            }
            other => other,
        };
        settled.push(decision);
    }
    settled
}

/// Applies a decision to its draft. A preference that is only added follows its key.
fn put(engine: &Engine, draft: &mut Draft, decision: Decision) {
    let (action, by): (&str, &Why) = match &decision {
        Decision::Add { why } => ("add", why),
        Decision::Skip { why, .. } => ("skip", why),
        Decision::Supersede { why, .. } => ("supersede", why),
        Decision::Update { why, .. } => ("update", why),
        Decision::Doubt { why, .. } => ("doubt", why),
        Decision::Hold { why, .. } => ("hold", why),
        Decision::History { why, .. } => ("history", why),
    };
    engine.observe.decision(action, &by.by);
    if let Decision::Update { text, .. } = &decision {
        // The vector belongs to the old words.
        draft.record.text.clone_from(text);
        draft.record.index_text = None;
        draft.vector = None;
    }
    let by_key = matches!(draft.joining, JoinMode::Key { .. }) && matches!(decision, Decision::Add { .. });
    if !by_key {
        draft.decided = Some(decision);
    }
}
