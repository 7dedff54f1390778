//! Investigations of operations agents, from their start to their outcome. Their records are the
//! typed records of [`super`]; this module implements the operations on them.
//!
//! | file | idea |
//! |---|---|
//! | `investigation_lookup`, `investigation_write` | finds an investigation by incident or fingerprint; its next version |
//! | `start`, `context` | the start: the context, read concurrently within a deadline |
//! | `expiring_preferences` | preferences that expire soon |
//! | `rendering`, `past_investigation` | the context as a prompt block; a past one as a line (pure) |
//! | `session_exposures` | the exposures of a session |
//! | `capture` | knowledge and proposals from an agent's answer |
//! | `evidence` | checks evidence against the reported tool calls |
//! | `agent_response` | an agent's answer, stored at once |
//! | `answer_job` | the job that reads the answer, and may ask a model |
//! | `complete` | the end of an investigation |
//! | `session_summary`, `session_text` | the summary of a session: the job, and its text (pure) |
//! | `messages` | the conversation: stored whole, and in a form for display |
//! | `open_investigation` | adds a finding, and finds the open investigation |
//! | `outcome` | the outcome |
//! | `carried_members` | members that a new version keeps from the previous one: pure |
//! | `stats` | numbers about investigations, and those without an outcome |

mod agent_response;
mod answer_job;
mod capture;
mod carried_members;
mod complete;
mod context;
mod evidence;
mod expiring_preferences;
mod investigation_lookup;
mod investigation_write;
mod messages;
mod open_investigation;
mod outcome;
mod past_investigation;
mod rendering;
mod session_exposures;
mod session_summary;
mod session_text;
mod start;
mod stats;
mod worker_rights;

pub(super) use outcome::OUTCOME;

pub(super) use carried_members::carry;
pub(super) use investigation_lookup::{
    ALERT_OVER, StoredInvestigation, incident_of_session, is_hidden, of_fingerprint, require_first,
};
pub(super) use session_summary::{ask_for_session_summary, is_session_summary};

pub use agent_response::{AgentResponse, ResponseRead};
pub use capture::Captured;
pub use complete::InvestigationCompleted;
pub use context::{Context, PartStatus};
pub use messages::{InvestigationMessage, InvestigationMessages, MessageShown, MessagesKept};
pub use open_investigation::{InvestigationFinding, OpenInvestigation};
pub use outcome::{InvestigationOutcome, OutcomeEffect};
pub use start::{InvestigationStart, InvestigationStarted};
pub use stats::SreStatsAsk;
