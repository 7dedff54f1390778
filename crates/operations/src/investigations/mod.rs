//! Investigations of operations agents, from their start to their outcome. Their records are the
//! typed records of [`super`]; this module implements the operations on them.
//!
//! | file | idea |
//! |---|---|
//! | `finding`, `rewriting` | finds an investigation by incident or fingerprint; its next version |
//! | `starting`, `context` | the start: the context, read concurrently within a deadline |
//! | `ending_preferences` | preferences that expire soon |
//! | `rendering`, `past_line` | the context as a prompt block; a past one as a line (pure) |
//! | `exposing` | the exposures of a session |
//! | `capturing` | knowledge and proposals from an agent's answer |
//! | `verifying` | checks evidence against the reported tool calls |
//! | `responding` | an agent's answer, stored at once |
//! | `answer_reading` | the job that reads the answer, and may ask a model |
//! | `completing` | the end of an investigation |
//! | `summarising`, `session_text` | the summary of a session: the job, and its text (pure) |
//! | `messages` | the conversation: stored whole, and in a form for display |
//! | `noting` | adds a finding, and finds the open investigation |
//! | `outcome` | the outcome |
//! | `told` | members that a new version keeps from the previous one: pure |
//! | `stats` | numbers about investigations, and those without an outcome |

mod answer_reading;
mod capturing;
mod completing;
mod context;
mod ending_preferences;
mod exposing;
mod finding;
mod messages;
mod noting;
mod outcome;
mod past_line;
mod rendering;
mod reporting;
mod responding;
mod rewriting;
mod session_text;
mod starting;
mod stats;
mod summarising;
mod told;
mod verifying;

pub(super) use outcome::OUTCOME;

pub(super) use finding::{ALERT_OVER, Known, incident_of_session, is_hidden, of_fingerprint, require_first};
pub(super) use summarising::{ask_for_session_summary, is_session_summary};
pub(super) use told::carry;

pub use capturing::Captured;
pub use completing::InvestigationCompleted;
pub use context::{Context, PartStatus};
pub use messages::{InvestigationMessage, InvestigationMessages, MessageShown, MessagesKept};
pub use noting::{InvestigationFinding, OpenInvestigation};
pub use outcome::{InvestigationOutcome, OutcomeEffect};
pub use responding::{AgentResponse, ResponseRead};
pub use starting::{InvestigationStart, InvestigationStarted};
pub use stats::SreStatsAsk;
