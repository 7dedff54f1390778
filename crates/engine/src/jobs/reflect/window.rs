//! The input of a reflection: the newest episodes in its namespace subtree as of the opening of its
//! window, and the basis for writing its answer.

use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::{Reflection, Strategy};
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::record::derivation::MakingMode;
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits};

use super::ReflectionParameters;
use crate::Engine;

/// The maximum number of existing reflections of a namespace that a question considers.
pub(super) const KNOWN_MAX: usize = 200;

/// The input of the question for reflections.
#[derive(Debug, Clone)]
pub(super) struct ReflectionInput {
    pub(super) memory: Memory,
    pub(super) strategy: Strategy,
    pub(super) reflection: Reflection,
    pub(super) mode: ModelMode,
    pub(super) min_episodes: u32,
    /// The episodes to reflect on, oldest first.
    pub(super) episodes: Vec<Record>,
    /// The existing reflections, oldest first.
    noted: Vec<Record>,
}

impl ReflectionInput {
    /// Returns the titles of existing reflections.
    pub(super) fn titles(&self) -> Vec<String> {
        self.noted.iter().rev().filter_map(|record| record.title.clone()).collect()
    }
}

/// The data on which the answer of a model is based. The write of the answer checks that it is
/// unchanged.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// The indexes of the episodes that still exist unchanged.
    pub(super) standing: Vec<usize>,
    /// The active reflections of the namespace.
    pub(super) known: Vec<Record>,
    /// The highest sequence number of the strategy's records in the namespace.
    pub(super) sequence: u64,
}

impl Ground {
    /// Returns the reflection of that title.
    pub(super) fn of_key(&self, key: &str) -> Option<&Record> {
        self.known.iter().find(|record| record.subtype.as_deref() == Some(key))
    }
}

/// Returns active records of a kind that a strategy has in a namespace or its subtree, newest
/// created first.
pub(super) fn newest(
    tx: &dyn ReadTx,
    place: &ReflectionParameters,
    (kind, under): (RecordKind, NamespaceMatch),
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Record>> {
    tx.records().list(&RecordPage { scope: scope(place, kind, under, now), after: None, limit })
}

fn scope(
    place: &ReflectionParameters,
    kind: RecordKind,
    under: NamespaceMatch,
    now: Timestamp,
) -> RecordScope {
    let mut scope = RecordScope::whole(place.memory.clone(), now);
    scope.namespaces = vec![NamespaceFilter::new(&place.namespace, under)];
    scope.strategy = Some(StrategyChoice::Of(place.strategy.clone()));
    scope.kinds = vec![kind];
    scope
}

/// Reads the window as of its opening; `None` if no model must be asked any more.
pub(super) async fn look(
    engine: &Engine,
    place: &ReflectionParameters,
    opened_at: Timestamp,
) -> Result<Option<ReflectionInput>> {
    let (place, now, usual) = (place.clone(), engine.clock.now(), engine.models.mode);
    engine
        .store
        .read(move |tx| {
            let Some(memory) = tx.memories().get(&place.memory)? else { return Ok(None) };
            let Some(strategy) = memory.strategy(&place.strategy).cloned() else { return Ok(None) };
            let Some(reflection) = strategy.reflection.clone() else { return Ok(None) };
            let mode = memory.settings.model_mode.unwrap_or(usual);
            if mode == ModelMode::None {
                return Ok(None);
            }
            let size = place.size.min(limits::REFLECT_WINDOW_MAX);
            let episodes = scope(&place, RecordKind::Episode, NamespaceMatch::Subtree, now);
            let episodes = known_then(tx, episodes, size, opened_at)?;
            let noted = scope(&place, RecordKind::Reflection, NamespaceMatch::Exact, now);
            let noted = known_then(tx, noted, KNOWN_MAX, opened_at)?;
            let min_episodes = memory.settings.consolidation.reflect_min_episodes;
            Ok(Some(ReflectionInput { memory, strategy, reflection, mode, min_episodes, episodes, noted }))
        })
        .await
}

/// Returns the newest records of a scope that existed at a time, in the version of that time,
/// oldest first.
fn known_then(tx: &dyn ReadTx, scope: RecordScope, size: usize, time: Timestamp) -> Result<Vec<Record>> {
    let mut page = RecordPage { scope, after: None, limit: size };
    let mut found = Vec::new();
    while found.len() < size {
        let records = tx.records().list(&page)?;
        let Some(last) = records.last() else { break };
        page.after = Some((last.created_at, last.id.clone()));
        for record in &records {
            if record.created_at <= time && found.len() < size {
                found.extend(tx.records().known_at(&record.memory, &record.id, time)?);
            }
        }
        if records.len() < size {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// Reads the basis; `None` if the window's strategy changed meanwhile.
pub(super) async fn ground(
    engine: &Engine,
    place: &ReflectionParameters,
    look: &ReflectionInput,
) -> Result<Option<Ground>> {
    let (place, now, look) = (place.clone(), engine.clock.now(), look.clone());
    engine
        .store
        .read(move |tx| {
            let memory = tx.memories().get(&place.memory)?;
            if memory.as_ref().and_then(|memory| memory.strategy(&place.strategy)) != Some(&look.strategy) {
                return Ok(None);
            }
            let ids: Vec<RecordId> = look.episodes.iter().map(|episode| episode.id.clone()).collect();
            let there = tx.records().get_many(&place.memory, &ids)?;
            let stands = |id: &RecordId| {
                there.iter().any(|record| record.id == *id && record.state == RecordState::Active)
            };
            let standing = (0..ids.len()).filter(|at| ids.get(*at).is_some_and(stands)).collect();
            let known = newest(tx, &place, (RecordKind::Reflection, NamespaceMatch::Exact), KNOWN_MAX, now)?;
            let sequence =
                tx.records().group_sequence(&place.memory, Some(&place.strategy), &place.namespace)?;
            Ok(Some(Ground { standing, known, sequence }))
        })
        .await
}

/// Returns the reflections of a job's namespace that a client's model made since then.
pub(crate) async fn made_since(engine: &Engine, job: &Job, since: Timestamp) -> Result<Vec<RecordId>> {
    let (place, now) = (ReflectionParameters::of(job)?, engine.clock.now());
    let of = (RecordKind::Reflection, NamespaceMatch::Exact);
    let mut made = engine.store.read(move |tx| newest(tx, &place, of, KNOWN_MAX, now)).await?;
    made.retain(|record| {
        let is_pulled = record.making.as_ref().is_some_and(|making| making.mode == MakingMode::Pull);
        is_pulled && record.updated_at >= since
    });
    Ok(made.into_iter().map(|record| record.id).collect())
}
