//! Jobs: asking for them, listing, starting again, waiting, and the one runner. One file per job kind.
//!
//! To add a job: a variant of `JobKind`, a file here with an idempotent `run`, one arm in [`runner`].

mod pending;
pub mod wake;

pub(crate) use pending::extraction_is_pending;

use loci_model::JobId;
use loci_model::Timestamp;
use loci_model::job::Job;

use crate::page::Page;

/// A page of jobs, latest change first.
pub type JobPage = Page<Job, (Timestamp, JobId)>;

/// Where extraction stands after a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitOutcome {
    /// Nothing is pending any more.
    pub complete: bool,
    /// Jobs that wait or run.
    pub pending: u64,
    /// Jobs that failed for good.
    pub failed: u64,
}
