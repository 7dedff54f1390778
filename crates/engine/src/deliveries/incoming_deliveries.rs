//! Incoming deliveries of any sender: their acceptance, the end of the job that processes them, and
//! the retry after a failure. Products process their content.

use loci_model::delivery::{Delivery, DeliveryState};
use loci_model::job::JobKind;
use loci_model::ports::store::StoreExt;
use loci_model::{Error, ErrorKind, Result, Timestamp};

use crate::Engine;
use crate::jobs::JobAttemptEnd;

/// Kind of jobs that process deliveries; products distinguish them by their keys.
pub const KIND: JobKind = JobKind::named("hook");
/// Prefix of a job's key, before the order key of its deliveries.
pub const JOB_KEY: &str = "hook:";
/// Error code of a failed processing.
const UNAVAILABLE: &str = "FORGE_UNAVAILABLE";
/// Prefix of the reason for which a delivery had no effect.
pub const IGNORED: &str = "ignored: ";
/// Pauses in milliseconds before each retry of a failure.
const PAUSES_MS: &[i64] = &[10_000, 60_000, 300_000];

/// The result of accepting a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTaken {
    /// It will be processed soon.
    Queued,
    /// It is being processed, or was processed.
    Duplicate,
    /// It has no effect, with the reason.
    Ignored(&'static str),
}

/// The end of a processing round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessingEnd {
    /// All deliveries are processed.
    Done,
    /// Processing continues at that time, because a forge accepts no more requests, or more
    /// deliveries wait.
    Later(Timestamp),
    /// It failed, and is retried at that time.
    Again {
        /// The error.
        reason: String,
        /// The time of the retry.
        at: Timestamp,
    },
    /// It failed too often; the deliveries contain the reason.
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

/// Returns the text of a delivery that had no effect.
pub fn ignored(why: &str) -> String {
    format!("{IGNORED}{why}")
}

impl Engine {
    /// Records that processing pending deliveries failed, and the time of the retry.
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

    /// Records the results of incoming deliveries.
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
