//! Access to facts that cite code, to what happened to them, and to verifications that are kept.

use crate::facts::code::ObjectId;
use crate::facts::fact::{Fact, FactEvent, FactEventKind, FactTally, KeptVerdict};
use crate::record::RecordState;
use crate::{MemoryId, RecordId, RepositoryId, Result, Timestamp};

/// Which facts, by who vouches for their citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactChoice {
    /// Those that somebody stored.
    Stored,
    /// Those whose citations are only proposed.
    Proposed,
    /// Both.
    Both,
}

impl FactChoice {
    /// The values of [`Fact::proposed`] that are meant.
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
    /// The memory.
    pub memory: MemoryId,
    /// The repository.
    pub repository: RepositoryId,
    /// In these states.
    pub statuses: Vec<RecordState>,
    /// Stored ones, proposed ones, or both.
    pub choice: FactChoice,
    /// Behind this one.
    pub after: Option<(Timestamp, RecordId)>,
    /// At most so many.
    pub limit: usize,
}

/// Which paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathChoice {
    /// This one.
    Exact(String),
    /// Those that begin so, byte for byte; empty for all.
    Prefix(String),
}

/// How many facts of a repository stand where, and the times that statistics show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactSums {
    /// By state; proposed ones are left out.
    pub by_status: Vec<(RecordState, u64)>,
    /// Sum of the verifications of active ones.
    pub verifications: u64,
    /// Sum of the rejections of all.
    pub rejections: u64,
    /// Sum of the uses of all.
    pub applied: u64,
    /// The last confirmation.
    pub refreshed_last: Option<Timestamp>,
    /// The first and the last that was stored.
    pub created: Option<(Timestamp, Timestamp)>,
}

/// The table of facts. Every fact is a record of the same memory; the record's own rows are the caller's to write, before
/// the fact's and in the same transaction. Where the content of a record is erased, its fact goes with it: with its paths,
/// citations and kept verifications.
pub trait Facts {
    /// One.
    fn get(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>>;
    /// Many at once; absent ones are left out, the order is that of `records`.
    fn get_many(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>>;
    /// The active, not proposed one with this content.
    fn active_with(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Option<RecordId>>;
    /// Those with this content, in whatever state but erased, by record.
    fn with_content(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Vec<Fact>>;
    /// A page.
    fn list(&self, page: &FactPage) -> Result<Vec<Fact>>;
    /// Records of the repository with such a path ([`Fact::paths`]) and the paths that fit, by path and record; at most
    /// `limit` rows behind `after`.
    fn with_path(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        paths: &PathChoice,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<(String, RecordId)>>;
    /// How many stand so, proposed ones left out: by an index alone, for every store of a fact asks.
    fn count(&self, memory: &MemoryId, repository: &RepositoryId, status: RecordState) -> Result<u64>;
    /// Of each state in which some stand, proposed ones left out: how many, and when the last was confirmed; by state. By an index
    /// alone, for who listens asks again and again.
    fn by_status(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
    ) -> Result<Vec<(RecordState, u64, Timestamp)>>;
    /// Counts and sums: every fact of the repository is read.
    fn sums(&self, memory: &MemoryId, repository: &RepositoryId) -> Result<FactSums>;
    /// Of all memories: active facts that expired by `now`, proposed ones too, by time; ties in an order of the store's own.
    /// It costs what it finds.
    fn expired_by(&self, now: Timestamp, limit: usize) -> Result<Vec<(MemoryId, RecordId)>>;
    /// Writes one, new or changed, with its paths. A second active, not proposed one with the same content is a conflict; one
    /// without citations is a bug; one of a record that is not there is not found.
    fn put(&mut self, fact: &Fact) -> Result<()>;
    /// Counts one more retrieval of each; absent ones are passed over.
    fn count_retrieved(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()>;
}

/// What happened to facts. Retention removes what is older than [`crate::limits::TELEMETRY_DAYS_DEFAULT`], but for what says
/// how a fact that is there came to stand where it stands ([`FactEventKind::is_kept`]). Where a fact is erased its events stay,
/// without [`FactEvent::details`], until they are that old.
pub trait FactEvents {
    /// Adds rows. One of an id that is there already is a conflict.
    fn append(&mut self, events: &[FactEvent]) -> Result<()>;
    /// Replaces the principal, agent, session, reference, cause and details of an event.
    fn rewrite(&mut self, event: &FactEvent) -> Result<()>;
    /// One by its id.
    fn get(&self, memory: &MemoryId, id: &str) -> Result<Option<FactEvent>>;
    /// Of a record, newest first, ties by id descending, at most `limit`.
    fn of_record(&self, memory: &MemoryId, record: &RecordId, limit: usize) -> Result<Vec<FactEvent>>;
    /// Of a record those that are kept ([`FactEventKind::is_kept`]), oldest first, ties by id: how it came to stand where it
    /// stands.
    fn history(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<FactEvent>>;
    /// The newest of a record of one of these kinds, not before `since` and not of this cause, ties by id descending.
    fn newest(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        kinds: &[FactEventKind],
        since: Timestamp,
        but_of: Option<&str>,
    ) -> Result<Option<FactEvent>>;
    /// How many of a repository are alike, not before `since`; by kind, verdict, cause.
    fn tallies(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<FactTally>>;
    /// Records that are facts, or of which something is told, by id, behind `after`, at most `limit`.
    fn records(&self, memory: &MemoryId, after: Option<&RecordId>, limit: usize) -> Result<Vec<RecordId>>;
    /// How many of each kind a record has, by kind; kinds without any are left out.
    fn counts(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<(FactEventKind, u64)>>;
    /// Those of no record, by id, behind `after`, at most `limit`.
    fn of_no_record(&self, memory: &MemoryId, after: Option<&str>, limit: usize) -> Result<Vec<FactEvent>>;
    /// Durations of the repository's newest verifications, whatever they found, not before `since`, newest first, at most
    /// `limit`.
    fn durations_ms(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<u32>>;
}

/// Verifications that are kept: derived, can be removed at any time.
pub trait Verdicts {
    /// Those of these digests at this commit; absent ones are left out.
    fn get_many(&self, memory: &MemoryId, digests: &[String], commit: &ObjectId) -> Result<Vec<KeptVerdict>>;
    /// Those of a record, by time, ties by digest.
    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<KeptVerdict>>;
    /// Writes them; one that is there already stays.
    fn put(&mut self, memory: &MemoryId, verdicts: &[KeptVerdict]) -> Result<()>;
    /// Removes the verdicts of a record; how many.
    fn remove_of_record(&mut self, memory: &MemoryId, record: &RecordId) -> Result<u64>;
    /// Of all memories: removes those made before `before`, at most `limit`; how many.
    fn remove_before(&mut self, before: Timestamp, limit: usize) -> Result<u64>;
}
