//! The search port: candidates and raw statistics. What a candidate is worth is decided in `engine/retrieval` alone.

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use super::embedder::Vector;
use crate::event::Role;
use crate::record::scope::RecordScope;
use crate::record::{RecordKind, RecordState};
use crate::{Namespace, RecordId, Result, StrategyId, Timestamp};

/// Candidates per list.
// Where `dense` is 0 the engine makes no vector of the question: words alone decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Lists))]
#[serde(deny_unknown_fields)]
pub struct ListLengths {
    /// Of windows.
    pub window: usize,
    /// Of turns.
    pub turn: usize,
    /// Of vectors.
    pub dense: usize,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRequest {
    /// Where to look.
    pub scope: RecordScope,
    /// Distinct terms of the question, in order of first appearance (Q° of retrieval.md), at most 64.
    pub terms: Vec<String>,
    /// The question's vector and the model that made it.
    pub vector: Option<(Vector, String)>,
    /// The question's vector by the model before, while some passages have vectors of that one alone. Each passage is
    /// compared with the vector of its own model.
    pub earlier: Option<(Vector, String)>,
    /// Length of each list; `None`: 200 below 10,000 passages in the memory, 400 from there.
    pub lists: Option<ListLengths>,
}

/// A question's vector that is being made, and the model that makes it; `None` where none could be made.
pub type ComingVector = BoxFuture<'static, Option<(Vector, String)>>;

/// The four views of BM25, in this order in every array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LexicalView {
    /// The turn.
    Turn = 0,
    /// The turn and the one before.
    Pair = 1,
    /// From two before to one after.
    Window = 2,
    /// The session.
    Session = 3,
}

impl LexicalView {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [Self::Turn, Self::Pair, Self::Window, Self::Session];
}

/// Counts of the question's terms in one view of one passage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewCounts {
    /// Terms of the view.
    pub length: u32,
    /// Occurrences, one per term of [`CandidateRequest::terms`].
    pub tf: Vec<u32>,
}

/// Counts of the question's terms in all views of one passage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Views {
    lengths: [u32; 4],
    /// Those of the first view, then those of the next.
    tf: Box<[u32]>,
}

impl Views {
    /// From counts by [`LexicalView`], all of the same terms.
    pub fn of(views: [&ViewCounts; 4]) -> Self {
        let tf = views.iter().flat_map(|view| view.tf.iter().copied()).collect();
        Self::flat(views.map(|view| view.length), tf)
    }

    /// From the terms of each view, and the occurrences in the first view, then those in the next.
    pub fn flat(lengths: [u32; 4], tf: Vec<u32>) -> Self {
        Self { lengths, tf: tf.into() }
    }

    /// Terms of a view.
    pub fn length(&self, view: LexicalView) -> u32 {
        self.lengths[view as usize]
    }

    /// Occurrences in a view, one per term of [`CandidateRequest::terms`].
    pub fn tf(&self, view: LexicalView) -> &[u32] {
        let terms = self.tf.len() / self.lengths.len();
        let start = terms * view as usize;
        self.tf.get(start..start + terms).unwrap_or_default()
    }

    /// The counts of each view, by [`LexicalView`].
    pub fn all(&self) -> [ViewCounts; 4] {
        LexicalView::ALL.map(|view| ViewCounts { length: self.length(view), tf: self.tf(view).to_vec() })
    }
}

/// One passage with everything the signals read.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// Which passage of it; 0 for talk.
    pub part: u32,
    /// What it is.
    pub kind: RecordKind,
    /// Where it stands.
    pub state: RecordState,
    /// Counts by [`LexicalView`].
    pub views: Views,
    /// Counts over the terms of the path, where the record has one.
    pub path: Option<ViewCounts>,
    /// Cosine of the passage with the question, where both have vectors of one model.
    pub dense: Option<f32>,
    /// Cosine of the passage in its context, likewise.
    pub dense_window: Option<f32>,
    /// Cosine of the turn before it in the session, where that one is a short question and has a vector.
    pub question_before: Option<f32>,
    /// All its terms in order, as ids that mean something in this answer only.
    pub terms: Vec<u32>,
    /// `loci_text::TurnFlags` of its text (a known speaker's prefix taken off).
    pub flags: u16,
    /// The speaker, where the text starts with a known name.
    pub speaker: Option<String>,
    /// The role of the message it holds verbatim.
    pub role: Option<Role>,
    /// Its session: equal numbers, same session; means something in this answer only.
    pub session: u32,
    /// Its place in the session, from 0.
    pub position: u32,
    /// When it happened: the time of its source, where it has one.
    pub time: Timestamp,
    /// False where `time` says nothing about when it happened (a lone record without a source event or client time).
    pub has_time: bool,
}

/// Numbers that BM25 needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewStatistics {
    /// Average terms per document of the view.
    pub average_length: f32,
}

/// Statistics of the scope or, where it is small, of what the caller may see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScopeStatistics {
    /// Turns counted.
    pub turns: u32,
    /// Turns that hold the term, one per term of the request; 0: unknown there, left out of every sum.
    pub df: Vec<u32>,
    /// By [`LexicalView`].
    pub views: [ViewStatistics; 4],
    /// Paths counted.
    pub paths: u32,
    /// Paths that hold the term, one per term of the request.
    pub path_df: Vec<u32>,
    /// Average terms per path.
    pub path_average_length: f32,
    /// True where the counts are of the scope, false where of all that the caller may see.
    pub of_scope: bool,
}

/// The union of the lists, and the statistics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CandidateSet {
    /// Each passage once; in order of (record id, part), not of worth.
    pub candidates: Vec<Candidate>,
    /// Statistics for this request.
    pub statistics: ScopeStatistics,
    /// Term ids of the request's terms in [`Candidate::terms`]; `None` for a term no passage has.
    pub term_ids: Vec<Option<u32>>,
    /// Passages in scope.
    pub passages_in_scope: u64,
    /// Passages in scope that have no vector of the question's model (of the current model, without a vector).
    pub passages_without_vector: u64,
    /// The sequence number the answer stands at.
    pub sequence: u64,
    /// More passages have the question's words than were looked at: these are the newest of them.
    pub is_cut: bool,
}

/// A look for near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourRequest {
    /// Where: one strategy and one namespace of a memory, active records.
    pub scope: RecordScope,
    /// The namespace, exactly.
    pub namespace: Namespace,
    /// The strategy.
    pub strategy: Option<StrategyId>,
    /// The new text.
    pub text: String,
    /// Its vector and model.
    pub vector: Option<(Vector, String)>,
    /// Only neighbours with at least this Jaccard similarity of term sets.
    pub jaccard_min: f32,
    /// Also those whose vector has at least this cosine with the text's, however few words they share.
    pub cosine_min: Option<f32>,
    /// At most so many, the most similar first.
    pub limit: usize,
}

/// A record close to a new text.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The record.
    pub record: RecordId,
    /// Jaccard similarity of the term sets.
    pub jaccard: f32,
    /// Cosine, where both have vectors of one model.
    pub cosine: Option<f32>,
}

/// What a close look at one memory's index says, for people and for `degraded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexInfo {
    /// Passages held.
    pub passages: u64,
    /// Passages with a vector.
    pub vectors: u64,
    /// Sequence number applied.
    pub sequence: u64,
    /// Bytes held, roughly.
    pub bytes: u64,
    /// Digest of everything that influences an answer: equal digests, equal answers.
    pub digest: u64,
}

/// Finds candidates. Read-only; every call first catches up with the store.
pub trait Search: Send + Sync {
    /// Names that conversational turns in the caller's view carry as `Name: `, sorted.
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>>;

    /// The union of the three lists.
    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>>;

    /// The same for a vector that is still being made, in this process and within milliseconds: a store may begin with the
    /// words, and may wait for it on a thread. The request's own vector is not looked at.
    fn candidates_meanwhile(
        &self,
        mut request: CandidateRequest,
        vector: ComingVector,
    ) -> BoxFuture<'_, Result<CandidateSet>> {
        Box::pin(async move {
            request.vector = vector.await;
            self.candidates(request).await
        })
    }

    /// Active records of one strategy and namespace that are close to a text.
    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>>;

    /// Cosine of the vectors of two passages, each a record and its part; `None` where one has none, or they are of different
    /// models.
    fn alike<'a>(
        &'a self,
        memory: &'a crate::MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>>;

    /// What the index of a memory holds now. With `rebuilt`, what a fresh build from the store would hold.
    fn info<'a>(&'a self, memory: &'a crate::MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>>;
}
