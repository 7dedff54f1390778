//! The memory of operations agents: how people want to be worked for, what is known
//! of services, what was looked into. A profile of the common engine: events, records, states and
//! history are those of every memory.
//!
//! | folder | idea |
//! |---|---|
//! | `input` | JSON that comes in: read by rule, one spelling, secrets masked; typed events of the AgentCore wire |
//! | `records` | the types and their rules, namespaces, drafts, `save`, and which of several is in force |
//! | `preferences` | preferences: one, a set, lists, and the file that declares them |
//! | `contacts` | preferences that a person must confirm or set, values that lead to nobody, known contacts |
//! | `users` | whose preferences and events something is; what is a user's own; the user of a request |
//! | `times` | zones and days of people, and the time that a question is about |
//! | `retrieval` | what is found of a type, its scores, and the list that is shown |
//! | `quantities` | which quantities a sentence has: pure |
//! | `capture` | what is read out of agents' answers: pure |
//! | `investigations` | the hooks around an investigation, and what came of it |
//! | `alerts` | what alerting systems send, and what it makes of investigations |
//! | `transfer` | records as lines: out, and in again |
//! | `settings` | what is configured: agents and their other names, what is read out of answers |
//! | `diagnostics` | records that nobody will read as they are meant |
//! | `observation` | events of this memory for the observer |

mod alerts;
mod capture;
mod contacts;
mod diagnostics;
mod hooks;
mod input;
mod investigations;
pub(crate) mod jobs;
mod observation;
mod preferences;
mod product;
mod quantities;
mod records;
mod retrieval;
mod scanners;
mod settings;
mod times;
mod transfer;
mod users;

pub(crate) use alerts::ALERT_KEY;
pub use alerts::{AlertDelivery, AlertTaken};
pub(crate) use capture::Told;
pub use diagnostics::{SreExamined, SreProblem, SreProblemKind};
use input::wire_events::PROFILE;
pub use investigations::{
    AgentResponse, Captured, Context, InvestigationCompleted, InvestigationFinding, InvestigationMessage,
    InvestigationMessages, InvestigationOutcome, InvestigationStart, InvestigationStarted, MessageShown,
    MessagesKept, OpenInvestigation, OutcomeEffect, PartStatus, ResponseRead, SreStatsAsk,
};
pub use preferences::apply::{SreApply, SreApplyChange, SreApplyKind};
pub use preferences::categories::type_of as preference_type_of;
pub use preferences::current_set::{SrePreference, SrePreferences};
pub use preferences::declared_file::{declared_users, users_of};
pub use product::OperationsParts;
pub use quantities::{quantities, quantities_of};
pub use records::namespace_rules::KNOWLEDGE_SESSION;
pub use records::origin::origin;
pub use records::precedence::SreAction;
pub use records::save::{SreKept, SreSave, SreSaved};
pub use retrieval::retrieve::{SreFound, SreRetrieve, SreRetrieved, SreTimeFilter, SreTimeSource};
pub use retrieval::synonyms::SreSynonyms;
pub use scanners::scanners;
pub use settings::{PastScope, SUPERVISOR, SreSettings, SreSettingsByMemory, SreTypeSettings};
pub use transfer::export::{SreExportCursor, SreExported};
pub use transfer::import::{SreImport, SreImportedLine};
pub use transfer::record_lines::{SreLine, SreSaid};
pub use users::own_records::{SreOwnDeleted, SreOwnPlace};
pub use users::requester::SreRequester;

use std::sync::Arc;

use loci_engine::Engine;

/// The name of the profile's memory.
pub const MEMORY_NAME: &str = "sre_agent_memory";

/// The memory of operations agents over an engine: cheap to clone, shared by all doors.
#[derive(Clone)]
pub struct Operations {
    pub(crate) engine: Engine,
    pub(crate) settings: Arc<SreSettingsByMemory>,
}

impl Operations {
    /// Returns operations memory over an engine that its parts were registered with.
    pub fn new(engine: Engine, parts: &OperationsParts) -> Self {
        Self { engine, settings: Arc::clone(&parts.settings) }
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &SreSettingsByMemory {
        &self.settings
    }

    /// Returns a handle for work in which one question is embedded once, however often it is asked.
    pub(crate) fn asking_once(&self) -> Self {
        Self { engine: self.engine.asking_once(), settings: Arc::clone(&self.settings) }
    }
}
