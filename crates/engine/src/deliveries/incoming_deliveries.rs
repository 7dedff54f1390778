//! Incoming deliveries, such as webhooks of a forge or an alerting system: accepting them, ending
//! the job that processes them, and retrying it after a failure. Products process their content.

use loci_model::delivery::{Delivery, DeliveryState};
use loci_model::job::JobKind;
use loci_model::ports::store::StoreExt;
use loci_model::{Error, ErrorKind, Result, Timestamp};

use crate::Engine;
use crate::jobs::JobAttemptEnd;

/// The kind of jobs that process incoming deliveries. The keys of the jobs tell which product
/// handles them.
pub const KIND: JobKind = JobKind::named("hook");
/// The prefix of the key of a job that processes deliveries. The order key of the deliveries
/// follows.
pub const JOB_KEY: &str = "hook:";
/// The error code of a delivery whose processing failed because the forge was unavailable.
const UNAVAILABLE: &str = "FORGE_UNAVAILABLE";
/// The prefix of the stored text for a delivery that had no effect; the reason follows.
pub const IGNORED: &str = "ignored: ";
/// The pauses before the first, second and third retry of a failed processing, in milliseconds.
const PAUSES_MS: &[i64] = &[10_000, 60_000, 300_000];

/// The result of accepting an incoming delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTaken {
    /// The delivery is stored, and a job will process it soon.
    Queued,
    /// An earlier request brought the same delivery.
    Duplicate,
    /// The delivery has no effect, for this reason.
    Ignored(&'static str),
}

/// The end of one run of the job that processes incoming deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessingEnd {
    /// All waiting deliveries are processed.
    Done,
    /// The job continues at this time, because the forge accepts no more requests now, or more
    /// deliveries wait.
    Later(Timestamp),
    /// The processing failed and is retried.
    Again {
        /// The text of the error.
        reason: String,
        /// The time of the retry.
        at: Timestamp,
    },
    /// The processing failed too often and is given up. The deliveries contain the reason.
    Failed(String),
}

impl From<ProcessingEnd> for JobAttemptEnd {
    fn from(handled: ProcessingEnd) -> Self {
        let reason = |reason: &str| format!("{UNAVAILABLE}: {reason}");
        match handled {
            ProcessingEnd::Done => Self::Done,
            ProcessingEnd::Later(at) => Self::Again(at),
            ProcessingEnd::Again { reason: why, at } => {
                Self::Unanswered { reason: reason(&why), messages: Vec::new(), retry_at: at }
            }
            ProcessingEnd::Failed(why) => Self::Failed(reason(&why), Vec::new()),
        }
    }
}

/// Returns the stored text for a delivery that had no effect, for the reason `why`.
pub fn ignored(why: &str) -> String {
    format!("{IGNORED}{why}")
}

impl Engine {
    /// Stores on the waiting deliveries that their processing failed, and when it is retried.
    pub async fn note_failed(
        &self,
        waiting: Vec<Delivery>,
        error: &Error,
        now: Timestamp,
    ) -> Result<ProcessingEnd> {
        // The latest delivery has the fewest tries. A unit is given up when its first delivery has
        // been tried often enough.
        let tries = waiting.iter().map(|row| row.attempts).max().unwrap_or_default().saturating_add(1);
        let nth = usize::try_from(tries.saturating_sub(1)).unwrap_or(usize::MAX);
        let pause = PAUSES_MS.get(nth).filter(|_| error.is_retryable() || error.kind == ErrorKind::Bug);
        let due = now.plus_millis(pause.copied().unwrap_or(0));
        let state = if pause.is_some() { DeliveryState::Pending } else { DeliveryState::Failed };
        let rows = waiting.into_iter().map(|row| Delivery {
            state,
            attempts: row.attempts.saturating_add(1),
            due,
            last_error: Some(error.message.clone()),
            ..row
        });
        self.note_received(rows.collect()).await?;
        let reason = error.message.clone();
        Ok(if pause.is_some() {
            ProcessingEnd::Again { reason, at: due }
        } else {
            ProcessingEnd::Failed(reason)
        })
    }

    /// Stores the results of processed deliveries.
    pub async fn note_received(&self, rows: Vec<Delivery>) -> Result<()> {
        self.store
            .write(move |tx| {
                for row in &rows {
                    tx.deliveries_mut().note_received(row)?;
                }
                Ok(())
            })
            .await
    }
}
