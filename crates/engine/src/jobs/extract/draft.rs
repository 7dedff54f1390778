//! Converts proposed records to drafts, which have ids, times, metadata, checked texts and
//! vectors and are ready to be written.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_model::event::{Role, RunPlace};
use loci_model::ports::embedder::Embedder;
use loci_model::ports::ids::uuid7;
use loci_model::record::derivation::{MakingMode, RecordDerivation};
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::{RecordId, Result, Timestamp};

use super::Vectors;
use super::candidates::GroupRead;
use super::round::{Group, Round};
use crate::Engine;
use crate::consolidation::Decision;
use crate::hooks::Admission;
use crate::jobs::embed::TEXTS_PER_BATCH;
use crate::safety::{self, SafeText, SafetyPolicy};
use crate::strategies::metadata::schema_values::record_values;
use crate::strategies::model_questions::grounding::is_grounded;
use crate::strategies::{Candidate, JoinMode};

/// The reason for quarantining a record in which a model invented a name.
const INVENTED: &str = "names an address or code that nobody in the conversation named";

/// A record that is ready to be written.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// The index of the record's group in the round.
    pub(super) group: usize,
    pub(super) record: Record,
    pub(super) joining: JoinMode,
    /// True if the safety checks removed hidden characters from the text.
    pub(super) hidden: bool,
    /// The vector of the indexed text; `None` if the embedding model did not respond.
    pub(super) vector: Option<Vec<f32>>,
    /// The near-duplicates that the record supersedes: stored records, and earlier drafts of this
    /// round.
    pub(super) repeats: Vec<RecordId>,
    /// The decision of consolidation; `None` if the candidate's own rule for combining records
    /// applies.
    pub(super) decided: Option<Decision>,
    /// True if a model wrote the text.
    pub(super) by_model: bool,
}

impl Draft {
    /// Returns true if a model wrote the text. Such a text is stored once for each question even
    /// if the job runs twice, and several may come from one message.
    pub(super) fn is_by_model(&self) -> bool {
        self.by_model
    }

    /// Marks the draft for replacement: the model did not answer about existing records. When the
    /// messages are extracted again, the new result replaces it.
    pub(super) fn give_way_later(&mut self) {
        self.record.making.get_or_insert_default().mode = MakingMode::Fallback;
    }

    /// Returns true if the safety checks quarantine the record: it is stored without a comparison
    /// and waits for a person.
    pub(super) fn is_held(&self) -> bool {
        self.record.state != RecordState::Active
    }
}

fn is_by_model(mode: MakingMode) -> bool {
    match mode {
        MakingMode::Model | MakingMode::Pull => true,
        MakingMode::Deterministic | MakingMode::Fallback => false,
    }
}

/// Returns the drafts of all candidates, in order.
pub(super) async fn drafts(
    engine: &Engine,
    round: &Round,
    reads: Vec<GroupRead>,
    vectors: &mut Vectors,
) -> Result<Vec<Draft>> {
    let now = engine.clock.now();
    let mut drafts = Vec::new();
    for GroupRead { group: at, candidates, making } in reads {
        let Some(group) = round.groups.get(at) else { continue };
        for candidate in candidates {
            if !candidate.fits() {
                tracing::error!(?candidate, "a strategy proposed more than a record may hold");
                continue;
            }
            let by_model = making.as_ref().is_some_and(|making| is_by_model(making.mode));
            let (text, index_text) = (candidate.text.clone(), candidate.index_text.clone());
            let safe = engine.prepared(text, index_text, policy(engine, round, by_model)).await?;
            let (record, joining, hidden) =
                record(engine, round, group, (candidate, safe), making.as_ref(), now)?;
            drafts.push(Draft {
                group: at,
                record,
                joining,
                hidden,
                vector: None,
                repeats: Vec::new(),
                decided: None,
                by_model,
            });
        }
    }
    if let Some(embedder) = &engine.embedder {
        embed(embedder, &drafts, vectors).await;
        for draft in &mut drafts {
            draft.vector = vectors.get(draft.record.indexed()).cloned();
        }
    }
    Ok(drafts)
}

fn record(
    engine: &Engine,
    round: &Round,
    group: &Group,
    (candidate, safe): (Candidate, SafeText),
    making: Option<&RecordDerivation>,
    now: Timestamp,
) -> Result<(Record, JoinMode, bool)> {
    let Candidate { kind, subtype, title, description, joining, scope, inferred, .. } = candidate;
    let by_model = making.is_some_and(|making| is_by_model(making.mode));
    let policy = policy(engine, round, by_model);
    if !safe.masked.is_empty() {
        tracing::info!(memory = %round.memory.id, kinds = ?safe.masked, "secrets were masked");
    }
    safe.tell(engine.observe.as_ref());
    let (trust, suspicion) = (safe.trust(), safe.state_reason());
    let SafeText { text, index_text, hidden, findings, tier, state, .. } = safe;
    let clean = |text: Option<String>| text.map(|text| safety::prepare(text, None, &policy).text);
    let invented = by_model && !is_grounded(&text, &heard(group));
    let (state, held) = begins_as(engine, round, (kind, &text), (state, invented));
    let metadata = metadata(round, group, &candidate.sources, &text, (inferred, &policy))?;
    // A held record continues nothing: the existing record stays unchanged.
    let standing = standing(group, &joining, kind, subtype.as_ref()).filter(|_| state == RecordState::Active);
    let id = match standing {
        Some(standing) => standing.id.clone(),
        None => RecordId::compose(&uuid7(engine.ids.as_ref(), now.millis()))?,
    };
    let run = candidate.run.or_else(|| run_of(group, &candidate.sources));
    let told = told(round, group, candidate.sources, candidate.verbatim, candidate.role, run);
    let expiry_days = round.strategy.record_expiry_days;
    let record = Record {
        memory: round.memory.id.clone(),
        id,
        version: standing.map_or(1, |standing| standing.version.saturating_add(1)),
        sequence: 0,
        kind,
        subtype,
        title: clean(title),
        path: None,
        description: clean(description),
        scope,
        citations: None,
        namespace: group.namespace.clone(),
        strategy: Some(round.strategy.id.clone()),
        text,
        index_text,
        metadata,
        provenance: told,
        origin: RecordOrigin::Extracted,
        trust,
        tier,
        making: making.cloned().map(Box::new),
        derived_from: Vec::new(),
        findings,
        state,
        state_reason: suspicion.or_else(|| held.map(str::to_owned)),
        superseded_by: None,
        supersedes: standing.map(|standing| standing.supersedes.clone()).unwrap_or_default(),
        valid_from: candidate.time,
        valid_to: None,
        timestamp: candidate.time,
        created_at: standing.map_or(now, |standing| standing.created_at),
        updated_at: now,
        expires_at: expiry_days.map(|days| now.plus_days(days)),
        expiry_days,
    };
    Ok((record, joining, hidden))
}

/// Returns the initial state of a record, and the reason if it is held, apart from safety findings
/// in its words.
fn begins_as(
    engine: &Engine,
    round: &Round,
    (kind, text): (RecordKind, &str),
    (state, invented): (RecordState, bool),
) -> (RecordState, Option<&'static str>) {
    if invented {
        return (RecordState::Quarantined, Some(INVENTED));
    }
    let (memory, strategy) = (&round.memory, Some(&round.strategy.id));
    let asked = Admission { memory, kind, strategy, namespace: None, text };
    let waits = || engine.products.waits(&asked);
    match (state == RecordState::Active).then(waits).flatten() {
        Some(reason) => (RecordState::Candidate, Some(reason)),
        None => (state, None),
    }
}

/// Returns all texts that a model received: the turns, and the records of the session that it
/// continues.
fn heard(group: &Group) -> Vec<&str> {
    let turns = group.turns.iter().chain(&group.context).map(|turn| turn.text.as_str());
    turns.chain(group.standing.iter().map(|record| record.text.as_str())).collect()
}

/// Returns the provenance of a record.
fn told(
    round: &Round,
    group: &Group,
    sources: Vec<Source>,
    verbatim: bool,
    role: Option<Role>,
    run: Option<RunPlace>,
) -> Provenance {
    let (actor, session) = (round.place.actor.clone(), round.place.session.clone());
    let branch = Some(group.branch.clone());
    let bound = group.bound.keys().cloned().collect();
    Provenance { actor: Some(actor), session: Some(session), branch, sources, verbatim, role, run, bound }
}

/// Returns the position in its client's run of the last event that a record is derived from.
fn run_of(group: &Group, sources: &[Source]) -> Option<RunPlace> {
    let last = sources.last()?;
    group.turns.iter().find(|turn| turn.source.event == last.event)?.run.clone()
}

/// Returns the safety policy. A model's text that contains an injection is held, independent of the
/// memory's mode for people's text.
fn policy(engine: &Engine, round: &Round, by_model: bool) -> SafetyPolicy {
    let policy = SafetyPolicy::of(&engine.settings, &round.memory.settings);
    if by_model { policy.of_model_text() } else { policy }
}

/// Returns values of the strategy's schema: from the newest event and the text, those that a model
/// inferred, and the strict values of the group.
fn metadata(
    round: &Round,
    group: &Group,
    sources: &[Source],
    text: &str,
    (inferred, policy): (Metadata, &SafetyPolicy),
) -> Result<Metadata> {
    let schema = round.strategy.schema.as_deref().unwrap_or_default();
    let newest = sources.iter().rev().find_map(|source| group.metadata.get(&source.event));
    let mut metadata = record_values(schema, newest.unwrap_or(&BTreeMap::new()), text);
    metadata.extend(safety::masked_metadata(&inferred, policy.secrets)?);
    metadata.extend(group.strict.clone());
    Ok(metadata)
}

/// Returns the record that a candidate continues, if any.
fn standing<'a>(
    group: &'a Group,
    joining: &JoinMode,
    kind: RecordKind,
    subtype: Option<&String>,
) -> Option<&'a Record> {
    match joining {
        JoinMode::InPlace => {
            group.standing.iter().rfind(|record| record.kind == kind && record.subtype.as_ref() == subtype)
        }
        JoinMode::Duplicates | JoinMode::Key { .. } | JoinMode::Add => None,
    }
}

/// Embeds texts without a vector in batches. If the embedder fails, the rest stays without: the
/// records are written anyway, and a separate job embeds them.
async fn embed(embedder: &Arc<dyn Embedder>, drafts: &[Draft], vectors: &mut Vectors) {
    let mut texts: Vec<String> = Vec::new();
    for draft in drafts {
        let text = draft.record.indexed();
        if !vectors.contains_key(text) && !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    for batch in texts.chunks(TEXTS_PER_BATCH) {
        match embedder.embed(batch.to_vec()).await {
            Ok(made) => vectors.extend(batch.iter().cloned().zip(made)),
            Err(error) => {
                tracing::warn!(?error, "records are written without vectors");
                return;
            }
        }
    }
}
