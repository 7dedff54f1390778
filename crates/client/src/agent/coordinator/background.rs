//! The background task of the coordinator, and the cleanup when all handles of the coordinator
//! are dropped without `close`.
//!
//! The task does not keep the coordinator alive. When the last handle is dropped, the task
//! completes the write in progress, starts no further one, and releases the spool for the next
//! process. Unsaved messages stay in the spool. Without a spool they are lost, and the log contains
//! an error.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::join_all;

use super::lane::Lane;
use super::store_save::LaneHub;

/// A guard in every handle of a coordinator. The task ends after the last one is dropped.
pub(super) struct HandleGuard {
    lanes: Arc<[Arc<Lane>]>,
    hub: Arc<LaneHub>,
}

/// The background task of a coordinator. After the last handle is dropped, it holds the spool only
/// to complete a write.
pub(super) struct Background {
    lanes: Arc<[Arc<Lane>]>,
    hub: Arc<LaneHub>,
}

impl HandleGuard {
    pub(super) fn new(lanes: &Arc<[Arc<Lane>]>, hub: &Arc<LaneHub>) -> Self {
        Self { lanes: Arc::clone(lanes), hub: Arc::clone(hub) }
    }
}

impl Drop for HandleGuard {
    fn drop(&mut self) {
        self.hub.abandoned.store(true, Ordering::SeqCst);
        for lane in self.lanes.iter() {
            tell_unsaved(lane, &self.hub);
            lane.bell.ring();
        }
        // The order matters: a save that has not begun sees `abandoned` and does not begin.
        let is_saving = self.lanes.iter().any(|lane| lane.is_saving());
        if !is_saving || !self.hub.in_background.load(Ordering::SeqCst) {
            let_go(&self.lanes, &self.hub);
        }
    }
}

impl Background {
    pub(super) fn new(lanes: &Arc<[Arc<Lane>]>, hub: &Arc<LaneHub>) -> Self {
        hub.in_background.store(true, Ordering::SeqCst);
        Self { lanes: Arc::clone(lanes), hub: Arc::clone(hub) }
    }

    pub(super) async fn run(self) {
        join_all(self.lanes.iter().map(|lane| Arc::clone(lane).run(Arc::clone(&self.hub)))).await;
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.hub.in_background.store(false, Ordering::SeqCst);
        if self.hub.abandoned.load(Ordering::SeqCst) {
            let_go(&self.lanes, &self.hub);
        }
    }
}

/// Drops the saves that no task drives any more, and then releases the spool. The saves go first,
/// because each holds its lane, and the lane holds the spool.
fn let_go(lanes: &[Arc<Lane>], hub: &LaneHub) {
    lanes.iter().for_each(|lane| lane.forget_save());
    if let Some(spool) = &hub.spool {
        spool.release();
    }
}

fn tell_unsaved(lane: &Lane, hub: &LaneHub) {
    let unsaved = lane.lock().queue.unsaved();
    if unsaved == 0 {
        return;
    }
    let name = lane.name();
    if hub.spool.is_some() {
        tracing::warn!(
            "store=<{name}>, messages=<{unsaved}> | memory manager dropped without close, unsaved messages wait in the spool"
        );
    } else {
        tracing::error!(
            "store=<{name}>, messages=<{unsaved}> | memory manager dropped without close and without a spool, unsaved messages are lost"
        );
    }
}
