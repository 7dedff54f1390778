//! Finds known records that are similar to some texts, before the write: by the index, by words
//! and, if a model is configured, by meaning. Records written meanwhile are compared in the write.

use loci_engine::consolidation::Alike;
use loci_engine::jobs::embed::Completion;
use loci_engine::memories::existing;
use loci_engine::strategies::learnings::Learning;
use loci_model::memory::Memory;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::embedder::Vector;
use loci_model::ports::search::NeighbourRequest;
use loci_model::ports::store::StoreExt;
use loci_model::record::scope::RecordScope;
use loci_model::tasks::task::Task;
use loci_model::{
    MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, StrategyId, limits,
};

use crate::Coding;
use crate::learnings::learning_write::knowledge;

/// The minimum word similarity (Jaccard) of a compared record.
pub(super) const JACCARD_MIN: f32 = 0.15;
/// The minimum cosine similarity of a compared record.
pub(super) const COSINE_MIN: f32 = 0.25;
/// The maximum number of compared records for one learning.
const LOOKED_AT_MAX: usize = 12;

/// Records that are similar to some texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimilarRecords {
    /// The sequence number of the searched state of the memory.
    pub(super) sequence: u64,
    texts: Vec<TextNeighbours>,
}

#[derive(Debug, Clone)]
struct TextNeighbours {
    text: String,
    vector: Option<Vector>,
    alike: Vec<(RecordId, Alike)>,
}

impl SimilarRecords {
    /// Returns the records similar to a text, the most similar first.
    pub(super) fn of(&self, text: &str) -> &[(RecordId, Alike)] {
        self.texts.iter().find(|near| near.text == text).map_or(&[], |near| near.alike.as_slice())
    }

    /// Returns the cosine of two of the texts, if both have a vector.
    pub(super) fn cosine(&self, one: &str, other: &str) -> Option<f32> {
        let vector = |text: &str| self.texts.iter().find(|near| near.text == text)?.vector.as_ref();
        let (one, other) = (vector(one)?, vector(other)?);
        Some(one.iter().zip(other).map(|(one, other)| one * other).sum())
    }
}

impl Coding {
    /// Searches a namespace for records similar to some texts. Each text comes with the form that
    /// the index reads. If the model does not answer, words alone decide.
    pub(crate) async fn around(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        texts: &[(&str, &str)],
    ) -> Result<SimilarRecords> {
        if texts.is_empty() {
            return Ok(SimilarRecords::default());
        }
        let indexed: Vec<&str> = texts.iter().map(|(_, indexed)| *indexed).collect();
        let vectors = self.vectors_of(&indexed).await;
        if vectors.is_some() {
            let done = self.engine.complete_vectors(memory, namespace).await?;
            if done.completion == Completion::Partial {
                tracing::warn!(%memory, "many records lack vectors: some are compared by words alone");
            }
        }
        // The sequence is read after the vectors, which advance it: a decision on an earlier one is
        // rejected.
        let of = memory.clone();
        let (memory, sequence) = self
            .engine
            .store()
            .read(move |tx| Ok((existing(tx, &of)?, tx.memories().sequence(&of)?)))
            .await?;
        let mut around = SimilarRecords { sequence, texts: Vec::with_capacity(texts.len()) };
        for (at, (text, indexed)) in texts.iter().enumerate() {
            let vector = vectors.as_ref().and_then(|vectors| vectors.get(at).cloned());
            let alike = self.alike_to(&memory, namespace, indexed, vector.clone()).await?;
            around.texts.push(TextNeighbours { text: (*text).to_owned(), vector, alike });
        }
        Ok(around)
    }

    /// Like [`Self::around`], for the learnings of a task about its repository. Learnings over the
    /// limits on number or length are skipped, because they will be rejected. So no call costs more
    /// than a report that is stored.
    pub(crate) async fn around_learnings(
        &self,
        task: &Task,
        learnings: &[Learning],
    ) -> Result<SimilarRecords> {
        let stored = learnings.iter().take(limits::LEARNINGS_PER_REPORT_MAX).filter(|one| one.fits());
        let stored: Vec<(&str, String)> = stored.map(|one| (one.text.as_str(), one.indexed())).collect();
        let texts: Vec<(&str, &str)> =
            stored.iter().map(|(text, indexed)| (*text, indexed.as_str())).collect();
        self.around(&task.memory, &knowledge(task)?, &texts).await
    }

    async fn vectors_of(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let embedder = self.engine.embedder()?;
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        let made = embedder.embed(texts).await;
        made.inspect_err(|error| tracing::warn!(?error, "learnings are compared by their words alone")).ok()
    }

    async fn alike_to(
        &self,
        memory: &Memory,
        namespace: &Namespace,
        text: &str,
        vector: Option<Vector>,
    ) -> Result<Vec<(RecordId, Alike)>> {
        let model = self.engine.embedder().map(|embedder| embedder.model_id().to_owned());
        let mut scope = RecordScope::whole(memory.id.clone(), self.engine.now());
        scope.namespaces = vec![NamespaceFilter::new(namespace, NamespaceMatch::Exact)];
        let mut found: Vec<(RecordId, Alike)> = Vec::new();
        for strategy in groups(memory) {
            let request = NeighbourRequest {
                scope: scope.clone(),
                namespace: namespace.clone(),
                strategy,
                text: text.to_owned(),
                vector: vector.clone().zip(model.clone()),
                jaccard_min: JACCARD_MIN,
                cosine_min: vector.as_ref().map(|_| COSINE_MIN),
                limit: LOOKED_AT_MAX,
            };
            let near = self.engine.store().search().neighbours(request).await?;
            let alike = |near: loci_model::ports::search::Neighbour| {
                (near.record, Alike { jaccard: near.jaccard, cosine: near.cosine })
            };
            found.extend(near.into_iter().map(alike));
        }
        let likeness = |alike: &Alike| alike.cosine.map_or(alike.jaccard, |cosine| cosine.max(alike.jaccard));
        found.sort_by(|a, b| likeness(&b.1).total_cmp(&likeness(&a.1)).then_with(|| a.0.cmp(&b.0)));
        found.truncate(LOOKED_AT_MAX);
        Ok(found)
    }
}

/// Returns the groups of records to compare learnings with: those without a strategy, and those of
/// semantic extraction.
fn groups(memory: &Memory) -> Vec<Option<StrategyId>> {
    let semantic = memory.strategies.iter().filter(|one| one.base == StrategyBase::Semantic);
    std::iter::once(None).chain(semantic.map(|one| Some(one.id.clone()))).collect()
}
