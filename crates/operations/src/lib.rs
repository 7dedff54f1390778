//! The memory of operations agents (sre-memory.md): how people want to be worked for, what is known of services, what was looked into. A
//! profile of the common engine: events, records, states and history are those of every memory.
//!
//! | file | idea |
//! |---|---|
//! | `segment`, `place` | where something lies: ids as segments, namespaces |
//! | `members`, `canonical`, `masking` | JSON that comes in: read by rule, one spelling, secrets masked: pure |
//! | `categories`, `literal`, `typed` | what events of the AgentCore wire say by their content: pure |
//! | `preference`, `knowledge`, `investigation` | the three types and their rules: pure |
//! | `capture` | what is read out of agents' answers: pure |
//! | `origin`, `incident_name` | who said something, and where; what an incident is called that nobody named: pure |
//! | `drafts`, `index_text` | from what is said to records, unwritten; what a search reads of them |
//! | `keeping`, `said_again` | which of several counts; what is known and was said again |
//! | `time_zone`, `users_zone`, `time_phrases`, `when` | days of people, and the time that a question is about |
//! | `filters`, `reading`, `scoring`, `quantities` | what a record must be of, what it says, what it is worth, which quantities a sentence has: pure |
//! | `settings`, `synonyms` | what is configured: agents and their other names, what is read out of answers; what else a question may mean: pure |
//! | `searching`, `preference_sets`, `listed`, `wording` | what is found of a type, and the list that is shown; which texts say what is asked |
//! | `investigations` | the hooks around an investigation, and what came of it |
//! | `alerts` | what alerting systems send, and what it makes of investigations |
//! | `saving`, `preferences`, `confirming`, `retrieving`, `history` | the verbs |
//! | `protected`, `harmless_values`, `contacts`, `addresses` | preferences that a person must confirm or set, values that lead to nobody, contacts that are known, and what an address is: pure |
//! | `preference_lists`, `effective`, `declared_file`, `applying` | preferences as people look at them, what they mean now, and as a file declares them |
//! | `lines`, `exporting`, `importing` | records as lines: pure; out, and in again |
//! | `owning`, `correcting` | what is a user's own: listed, deleted; said anew |
//! | `requester` | the user that a request is for, and the agent |
//! | `whose`, `guarding` | whose preferences lie somewhere: pure; whose events a session keeps |
//! | `examining` | what nobody will read as it is meant |
//! | `telling` | what is told to whoever counts |
//! | `wire` | the records of typed events |

mod addresses;
mod alerts;
mod applying;
mod canonical;
mod capture;
mod categories;
mod confirming;
mod contact_words;
mod contacts;
mod correcting;
mod declared_file;
mod drafts;
mod effective;
mod erased_lines;
mod examining;
mod exporting;
mod filters;
mod guarding;
mod harmless_values;
mod history;
mod hooks;
mod importing;
mod incident_name;
mod index_text;
mod investigation;
mod investigations;
pub(crate) mod jobs;
mod keeping;
mod knowledge;
mod lines;
mod listed;
mod literal;
mod masking;
mod members;
mod origin;
mod owning;
mod place;
mod preference;
mod preference_lists;
mod preference_sets;
mod preferences;
mod product;
mod protected;
mod quantities;
mod reading;
mod requester;
mod retrieving;
mod said_again;
mod saving;
mod scanners;
mod scoring;
mod searching;
mod settings;
mod synonyms;
mod telling;
mod time_phrases;
mod time_zone;
mod typed;
mod users_zone;
mod when;
mod whose;
mod wire;
mod wording;

pub(crate) use alerts::ALERT_KEY;
pub use alerts::{AlertDelivery, AlertTaken};
pub use applying::{SreApply, SreApplyChange, SreApplyKind};
pub(crate) use capture::Told;
pub use categories::type_of as preference_type_of;
pub use declared_file::{declared_users, users_of};
pub use effective::SreEffective;
pub use examining::{SreExamined, SreProblem, SreProblemKind};
pub use exporting::{SreExportCursor, SreExported};
pub use history::{SreHistory, SreHistoryAsk, SreVersion};
pub use importing::{SreImport, SreImportedLine};
pub use investigations::{
    AgentResponse, AgentResult, Captured, CapturedRecord, CapturedRefusal, Context, InvestigationComplete,
    InvestigationCompleted, InvestigationFinding, InvestigationMessage, InvestigationMessages,
    InvestigationOutcome, InvestigationStart, InvestigationStarted, MessageShown, MessagesKept,
    OpenInvestigation, OutcomeEffect, PartStatus, Recurrence, ResponseRead, SeenBefore, SreStats,
    SreStatsAsk, WaitingOutcome, WaitingOutcomes,
};
pub use keeping::SreAction;
pub use lines::{SreLine, SreSaid};
pub use origin::SreOrigin;
pub use owning::{SreOwnDeleted, SreOwnPlace};
pub use place::KNOWLEDGE_SESSION;
pub use preference_lists::{SreListed, SreListing, SrePast, SreUser};
pub use preferences::{SrePreference, SrePreferences};
pub use product::OperationsParts;
pub use quantities::{quantities, quantities_of};
pub use requester::SreRequester;
pub use retrieving::{SreFound, SreRetrieve, SreRetrieved, SreScoreParts, SreTimeFilter, SreTimeSource};
pub use saving::{SreKept, SreSave, SreSaved};
pub use scanners::SCANNERS;
pub use settings::{PastScope, SUPERVISOR, SreSettings, SreSettingsByMemory, SreTypeSettings};
pub use synonyms::SreSynonyms;
use wire::PROFILE;

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

    /// The same for work in which one question is embedded once, however often it is asked.
    pub(crate) fn asking_once(&self) -> Self {
        Self { engine: self.engine.asking_once(), settings: Arc::clone(&self.settings) }
    }
}
