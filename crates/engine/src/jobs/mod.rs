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

/// The end of one try of a job that returned no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobAttemptEnd {
    /// The work of the job is finished.
    Done,
    /// The work is finished, and the write of its result has already recorded the end of the job.
    Noted,
    /// The job must run again at this time, because other writers were faster or more work is
    /// left.
    Again(Timestamp),
    /// The job waits until a client submits an answer to its question.
    Waits,
    /// A model gave no answer, and the job tries again at `retry_at`.
    Unanswered {
        /// The reason: an error code, then `: ` and an explanation.
        reason: String,
        /// The messages that the job was extracting.
        messages: Vec<JobMessage>,
        /// The time of the retry.
        retry_at: Timestamp,
    },
    /// The job failed, and a retry cannot help. The text is an error code, then `: ` and an
    /// explanation; the messages are those that were not extracted.
    Failed(String, Vec<JobMessage>),
    /// All messages were extracted, but these ones without the model, which gave no answer. The
    /// text is the reason.
    FellBack(String, Vec<JobMessage>),
}
