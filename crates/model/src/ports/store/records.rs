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
    /// The record.
    pub record: RecordId,
    /// The version it was made from; dropped if the record has moved on.
    pub version: u32,
    /// Which passage.
    pub part: u32,
    /// Who made it: vectors of different models are never compared.
    pub model: String,
    /// The vector, of unit length; stores keep it as int8 with a scale.
    pub vector: Vector,
}

/// A passage that lacks a vector of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingVector {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// Which passage.
    pub part: u32,
    /// The text to embed: the whole text, or for a document a section as `loci_text::split::sections` cuts it.
    pub text: String,
}

/// A page of records: newest created first, ties by id ascending.
#[derive(Debug, Clone)]
pub struct RecordPage {
    /// Which records.
    pub scope: RecordScope,
    /// Behind this one (keyset).
    pub after: Option<(Timestamp, RecordId)>,
    /// At most so many.
    pub limit: usize,
}

/// A statement that repeats a record.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation<'a> {
    /// The messages that state it; none where no event does.
    pub sources: &'a [Source],
    /// The time it was stated.
    pub stated_at: Timestamp,
    /// Its place in a client's run, where it belongs to the record's own session.
    pub run: Option<&'a RunPlace>,
    /// The time it is written.
    pub at: Timestamp,
}

impl<'a> Confirmation<'a> {
    /// The confirmation of a record by another that states the same.
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

    /// A confirmation at a time that no event states: a caller stored or verified the same again.
    pub fn at(at: Timestamp) -> Self {
        Self { sources: &[], stated_at: at, run: None, at }
    }
}

/// A change of a record's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChange {
    /// The state after.
    pub state: RecordState,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// A record gives its place to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupersedeChange {
    /// The new record.
    pub by: RecordId,
    /// Why.
    pub reason: String,
    /// From when on the new one holds.
    pub valid_to: Timestamp,
    /// When.
    pub at: Timestamp,
}

/// The table of records. Every write gives the record the memory's next sequence number, so that indexes catch up; numbers
/// become visible in order, as those of arrival do. The telemetry row of a change of state is the caller's to write, in the
/// same transaction.
pub trait Records {
    /// The current version, whatever its state; erased ones too (their text is empty once erased).
    fn get(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<Record>>;
    /// Many at once; absent ones are left out, the order is that of `ids`.
    fn get_many(&self, memory: &MemoryId, ids: &[RecordId]) -> Result<Vec<Record>>;
    /// The version that was known at `time`, in the state it had then; none of a record that is deleted by now.
    fn known_at(&self, memory: &MemoryId, id: &RecordId, time: Timestamp) -> Result<Option<Record>>;
    /// Earlier versions, oldest first, without the current one.
    fn history(&self, memory: &MemoryId, id: &RecordId) -> Result<Vec<Record>>;
    /// A page; filters apply before paging.
    fn list(&self, page: &RecordPage) -> Result<Vec<Record>>;
    /// A page of those of one subtype: the others cost nothing, however many they are.
    fn of_subtype(&self, page: &RecordPage, subtype: &str) -> Result<Vec<Record>>;
    /// Readable records in a scope.
    fn count(&self, scope: &RecordScope) -> Result<u64>;
    /// Active records of this strategy and namespace whose text is the same up to white space
    /// (`loci_text::normalise_exact`), oldest first.
    fn same_text(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        text: &str,
    ) -> Result<Vec<RecordId>>;
    /// Active records of this strategy and namespace with this subtype, oldest first: keyed preferences, running
    /// summaries.
    fn with_subtype(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        subtype: &str,
    ) -> Result<Vec<Record>>;
    /// The record made from exactly this source by this strategy, in any state: a job run twice writes once.
    fn by_source(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        source: &Source,
    ) -> Result<Option<RecordId>>;
    /// Records of a strategy behind `after`, by id, in every state but erased.
    fn of_strategy(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        after: Option<&RecordId>,
        limit: usize,
    ) -> Result<Vec<Record>>;
    /// Active records of a strategy from a session that were made in this mode, oldest first.
    fn by_making(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        mode: MakingMode,
    ) -> Result<Vec<Record>>;
    /// The highest sequence among records of this strategy and namespace: a consolidation write carries the one its
    /// neighbours were read at, and changes nothing if it moved.
    fn group_sequence(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<u64>;
    /// Records that lie in exactly this namespace, in any state, erased ones too, whose sequence is greater than `after`: by
    /// sequence, at most `limit`. Where nothing in the namespace changed it costs nothing, however much changed elsewhere.
    fn changed_since(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>>;
    /// Adds a record; returns its sequence number.
    fn insert(&mut self, record: &Record) -> Result<u64>;
    /// Writes the next version of a record (`record.version` is the new one); the old one becomes history.
    /// A version that does not follow the stored one is a conflict.
    fn put_version(&mut self, record: &Record) -> Result<u64>;
    /// Writes an earlier version anew in its own place: what it said is gone from the store. False if the record has no earlier
    /// version of that number, or is erased.
    fn rewrite(&mut self, record: &Record) -> Result<bool>;
    /// Changes the state of the current version; false if the record is not there or has that state.
    fn set_state(&mut self, memory: &MemoryId, id: &RecordId, change: &RecordChange) -> Result<bool>;
    /// The record becomes superseded; false if it is not there or not active.
    fn supersede(&mut self, memory: &MemoryId, id: &RecordId, change: &SupersedeChange) -> Result<bool>;
    /// A record that is superseded, archived, quarantined, rolled back or a candidate is active again; what took its place
    /// and until when it held are forgotten. False if it is not there or in another state.
    fn restore(&mut self, memory: &MemoryId, id: &RecordId, reason: &str, at: Timestamp) -> Result<bool>;
    /// Puts records into another namespace: ids, versions and states stay, erased ones stay where they are. How many
    /// moved.
    fn move_to(&mut self, memory: &MemoryId, ids: &[RecordId], namespace: &Namespace) -> Result<u64>;
    /// Notes that a statement repeats a record: the record gains its sources, up to
    /// [`limits::RECORD_SOURCES_MAX`](crate::limits), its time to live begins again, and its `timestamp` is that of the
    /// latest statement. It stays in its namespace and session. A statement that is known already changes nothing.
    fn confirm(&mut self, memory: &MemoryId, id: &RecordId, confirmation: &Confirmation<'_>) -> Result<()>;
    /// Memories with records that were deleted at least the memory's `erase_after_ms` before `now` and whose content is still
    /// there, at most `limit`. It costs what it finds, however many memories there are. One may be named in which nothing is
    /// to be erased yet: [`Records::erase_deleted`] finds that out, and it is not named again before it must be.
    fn erasable(&self, now: Timestamp, limit: usize) -> Result<Vec<MemoryId>>;
    /// Erases the content of up to `rows` records that were deleted at least `after_ms` (the memory's `erase_after_ms`) before
    /// `now`, all versions and vectors; which.
    fn erase_deleted(
        &mut self,
        memory: &MemoryId,
        now: Timestamp,
        after_ms: u64,
        rows: usize,
    ) -> Result<Vec<RecordId>>;
    /// Erases the content of these records now, whatever their state: all versions and vectors; which, in order. What is erased already
    /// stays.
    fn erase(&mut self, memory: &MemoryId, ids: &[RecordId], at: Timestamp) -> Result<Vec<RecordId>>;
    /// Returns the records, in any state, that rest on an actor's events or name the actor in their
    /// provenance.
    fn of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<RecordId>>;
    /// Active records that expired before `now`, all memories, at most `limit`.
    fn expired(&self, now: Timestamp, limit: usize) -> Result<Vec<(MemoryId, RecordId)>>;
    /// Removes history and telemetry older than the retention; how many rows. It costs what it finds, however many memories
    /// there are; what has had its time goes within a day.
    fn sweep_history(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Passages of records that can be searched and lack a vector of `model`, oldest sequence first; with a namespace only
    /// those of records at that node.
    fn missing_vectors(
        &self,
        memory: &MemoryId,
        namespace: Option<&Namespace>,
        model: &str,
        limit: usize,
    ) -> Result<Vec<MissingVector>>;
    /// Memories with such passages, by id, behind `after`. Where all vectors are of `model`, it costs what it finds, however
    /// many memories there are.
    fn memories_missing_vectors(
        &self,
        model: &str,
        after: Option<&MemoryId>,
        limit: usize,
    ) -> Result<Vec<MemoryId>>;
    /// How many such passages there are.
    fn missing_vector_count(&self, memory: &MemoryId, model: &str) -> Result<u64>;
    /// Writes vectors; those whose record has moved on are dropped. How many were written.
    fn put_vectors(&mut self, memory: &MemoryId, vectors: &[PassageVector]) -> Result<usize>;
    /// All versions of records behind `after` (id, version) in that order, for export.
    fn export(&self, memory: &MemoryId, after: Option<&(RecordId, u32)>, limit: usize)
    -> Result<Vec<Record>>;
    /// Writes a version exactly as exported (sequence aside); for import into an empty place.
    fn import(&mut self, record: &Record, is_current: bool) -> Result<()>;
}
