//! Jobs: asking for them, listing, starting again, waiting, and the one runner. One file per job kind.
//!
//! To add a job: a file with a [`JobHandler`](crate::hooks::JobHandler) whose `run` is idempotent,
//! and one line in the list of the product's handlers (of the kernel's, in `handlers`).

mod deliverer;
pub mod embed;
pub(crate) mod extract;
pub mod failure;
mod forget_questions;
mod handlers;
mod handover;
mod job_news;
pub mod lease;
mod list;
mod one_job;
mod one_shot;
mod pending;
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
pub use one_shot::{Servers, Settled};
pub(crate) use pending::extraction_is_pending;
pub use reflect::ReflectionAsk;

use loci_model::JobId;
use loci_model::Timestamp;
use loci_model::job::{Job, JobMessage};

use crate::calls::page::Page;

/// A page of jobs, latest change first.
pub type JobPage = Page<Job, (Timestamp, JobId)>;

/// How one try of a job ended, short of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to do.
    Done,
    /// The same, and the job's end is written already, with its result.
    Noted,
    /// It goes on then: others were faster, or there is more.
    Again(Timestamp),
    /// It goes on when an answer comes from outside.
    Waits,
    /// A model gave no answer: another try at `retry_at` may help.
    Unanswered {
        /// A code, then `: ` and a plain explanation.
        reason: String,
        /// The messages it is about.
        messages: Vec<JobMessage>,
        /// When it is tried again.
        retry_at: Timestamp,
    },
    /// No further try can help: a code, then `: ` and a plain explanation, and the messages it is about.
    Failed(String, Vec<JobMessage>),
    /// Everything is read, but these messages by the deterministic half, in the model's place.
    FellBack(String, Vec<JobMessage>),
}
