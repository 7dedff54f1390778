//! Events that are not extracted yet, as provisional records in a search, if the memory enables
//! them (`read_your_writes`).
//!
//! `pending_turns` finds the turns within the limits of `budget` and converts them to records;
//! `pending_ranking` ranks them together with stored records. Nothing here is written, and without
//! the setting nothing here runs.

mod budget;
mod pending_ranking;
mod pending_turns;

use std::collections::{BTreeMap, HashSet};

use loci_model::RecordId;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};

use super::{Hit, SearchRequest};

pub(super) use pending_ranking::{PendingCandidates, beside, ranked};
pub(super) use pending_turns::waiting;
pub use pending_turns::{is_provisional, provisional_id};

/// Pending turns as records.
#[derive(Debug, Default)]
pub(super) struct Provisional {
    /// Records by id.
    pub(super) records: BTreeMap<RecordId, Record>,
    /// True if more turns wait than were read, or may wait.
    pub(super) is_cut: bool,
}

/// Returns true if a response may contain pending turns: they are active facts without citations. A
/// request with explicit list lengths measures the index only.
pub(super) fn is_wanted(request: &SearchRequest, scope: &RecordScope) -> bool {
    let of_kind = scope.kinds.is_empty() || scope.kinds.contains(&RecordKind::Fact);
    let in_force = scope.states.contains(&RecordState::Active);
    of_kind && in_force && request.citing.is_none() && request.lists.is_none()
}

/// Removes turns that became records during the search, so that each turn appears once.
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
