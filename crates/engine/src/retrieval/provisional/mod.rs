//! What was said and is not extracted yet, as records that a search shows, where the memory is set so
//! (`read_your_writes`).
//!
//! `waiting` finds the turns, as far as `budget` reaches, and makes records of them; `beside` ranks them with those that are stored.
//! Nothing here is written, and where the setting is off nothing here runs.

mod beside;
mod budget;
mod waiting;

use std::collections::{BTreeMap, HashSet};

use loci_model::RecordId;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};

use super::{Hit, SearchRequest};

pub(super) use beside::{Beside, beside, ranked};
pub(super) use waiting::waiting;
pub use waiting::{is_provisional, provisional_id};

/// Turns that wait, as records.
#[derive(Debug, Default)]
pub(super) struct Provisional {
    /// By id.
    pub(super) records: BTreeMap<RecordId, Record>,
    /// More wait than were read, or may wait.
    pub(super) is_cut: bool,
}

/// True where a request could show turns that wait: they are active facts, and cite nothing. Whoever says how long the lists are
/// measures the index.
pub(super) fn is_wanted(request: &SearchRequest, scope: &RecordScope) -> bool {
    let of_kind = scope.kinds.is_empty() || scope.kinds.contains(&RecordKind::Fact);
    let in_force = scope.states.contains(&RecordState::Active);
    of_kind && in_force && request.citing.is_none() && request.lists.is_none()
}

/// Leaves out turns that became records while the question was answered: a turn is shown once.
pub(super) fn once(hits: &mut Vec<Hit>) {
    if !hits.iter().any(|hit| hit.provisional) {
        return;
    }
    let stored = hits.iter().filter(|hit| !hit.provisional);
    let told: HashSet<Source> =
        stored.flat_map(|hit| hit.record.provenance.sources.iter().cloned()).collect();
    hits.retain(|hit| {
        !hit.provisional || !hit.record.provenance.sources.iter().any(|source| told.contains(source))
    });
}
