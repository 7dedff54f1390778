//! The search port: candidates and raw statistics. Only `engine/retrieval` scores candidates.

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use super::embedder::Vector;
use crate::event::Role;
use crate::record::scope::RecordScope;
use crate::record::{RecordKind, RecordState};
use crate::{Namespace, RecordId, Result, StrategyId, Timestamp};

/// Number of candidates for each list.
// If `dense` is 0, the engine makes no vector of the query: only terms decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Lists))]
#[serde(deny_unknown_fields)]
pub struct ListLengths {
    /// Candidates of the window list.
    pub window: usize,
    /// Candidates of the turn list.
    pub turn: usize,
    /// Candidates of the vector list.
    pub dense: usize,
}

/// A request for candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateRequest {
    /// The scope of the search.
    pub scope: RecordScope,
    /// Distinct terms of the query, in order of first appearance (Q° of retrieval.md), at most 64.
    pub terms: Vec<String>,
    /// The query's vector and the model that made it.
    pub vector: Option<(Vector, String)>,
    /// The query's vector by the previous model, while some passages have only vectors of that one.
    /// Each passage is compared with the vector of its own model.
    pub earlier: Option<(Vector, String)>,
    /// Length of each list; `None`: 200 below 10,000 passages in the memory, 400 from there.
    pub lists: Option<ListLengths>,
}

/// A query's vector in computation, with its model; `None` if it could not be computed.
pub type ComingVector = BoxFuture<'static, Option<(Vector, String)>>;

/// The four views of BM25, in this order in every array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LexicalView {
    /// The message (turn) itself.
    Turn = 0,
    /// The turn and the previous turn of the session.
    Pair = 1,
    /// From two turns before to one after.
    Window = 2,
    /// All turns of the session.
    Session = 3,
}

impl LexicalView {
    /// All views, in their order.
    pub const ALL: [Self; 4] = [Self::Turn, Self::Pair, Self::Window, Self::Session];
}

/// Counts of the query's terms in one view of one passage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewCounts {
    /// Number of terms of the view.
    pub length: u32,
    /// Occurrences, one for each term of [`CandidateRequest::terms`].
    pub tf: Vec<u32>,
}

/// Counts of the query's terms in all views of one passage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Views {
    lengths: [u32; 4],
    /// Counts of the first view, then those of the next.
    tf: Box<[u32]>,
}

impl Views {
    /// Builds the views from counts by [`LexicalView`], all of the same terms.
    pub fn of(views: [&ViewCounts; 4]) -> Self {
        let tf = views.iter().flat_map(|view| view.tf.iter().copied()).collect();
        Self::flat(views.map(|view| view.length), tf)
    }

    /// Builds the views from the number of terms of each view, and the occurrences view by view.
    pub fn flat(lengths: [u32; 4], tf: Vec<u32>) -> Self {
        Self { lengths, tf: tf.into() }
    }

    /// Returns the number of terms of a view.
    pub fn length(&self, view: LexicalView) -> u32 {
        self.lengths[view as usize]
    }

    /// Returns the occurrences in a view, one for each term of [`CandidateRequest::terms`].
    pub fn tf(&self, view: LexicalView) -> &[u32] {
        let terms = self.tf.len() / self.lengths.len();
        let start = terms * view as usize;
        self.tf.get(start..start + terms).unwrap_or_default()
    }

    /// Returns the counts of each view, by [`LexicalView`].
    pub fn all(&self) -> [ViewCounts; 4] {
        LexicalView::ALL.map(|view| ViewCounts { length: self.length(view), tf: self.tf(view).to_vec() })
    }
}

/// One passage with all inputs of the signals.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The id of the record.
    pub record: RecordId,
    /// The version of the record that the passage belongs to.
    pub version: u32,
    /// The index of the passage in the record; 0 for conversation turns.
    pub part: u32,
    /// The kind of the record that the passage belongs to.
    pub kind: RecordKind,
    /// The state of the record that the passage belongs to.
    pub state: RecordState,
    /// Counts by [`LexicalView`].
    pub views: Views,
    /// Counts over the terms of the path, if the record has one.
    pub path: Option<ViewCounts>,
    /// Cosine of the passage with the query, if both have vectors of one model.
    pub dense: Option<f32>,
    /// Cosine of the passage in its context, under the same condition.
    pub dense_window: Option<f32>,
    /// Cosine of the previous turn in the session, if that turn is a short question and has a
    /// vector.
    pub question_before: Option<f32>,
    /// All the passage's terms in order, as ids that are valid in this response only.
    pub terms: Vec<u32>,
    /// `loci_text::TurnFlags` of the passage's text (without the prefix of a known speaker).
    pub flags: u16,
    /// The speaker, if the text starts with a known name.
    pub speaker: Option<String>,
    /// The role of the message the passage holds verbatim.
    pub role: Option<Role>,
    /// The session of the passage as a number: equal numbers mean the same session. Valid in this
    /// response only.
    pub session: u32,
    /// The position of the passage in its session, from 0.
    pub position: u32,
    /// The time of its source, if it has one.
    pub time: Timestamp,
    /// False if `time` does not state when it happened (a lone record without a source event or
    /// client time).
    pub has_time: bool,
}

/// Statistics that BM25 needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewStatistics {
    /// Average number of terms for each document of the view.
    pub average_length: f32,
}

/// Statistics of the scope or, if it is small, of everything that the caller may see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScopeStatistics {
    /// Number of turns.
    pub turns: u32,
    /// Number of turns that hold the term, one for each term of the request; 0: unknown there, left
    /// out of every sum.
    pub df: Vec<u32>,
    /// Statistics by [`LexicalView`].
    pub views: [ViewStatistics; 4],
    /// Number of records with a path.
    pub paths: u32,
    /// Number of paths that hold the term, one for each term of the request.
    pub path_df: Vec<u32>,
    /// Average number of terms of a path.
    pub path_average_length: f32,
    /// True for counts of the scope, false for counts of everything that the caller may see.
    pub of_scope: bool,
}

/// The union of the lists, and the statistics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CandidateSet {
    /// The passages without duplicates, ordered by (record id, part), not by score.
    pub candidates: Vec<Candidate>,
    /// Statistics for this request.
    pub statistics: ScopeStatistics,
    /// The ids in [`Candidate::terms`] of the request's terms; `None` for a term that no passage
    /// has.
    pub term_ids: Vec<Option<u32>>,
    /// Number of passages in scope.
    pub passages_in_scope: u64,
    /// Number of passages in scope without a vector of the query's model (of the current model, if
    /// the query has no vector).
    pub passages_without_vector: u64,
    /// The sequence number of the response.
    pub sequence: u64,
    /// True if more passages have the query's terms than were examined: the newest were.
    pub is_cut: bool,
}

/// A request for near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourRequest {
    /// The scope: one strategy and one namespace of a memory, active records.
    pub scope: RecordScope,
    /// The namespace whose records are compared, without those beneath it.
    pub namespace: Namespace,
    /// The strategy.
    pub strategy: Option<StrategyId>,
    /// The new text.
    pub text: String,
    /// The vector of the new text, and the model that computed it.
    pub vector: Option<(Vector, String)>,
    /// Minimum Jaccard similarity of term sets.
    pub jaccard_min: f32,
    /// Minimum cosine of the vectors, which admits a neighbour with any number of shared words.
    pub cosine_min: Option<f32>,
    /// Maximum number of neighbours, the most similar first.
    pub limit: usize,
}

/// A record close to a new text.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The id of the record.
    pub record: RecordId,
    /// Jaccard similarity of the term sets.
    pub jaccard: f32,
    /// Cosine, if both have vectors of one model.
    pub cosine: Option<f32>,
}

/// Figures of one memory's index, for people and for `degraded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexInfo {
    /// Number of passages.
    pub passages: u64,
    /// Number of passages with a vector.
    pub vectors: u64,
    /// The last applied sequence number.
    pub sequence: u64,
    /// Approximate size in bytes.
    pub bytes: u64,
    /// Digest of everything that influences a response: equal digests, equal responses.
    pub digest: u64,
}

/// Finds candidates. Read-only; every call first catches up with the store.
pub trait Search: Send + Sync {
    /// Returns the names that conversational turns in the caller's view carry as `Name: `, sorted.
    fn known_names<'a>(&'a self, scope: &'a RecordScope) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns the union of the three lists.
    fn candidates(&self, request: CandidateRequest) -> BoxFuture<'_, Result<CandidateSet>>;

    /// Returns the candidates for a vector that is still in computation, in this process and within
    /// milliseconds. A store may start with the terms, and may wait for the vector on a thread. The
    /// request's own vector is ignored.
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

    /// Returns the active records of one strategy and namespace that are close to a text.
    fn neighbours(&self, request: NeighbourRequest) -> BoxFuture<'_, Result<Vec<Neighbour>>>;

    /// Returns the cosine of the vectors of two passages, each a record and its part; `None` if one
    /// has none, or if they are of different models.
    fn alike<'a>(
        &'a self,
        memory: &'a crate::MemoryId,
        first: (&'a RecordId, u32),
        second: (&'a RecordId, u32),
    ) -> BoxFuture<'a, Result<Option<f32>>>;

    /// Returns the current figures of a memory's index. With `rebuilt`, returns those of a fresh
    /// build from the store.
    fn info<'a>(&'a self, memory: &'a crate::MemoryId, rebuilt: bool) -> BoxFuture<'a, Result<IndexInfo>>;
}
