//! Access to facts that cite code, to their events, and to stored verifications.

use crate::facts::code::ObjectId;
use crate::facts::fact::{Fact, FactEvent, FactEventKind, FactTally, KeptVerdict};
use crate::record::RecordState;
use crate::{MemoryId, RecordId, RepositoryId, Result, Timestamp};

/// A selection of facts by the status of their citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactChoice {
    /// Facts that a caller stored.
    Stored,
    /// Facts whose citations are only proposed.
    Proposed,
    /// All facts.
    Both,
}

impl FactChoice {
    /// Returns the selected values of [`Fact::proposed`].
    pub fn proposed(self) -> &'static [bool] {
        match self {
            Self::Stored => &[false],
            Self::Proposed => &[true],
            Self::Both => &[false, true],
        }
    }
}

/// A page of facts: confirmed last first, ties by record id ascending.
#[derive(Debug, Clone)]
pub struct FactPage {
    /// The memory whose facts to return.
    pub memory: MemoryId,
    /// Only facts of this repository.
    pub repository: RepositoryId,
    /// Only facts in these states.
    pub statuses: Vec<RecordState>,
    /// Stored ones, proposed ones, or both.
    pub choice: FactChoice,
    /// Only facts after this one.
    pub after: Option<(Timestamp, RecordId)>,
    /// Maximum number of facts.
    pub limit: usize,
}

/// A selection of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChoice {
    /// Only this path.
    Exact(String),
    /// Paths with this prefix, byte for byte; empty for all.
    Prefix(String),
}

/// Counts of a repository's facts by state, and the times for statistics.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactSums {
    /// Counts by state, without proposed ones.
    pub by_status: Vec<(RecordState, u64)>,
    /// Sum of the verifications of active facts.
    pub verifications: u64,
    /// Sum of the rejections of all facts.
    pub rejections: u64,
    /// Sum of the uses of all facts.
    pub applied: u64,
    /// Time of the last confirmation.
    pub refreshed_last: Option<Timestamp>,
    /// Times of the first and the last stored fact.
    pub created: Option<(Timestamp, Timestamp)>,
}

/// The table of facts. Every fact is a record of the same memory. The caller writes the record's
/// own rows before the fact's, in the same transaction. The erasure of a record's content also
/// removes its fact, with its paths, citations and stored verifications.
pub trait Facts {
    /// Returns a fact.
    fn get(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>>;
    /// Returns several facts in the order of `records`; absent ones are left out.
    fn get_many(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>>;
    /// Returns the active fact with this content that is not proposed.
    fn active_with(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Option<RecordId>>;
    /// Returns the facts with this content in any state but erased, by record.
    fn with_content(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Vec<Fact>>;
    /// Returns a page of facts.
    fn list(&self, page: &FactPage) -> Result<Vec<Fact>>;
    /// Returns the records of the repository with such a path ([`Fact::paths`]) and the matching
    /// paths, by path and record; at most `limit` rows after `after`.
    fn with_path(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        paths: &PathChoice,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<(String, RecordId)>>;
    /// Returns the number of facts in a state, without proposed ones. It uses only an index,
    /// because every store of a fact needs it.
    fn count(&self, memory: &MemoryId, repository: &RepositoryId, status: RecordState) -> Result<u64>;
    /// Returns the number of facts and the time of the last confirmation for each state, without
    /// proposed facts and empty states; by state. It uses only an index, because a subscriber
    /// requests it often.
    fn by_status(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
    ) -> Result<Vec<(RecordState, u64, Timestamp)>>;
    /// Returns counts and sums, and reads every fact of the repository.
    fn sums(&self, memory: &MemoryId, repository: &RepositoryId) -> Result<FactSums>;
    /// Returns the active facts of all memories that expired by `now`, including proposed ones, by
    /// time; ties in the store's own order. The cost is proportional to the result.
    fn expired_by(&self, now: Timestamp, limit: usize) -> Result<Vec<(MemoryId, RecordId)>>;
    /// Writes a new or changed fact with its paths. A second active, not proposed fact with the
    /// same content is a conflict; one without citations is a bug; one without its record is not
    /// found.
    fn put(&mut self, fact: &Fact) -> Result<()>;
    /// Counts one more retrieval of each record; absent ones are ignored.
    fn count_retrieved(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()>;
}

/// Events of facts. Retention removes events older than [`crate::limits::TELEMETRY_DAYS_DEFAULT`],
/// except those that explain the state of an existing fact ([`FactEventKind::is_kept`]). The events
/// of an erased fact stay until that age without [`FactEvent::details`].
pub trait FactEvents {
    /// Adds rows. A row with an existing id is a conflict.
    fn append(&mut self, events: &[FactEvent]) -> Result<()>;
    /// Replaces the principal, agent, session, reference, cause and details of an event.
    fn rewrite(&mut self, event: &FactEvent) -> Result<()>;
    /// Returns an event by its id.
    fn get(&self, memory: &MemoryId, id: &str) -> Result<Option<FactEvent>>;
    /// Returns at most `limit` events of a record, newest first, ties by id descending.
    fn of_record(&self, memory: &MemoryId, record: &RecordId, limit: usize) -> Result<Vec<FactEvent>>;
    /// Returns the kept events of a record ([`FactEventKind::is_kept`]), oldest first, ties by id.
    /// They explain its state.
    fn history(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<FactEvent>>;
    /// Returns the newest event of a record of one of these kinds, not before `since` and not of
    /// this cause, ties by id descending.
    fn newest(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        kinds: &[FactEventKind],
        since: Timestamp,
        but_of: Option<&str>,
    ) -> Result<Option<FactEvent>>;
    /// Returns the numbers of equal events of a repository, not before `since`; by kind, verdict,
    /// cause.
    fn tallies(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<FactTally>>;
    /// Returns at most `limit` records after `after` that are facts or have events, by id.
    fn records(&self, memory: &MemoryId, after: Option<&RecordId>, limit: usize) -> Result<Vec<RecordId>>;
    /// Returns the number of events of a record for each kind, by kind, without empty kinds.
    fn counts(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<(FactEventKind, u64)>>;
    /// Returns at most `limit` events without a record after `after`, by id.
    fn of_no_record(&self, memory: &MemoryId, after: Option<&str>, limit: usize) -> Result<Vec<FactEvent>>;
    /// Returns at most `limit` durations of the repository's newest verifications of any verdict,
    /// not before `since`, newest first.
    fn durations_ms(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<u32>>;
}

/// Stored verifications: derived data that can be removed at any time.
pub trait Verdicts {
    /// Returns the verifications of these digests at this commit; absent ones are left out.
    fn get_many(&self, memory: &MemoryId, digests: &[String], commit: &ObjectId) -> Result<Vec<KeptVerdict>>;
    /// Returns the verifications of a record, by time, ties by digest.
    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<KeptVerdict>>;
    /// Writes verifications; existing ones stay.
    fn put(&mut self, memory: &MemoryId, verdicts: &[KeptVerdict]) -> Result<()>;
    /// Removes the verdicts of a record; returns their number.
    fn remove_of_record(&mut self, memory: &MemoryId, record: &RecordId) -> Result<u64>;
    /// Removes at most `limit` verifications of all memories from before `before`; returns their
    /// number.
    fn remove_before(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
}
