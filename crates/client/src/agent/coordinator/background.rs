//! The coordinator's own task, and what happens where everybody lets go of the coordinator without `close`.
//!
//! The task keeps nothing alive. With the last handle it ends: a write in progress is brought to its end and noted, nothing new is begun,
//! and the spool is free for whoever opens it next. What was not saved stays there; without a spool it is lost, with an error in the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::join_all;

use super::lane::Lane;
use super::saving::Hub;

/// Held by every handle of a coordinator; its end is the end of the last of them.
pub(super) struct Alive {
    lanes: Arc<[Arc<Lane>]>,
    hub: Arc<Hub>,
}

/// The task. It holds the spool only while it brings a write to its end.
pub(super) struct Background {
    lanes: Arc<[Arc<Lane>]>,
    hub: Arc<Hub>,
}

impl Alive {
    pub(super) fn new(lanes: &Arc<[Arc<Lane>]>, hub: &Arc<Hub>) -> Self {
        Self { lanes: Arc::clone(lanes), hub: Arc::clone(hub) }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.hub.abandoned.store(true, Ordering::SeqCst);
        for lane in self.lanes.iter() {
            tell_unsaved(lane, &self.hub);
            lane.bell.ring();
        }
        // The order of this matters: a save that is not begun yet sees that it must not begin.
        let is_saving = self.lanes.iter().any(|lane| lane.is_saving());
        if !is_saving || !self.hub.in_background.load(Ordering::SeqCst) {
            let_go(&self.lanes, &self.hub);
        }
    }
}

impl Background {
    pub(super) fn new(lanes: &Arc<[Arc<Lane>]>, hub: &Arc<Hub>) -> Self {
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

/// Nobody carries on what was begun. A save holds its lane, and with it the spool: it must go first.
fn let_go(lanes: &[Arc<Lane>], hub: &Hub) {
    lanes.iter().for_each(|lane| lane.forget_save());
    if let Some(spool) = &hub.spool {
        spool.release();
    }
}

fn tell_unsaved(lane: &Lane, hub: &Hub) {
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
