//! Memories that are too large for an in-process index: their passages are stored in the database
//! with their words, and a question loads only possible results (decision 0065).
//!
//! | content | file |
//! |---|---|
//! | a passage as a row | `row` |
//! | updates of rows, and their counts | `follow`, `tally`, `averages` |
//! | retries of background work | `attempts` |
//! | maps the scope of a request to rows | `scope`, `metadata` |
//! | the lists | `words`, `windows`, `vector_search`, `graph` |
//! | counts for the ranking | `counts` |
//! | the best passages with surroundings, and their search | `context_passages`, `load`, `answer`, `close` |
//!
//! Only `loci-index` scores passages, namely those that were loaded. This module selects them.

mod answer;
mod attempts;
mod averages;
mod close;
mod context_passages;
mod counts;
mod follow;
mod graph;
mod load;
mod memory_state;
mod metadata;
#[cfg(test)]
mod plans;
mod row;
mod scope;
mod survey;
mod tally;
#[cfg(test)]
mod update_races;
mod vector_search;
mod windows;
mod words;

pub(crate) use answer::{candidates, known_names};
pub(crate) use attempts::Attempts;
pub(crate) use averages::measure_all;
pub(crate) use close::{alike, neighbours};
pub(crate) use follow::{Progress, follow};
pub(crate) use graph::{Graph, MissingGraph, make as make_graph};
pub(crate) use memory_state::{Followed, GreatMemoryState, passages_at_least, standing};
pub(crate) use survey::info;

use loci_index::StoredVector;

/// The key of a passage: the key of its record, and the number of the passage in the record.
pub(crate) type PassageKey = (Vec<u8>, i32);

/// The limits on the cost of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum number of passages in scope whose vectors are compared one by one.
    pub(crate) exact_max: usize,
    /// The maximum number of rows that a search reads by words.
    pub(crate) rows_max: usize,
    /// The number of threads that analyse loaded records.
    pub(crate) threads: usize,
}

/// Returns a vector in the form in which the database compares it.
fn halves(vector: &[f32]) -> crate::half_vectors::Halves {
    crate::half_vectors::Halves(vector.iter().map(|value| half::f16::from_f32(*value)).collect())
}

/// Returns the cosine of two vectors of one model.
fn cosine(left: &StoredVector, right: &StoredVector) -> f32 {
    let dot: i64 = left.values.iter().zip(&right.values).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
    dot as f32 * left.scale * right.scale
}
