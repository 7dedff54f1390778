//! The memory of operations agents (sre-memory.md): how people want to be worked for, what is known of services, what was looked into. A
//! profile of the common engine: events, records, states and history are those of every memory. No tools or webhooks yet.
//!
//! | file | idea |
//! |---|---|
//! | `settings` | what may be set: agents and their other names, what is read out of answers |
//! | `segment`, `place` | where something lies: ids as segments, namespaces |
//! | `members`, `canonical`, `masking` | JSON that comes in: read by rule, one spelling, secrets masked: pure |
//! | `preference`, `knowledge`, `investigation` | the three types and their rules: pure |
//! | `protected` | preferences that a person must confirm or set: pure |
//! | `capture` | what is read out of agents' answers: pure |
//! | `origin` | who said something, and where: pure |
//! | `drafts` | from what is said to records, unwritten |
//! | `keeping`, `said_again` | which of several counts; what is known and was said again |
//! | `time_zone`, `time_phrases`, `when` | days of people, and the time that a question is about |
//! | `filters`, `reading`, `python_literal`, `scoring` | what a record must be of, what it says, what it is worth: pure |
//! | `settings`, `synonyms` | what is configured; what else a question may mean: pure |
//! | `searching`, `preference_sets`, `listed` | what is found of a type, and the list that is shown |
//! | `investigations` | the hooks around an investigation, and what came of it |
//! | `saving`, `preferences`, `confirming`, `retrieving`, `history` | the verbs |

mod alerts;
mod canonical;
mod capture;
mod confirming;
mod drafts;
mod filters;
mod history;
mod investigation;
mod investigations;
mod keeping;
mod knowledge;
mod listed;
mod masking;
mod members;
mod origin;
mod place;
mod preference;
mod preference_sets;
mod preferences;
mod protected;
mod python_literal;
mod reading;
mod retrieving;
mod said_again;
mod saving;
mod scoring;
mod searching;
mod segment;
mod settings;
mod synonyms;
mod time_phrases;
mod time_zone;
mod when;

pub(crate) use alerts::ALERT_KEY;
pub use alerts::{AlertDelivery, AlertTaken};
pub use history::{SreHistory, SreHistoryAsk, SreVersion};
pub use investigations::{
    AgentResponse, Captured, CapturedRecord, CapturedRefusal, Context, InvestigationComplete,
    InvestigationCompleted, InvestigationMessage, InvestigationMessages, InvestigationOutcome,
    InvestigationStart, InvestigationStarted, MessageShown, MessagesKept, OutcomeEffect, PartStatus,
    Recurrence, ResponseRead, SeenBefore, SreStats, SreStatsAsk, WaitingOutcome,
};
pub use keeping::SreAction;
pub use origin::SreOrigin;
pub use preferences::{SrePreference, SrePreferences};
pub use retrieving::{SreFound, SreRetrieve, SreRetrieved, SreScoreParts, SreTimeFilter, SreTimeSource};
pub use saving::{SreKept, SreSave, SreSaved};
pub use settings::{PastScope, SreSettings, SreSettingsByMemory};
pub use synonyms::SreSynonyms;

/// The name of the profile's memory.
pub const MEMORY_NAME: &str = "sre_agent_memory";
