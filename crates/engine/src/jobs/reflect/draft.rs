//! Converts insights to drafts: the engine counts their episodes, checks their text, and makes a
//! next version if the title exists.

use loci_model::ports::ids::uuid7;
use loci_model::record::derivation::{Evidence, RecordDerivation};
use loci_model::record::metadata::{Metadata, MetadataExtraction};
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::{RecordId, Result, limits};

use super::ReflectionParameters;
use super::window::{Ground, ReflectionInput};
use crate::Engine;
use crate::safety::{self, SafeText, SafetyPolicy};
use crate::strategies::episodes::reflection_model::{self, Insight, is_enough};
use crate::strategies::metadata::inferred_values;
use crate::strategies::model_questions::grounding::is_grounded;

/// The reason for quarantining a reflection in which a model invented a name.
const INVENTED: &str = "names an address or code that no episode named";

/// The record that results from an insight of a model.
#[derive(Debug, Clone)]
pub(super) enum Draft {
    /// A new record or the next version of one, with the vector of its indexed text.
    Written(Box<Record>, Option<Vec<f32>>),
    /// An existing reflection that too few episodes still support: it expires, for this reason.
    Expired(Box<Record>, String),
}

/// Returns the drafts of the insights in their order; insights supported by too few episodes are
/// dropped.
pub(super) async fn drafts(
    engine: &Engine,
    place: &ReflectionParameters,
    look: &ReflectionInput,
    ground: &Ground,
    insights: Vec<Insight>,
    making: &RecordDerivation,
) -> Result<Vec<Draft>> {
    let mut drafts = Vec::new();
    for insight in insights {
        let borne_out = insight.borne_out_by(look.episodes.len());
        let borne_out: Vec<&Record> = borne_out
            .into_iter()
            .filter(|at| ground.standing.contains(at))
            .filter_map(|at| look.episodes.get(at))
            .collect();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let evidence = Evidence {
            hits: count(borne_out.len()),
            of: count(ground.standing.len()),
            predicate: safety::for_model(&insight.predicate),
        };
        let known = ground.of_key(&reflection_model::key(&insight.title));
        if !is_enough(&evidence, look.min_episodes) {
            let Evidence { hits, of, .. } = evidence;
            tracing::debug!(hits, of, "an insight is not borne out");
            let reason = format!("borne out by {hits} of {of} episodes by now");
            drafts.extend(known.map(|known| Draft::Expired(Box::new(known.clone()), reason)));
            continue;
        }
        let making = RecordDerivation { evidence: Some(evidence.clone()), ..making.clone() };
        let record = record(engine, place, look, (&insight, &evidence), &borne_out, (known, making))?;
        drafts.push(Draft::Written(Box::new(record), None));
    }
    embed(engine, &mut drafts).await;
    Ok(drafts)
}

fn record(
    engine: &Engine,
    place: &ReflectionParameters,
    look: &ReflectionInput,
    (insight, evidence): (&Insight, &Evidence),
    borne_out: &[&Record],
    (known, making): (Option<&Record>, RecordDerivation),
) -> Result<Record> {
    let now = engine.clock.now();
    let policy = SafetyPolicy::of(&engine.settings, &look.memory.settings).of_model_text();
    let safe = safety::prepare(insight.text(evidence), Some(insight.indexed()), &policy);
    safe.tell(engine.observe.as_ref());
    let (trust, suspicion) = (safe.trust(), safe.state_reason());
    let SafeText { text, index_text, findings, tier, state, .. } = safe;
    let heard: Vec<&str> = borne_out.iter().map(|episode| episode.text.as_str()).collect();
    let invented = !is_grounded(&text, &heard);
    let state = if invented { RecordState::Quarantined } else { state };
    // A held reflection continues nothing: the existing one stays unchanged.
    let known = known.filter(|_| state == RecordState::Active);
    let id = match known {
        Some(known) => known.id.clone(),
        None => RecordId::compose(&uuid7(engine.ids.as_ref(), now.millis()))?,
    };
    let newest = borne_out.iter().map(|episode| episode.timestamp).max().unwrap_or(now);
    let expiry_days = look.strategy.record_expiry_days;
    Ok(Record {
        memory: place.memory.clone(),
        id,
        version: known.map_or(1, |known| known.version.saturating_add(1)),
        sequence: 0,
        kind: RecordKind::Reflection,
        subtype: Some(reflection_model::key(&insight.title)),
        title: Some(safety::prepare(insight.title.clone(), None, &policy).text),
        path: None,
        description: None,
        scope: None,
        citations: None,
        namespace: place.namespace.clone(),
        strategy: Some(place.strategy.clone()),
        text,
        index_text,
        metadata: metadata(look, insight, borne_out),
        provenance: provenance(borne_out),
        origin: RecordOrigin::Extracted,
        trust,
        tier,
        making: Some(Box::new(making)),
        derived_from: borne_out.iter().map(|episode| episode.id.clone()).collect(),
        findings,
        state,
        state_reason: suspicion.or_else(|| invented.then(|| INVENTED.to_owned())),
        superseded_by: None,
        supersedes: known.map(|known| known.supersedes.clone()).unwrap_or_default(),
        valid_from: newest,
        valid_to: None,
        timestamp: newest,
        created_at: known.map_or(now, |known| known.created_at),
        updated_at: now,
        expires_at: expiry_days.map(|days| now.plus_days(days)),
        expiry_days,
    })
}

/// Returns the checked values that a model inferred, and the strict values that are equal in all
/// supporting episodes.
fn metadata(look: &ReflectionInput, insight: &Insight, borne_out: &[&Record]) -> Metadata {
    let schema = look.reflection.schema.as_deref().unwrap_or_default();
    let mut values = inferred_values::values(schema, &insight.metadata);
    for entry in schema {
        if entry.effective_extraction() == MetadataExtraction::StrictlyConsistent {
            let mut said = borne_out.iter().map(|episode| episode.metadata.get(&entry.key));
            let first = said.next().flatten();
            if let Some(first) = first.filter(|first| said.all(|other| other == Some(first))) {
                values.insert(entry.key.clone(), first.clone());
            }
        }
    }
    values
}

/// Returns the provenance: the actor, if all episodes belong to one, and the sources of the
/// episodes.
fn provenance(borne_out: &[&Record]) -> Provenance {
    let mut actors = borne_out.iter().map(|episode| episode.provenance.actor.as_ref());
    let actor = actors.next().flatten();
    let is_one = actors.all(|other| other == actor);
    let mut sources: Vec<Source> =
        borne_out.iter().filter_map(|episode| episode.provenance.sources.first().cloned()).collect();
    sources.truncate(limits::RECORD_SOURCES_MAX);
    Provenance { actor: actor.filter(|_| is_one).cloned(), sources, ..Provenance::default() }
}

/// Embeds the drafts. If the embedder fails, the records are written anyway, and a separate job
/// embeds them.
async fn embed(engine: &Engine, drafts: &mut [Draft]) {
    let Some(embedder) = &engine.embedder else { return };
    let texts: Vec<String> = drafts
        .iter()
        .filter_map(|draft| match draft {
            Draft::Written(record, _) => Some(record.indexed().to_owned()),
            Draft::Expired(..) => None,
        })
        .collect();
    if texts.is_empty() {
        return;
    }
    let mut vectors = match embedder.embed(texts).await {
        Ok(vectors) => vectors.into_iter(),
        Err(error) => {
            tracing::warn!(?error, "reflections are written without vectors");
            return;
        }
    };
    for draft in drafts {
        if let Draft::Written(_, vector) = draft {
            *vector = vectors.next();
        }
    }
}
