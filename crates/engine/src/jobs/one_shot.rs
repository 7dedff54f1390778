//! The work that a command of the CLI causes and waits for. On a store that one process hosts, a
//! command that opened the store does the work itself. On a store with several servers it leaves
//! the work to them, because a command may lack the models and targets of the servers.

use loci_api::job::ExtractionState;
use loci_model::ports::store::{Hosts, StoreExt};
use loci_model::{MemoryId, Result};

use super::lease::SWEEP;
use super::wait::WaitScope;
use crate::Engine;

/// The result of waiting for the work of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneShotResult {
    /// The state of the jobs for which the command waited.
    pub jobs: ExtractionState,
    /// The servers that do the work; `None` if this process, or the only host, did it.
    pub left_to: Option<Servers>,
}

/// Information about the servers of a store that several servers share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Servers {
    /// True if a server ran the sweep in the last three minutes. A new server does so after one
    /// minute.
    pub heard_of: bool,
    /// The time for which a due job has not been started, in milliseconds; 0 if no job is due.
    pub overdue_ms: u64,
}

impl Engine {
    /// Runs the jobs of some memories, due or not, for at most `wait_ms`, and sends due deliveries;
    /// with 0 it does neither. On a store with many hosts it runs and sends nothing: if `wait_ms`
    /// is given, it makes the jobs due and waits for the servers, otherwise the servers run them as
    /// scheduled.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn settle(&self, memories: &[MemoryId], wait_ms: Option<u64>) -> Result<OneShotResult> {
        let part = WaitScope { memories: memories.to_vec(), actor: None, session: None };
        match (self.store.hosts(), wait_ms.unwrap_or(0)) {
            (Hosts::One | Hosts::Many, 0) => {}
            (Hosts::One, wait_ms) => {
                let jobs = self.run_due(memories, wait_ms).await?;
                self.deliver_now().await?;
                return Ok(OneShotResult { jobs, left_to: None });
            }
            (Hosts::Many, wait_ms) => {
                self.make_due(memories).await?;
                self.wait_for(&part, wait_ms).await?;
            }
        }
        let left_to = self.servers().await?;
        Ok(OneShotResult { jobs: self.wait_for(&part, 0).await?, left_to })
    }

    /// Returns information on the servers of this store; `None` if it has one host.
    ///
    /// # Errors
    /// Errors of the store.
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
