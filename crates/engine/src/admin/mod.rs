//! Administration operations: forget an actor, export, import, backup, moving a store, and the
//! checks of `doctor`. One file per operation. `erasure` finds and removes the data of a person in
//! a memory.

mod backup;
mod erase;
mod erased_import;
pub mod erasure;
mod export;
mod forget;
mod import;
mod import_run;
mod latency;
mod probe;
mod transfer;
mod unreadable_rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_model::event::Event;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerEntry;
use loci_model::memory::Memory;
use loci_model::record::Record;
use loci_model::record::telemetry::StateChange;
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::exposure::Exposure;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::trees::parked_object::ObjectHead;
use loci_model::{
    ActorId, ExposureId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

pub use crate::admin::erasure::Holdings;

pub use forget::ForgetContext;
pub use forget::{ForgetAsk, actor_of_person};
pub use import::EXPORT_FORMAT;
pub use import_run::ImportPart;
pub use probe::ProviderProbe;
pub use transfer::{
    KindSums, OnTransfer, PlaceReport, Transfer, TransferOutcome, TransferProgress, TransferReport,
    TransferStep, TransferSum,
};

/// An object that an agent stored for a person, in an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedObject {
    /// The attributes of the object.
    pub head: ObjectHead,
    /// The actor to whom the object belongs.
    pub actor: ActorId,
    /// The content of the object if it is valid UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The content of the object in hex if it is not valid UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
}

/// One line of an export, with all data that an import needs to write the item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExportLine {
    /// The first line, which describes the file.
    Header {
        /// The version of the export format.
        format: u32,
        /// The time at which the export began.
        exported_at: Timestamp,
    },
    /// A memory with its configuration; precedes its content.
    Memory {
        /// The memory.
        memory: Box<Memory>,
    },
    /// A repository about whose code the memory has facts.
    Repository {
        /// The repository.
        repository: Box<Repository>,
    },
    /// A task of a coding agent.
    Task {
        /// The task.
        task: Box<Task>,
    },
    /// An exposure: the records that a coding agent was shown for a task.
    Exposure {
        /// The exposure.
        exposure: Box<Exposure>,
    },
    /// A commit that was reported for a task.
    Commit {
        /// The commit.
        commit: Box<TaskCommit>,
    },
    /// A session of a task.
    TaskSession {
        /// The session.
        session: Box<TaskSession>,
    },
    /// An item of a task session.
    SessionItem {
        /// The item.
        item: Box<SessionItem>,
    },
    /// A version of a prompt of a coding agent.
    Prompt {
        /// The version.
        prompt: Box<PromptVersion>,
    },
    /// An event.
    Event {
        /// The event.
        event: Box<Event>,
    },
    /// One version of a record.
    Record {
        /// The version.
        record: Box<Record>,
        /// True for the current version.
        current: bool,
    },
    /// A change of the state of the record in the preceding lines.
    Change {
        /// The change.
        change: StateChange,
    },
    /// The fact that belongs to the preceding record, if the record cites code.
    Fact {
        /// The fact.
        fact: Box<Fact>,
    },
    /// An event in the history of the preceding fact.
    FactEvent {
        /// The entry.
        event: Box<FactEvent>,
    },
    /// An entry of the ledger: a review, an outcome, a conflict, or other small data.
    Ledger {
        /// The entry.
        entry: Box<LedgerEntry>,
    },
    /// An object that an agent stored for a person. Only the export of a person contains objects.
    Object {
        /// The object.
        object: Box<ExportedObject>,
    },
    /// The last line, with counts by which an import detects a truncated file.
    End {
        /// The number of memories in the file.
        memories: u64,
        /// The number of events in the file.
        events: u64,
        /// The number of record versions in the file.
        records: u64,
    },
}

impl ExportLine {
    /// Returns the memory of a line that may contain names of people; `None` for a line that
    /// cannot.
    pub(crate) fn memory(&self) -> Option<&MemoryId> {
        match self {
            Self::Repository { repository } => Some(&repository.memory),
            Self::Task { task } => Some(&task.memory),
            Self::Commit { commit } => Some(&commit.memory),
            Self::TaskSession { session } => Some(&session.memory),
            Self::SessionItem { item } => Some(&item.memory),
            Self::Event { event } => Some(&event.memory),
            Self::Record { record, .. } => Some(&record.memory),
            Self::Change { change } => Some(&change.memory),
            Self::Fact { fact } => Some(&fact.memory),
            Self::FactEvent { event } => Some(&event.memory),
            Self::Ledger { entry } => Some(&entry.memory),
            Self::Header { .. }
            | Self::Memory { .. }
            | Self::Exposure { .. }
            | Self::Prompt { .. }
            | Self::Object { .. }
            | Self::End { .. } => None,
        }
    }

    /// Returns the kind under which import reports count the line.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Header { .. } => "headers",
            Self::Memory { .. } => "memories",
            Self::Repository { .. } => "repositories",
            Self::Task { .. } => "tasks",
            Self::Exposure { .. } => "exposures",
            Self::Commit { .. } => "commits",
            Self::TaskSession { .. } => "task sessions",
            Self::SessionItem { .. } => "session items",
            Self::Prompt { .. } => "prompts",
            Self::Event { .. } => EVENTS,
            Self::Record { .. } => RECORDS,
            Self::Change { .. } => "state changes",
            Self::Fact { .. } => "facts",
            Self::FactEvent { .. } => "fact events",
            Self::Ledger { .. } => "ledger entries",
            Self::Object { .. } => "parked objects",
            Self::End { .. } => "ends",
        }
    }
}

/// The part of a memory that an export contains.
#[derive(Debug, Clone, Default)]
pub struct ExportPart {
    /// Restricts the export to records in this namespace and its subtree, and to data of the
    /// namespace's actor without conversations: no events, sessions or exposures. `None` for no
    /// restriction.
    pub namespace: Option<Namespace>,
    /// Restricts the export to the memory's data about a person. `None` for no restriction.
    pub person: Option<Arc<Holdings>>,
}

impl ExportPart {
    /// Returns true if the export contains the data of an actor.
    pub(crate) fn is_of(&self, actor: &ActorId) -> bool {
        self.person.as_ref().is_none_or(|held| held.person.is_actor(actor))
    }

    /// Returns true if the export contains the records of a namespace.
    pub(crate) fn holds(&self, namespace: &Namespace) -> bool {
        self.namespace.as_ref().is_none_or(|root| {
            NamespaceFilter::new(root, NamespaceMatch::Subtree).admits_normal(&namespace.normal())
        })
    }

    /// Returns the actor of the exported namespace: the repository of the namespace, or its only
    /// segment; `None` if there is no such actor.
    pub(crate) fn actor(&self) -> Option<ActorId> {
        let normal = self.namespace.as_ref()?.normal();
        let parts: Vec<&str> = normal.trim_matches('/').splitn(3, '/').take(2).collect();
        ActorId::parse(parts.join("/")).ok()
    }
}

/// The position at which the next page of an export starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExportCursor {
    /// The beginning.
    #[default]
    Start,
    /// In the repositories of a memory, after this key.
    Repositories(Option<String>),
    /// In the tasks of a memory, after this task.
    Tasks(Option<(Timestamp, TaskId)>),
    /// In the exposures of a memory, after this exposure.
    Exposures(Option<ExposureId>),
    /// In the commits of a memory, after this commit.
    Commits(Option<(ActorId, ObjectId)>),
    /// In the prompt versions of a memory, after this version.
    Prompts(Option<(Timestamp, String)>),
    /// In the task sessions of a memory, after this session.
    TaskSessions(Option<TaskId>),
    /// In the items of task sessions, after this item.
    SessionItems(Option<(TaskId, u64)>),
    /// In the events of a memory, after this position in the order of arrival.
    Events(u64),
    /// In the records of a memory, after this version.
    Records(Option<(RecordId, u32)>),
    /// In the objects parked for a person, after this key.
    Objects(Option<String>),
    /// In the ledger of a memory, on the shelf of that number, after the entry of that time and
    /// key.
    Ledger(usize, Option<(Timestamp, String)>),
    /// The end.
    End,
}

/// The kind of events in an import report.
const EVENTS: &str = "events";
/// The kind of record versions in an import report.
const RECORDS: &str = "record versions";

/// The result of an import: numbers of written and omitted items.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportReport {
    /// The number of memories that the import created.
    pub memories: u64,
    /// The number of events that the import wrote.
    pub events: u64,
    /// The number of record versions that the import wrote.
    pub records: u64,
    /// The number of events that were omitted because they were erased in this store.
    #[serde(default)]
    pub erased_events: u64,
    /// The number of record versions that were omitted because their records were erased in this
    /// store.
    #[serde(default)]
    pub erased_records: u64,
    /// The time of the latest erasure that affected a line; `None` if no line was affected.
    #[serde(default)]
    pub erased_at: Option<Timestamp>,
    /// The number of lines of each kind that were omitted or changed because of an erasure.
    #[serde(default)]
    pub erased_kinds: BTreeMap<String, u64>,
}

impl ImportReport {
    /// Counts a line that the import omits.
    fn leave_out(&mut self, kind: &'static str, at: Timestamp) {
        self.erased_at = self.erased_at.max(Some(at));
        match kind {
            EVENTS => self.erased_events += 1,
            RECORDS => self.erased_records += 1,
            _ => {}
        }
        self.count_erased(kind);
    }

    fn count_erased(&mut self, kind: &str) {
        *self.erased_kinds.entry(kind.to_owned()).or_default() += 1;
    }

    /// Adds the counts of another call of the same import.
    pub fn absorb(&mut self, other: &Self) {
        self.memories += other.memories;
        self.events += other.events;
        self.records += other.records;
        self.erased_events += other.erased_events;
        self.erased_records += other.erased_records;
        self.erased_at = self.erased_at.max(other.erased_at);
        for (kind, count) in &other.erased_kinds {
            *self.erased_kinds.entry(kind.clone()).or_default() += count;
        }
    }
}
