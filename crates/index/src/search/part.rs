//! Asking a part of a memory: a store whose memory is too great to be held loads the passages that may answer, with what
//! is around them, and asks those with the statistics of the whole. Which passages those are is the store's matter.

use loci_model::ports::search::{CandidateRequest, CandidateSet, ScopeStatistics};

use crate::memory_index::MemoryIndex;
use crate::search::candidates::LENGTHS;

/// What is known of the whole memory, of which an index holds a part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Whole {
    /// Statistics for the request, as an index of the whole memory would count them.
    pub statistics: ScopeStatistics,
    /// Passages of the memory.
    pub passages: u64,
    /// Passages in scope.
    pub passages_in_scope: u64,
    /// Passages in scope without a vector of the question's model.
    pub passages_without_vector: u64,
    /// The change of the memory that all this stands at.
    pub sequence: u64,
}

impl Whole {
    /// How many candidates each list of a request has, where the request does not say.
    pub fn usual_length(&self) -> usize {
        LENGTHS.of(usize::try_from(self.passages).unwrap_or(usize::MAX))
    }
}

impl MemoryIndex {
    /// An index of nothing in which these names are known, however few of their carriers come in.
    pub fn of_part<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::new();
        for name in names {
            index.names.know(name);
        }
        index
    }

    /// Candidates among the passages held, ranked and described by the statistics of the whole memory.
    pub fn candidates_of_part(&self, request: &CandidateRequest, whole: Whole) -> CandidateSet {
        let length = whole.usual_length();
        let table = self.term_table(&request.terms);
        let seen = self.seen_groups(&request.scope);
        let asked = self.asked_groups(&request.scope, &seen);
        let scope = self.passages_in(&request.scope, &asked);
        let counted = self.counted_elsewhere(&table, &asked, whole.statistics);
        let found = self.answer(request, length, table, counted, &scope, || request.vector.clone());
        CandidateSet {
            passages_in_scope: whole.passages_in_scope,
            passages_without_vector: whole.passages_without_vector,
            sequence: whole.sequence,
            ..found
        }
    }
}
