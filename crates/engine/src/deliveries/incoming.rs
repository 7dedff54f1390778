//! Deliveries that came in, whoever sent them: what became of one at the door, how the job that deals with some of them ends, and when what
//! failed is tried again. What follows from them is the matter of whoever reads them.

use loci_model::delivery::{Delivery, DeliveryState};
use loci_model::job::JobKind;
use loci_model::ports::store::StoreExt;
use loci_model::{Error, ErrorKind, Result, Timestamp};

use crate::Engine;
use crate::jobs::Ended;

/// The kind of jobs that deal with deliveries; products part them by their keys.
pub const KIND: JobKind = JobKind::named("hook");
/// A job's key, before the order key of what it deals with.
pub const JOB_KEY: &str = "hook:";
/// The code of a failure to deal with deliveries.
const UNAVAILABLE: &str = "FORGE_UNAVAILABLE";
/// In front of why nothing followed.
pub const IGNORED: &str = "ignored: ";
/// Pauses before what failed is tried again: as many more tries.
const PAUSES_MS: &[i64] = &[10_000, 60_000, 300_000];

/// What became of a delivery at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookTaken {
    /// It is dealt with soon.
    Queued,
    /// It is being dealt with, or was.
    Duplicate,
    /// Nothing follows from it: why.
    Ignored(&'static str),
}

/// How a round ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handled {
    /// Nothing is left.
    Done,
    /// It goes on then: a forge takes no more requests, or there is more.
    Later(Timestamp),
    /// It failed, and is tried again then.
    Again {
        /// What went wrong.
        reason: String,
        /// When.
        at: Timestamp,
    },
    /// It failed too often; the deliveries say so.
    Failed(String),
}

impl From<Handled> for Ended {
    fn from(handled: Handled) -> Self {
        let reason = |reason: &str| format!("{UNAVAILABLE}: {reason}");
        match handled {
            Handled::Done => Self::Done,
            Handled::Later(at) => Self::Again(at),
            Handled::Again { reason: why, at } => {
                Self::Unanswered { reason: reason(&why), messages: Vec::new(), retry_at: at }
            }
            Handled::Failed(why) => Self::Failed(reason(&why), Vec::new()),
        }
    }
}

/// How a delivery says why nothing followed from it.
pub fn ignored(why: &str) -> String {
    format!("{IGNORED}{why}")
}

impl Engine {
    /// Notes that dealing with what waits failed, and when it is tried again.
    pub async fn note_failed(
        &self,
        waiting: Vec<Delivery>,
        error: &Error,
        now: Timestamp,
    ) -> Result<Handled> {
        // What came last has been tried least: a unit is given up when its first has been tried often enough.
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
        Ok(if pause.is_some() { Handled::Again { reason, at: due } } else { Handled::Failed(reason) })
    }

    /// Notes what became of deliveries that came in.
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
