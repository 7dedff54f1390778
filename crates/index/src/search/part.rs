//! Searches in a part of a memory. If a memory is too large for one index, the store selects and
//! loads candidate passages with their surroundings, and this module ranks them with the statistics
//! of the whole memory.

use loci_model::ports::search::{CandidateRequest, CandidateSet, ScopeStatistics};

use crate::memory_index::MemoryIndex;
use crate::search::candidates::LENGTHS;

/// Numbers about a whole memory, for an index that contains only a part of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Whole {
    /// Statistics for the request, as an index of the whole memory would count them.
    pub statistics: ScopeStatistics,
    /// The number of passages in the memory.
    pub passages: u64,
    /// The number of passages in scope.
    pub passages_in_scope: u64,
    /// The number of passages in scope without a vector of the question's model.
    pub passages_without_vector: u64,
    /// The sequence of the memory at which these numbers were counted.
    pub sequence: u64,
}

impl Whole {
    /// Returns the default number of candidates per list.
    pub fn usual_length(&self) -> usize {
        LENGTHS.of(usize::try_from(self.passages).unwrap_or(usize::MAX))
    }
}

impl MemoryIndex {
    /// Returns an empty index in which these names are known, regardless of the number of their
    /// carriers.
    pub fn of_part<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::new();
        for name in names {
            index.names.know(name);
        }
        index
    }

    /// Returns candidates among the stored passages, ranked with the statistics of the whole
    /// memory.
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
