//! Jobs: scheduling, listing, restarting, waiting, and the one runner. One file per job kind.
//!
//! To add a job, add a file with a [`JobHandler`](crate::hooks::JobHandler) whose `run` is
//! idempotent, and one line in the list of the product's handlers (of the kernel's, in `handlers`).

mod deliverer;
pub mod embed;
pub(crate) mod extract;
pub mod failure;
mod forget_questions;
mod handlers;
mod handover;
mod job_attempt;
mod job_notifications;
pub mod lease;
mod list;
mod one_shot;
mod pending_extraction;
pub(crate) mod permits;
pub(crate) mod purge;
mod reembed;
pub mod reflect;
mod runner;
mod start;
mod sweep;
mod wait;
pub mod wake;

pub use forget_questions::forget_questions;
pub use one_shot::{OneShotResult, Servers};
pub(crate) use pending_extraction::extraction_is_pending;
pub use reflect::ReflectionAsk;

use loci_model::JobId;
use loci_model::Timestamp;
use loci_model::job::{Job, JobMessage};

use crate::calls::page::Page;

/// A page of jobs, latest change first.
pub type JobPage = Page<Job, (Timestamp, JobId)>;

/// The end of one try of a job, other than an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobAttemptEnd {
    /// The work is finished.
    Done,
    /// The work is finished, and its write already recorded the end of the job with its result.
    Noted,
    /// The job continues at that time, because others were faster or more work is left.
    Again(Timestamp),
    /// The job continues when an answer arrives from outside.
    Waits,
    /// A model gave no answer: another try at `retry_at` may help.
    Unanswered {
        /// An error code, then `: ` and a plain explanation.
        reason: String,
        /// The affected messages.
        messages: Vec<JobMessage>,
        /// The time of the retry.
        retry_at: Timestamp,
    },
    /// A retry cannot help: an error code, then `: ` and a plain explanation, with the affected
    /// messages.
    Failed(String, Vec<JobMessage>),
    /// All messages were extracted, but these ones deterministically in place of the model.
    FellBack(String, Vec<JobMessage>),
}
