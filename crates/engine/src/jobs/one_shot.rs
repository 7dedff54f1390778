//! The work that one-shot commands cause. Where the store has one host, a command that opened it is that host and does the
//! work. A store of many hosts has servers, and commands leave the work to them: a command may know neither the models nor the
//! targets that servers are configured with, and would do by its own lights what is due for everybody.

use loci_api::job::ExtractionState;
use loci_model::ports::store::{Hosts, StoreExt};
use loci_model::{MemoryId, Result};

use super::lease::SWEEP;
use super::wait::Part;
use crate::Engine;

/// What became of the work of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Where its jobs stand.
    pub jobs: ExtractionState,
    /// The servers that it was left to; `None`: this process did it, or the one host that is there.
    pub left_to: Option<Servers>,
}

/// What a store of many hosts says of the servers that run on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Servers {
    /// One has swept in the last three minutes. Those that have just begun do so after a minute.
    pub heard_of: bool,
    /// Since when some job has been due and nobody has taken it, in milliseconds; 0 where none is due.
    pub overdue_ms: u64,
}

impl Engine {
    /// Runs the jobs of some memories, due or not, for at most `wait_ms`, and sends what is due (0: neither). On a store of
    /// many hosts it runs and sends nothing: where `wait_ms` is given, the jobs are made due, and the servers are waited for;
    /// else they do them in their own time.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle(&self, memories: &[MemoryId], wait_ms: Option<u64>) -> Result<Settled> {
        let part = Part { memories: memories.to_vec(), actor: None, session: None };
        match (self.store.hosts(), wait_ms.unwrap_or(0)) {
            (Hosts::One | Hosts::Many, 0) => {}
            (Hosts::One, wait_ms) => {
                let jobs = self.run_due(memories, wait_ms).await?;
                self.deliver_now().await?;
                return Ok(Settled { jobs, left_to: None });
            }
            (Hosts::Many, wait_ms) => {
                self.make_due(memories).await?;
                self.wait_for(&part, wait_ms).await?;
            }
        }
        let left_to = self.servers().await?;
        Ok(Settled { jobs: self.wait_for(&part, 0).await?, left_to })
    }

    /// What is known of the servers of this store; `None` where it has one host.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn servers(&self) -> Result<Option<Servers>> {
        match self.store.hosts() {
            Hosts::One => return Ok(None),
            Hosts::Many => {}
        }
        let now = self.clock.now();
        let read = self.store.read(move |tx| Ok((tx.leases().holder(SWEEP, now)?, tx.jobs().next_due(&[])?)));
        let (sweeps, due) = read.await?;
        let overdue = due.map_or(0, |due| now.millis().saturating_sub(due.millis()));
        Ok(Some(Servers { heard_of: sweeps.is_some(), overdue_ms: u64::try_from(overdue).unwrap_or(0) }))
    }

    /// Makes every pending job of some memories due.
    pub(super) async fn make_due(&self, memories: &[MemoryId]) -> Result<()> {
        let (asked, now) = (memories.to_vec(), self.clock.now());
        self.store
            .write(move |tx| {
                asked.iter().try_for_each(|memory| tx.jobs_mut().make_due(memory, None, None, now).map(drop))
            })
            .await?;
        self.wake.call();
        Ok(())
    }
}
