//! Access to records, their versions, and the vectors of their passages.

use crate::event::RunPlace;
use crate::ports::embedder::Vector;
use crate::record::derivation::MakingMode;
use crate::record::provenance::Source;
use crate::record::scope::RecordScope;
use crate::record::{Record, RecordState};
use crate::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp};

/// The vector of one passage of one version of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageVector {
    /// The record that the passage belongs to.
    pub record: RecordId,
    /// The version of the record that the vector was computed from. The vector is dropped if the
    /// record has a newer version.
    pub version: u32,
    /// The index of the passage in the record, from 0.
    pub part: u32,
    /// The model that computed the vector. Vectors of different models are never compared.
    pub model: String,
    /// The vector, of unit length. Stores keep it as 8-bit integers with a scale.
    pub vector: Vector,
}

/// A passage that lacks a vector of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingVector {
    /// The record that the passage belongs to.
    pub record: RecordId,
    /// The version of the record that the passage belongs to.
    pub version: u32,
    /// The index of the passage in the record, from 0.
    pub part: u32,
    /// The text to embed: the whole text, or for a document a section as cut by
    /// `loci_text::split::sections`.
    pub text: String,
}

/// A page of records: newest created first, ties by id ascending.
#[derive(Debug, Clone)]
pub struct RecordPage {
    /// The scope of the page.
    pub scope: RecordScope,
    /// Only records after this one (keyset).
    pub after: Option<(Timestamp, RecordId)>,
    /// Maximum number of records.
    pub limit: usize,
}

/// A statement that repeats a record.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation<'a> {
    /// The messages that state it; empty if no event does.
    pub sources: &'a [Source],
    /// The time of the statement.
    pub stated_at: Timestamp,
    /// Its position in a client's run, if it belongs to the record's own session.
    pub run: Option<&'a RunPlace>,
    /// The time of the write.
    pub at: Timestamp,
}

impl<'a> Confirmation<'a> {
    /// Returns the confirmation of a record by another one with the same statement.
    pub fn of(known: &Record, stated: &'a Record, at: Timestamp) -> Self {
        let (one, other) = (&known.provenance, &stated.provenance);
        let is_own = (&one.actor, &one.session) == (&other.actor, &other.session);
        Self {
            sources: &other.sources,
            stated_at: stated.timestamp,
            run: other.run.as_ref().filter(|_| is_own),
            at,
        }
    }

    /// Returns a confirmation at a time that no event states: a caller stored or verified the
    /// statement again.
    pub fn at(at: Timestamp) -> Self {
        Self { sources: &[], stated_at: at, run: None, at }
    }
}

/// A change of a record's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChange {
    /// The state after.
    pub state: RecordState,
    /// The reason for the change.
    pub reason: String,
    /// The time of the change.
    pub at: Timestamp,
}

/// The superseding of a record by another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupersedeChange {
    /// The record that supersedes the other one.
    pub by: RecordId,
    /// The reason for the change.
    pub reason: String,
    /// The time from which the new record is valid.
    pub valid_to: Timestamp,
    /// The time of the change.
    pub at: Timestamp,
}

/// The table of records. Every write gives the record the memory's next sequence number, so that
/// indexes catch up. The numbers become visible in order, like arrival numbers. The caller writes
/// the telemetry row of a change of state, in the same transaction.
pub trait Records {
    /// Returns the current version in any state, including erased (its text is then empty).
    fn get(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<Record>>;
    /// Returns several records in the order of `ids`; absent ones are left out.
    fn get_many(&self, memory: &MemoryId, ids: &[RecordId]) -> Result<Vec<Record>>;
    /// Returns the version that was known at `time`, in its state at that time; none for a record
    /// that is deleted now.
    fn known_at(&self, memory: &MemoryId, id: &RecordId, time: Timestamp) -> Result<Option<Record>>;
    /// Returns earlier versions, oldest first, without the current one.
    fn history(&self, memory: &MemoryId, id: &RecordId) -> Result<Vec<Record>>;
    /// Returns a page; filters apply before paging.
    fn list(&self, page: &RecordPage) -> Result<Vec<Record>>;
    /// Returns a page of records of one subtype. Any number of other records costs nothing.
    fn of_subtype(&self, page: &RecordPage, subtype: &str) -> Result<Vec<Record>>;
    /// Returns the number of readable records in a scope.
    fn count(&self, scope: &RecordScope) -> Result<u64>;
    /// Returns the active records of this strategy and namespace whose text is equal except for
    /// white space (`loci_text::normalise_exact`), oldest first.
    fn same_text(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        text: &str,
    ) -> Result<Vec<RecordId>>;
    /// Returns the active records of this strategy and namespace with this subtype, oldest first:
    /// keyed preferences, running summaries.
    fn with_subtype(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        subtype: &str,
    ) -> Result<Vec<Record>>;
    /// Returns the record that this strategy made from exactly this source, in any state, so that a
    /// repeated job writes once.
    fn by_source(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        source: &Source,
    ) -> Result<Option<RecordId>>;
    /// Returns records of a strategy after `after`, by id, in every state but erased.
    fn of_strategy(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        after: Option<&RecordId>,
        limit: usize,
    ) -> Result<Vec<Record>>;
    /// Returns the active records of a strategy from a session that were made in this mode, oldest
    /// first.
    fn by_making(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        mode: MakingMode,
    ) -> Result<Vec<Record>>;
    /// Returns the highest sequence among records of this strategy and namespace. A consolidation
    /// write carries the sequence at which its neighbours were read, and changes nothing if it has
    /// increased.
    fn group_sequence(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<u64>;
    /// Returns at most `limit` records in exactly this namespace with a sequence greater than
    /// `after`, in any state including erased, by sequence. If nothing in the namespace changed,
    /// the call costs nothing, regardless of changes elsewhere.
    fn changed_since(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>>;
    /// Adds a record; returns its sequence number.
    fn insert(&mut self, record: &Record) -> Result<u64>;
    /// Writes the next version of a record (`record.version` is the new one); the old one becomes
    /// history. A version that does not follow the stored one is a conflict.
    fn put_version(&mut self, record: &Record) -> Result<u64>;
    /// Replaces an earlier version in place, which removes its former content from the store. False
    /// if the record has no earlier version of that number, or is erased.
    fn rewrite(&mut self, record: &Record) -> Result<bool>;
    /// Changes the state of the current version; false if the record does not exist or has that
    /// state.
    fn set_state(&mut self, memory: &MemoryId, id: &RecordId, change: &RecordChange) -> Result<bool>;
    /// Marks the record as superseded; false if it does not exist or is not active.
    fn supersede(&mut self, memory: &MemoryId, id: &RecordId, change: &SupersedeChange) -> Result<bool>;
    /// Makes a superseded, archived, quarantined, rolled back or candidate record active again, and
    /// clears its superseding record and its end of validity. False if it does not exist or is in
    /// another state.
    fn restore(&mut self, memory: &MemoryId, id: &RecordId, reason: &str, at: Timestamp) -> Result<bool>;
    /// Moves records into another namespace; returns the number moved. Ids, versions and states
    /// stay, and erased records stay in place.
    fn move_to(&mut self, memory: &MemoryId, ids: &[RecordId], namespace: &Namespace) -> Result<u64>;
    /// Records that a statement repeats a record. The record gains the sources, up to
    /// [`limits::RECORD_SOURCES_MAX`](crate::limits), its time to live starts again, and its
    /// `timestamp` becomes that of the latest statement. It stays in its namespace and session. A
    /// known statement changes nothing.
    fn confirm(&mut self, memory: &MemoryId, id: &RecordId, confirmation: &Confirmation<'_>) -> Result<()>;
    /// Returns at most `limit` memories with content of records that were deleted at least the
    /// memory's `erase_after_ms` before `now`. The cost is proportional to the result, for any
    /// number of memories. A returned memory may have nothing to erase yet:
    /// [`Records::erase_deleted`] determines that, and the memory is not returned again before it
    /// is due.
    fn erasable(&self, now: Timestamp, limit: usize) -> Result<Vec<MemoryId>>;
    /// Erases the content of up to `rows` records that were deleted at least `after_ms` (the
    /// memory's `erase_after_ms`) before `now`, with all versions and vectors; returns their ids.
    fn erase_deleted(
        &mut self,
        memory: &MemoryId,
        now: Timestamp,
        after_ms: u64,
        rows: usize,
    ) -> Result<Vec<RecordId>>;
    /// Erases the content of these records now, in any state, with all versions and vectors;
    /// returns their ids, in order. Records that are already erased stay.
    fn erase(&mut self, memory: &MemoryId, ids: &[RecordId], at: Timestamp) -> Result<Vec<RecordId>>;
    /// Returns the records, in any state, that depend on an actor's events or name the actor in
    /// their provenance.
    fn of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<RecordId>>;
    /// Returns at most `limit` active records of all memories that expired before `now`.
    fn expired(&self, now: Timestamp, limit: usize) -> Result<Vec<(MemoryId, RecordId)>>;
    /// Removes history and telemetry older than the retention; returns the number of rows. The cost
    /// is proportional to the result, for any number of memories. Data past its retention is
    /// removed within a day.
    fn sweep_history(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Returns passages of searchable records that lack a vector of `model`, oldest sequence first;
    /// with a namespace, only those of records at that node.
    fn missing_vectors(
        &self,
        memory: &MemoryId,
        namespace: Option<&Namespace>,
        model: &str,
        limit: usize,
    ) -> Result<Vec<MissingVector>>;
    /// Returns the memories with such passages after `after`, by id. If all vectors are of `model`,
    /// the cost is proportional to the result, for any number of memories.
    fn memories_missing_vectors(
        &self,
        model: &str,
        after: Option<&MemoryId>,
        limit: usize,
    ) -> Result<Vec<MemoryId>>;
    /// Returns the number of such passages.
    fn missing_vector_count(&self, memory: &MemoryId, model: &str) -> Result<u64>;
    /// Writes vectors; returns the number written. Vectors whose record has a newer version are
    /// dropped.
    fn put_vectors(&mut self, memory: &MemoryId, vectors: &[PassageVector]) -> Result<usize>;
    /// Returns all versions of records after `after` (id, version) in that order, for export.
    fn export(&self, memory: &MemoryId, after: Option<&(RecordId, u32)>, limit: usize)
    -> Result<Vec<Record>>;
    /// Writes a version exactly as exported (except the sequence); for import into an empty place.
    fn import(&mut self, record: &Record, is_current: bool) -> Result<()>;
}
