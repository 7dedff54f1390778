//! Near-duplicates of drafts: records of the same strategy and namespace that a draft repeats, and
//! earlier drafts of the same round.
//!
//! The write itself finds exact repetitions. Records written by clients are never duplicates.

use std::collections::HashMap;

use loci_model::RecordId;
use loci_model::ports::search::{Neighbour, NeighbourRequest};
use loci_model::ports::store::StoreExt;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{NamespaceFilter, NamespaceMatch, Result};
use loci_text::marks::marks;
use loci_text::similarity::jaccard;
use loci_text::turn::speaker_prefix;
use loci_text::{normalise_exact, terms};

use super::draft::Draft;
use super::round::{Group, Round};
use crate::Engine;
use crate::jobs::embed::Completion;
use crate::strategies::JoinMode;

const JACCARD_MIN: f32 = 0.9;
const COSINE_MIN: f32 = 0.95;
/// The maximum number of near-duplicates that one record may supersede.
const NEIGHBOURS_MAX: usize = 8;

/// Namespaces whose records have their vectors, with the sequence of their group at that time.
pub(super) type EmbeddedNamespaces = HashMap<String, u64>;

/// Embeds the records that drafts are compared with, so that a decision does not depend on the
/// progress of the embedding job. Returns true if it wrote vectors: the groups then changed, and a
/// plan of this round would be rejected.
pub(super) async fn complete(
    engine: &Engine,
    round: &Round,
    drafts: &[Draft],
    completed: &mut EmbeddedNamespaces,
) -> Result<bool> {
    let mut has_written = false;
    for (at, group) in round.groups.iter().enumerate() {
        let is_compared = |draft: &Draft| draft.group == at && draft.vector.is_some();
        let place = group.namespace.normal();
        if group.sequence == 0
            || completed.get(&place) == Some(&group.sequence)
            || !drafts.iter().any(is_compared)
        {
            continue;
        }
        loop {
            let done = engine.complete_vectors(&round.memory.id, &group.namespace).await?;
            has_written |= done.written > 0;
            if done.completion != Completion::Partial {
                break;
            }
        }
        completed.insert(place, group.sequence);
    }
    Ok(has_written)
}

/// Finds the near-duplicates of each draft.
pub(super) async fn find(engine: &Engine, round: &Round, mut drafts: Vec<Draft>) -> Result<Vec<Draft>> {
    within(round, &mut drafts);
    for draft in drafts.iter_mut().filter(|draft| draft.joining == JoinMode::Duplicates && !draft.is_held()) {
        let Some(group) = round.groups.get(draft.group) else { continue };
        // A group without records has no neighbours.
        if group.sequence > 0 {
            let found = stored(engine, round, group, draft).await?;
            draft.repeats.extend(found);
        }
    }
    Ok(drafts)
}

/// Finds near-duplicates among the drafts of a round.
fn within(round: &Round, drafts: &mut [Draft]) {
    let terms_of: Vec<Vec<String>> = drafts.iter().map(|draft| terms(draft.record.indexed())).collect();
    for later in 1..drafts.len() {
        let (before, rest) = drafts.split_at_mut(later);
        let Some(draft) =
            rest.first_mut().filter(|draft| draft.joining == JoinMode::Duplicates && !draft.is_held())
        else {
            continue;
        };
        let Some(group) = round.groups.get(draft.group) else { continue };
        let own = terms_of.get(later).map(Vec::as_slice).unwrap_or_default();
        for (earlier, words) in before.iter().zip(&terms_of) {
            let near = earlier.group == draft.group
                && !earlier.is_held()
                && may_be_alike(words.len(), own.len())
                && jaccard(words, own) >= JACCARD_MIN
                && cosine(earlier, draft).is_none_or(|cosine| cosine >= COSINE_MIN)
                && says_again(&earlier.record, &draft.record)
                && round.may_join(&earlier.record, group);
            if near {
                draft.repeats.push(earlier.record.id.clone());
            }
        }
    }
}

/// Compares lengths as a cheap check: lists of very different length share too few terms.
fn may_be_alike(left: usize, right: usize) -> bool {
    left.min(right) * 2 >= left.max(right)
}

/// Returns the cosine of two drafts, if both have a vector.
pub(super) fn cosine(left: &Draft, right: &Draft) -> Option<f32> {
    let (left, right) = left.vector.as_ref().zip(right.vector.as_ref())?;
    Some(left.iter().zip(right).map(|(one, other)| one * other).sum())
}

/// The limits of a search for records similar to a draft: minimum similarity and maximum number.
#[derive(Clone, Copy)]
pub(super) struct NeighbourLimits {
    pub(super) jaccard_min: f32,
    pub(super) cosine_min: Option<f32>,
    pub(super) limit: usize,
}

/// Returns records of a draft's strategy and namespace that are similar to it, the most similar
/// first.
pub(super) async fn near(
    engine: &Engine,
    round: &Round,
    group: &Group,
    draft: &Draft,
    near: NeighbourLimits,
) -> Result<Vec<Neighbour>> {
    let NeighbourLimits { jaccard_min, cosine_min, limit } = near;
    let model = engine.embedder.as_ref().map(|embedder| embedder.model_id().to_owned());
    let mut scope = RecordScope::whole(round.memory.id.clone(), engine.clock.now());
    scope.namespaces = vec![NamespaceFilter::new(&group.namespace, NamespaceMatch::Exact)];
    let request = NeighbourRequest {
        scope,
        namespace: group.namespace.clone(),
        strategy: Some(round.strategy.id.clone()),
        text: draft.record.indexed().to_owned(),
        vector: draft.vector.clone().zip(model),
        jaccard_min,
        cosine_min,
        limit,
    };
    engine.store.search().neighbours(request).await
}

/// Finds near-duplicates among the records of the group.
async fn stored(engine: &Engine, round: &Round, group: &Group, draft: &Draft) -> Result<Vec<RecordId>> {
    let like = NeighbourLimits { jaccard_min: JACCARD_MIN, cosine_min: None, limit: NEIGHBOURS_MAX };
    let near: Vec<RecordId> = near(engine, round, group, draft, like)
        .await?
        .into_iter()
        .filter(|neighbour| neighbour.cosine.is_none_or(|cosine| cosine >= COSINE_MIN))
        .map(|neighbour| neighbour.record)
        .collect();
    if near.is_empty() {
        return Ok(near);
    }
    let place = round.memory.id.clone();
    let records = engine.store.read(move |tx| tx.records().get_many(&place, &near)).await?;
    Ok(records
        .into_iter()
        .filter(|record| record.state == RecordState::Active && record.origin == RecordOrigin::Extracted)
        .filter(|record| !round.told.replaces.contains(&record.id))
        .filter(|record| round.may_join(record, group) && says_again(record, &draft.record))
        .map(|record| record.id)
        .collect())
}

/// Returns true for the same kind, speaker, role, numbers, negations and dates. An identical text
/// is an exact repetition and does not count.
fn says_again(old: &Record, new: &Record) -> bool {
    let speaker = |record: &Record| speaker_prefix(&record.text).map(|(name, _)| name.to_owned());
    old.kind == new.kind
        && old.subtype == new.subtype
        && old.provenance.role == new.provenance.role
        && speaker(old) == speaker(new)
        && marks(&old.text) == marks(&new.text)
        && normalise_exact(&old.text) != normalise_exact(&new.text)
}
