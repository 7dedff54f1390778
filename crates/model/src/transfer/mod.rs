//! The data of a store as rows that every store can write and load, for moving all of it from one
//! store to another. Two stores with the same data return the same rows in the same order; their
//! digests are compared.
//!
//! Derived data and data of a single server are excluded: indexes, stored verifications of code,
//! leases, probes. The engine copies and compares the rows. `events` holds rows of sessions and
//! their events, `records` holds rows of records, and this module holds the types that combine
//! them.

mod events;
mod records;

use serde::{Deserialize, Serialize};

pub use events::{MovedEvent, MovedPlace, MovedProgress, MovedSession, MovedTurn};
pub use records::{MovedChange, MovedGroup, MovedRecord, MovedVector, MovedVersion};

use crate::delivery::Delivery;
use crate::facts::fact::{Fact, FactEvent};
use crate::facts::repository::Repository;
use crate::job::exchange::Exchange;
use crate::job::{Job, JobState};
use crate::ledger::LedgerEntry;
use crate::memory::Memory;
use crate::principal::key::AccessKey;
use crate::tasks::commit::TaskCommit;
use crate::tasks::exposure::Exposure;
use crate::tasks::prompt_version::PromptVersion;
use crate::tasks::task::Task;
use crate::tasks::task_session::{SessionItem, TaskSession};
use crate::trees::parked_object::ParkedObject;
use crate::words::closed_words;
use crate::{Document, Error, MemoryId, Result, Timestamp};

closed_words! {
    /// The kinds of rows, in the order in which they are moved: no kind needs a later one.
    TransferKind {
        /// The memory itself with its counters: one row.
        Memory = "memory",
        /// Namespaces by strategy, with the sequence of their last change.
        Groups = "groups",
        /// Sessions with their branches, and the progress of strategies.
        Sessions = "sessions",
        /// Indexes of removed events.
        Places = "places",
        /// Turns of clients' runs.
        Turns = "turns",
        /// Events, including hidden and deleted ones.
        Events = "events",
        /// Current versions of records in every state, with their vectors.
        Records = "records",
        /// Earlier versions of records.
        Versions = "versions",
        /// Changes of state.
        Changes = "changes",
        /// Repositories with their names.
        Repositories = "repositories",
        /// Facts that cite code, with their paths.
        Facts = "facts",
        /// Events of facts.
        FactEvents = "fact_events",
        /// Tasks of coding agents.
        Tasks = "tasks",
        /// Exposures of coding agents.
        Exposures = "exposures",
        /// Commits that were reported for tasks.
        Commits = "commits",
        /// Versions of prompts.
        Prompts = "prompts",
        /// Sessions of tasks.
        TaskSessions = "task_sessions",
        /// Items of sessions.
        SessionItems = "session_items",
        /// Entries of the ledger.
        Ledger = "ledger",
        /// Parked objects of agents.
        Objects = "objects",
        /// Idempotency tokens.
        Tokens = "tokens",
        /// Jobs in every state; running ones are pending.
        Jobs = "jobs",
        /// Exchanges with language models.
        Exchanges = "exchanges",
        /// Deliveries, incoming and outgoing.
        Deliveries = "deliveries",
        /// Access keys.
        Keys = "keys",
    }
}

impl TransferKind {
    /// The kinds of a memory, without the memory itself.
    pub const OF_MEMORY: &'static [Self] = &[
        Self::Groups,
        Self::Sessions,
        Self::Places,
        Self::Turns,
        Self::Events,
        Self::Records,
        Self::Versions,
        Self::Changes,
        Self::Repositories,
        Self::Facts,
        Self::FactEvents,
        Self::Tasks,
        Self::Exposures,
        Self::Commits,
        Self::Prompts,
        Self::TaskSessions,
        Self::SessionItems,
        Self::Ledger,
        Self::Objects,
        Self::Tokens,
        Self::Jobs,
        Self::Exchanges,
        Self::Deliveries,
    ];

    /// The kinds that belong to no memory.
    pub const OF_SERVER: &'static [Self] = &[Self::Tokens, Self::Keys];
}

/// The owner of rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransferPlace {
    /// The server: rows that belong to no memory.
    Server,
    /// This memory.
    Memory(MemoryId),
}

/// A member of a [`TransferKey`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyPart {
    /// A number, ordered as a number.
    Number(i64),
    /// A text, ordered by its bytes.
    Text(String),
    /// Bytes, ordered as bytes.
    Bytes(Vec<u8>),
}

/// The key of a row in its place and kind, equal in every store. Rows are ordered by their keys,
/// except exchanges and deliveries, which are ordered by creation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferKey(pub Vec<KeyPart>);

/// A row and its key.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferRow {
    /// The key.
    pub key: TransferKey,
    /// The content.
    pub moved: Moved,
}

/// A memory with its counters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedMemory {
    /// The configuration.
    pub memory: Memory,
    /// Sequence of the memory's last change of a record.
    pub sequence: u64,
    /// Arrival number of the memory's last event.
    pub arrival: u64,
}

/// The response to a token. The token itself is known only by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedToken {
    /// Digest of place, operation and token.
    pub digest: Vec<u8>,
    /// Digest of the parameters.
    pub parameters: String,
    /// The response.
    pub answer: Document,
    /// The time after which the response is deleted.
    pub expires: Timestamp,
}

/// The content of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Moved {
    /// The memory.
    Memory(Box<MovedMemory>),
    /// A group.
    Group(MovedGroup),
    /// A session.
    Session(Box<MovedSession>),
    /// The greatest index of a millisecond.
    Place(MovedPlace),
    /// A turn.
    Turn(MovedTurn),
    /// An event.
    Event(Box<MovedEvent>),
    /// A record.
    Record(Box<MovedRecord>),
    /// An earlier version.
    Version(Box<MovedVersion>),
    /// A change of state.
    Change(Box<MovedChange>),
    /// A repository.
    Repository(Box<Repository>),
    /// A fact.
    Fact(Box<Fact>),
    /// An event of a fact.
    FactEvent(Box<FactEvent>),
    /// A task.
    Task(Box<Task>),
    /// An exposure.
    Exposure(Box<Exposure>),
    /// A commit.
    Commit(Box<TaskCommit>),
    /// A version of a prompt.
    Prompt(Box<PromptVersion>),
    /// A session of a task.
    TaskSession(Box<TaskSession>),
    /// An item of a session.
    SessionItem(Box<SessionItem>),
    /// An entry of the ledger.
    Ledger(Box<LedgerEntry>),
    /// A parked object.
    Object(Box<ParkedObject>),
    /// A token.
    Token(Box<MovedToken>),
    /// A job.
    Job(Box<Job>),
    /// An exchange.
    Exchange(Box<Exchange>),
    /// A delivery.
    Delivery(Box<Delivery>),
    /// An access key.
    Key(Box<AccessKey>),
}

impl Moved {
    /// Returns the row of a job. A running job becomes pending, because no process runs it in the
    /// new store. It is due at the latest since it was taken.
    pub fn job(mut job: Job) -> Self {
        if job.state == JobState::Running {
            job.state = JobState::Pending;
            job.due = job.due.min(job.updated_at);
        }
        job.lease_host = None;
        job.lease_until = None;
        Self::Job(Box::new(job))
    }

    /// Returns the row without zero characters in plain text columns, which not every store can
    /// hold. JSON columns keep them.
    #[must_use]
    pub fn shared(mut self) -> Self {
        match &mut self {
            Self::Turn(row) => plain([&mut row.run, &mut row.digest]),
            Self::Change(row) => plain([&mut row.change.reason, &mut row.change.by]),
            Self::Fact(row) => plain([&mut row.content_hash]),
            Self::FactEvent(row) => {
                plain([&mut row.principal]);
                let labels = [&mut row.agent, &mut row.session, &mut row.reference, &mut row.cause];
                plain(labels.into_iter().flatten());
            }
            Self::Job(row) => plain(row.failure_reason.as_mut()),
            Self::Exchange(row) => {
                plain([&mut row.grammar, &mut row.system, &mut row.input]);
                plain(row.leased_by.iter_mut().chain(row.model.as_mut()));
            }
            Self::Delivery(row) => {
                plain([&mut row.target, &mut row.order_key]);
                plain(row.last_error.as_mut());
            }
            Self::Memory(_)
            | Self::Group(_)
            | Self::Session(_)
            | Self::Place(_)
            | Self::Event(_)
            | Self::Record(_)
            | Self::Version(_)
            | Self::Repository(_)
            | Self::Task(_)
            | Self::Exposure(_)
            | Self::Commit(_)
            | Self::Prompt(_)
            | Self::TaskSession(_)
            | Self::SessionItem(_)
            | Self::Ledger(_)
            | Self::Object(_)
            | Self::Token(_)
            | Self::Key(_) => {}
        }
        self
    }

    /// Returns the form for digests.
    ///
    /// # Errors
    /// A bug, if a noun cannot be serialised.
    pub fn document(&self) -> Result<Vec<u8>> {
        let written = match self {
            Self::Memory(row) => serde_json::to_vec(row),
            Self::Group(row) => serde_json::to_vec(row),
            Self::Session(row) => serde_json::to_vec(row),
            Self::Place(row) => serde_json::to_vec(row),
            Self::Turn(row) => serde_json::to_vec(row),
            Self::Event(row) => serde_json::to_vec(row),
            Self::Record(row) => serde_json::to_vec(row),
            Self::Version(row) => serde_json::to_vec(row),
            Self::Change(row) => serde_json::to_vec(row),
            Self::Repository(row) => serde_json::to_vec(row),
            Self::Fact(row) => serde_json::to_vec(row),
            Self::FactEvent(row) => serde_json::to_vec(row),
            Self::Task(row) => serde_json::to_vec(row),
            Self::Exposure(row) => serde_json::to_vec(row),
            Self::Commit(row) => serde_json::to_vec(row),
            Self::Prompt(row) => serde_json::to_vec(row),
            Self::TaskSession(row) => serde_json::to_vec(row),
            Self::SessionItem(row) => serde_json::to_vec(row),
            Self::Ledger(row) => serde_json::to_vec(row),
            Self::Object(row) => serde_json::to_vec(&(&row.head, &row.content)),
            Self::Token(row) => serde_json::to_vec(row),
            Self::Job(row) => serde_json::to_vec(row),
            Self::Exchange(row) => serde_json::to_vec(row),
            Self::Delivery(row) => serde_json::to_vec(row),
            Self::Key(row) => serde_json::to_vec(row),
        };
        written.map_err(|error| Error::bug("a row that cannot be written").caused_by(error))
    }

    /// Returns the approximate size in bytes, which determines the pages.
    pub fn bytes(&self) -> usize {
        const SMALL: usize = 256;
        SMALL
            + match self {
                Self::Event(row) => row.bytes(),
                Self::Record(row) => row.bytes(),
                Self::Version(row) => row.record.text.len(),
                Self::Fact(row) => row.bytes(),
                Self::Token(row) => row.answer.as_str().len(),
                Self::Exchange(row) => {
                    let reply = row.reply.as_ref().map_or(0, |reply| reply.text.len());
                    row.system.len() + row.input.len() + reply
                }
                Self::Delivery(row) => row.body.as_str().len(),
                Self::Task(row) => row.description.len(),
                Self::Exposure(row) => row.records.len() * SMALL,
                Self::Prompt(row) => row.text.len() + row.overrides.as_str().len(),
                Self::TaskSession(row) => row.state.as_ref().map_or(0, |state| state.as_str().len()),
                Self::SessionItem(row) => row.text.as_ref().map_or(0, String::len),
                Self::Ledger(row) => row.body.as_str().len(),
                Self::Object(row) => row.content.len(),
                Self::Memory(_)
                | Self::Group(_)
                | Self::Session(_)
                | Self::Place(_)
                | Self::Turn(_)
                | Self::Change(_)
                | Self::Repository(_)
                | Self::FactEvent(_)
                | Self::Commit(_)
                | Self::Job(_)
                | Self::Key(_) => 0,
            }
    }
}

fn plain<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        if text.contains('\0') {
            *text = text.replace('\0', "\u{fffd}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_moved_once() {
        let mut all: Vec<TransferKind> = vec![TransferKind::Memory];
        all.extend(TransferKind::OF_MEMORY);
        all.push(TransferKind::Keys);
        assert_eq!(all, TransferKind::ALL);
    }
}
