//! Verbs of administration: forget an actor, export, import, backup, moving a store, what `doctor` shows. One file per verb.
//! `erasure` finds and removes what a memory holds about a person.

mod backup;
mod erase;
pub mod erasure;
mod export;
mod forget;
mod import;
mod import_erased;
mod import_run;
mod latency;
mod probe;
mod transfer;
mod unreadable;

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

pub use forget::Forgetting;
pub use forget::{ForgetAsk, actor_of_person};
pub use import::EXPORT_FORMAT;
pub use import_run::ImportPart;
pub use probe::ProviderProbe;
pub use transfer::{
    KindSums, OnTransfer, PlaceReport, Transfer, TransferOutcome, TransferProgress, TransferReport,
    TransferStep, TransferSum,
};

/// A parked object of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedObject {
    /// What is known of it.
    pub head: ObjectHead,
    /// Whose it is.
    pub actor: ActorId,
    /// Its bytes, where they are text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in hex digits, where they are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
}

/// One line of an export: everything needed to write the same again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExportLine {
    /// The first line: the form of the file.
    Header {
        /// Version of the form.
        format: u32,
        /// When it was written.
        exported_at: Timestamp,
    },
    /// A memory as configured; precedes its content.
    Memory {
        /// The memory.
        memory: Box<Memory>,
    },
    /// A repository whose facts are remembered.
    Repository {
        /// The repository.
        repository: Box<Repository>,
    },
    /// A task of a coding agent.
    Task {
        /// The task.
        task: Box<Task>,
    },
    /// What a coding agent was shown.
    Exposure {
        /// The exposure.
        exposure: Box<Exposure>,
    },
    /// A commit that was reported for one.
    Commit {
        /// The commit.
        commit: Box<TaskCommit>,
    },
    /// A session of a task.
    TaskSession {
        /// The session.
        session: Box<TaskSession>,
    },
    /// What was said in one.
    SessionItem {
        /// What was said.
        item: Box<SessionItem>,
    },
    /// A version of a prompt.
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
    /// A change of state of the record before.
    Change {
        /// The change.
        change: StateChange,
    },
    /// What the record before has beside itself, where it cites code.
    Fact {
        /// The fact.
        fact: Box<Fact>,
    },
    /// Something by which the fact before came to stand where it stands.
    FactEvent {
        /// What happened.
        event: Box<FactEvent>,
    },
    /// An entry of the ledger: reviews, outcomes, conflicts, and whatever else is kept beside records.
    Ledger {
        /// The entry.
        entry: Box<LedgerEntry>,
    },
    /// An object that was parked for a person: in the export of a person alone.
    Object {
        /// The object.
        object: Box<ExportedObject>,
    },
    /// The last line: counts, so that a cut file is noticed.
    End {
        /// Memories in the file.
        memories: u64,
        /// Events in the file.
        events: u64,
        /// Record versions in the file.
        records: u64,
    },
}

impl ExportLine {
    /// Returns the memory of a line that names people where its memory knows any; `None` for other
    /// lines.
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

    /// What a report calls lines of this kind.
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

/// Which part of a memory is exported.
#[derive(Debug, Clone, Default)]
pub struct ExportPart {
    /// Records in this namespace or beneath it, and what belongs to its actor, of which nothing was said word for word: no events, no
    /// conversations, no exposures. `None`: everything.
    pub namespace: Option<Namespace>,
    /// Only the memory's data about a person. `None`: about everybody.
    pub person: Option<Arc<Holdings>>,
}

impl ExportPart {
    /// True where the person's part of a memory is meant, or everybody's.
    pub(crate) fn is_of(&self, actor: &ActorId) -> bool {
        self.person.as_ref().is_none_or(|held| held.person.is_actor(actor))
    }

    /// Whether records of a namespace belong to it.
    pub(crate) fn holds(&self, namespace: &Namespace) -> bool {
        self.namespace.as_ref().is_none_or(|root| {
            NamespaceFilter::new(root, NamespaceMatch::Subtree).admits_normal(&namespace.normal())
        })
    }

    /// Whose it is, where it is a part: the repository that the namespace is of, or the one segment that it has.
    pub(crate) fn actor(&self) -> Option<ActorId> {
        let normal = self.namespace.as_ref()?.normal();
        let parts: Vec<&str> = normal.trim_matches('/').splitn(3, '/').take(2).collect();
        ActorId::parse(parts.join("/")).ok()
    }
}

/// Where an export goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExportCursor {
    /// At the beginning.
    #[default]
    Start,
    /// In the repositories of a memory, behind this key.
    Repositories(Option<String>),
    /// In the tasks of a memory, behind this one.
    Tasks(Option<(Timestamp, TaskId)>),
    /// In the exposures of a memory, behind this one.
    Exposures(Option<ExposureId>),
    /// In the commits of a memory, behind this one.
    Commits(Option<(ActorId, ObjectId)>),
    /// In the versions of prompts of a memory, behind this one.
    Prompts(Option<(Timestamp, String)>),
    /// In the sessions of tasks of a memory, behind this one.
    TaskSessions(Option<TaskId>),
    /// In what was said in them, behind this.
    SessionItems(Option<(TaskId, u64)>),
    /// In the events of a memory, behind this place in the order of arrival.
    Events(u64),
    /// In the records of a memory, behind this version.
    Records(Option<(RecordId, u32)>),
    /// In the objects that were parked for a person, behind this key.
    Objects(Option<String>),
    /// In the ledger of a memory, on the shelf of that number, behind the entry of that time and
    /// key.
    Ledger(usize, Option<(Timestamp, String)>),
    /// Nothing is left.
    End,
}

/// What a report calls events.
const EVENTS: &str = "events";
/// What a report calls versions of records.
const RECORDS: &str = "record versions";

/// What an import wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportReport {
    /// Memories made.
    pub memories: u64,
    /// Events written.
    pub events: u64,
    /// Record versions written.
    pub records: u64,
    /// Events left out, because they were erased here.
    #[serde(default)]
    pub erased_events: u64,
    /// Record versions left out, because their records were erased here.
    #[serde(default)]
    pub erased_records: u64,
    /// The time of the last erasure among them.
    #[serde(default)]
    pub erased_at: Option<Timestamp>,
    /// How much of each kind was left out or changed, because it was erased here.
    #[serde(default)]
    pub erased_kinds: BTreeMap<String, u64>,
}

impl ImportReport {
    /// Counts a line that is left out.
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

    /// Adds what other lines of the same import came to.
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
