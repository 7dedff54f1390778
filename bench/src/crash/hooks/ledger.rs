//! The deliveries that were sent and their responses. A delivery without a response stays open, to
//! be sent again under its number, as a forge does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::story::{Delivery, Kind};

/// A delivery, and true if it was answered.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) delivery: Delivery,
    pub(super) is_answered: bool,
}

/// All deliveries by number. Their numbers follow the order of the events that they report.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) all: BTreeMap<String, Sent>,
    /// Requests, including repetitions.
    pub(super) posts: u64,
    pub(super) answered: u64,
    /// Responses that report a known delivery.
    pub(super) duplicates: u64,
    /// Deliveries without a response at a kill.
    pub(super) in_flight: u64,
    /// The lower bound of the numbers of this round.
    pub(super) round_begins: String,
    /// Unexpected responses.
    pub(super) failures: Vec<String>,
}

/// The ledger, shared by all clients.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Ledger>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    pub(super) fn add(&mut self, delivery: Delivery) {
        self.all.insert(delivery.guid.clone(), Sent { delivery, is_answered: false });
    }

    pub(super) fn open(&self) -> Vec<Delivery> {
        self.all.values().filter(|sent| !sent.is_answered).map(|sent| sent.delivery.clone()).collect()
    }

    /// Returns the deliveries of this round.
    pub(super) fn of_round(&self) -> Vec<Delivery> {
        self.all.range(self.round_begins.clone()..).map(|(_, sent)| sent.delivery.clone()).collect()
    }

    /// Begins a round, to which all later deliveries belong.
    pub(super) fn begin_round(&mut self) {
        let last = self.all.last_key_value().map(|(guid, _)| guid.clone()).unwrap_or_default();
        // Numbers have one length, so every later number is greater.
        self.round_begins = format!("{last}+");
    }

    /// Returns the deliveries that the server must list.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Sent> {
        self.all.values().filter(|sent| sent.delivery.kind != Kind::Forged)
    }
}
