//! Limits the pending events that one search reads: number of events, their bytes, and rows scanned
//! for them.
//!
//! Hidden events of others use only the row limit: the head of an event determines its visibility,
//! before it is counted and read. Pages are read backwards from the newest event, without payloads.

use loci_model::event::Event;
use loci_model::ports::store::{NewestUnread, ReadTx, UnreadEvent};
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, Result, SessionId, limits};

/// The remaining budget.
pub(super) struct Budget {
    events: usize,
    rows: usize,
    bytes: u64,
    /// True if events were omitted, or may have been.
    pub(super) is_cut: bool,
}

impl Budget {
    /// Returns the full budget; `is_cut`: events were omitted before.
    pub(super) fn full(is_cut: bool) -> Self {
        Self {
            events: limits::PROVISIONAL_EVENTS_MAX,
            rows: limits::PROVISIONAL_ROWS_MAX,
            bytes: limits::PROVISIONAL_BYTES_MAX,
            is_cut,
        }
    }

    /// Returns true if the budget is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.events == 0 || self.rows == 0
    }

    /// Returns the newest visible events of a conversation that arrived after `read`, in order of
    /// arrival. `is_shown` receives them without payloads.
    pub(super) fn unread(
        &mut self,
        tx: &dyn ReadTx,
        scope: &RecordScope,
        (actor, session): (&ActorId, &SessionId),
        read: u64,
        is_shown: &dyn Fn(&Event) -> bool,
    ) -> Result<Vec<Event>> {
        let mut chosen = Vec::new();
        let mut before = None;
        loop {
            // One more than can be read, to detect further events.
            let limit = limits::PROVISIONAL_EVENTS_MAX.min(self.rows) + 1;
            let heads = tx.events().newest_unread(&NewestUnread {
                memory: scope.memory.clone(),
                actor: actor.clone(),
                session: session.clone(),
                after: read,
                before,
                limit,
                now: scope.now,
            })?;
            let is_last = heads.len() < limit;
            before = heads.last().map(|head| head.event.arrival);
            let goes_on = heads.iter().all(|head| self.take(head, is_shown, &mut chosen));
            if is_last || !goes_on {
                break;
            }
        }
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        tx.events().unread_at(&scope.memory, actor, session, &chosen, scope.now)
    }

    /// Adds an event if it is visible and fits. Returns false if no further event must be examined.
    fn take(&mut self, head: &UnreadEvent, is_shown: &dyn Fn(&Event) -> bool, chosen: &mut Vec<u64>) -> bool {
        let Some(rows) = self.rows.checked_sub(1) else {
            self.is_cut = true;
            return false;
        };
        self.rows = rows;
        if !is_shown(&head.event) {
            return true;
        }
        let Some(events) = self.events.checked_sub(1) else {
            self.is_cut = true;
            return false;
        };
        let Some(bytes) = self.bytes.checked_sub(head.payload_bytes) else {
            // A shorter event may still fit.
            self.is_cut = true;
            return true;
        };
        (self.events, self.bytes) = (events, bytes);
        chosen.push(head.event.arrival);
        true
    }
}
