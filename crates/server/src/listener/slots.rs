//! Slots for the connections of a listener: the regular ones, a few more for health checks alone,
//! and the regular ones that may be slow.
//!
//! A connection that waits for a head keeps its slot only until another needs it; a new one keeps
//! it until its bytes were polled once. A request whose response is ready, while the rest of its
//! body is discarded, gives way before all others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loci_model::limits;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::yield_queue::YieldQueue;

/// The slots of one listener.
pub(super) struct Slots {
    usual: Places,
    health: Places,
    /// Half of the regular slots, so that slow connections never take the last one.
    pub(super) slow: Arc<Semaphore>,
    /// Slots for connections that lost theirs while their head was in transit.
    pub(super) late: Semaphore,
}

/// The slots of one kind, and the queues of the connections whose slots other connections may take.
struct Places {
    free: Arc<Semaphore>,
    courtesies: Arc<YieldQueue>,
    heads: Arc<YieldQueue>,
}

impl Places {
    fn new(count: usize) -> Self {
        Self { free: permits(count), courtesies: Arc::default(), heads: Arc::default() }
    }

    /// Returns a free slot; if none is free, the slot of a connection that gives way.
    fn any(&self) -> Option<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.free).try_acquire_owned().ok();
        free.or_else(|| self.take_first())
    }

    /// Takes the slot of the connection that has discarded a body longest, else of the one that has
    /// waited longest for a head.
    fn take_first(&self) -> Option<OwnedSemaphorePermit> {
        self.courtesies.take_first().or_else(|| self.heads.take_first())
    }
}

fn permits(count: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)))
}

/// A slot for a future connection.
pub(super) struct FreeSlot {
    is_for_health: bool,
    permit: OwnedSemaphorePermit,
}

impl Slots {
    pub(super) fn new(connections_max: usize) -> Self {
        Self {
            usual: Places::new(connections_max),
            health: Places::new(limits::HEALTH_CONNECTIONS_MAX),
            slow: permits(connections_max / 2),
            late: Semaphore::new(limits::LATE_CONNECTIONS_MAX),
        }
    }

    /// Waits until a connection can be accepted, preferably in a regular slot. If all are taken,
    /// including those for health checks, the first connection that discards a body gives way, else
    /// the first one that waits for a head.
    pub(super) async fn free(&self) -> std::io::Result<FreeSlot> {
        let (permit, is_for_health) = tokio::select! {
            biased;
            permit = Arc::clone(&self.usual.free).acquire_owned() => (permit, false),
            permit = Arc::clone(&self.health.free).acquire_owned() => (permit, true),
            permit = self.health.courtesies.first() => (Ok(permit), true),
            permit = self.usual.courtesies.first() => (Ok(permit), false),
            permit = self.health.heads.first() => (Ok(permit), true),
            permit = self.usual.heads.first() => (Ok(permit), false),
        };
        Ok(FreeSlot { is_for_health, permit: permit.map_err(std::io::Error::other)? })
    }

    /// Returns the slot of an accepted connection: a regular one if any is free or gives way. In
    /// both cases a slot for health checks remains for the next connection, as long as one of them
    /// gives way.
    pub(super) fn taken(&self, free: FreeSlot) -> Slot {
        let FreeSlot { is_for_health, permit } = free;
        if !is_for_health {
            return Slot::new(&self.usual, permit, false);
        }
        if let Some(usual) = self.usual.any() {
            return Slot::new(&self.usual, usual, false);
        }
        if self.health.free.available_permits() == 0 {
            drop(self.health.take_first());
        }
        Slot::new(&self.health, permit, true)
    }
}

/// The slot that one connection holds.
pub(super) struct Slot {
    /// True if only health checks are served.
    pub(super) is_for_health: bool,
    courtesies: Arc<YieldQueue>,
    heads: Arc<YieldQueue>,
    lost: Arc<Notify>,
    stage: Mutex<Stage>,
}

/// The stage of the current request of a connection.
enum Stage {
    /// A new connection whose bytes were not polled yet.
    New(OwnedSemaphorePermit),
    /// Waiting for the head. The slot is in the queue under this number.
    Pending(u64),
    /// The head has arrived.
    Asked(OwnedSemaphorePermit),
    /// The response is ready, and the rest of the body is discarded before it is sent. The slot is
    /// in the queue of such connections under this number.
    Courteous(u64),
    /// The response is ready, and may still be in transit.
    Answered(OwnedSemaphorePermit),
    /// Another connection has the slot.
    Lost,
    /// Another connection has the slot, but the head arrived nevertheless.
    Late,
}

impl Slot {
    fn new(places: &Places, permit: OwnedSemaphorePermit, is_for_health: bool) -> Self {
        Self {
            is_for_health,
            courtesies: Arc::clone(&places.courtesies),
            heads: Arc::clone(&places.heads),
            lost: Arc::default(),
            stage: Mutex::new(Stage::New(permit)),
        }
    }

    /// Records that the bytes of a new connection were polled. If its head was not among them,
    /// others may take the slot.
    pub(super) fn looked_for(&self) {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Lost) {
            Stage::New(permit) => self.pending(permit),
            other => other,
        };
    }

    fn pending(&self, permit: OwnedSemaphorePermit) -> Stage {
        Stage::Pending(self.heads.add(permit, Arc::clone(&self.lost)))
    }

    /// Records that a head arrived. No other connection takes the slot until the response is sent.
    /// Returns false if the slot is lost.
    pub(super) fn head_came(&self) -> bool {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Lost) {
            Stage::Pending(number) => self.heads.remove(number).map_or(Stage::Late, Stage::Asked),
            Stage::Courteous(number) => self.courtesies.remove(number).map_or(Stage::Late, Stage::Asked),
            Stage::New(permit) | Stage::Asked(permit) | Stage::Answered(permit) => Stage::Asked(permit),
            Stage::Lost | Stage::Late => Stage::Late,
        };
        !matches!(*stage, Stage::Late)
    }

    /// Returns true if a head arrived after the slot was lost.
    pub(super) fn is_late(&self) -> bool {
        matches!(*self.stage(), Stage::Late)
    }

    /// Resolves when the slot of a request that discards its body is lost, which is possible from
    /// the first poll on.
    pub(super) async fn courtesy_lost(&self) {
        let lost = Arc::new(Notify::new());
        if self.gives_way(&lost) {
            lost.notified().await;
        }
    }

    /// Puts the slot of a request into the queue of those that discard a body. Returns false if the
    /// slot is lost.
    fn gives_way(&self, lost: &Arc<Notify>) -> bool {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Lost) {
            Stage::Asked(permit) => Stage::Courteous(self.courtesies.add(permit, Arc::clone(lost))),
            other => other,
        };
        matches!(*stage, Stage::Courteous(_))
    }

    /// Takes the slot back when the rest of the body was discarded. Returns false if the slot is
    /// lost.
    pub(super) fn courtesy_ended(&self) -> bool {
        self.head_came()
    }

    /// Records that the response is ready.
    pub(super) fn answered(&self) {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Lost) {
            Stage::Asked(permit) => Stage::Answered(permit),
            other => other,
        };
    }

    /// Records that all output was sent. After a response the next head is awaited.
    pub(super) fn sent(&self) {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Lost) {
            Stage::Answered(permit) => self.pending(permit),
            other => other,
        };
    }

    /// Resolves when the slot is lost, which is possible from the first poll on.
    pub(super) async fn lost(&self) {
        self.looked_for();
        self.lost.notified().await;
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match *self.stage() {
            Stage::Pending(number) => drop(self.heads.remove(number)),
            Stage::Courteous(number) => drop(self.courtesies.remove(number)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Returns a new connection.
    fn new(slots: &Slots) -> Slot {
        slots.taken(loci_testkit_ports::block_on(slots.free()).unwrap())
    }

    /// Returns a connection that arrived without a head.
    fn come(slots: &Slots) -> Slot {
        let slot = new(slots);
        slot.looked_for();
        slot
    }

    fn is_lost(slot: &Slot) -> bool {
        match *slot.stage() {
            Stage::Pending(number) => !slot.heads.has(number),
            Stage::Courteous(number) => !slot.courtesies.has(number),
            _ => false,
        }
    }

    #[test]
    fn who_waits_longest_for_a_head_gives_way() {
        let slots = Slots::new(2);
        let (first, second) = (come(&slots), come(&slots));
        assert!(first.head_came());
        let third = come(&slots);
        assert_eq!([&first, &second, &third].map(is_lost), [false, true, false]);
        assert!(!third.is_for_health && !second.head_came());
        // A response in transit keeps its slot; after it the next head is awaited.
        first.answered();
        assert!(third.head_came());
        assert!(come(&slots).is_for_health);
        first.sent();
        let fourth = come(&slots);
        assert!(!fourth.is_for_health && is_lost(&first) && !is_lost(&third));
        drop(fourth);
        let fifth = come(&slots);
        assert!(!fifth.is_for_health && !is_lost(&fifth), "a place that was left is free again");
    }

    #[test]
    fn who_just_came_keeps_the_place_until_bytes_were_looked_for() {
        let slots = Slots::new(1);
        let first = new(&slots);
        let others: Vec<Slot> =
            (0..loci_model::limits::HEALTH_CONNECTIONS_MAX).map(|_| new(&slots)).collect();
        assert!(others.iter().all(|slot| slot.is_for_health));
        let mut free = std::pin::pin!(slots.free());
        let mut context = Context::from_waker(Waker::noop());
        assert!(free.as_mut().poll(&mut context).is_pending(), "nobody gives way");
        others[3].looked_for();
        first.looked_for();
        let Poll::Ready(Ok(place)) = free.as_mut().poll(&mut context) else { panic!("no place") };
        assert!(is_lost(&others[3]) && !is_lost(&first));
        assert!(!slots.taken(place).is_for_health && is_lost(&first));
        assert!(others[4].head_came(), "a head that was there is answered");
    }

    #[test]
    fn requests_in_all_places_for_health_checks_keep_nobody_out() {
        let slots = Slots::new(1);
        let first = new(&slots);
        let others: Vec<Slot> =
            (0..loci_model::limits::HEALTH_CONNECTIONS_MAX).map(|_| new(&slots)).collect();
        assert!(others.iter().all(|slot| slot.is_for_health && slot.head_came()));
        first.looked_for();
        let free = std::pin::pin!(slots.free());
        let free = free.poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Ok(place)) = free else { panic!("no place") };
        assert!(!slots.taken(place).is_for_health && is_lost(&first));
    }

    /// Returns a connection whose request discards the rest of its body.
    fn courteous(slots: &Slots) -> Slot {
        let slot = new(slots);
        assert!(slot.head_came() && slot.gives_way(&Arc::default()));
        slot
    }

    #[test]
    fn courtesies_give_way_before_those_who_wait_for_a_head() {
        let slots = Slots::new(2);
        let (pending, first) = (come(&slots), courteous(&slots));
        let second = courteous(&slots);
        assert!(!second.is_for_health && is_lost(&first) && !is_lost(&pending));
        assert!(!first.courtesy_ended() && first.is_late());
        assert!(second.courtesy_ended() && !second.is_late(), "it has its place again");
        second.answered();
        second.sent();
        let third = come(&slots);
        assert!(!third.is_for_health && is_lost(&pending) && !is_lost(&second));
    }

    #[test]
    fn courtesies_in_all_places_for_health_checks_keep_nobody_out() {
        let slots = Slots::new(1);
        let busy = new(&slots);
        assert!(busy.head_came());
        let courtesies: Vec<Slot> =
            (0..loci_model::limits::HEALTH_CONNECTIONS_MAX * 3).map(|_| courteous(&slots)).collect();
        assert!(courtesies.iter().all(|slot| slot.is_for_health));
        let lost = courtesies.iter().filter(|slot| is_lost(slot)).count();
        assert_eq!(lost, courtesies.len() - (loci_model::limits::HEALTH_CONNECTIONS_MAX - 1));
    }

    #[test]
    fn a_head_that_comes_too_late_is_known() {
        let slots = Slots::new(1);
        let first = come(&slots);
        let second = come(&slots);
        assert!(is_lost(&first) && !first.is_late());
        assert!(!first.head_came() && first.is_late());
        assert!(second.head_came() && !second.is_late());
    }

    #[test]
    fn a_place_for_health_checks_is_always_left_where_one_waits_for_a_head() {
        let slots = Slots::new(1);
        let busy = come(&slots);
        assert!(busy.head_came());
        let waiting: Vec<Slot> =
            (0..loci_model::limits::HEALTH_CONNECTIONS_MAX * 3).map(|_| come(&slots)).collect();
        assert!(waiting.iter().all(|slot| slot.is_for_health));
        let lost = waiting.iter().filter(|slot| is_lost(slot)).count();
        assert_eq!(lost, waiting.len() - (loci_model::limits::HEALTH_CONNECTIONS_MAX - 1));
        assert!(!waiting.iter().rev().take(loci_model::limits::HEALTH_CONNECTIONS_MAX - 1).any(is_lost));
    }
}
