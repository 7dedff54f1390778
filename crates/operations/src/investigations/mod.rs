//! Investigations of operations agents, from their start to what came of them. What is shown and
//! saved are the typed records of [`super`]; these are the verbs around them.
//!
//! | file | idea |
//! |---|---|
//! | `finding`, `rewriting` | an investigation by its incident, or by the fingerprint of its alert; its next version |
//! | `starting`, `context`, `ending_preferences` | the start: what is known, read side by side until a deadline; what of it ends soon |
//! | `rendering`, `past_line` | what is known as a block for a prompt; a past investigation as its line: pure |
//! | `exposing` | what a session was shown |
//! | `capturing` | knowledge and proposals out of an agent's answer |
//! | `verifying` | which of its evidence names a call of a tool that was reported |
//! | `responding`, `answer_reading` | an agent's answer: taken at once; read by a job, which may ask a model |
//! | `completing` | the end of the work |
//! | `summarising`, `session_text` | what was said in its session, in short: the job, and the text, which is pure |
//! | `messages` | conversation, whole, and as it is shown |
//! | `noting` | one finding more, and which investigation is open |
//! | `outcome` | what came of it |
//! | `told` | what was told of one version stays with the next: pure |
//! | `stats` | numbers over investigations, and those nobody told the outcome of |

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
