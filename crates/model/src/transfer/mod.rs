//! What a store holds, as rows that every store can write down and take in: for moving all of it from one store to another.
//! Two stores that hold the same say the same rows in the same order; their digests are compared.
//!
//! Not here, because it is derived or only of one server: indexes, kept verifications of code, leases, probes. How rows are copied and compared is the
//! engine's matter. `events`: sessions and what happened in them; `records`: what is remembered; here: what names them.

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
    /// The kinds of rows, in the order in which they are moved: none needs a later one.
    TransferKind {
        /// The memory itself with its counters: one row.
        Memory = "memory",
        /// Namespaces by strategy, with the sequence of their last change.
        Groups = "groups",
        /// Sessions with their branches, and how far strategies have read them.
        Sessions = "sessions",
        /// Places of removed events.
        Places = "places",
        /// Turns of clients' runs.
        Turns = "turns",
        /// Events, hidden and deleted ones too.
        Events = "events",
        /// Current versions of records in every state, with their vectors.
        Records = "records",
        /// Earlier versions.
        Versions = "versions",
        /// Changes of state.
        Changes = "changes",
        /// Repositories with their names.
        Repositories = "repositories",
        /// Facts that cite code, with their paths.
        Facts = "facts",
        /// What happened to them.
        FactEvents = "fact_events",
        /// Tasks of coding agents.
        Tasks = "tasks",
        /// What coding agents were shown.
        Exposures = "exposures",
        /// Commits that were reported for them.
        Commits = "commits",
        /// Versions of prompts.
        Prompts = "prompts",
        /// Sessions of tasks.
        TaskSessions = "task_sessions",
        /// What was said in them.
        SessionItems = "session_items",
        /// Entries of the ledger.
        Ledger = "ledger",
        /// What agents parked.
        Objects = "objects",
        /// Idempotency tokens.
        Tokens = "tokens",
        /// Jobs in every state; what runs is pending.
        Jobs = "jobs",
        /// Exchanges with language models.
        Exchanges = "exchanges",
        /// Deliveries, in and out.
        Deliveries = "deliveries",
        /// Access keys.
        Keys = "keys",
    }
}

impl TransferKind {
    /// What a memory has, without the memory itself.
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

    /// What belongs to no memory.
    pub const OF_SERVER: &'static [Self] = &[Self::Tokens, Self::Keys];
}

/// Whose rows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransferPlace {
    /// What belongs to no memory.
    Server,
    /// Of this memory.
    Memory(MemoryId),
}

/// A member of a [`TransferKey`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyPart {
    /// Ordered as a number.
    Number(i64),
    /// Ordered by its bytes.
    Text(String),
    /// Ordered by themselves.
    Bytes(Vec<u8>),
}

/// Which row of its place and kind: the same in every store. Rows come in the order of their keys, except exchanges and
/// deliveries, which come in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferKey(pub Vec<KeyPart>);

/// A row and its key.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferRow {
    /// Which.
    pub key: TransferKey,
    /// What it holds.
    pub moved: Moved,
}

/// A memory with what it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedMemory {
    /// As configured.
    pub memory: Memory,
    /// Sequence of its last change of a record.
    pub sequence: u64,
    /// Arrival number of its last event.
    pub arrival: u64,
}

/// What a token answered. The token itself is known as a digest only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedToken {
    /// Of place, operation and token.
    pub digest: Vec<u8>,
    /// Digest of the parameters.
    pub parameters: String,
    /// What was answered.
    pub answer: Document,
    /// Forgotten after this.
    pub expires: Timestamp,
}

/// What a row holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Moved {
    /// The memory.
    Memory(Box<MovedMemory>),
    /// A group.
    Group(MovedGroup),
    /// A session.
    Session(Box<MovedSession>),
    /// A place.
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
    /// Something that happened to one.
    FactEvent(Box<FactEvent>),
    /// A task.
    Task(Box<Task>),
    /// What an agent was shown.
    Exposure(Box<Exposure>),
    /// A commit.
    Commit(Box<TaskCommit>),
    /// A version of a prompt.
    Prompt(Box<PromptVersion>),
    /// A session of a task.
    TaskSession(Box<TaskSession>),
    /// What was said in one.
    SessionItem(Box<SessionItem>),
    /// An entry of the ledger.
    Ledger(Box<LedgerEntry>),
    /// What an agent parked.
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
    /// A job as it is moved: nobody runs it elsewhere, so that it is pending again, and due since it was taken at the latest.
    pub fn job(mut job: Job) -> Self {
        if job.state == JobState::Running {
            job.state = JobState::Pending;
            job.due = job.due.min(job.updated_at);
        }
        job.lease_host = None;
        job.lease_until = None;
        Self::Job(Box::new(job))
    }

    /// The same without zero characters in columns of plain text, which not every store can hold. Where JSON is kept, they
    /// stay.
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

    /// The form that digests are made of.
    ///
    /// # Errors
    /// A bug, where a noun cannot be written.
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

    /// About how many bytes it holds: what pages are cut by.
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
