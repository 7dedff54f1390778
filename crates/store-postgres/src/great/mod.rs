//! Memories too great for a server to hold their index: their passages lie in the database with their words, and a question
//! loads only what may answer it (decision 0065).
//!
//! | what | file |
//! |---|---|
//! | a passage as a row | `row` |
//! | rows brought up to date, and what is counted of them | `follow`, `tally`, `averages`; how often what fails is tried: `attempts` |
//! | from a request's scope to rows | `scope`, `metadata` |
//! | the lists | `words`, `windows`, `nearest`, `graph` |
//! | counts for the ranking | `counts` |
//! | what is around the best, and asking it | `around`, `load`, `answer`, `close` |
//!
//! What a passage is worth is counted by `loci-index` alone, over the passages that were loaded; here is only which those are.

mod answer;
mod around;
mod attempts;
mod averages;
mod close;
mod counts;
mod follow;
mod graph;
mod load;
mod metadata;
mod nearest;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod racing;
mod row;
mod scope;
mod standing;
mod survey;
mod tally;
mod windows;
mod words;

pub(crate) use answer::{candidates, known_names};
pub(crate) use attempts::Attempts;
pub(crate) use averages::measure_all;
pub(crate) use close::{alike, neighbours};
pub(crate) use follow::{Progress, follow};
pub(crate) use graph::{Graph, Lacking, make as make_graph};
pub(crate) use standing::{Followed, Standing, passages_at_least, standing};
pub(crate) use survey::info;

use loci_index::StoredVector;

/// A passage: the key of its record, and which of its passages.
pub(crate) type PassageKey = (Vec<u8>, i32);

/// What a search may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Passages in scope up to which vectors are compared one by one.
    pub(crate) exact_max: usize,
    /// Rows that are read for their words.
    pub(crate) rows_max: usize,
    /// Threads that analyse what was loaded.
    pub(crate) threads: usize,
}

/// A vector as the database compares it.
fn halves(vector: &[f32]) -> crate::halves::Halves {
    crate::halves::Halves(vector.iter().map(|value| half::f16::from_f32(*value)).collect())
}

/// The cosine of two vectors of one model.
fn cosine(left: &StoredVector, right: &StoredVector) -> f32 {
    let dot: i64 = left.values.iter().zip(&right.values).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
    dot as f32 * left.scale * right.scale
}
