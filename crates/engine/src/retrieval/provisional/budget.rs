//! How much of what waits one search reads: so many events, so many bytes of them, and so many rows looked at for them.
//!
//! What others said takes none of the first two: whether an event may be shown is told by its head, and only then is it counted
//! and read. Pages are read from the newest back, without payloads.

use loci_model::event::Event;
use loci_model::ports::store::{NewestUnread, ReadTx, UnreadEvent};
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, Result, SessionId, limits};

/// What is left of it.
pub(super) struct Budget {
    events: usize,
    rows: usize,
    bytes: u64,
    /// Something was left out, or may have been.
    pub(super) is_cut: bool,
}

impl Budget {
    /// All of it; `is_cut` says whether something was left out before.
    pub(super) fn full(is_cut: bool) -> Self {
        Self {
            events: limits::PROVISIONAL_EVENTS_MAX,
            rows: limits::PROVISIONAL_ROWS_MAX,
            bytes: limits::PROVISIONAL_BYTES_MAX,
            is_cut,
        }
    }

    /// True where nothing more can be read.
    pub(super) fn is_spent(&self) -> bool {
        self.events == 0 || self.rows == 0
    }

    /// The newest events of a conversation that arrived after `read` and are to be shown, in order of arrival. `is_shown` gets them
    /// without payloads.
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
            // One more than can be read: whether there are more.
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

    /// Adds an event if it is to be shown and fits; false where no other one is to be looked at.
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
            // A shorter one may fit.
            self.is_cut = true;
            return true;
        };
        (self.events, self.bytes) = (events, bytes);
        chosen.push(head.event.arrival);
        true
    }
}
