//! The schedule of syncs: every mirror is synced in its interval while this process runs. The
//! mirrors are read again periodically, because another process may have added one.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{Either, select};
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::{Mirror, MirrorKind};
use loci_model::{ErrorKind, MemoryId, Result, Timestamp};

use crate::Documents;

/// The interval of looking up mirrors, in microseconds.
const LOOK_UP_US: u64 = 30_000_000;
/// The time that the end of a process waits for all mirrors, in milliseconds.
const LAST_MS: u64 = 30_000;
/// The number of memories per read.
const MEMORIES_PER_READ: usize = 200;

/// The mirrors of a process.
#[derive(Debug, Default)]
pub(crate) struct Mirrors {
    /// True if this process added or removed a mirror.
    is_changed: AtomicBool,
}

impl Mirrors {
    /// Records that a mirror was added or removed.
    pub(super) fn changed(&self) {
        self.is_changed.store(true, Ordering::Relaxed);
    }
}

/// The due times of all mirrors.
#[derive(Default)]
pub(crate) struct Schedule {
    looked_up_us: Option<u64>,
    due_us: BTreeMap<(MemoryId, String), (Mirror, u64)>,
}

impl Documents {
    /// Syncs the due mirrors.
    ///
    /// # Errors
    /// The errors of the store; a mirror's own errors are in its report.
    pub(crate) async fn mirrors_due(&self, schedule: &mut Schedule) -> Result<()> {
        let now = self.engine.clock().monotonic_us();
        let is_old = schedule.looked_up_us.is_none_or(|at| now.saturating_sub(at) >= LOOK_UP_US);
        if self.parts.mirrors.is_changed.swap(false, Ordering::Relaxed) || is_old {
            schedule.looked_up_us = Some(now);
            let mut due = BTreeMap::new();
            for mirror in self.mirrors_everywhere().await? {
                let key = (mirror.memory.clone(), mirror.name.clone());
                let at = schedule.due_us.get(&key).map_or(now, |(_, at)| *at);
                due.insert(key, (mirror, at));
            }
            schedule.due_us = due;
        }
        let due: Vec<Mirror> =
            schedule.due_us.values().filter(|(_, at)| *at <= now).map(|(mirror, _)| mirror.clone()).collect();
        for mirror in due {
            let key = (mirror.memory.clone(), mirror.name.clone());
            let interval_us = mirror.interval_ms.saturating_mul(1_000);
            self.mirror_due(mirror, false).await;
            let next = self.engine.clock().monotonic_us().saturating_add(interval_us);
            schedule.due_us.entry(key).and_modify(|(_, at)| *at = next);
        }
        Ok(())
    }

    /// Syncs all mirrors once more before the process ends, within a time limit: changes that wait
    /// for a pause are committed.
    pub(crate) async fn mirrors_last(&self, schedule: &Schedule) {
        let all = async {
            for (mirror, _) in schedule.due_us.values() {
                self.mirror_due(mirror.clone(), mirror.kind == MirrorKind::Git).await;
            }
        };
        if let Either::Right(_) = select(pin!(all), self.engine.clock().sleep(LAST_MS)).await {
            tracing::warn!("not all mirrors were brought up before the end: they are at the next start");
        }
    }

    async fn mirror_due(&self, mirror: Mirror, is_last: bool) {
        let name = mirror.name.clone();
        match self.mirror_sync_now(mirror, is_last).await {
            Ok(_) => {}
            // Another process syncs it, or it was removed.
            Err(error) if matches!(error.kind, ErrorKind::Conflict | ErrorKind::NotFound) => {
                tracing::debug!(mirror = name, %error, "a mirror was not brought up");
            }
            Err(error) => tracing::warn!(mirror = name, ?error, "a mirror could not be brought up"),
        }
    }

    /// Returns the mirrors of all memories.
    pub(super) async fn mirrors_everywhere(&self) -> Result<Vec<Mirror>> {
        let mut after: Option<(Timestamp, MemoryId)> = None;
        let mut found = Vec::new();
        loop {
            let from = after.clone();
            let page = self
                .engine
                .store()
                .read(move |tx| tx.memories().list(from.as_ref(), MEMORIES_PER_READ))
                .await?;
            for memory in &page {
                match self.mirrors_in(&memory.id).await {
                    Ok(mirrors) => found.extend(mirrors),
                    // The memory was deleted meanwhile.
                    Err(error) if error.kind == ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            let Some(last) = page.last() else { break };
            after = Some((last.created_at, last.id.clone()));
        }
        Ok(found)
    }
}
