//! Operations memory: preferences of people, knowledge about services, and investigations. It is a
//! product on the common engine: events, records, states and history are those of every memory.
//!
//! | folder | idea |
//! |---|---|
//! | `input` | JSON input: validated, canonical, with secrets masked; typed AgentCore events |
//! | `records` | the record types and their rules, namespaces, drafts, `save`, and precedence |
//! | `preferences` | preferences: single ones, sets, lists, and the file that declares them |
//! | `contacts` | preferences that a person must confirm or set, and known contacts |
//! | `users` | ownership of preferences and events, private records, the user of a request |
//! | `times` | time zones and days of people, and the time that a question refers to |
//! | `retrieval` | search by type, scores, and the visible result list |
//! | `quantities` | quantities in a sentence: pure |
//! | `capture` | parsers for agents' answers: pure |
//! | `investigations` | the hooks around an investigation, and its outcome |
//! | `alerts` | notices of alerting systems, and their effect on investigations |
//! | `transfer` | export and import of records as lines |
//! | `settings` | configuration: agents and their aliases, capture from answers |
//! | `diagnostics` | records that no read will ever match |
//! | `observation` | metrics and events for the observer |

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
pub(crate) use capture::ProseReply;
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
pub use transfer::record_lines::{SreLine, SreRecordContent};
pub use users::own_records::{SreOwnDeleted, SreOwnPlace};
pub use users::requester::SreRequester;

use std::sync::Arc;

use loci_engine::Engine;

/// The default name of a memory with this profile.
pub const MEMORY_NAME: &str = "sre_agent_memory";

/// Operations memory over an engine. Cheap to clone, and shared by all interfaces.
#[derive(Clone)]
pub struct Operations {
    pub(crate) engine: Engine,
    pub(crate) settings: Arc<SreSettingsByMemory>,
}

impl Operations {
    /// Returns operations memory over an engine in which its parts are registered.
    pub fn new(engine: Engine, parts: &OperationsParts) -> Self {
        Self { engine, settings: Arc::clone(&parts.settings) }
    }

    /// Returns the current settings.
    pub fn settings(&self) -> &SreSettingsByMemory {
        &self.settings
    }

    /// Returns a handle that embeds a repeated query only once.
    pub(crate) fn asking_once(&self) -> Self {
        Self { engine: self.engine.asking_once(), settings: Arc::clone(&self.settings) }
    }
}
