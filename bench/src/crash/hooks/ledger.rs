//! What was sent and what was answered. A delivery that was not answered stays open, to be sent again under its number, as a forge does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::story::{Delivery, Kind};

/// A delivery and what is known of it.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) delivery: Delivery,
    pub(super) is_answered: bool,
}

/// All deliveries, in the order in which what they tell happened: their numbers say it.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) all: BTreeMap<String, Sent>,
    /// Requests, with those that were sent again.
    pub(super) posts: u64,
    pub(super) answered: u64,
    /// Answered that they are known.
    pub(super) duplicates: u64,
    /// Open at a kill.
    pub(super) in_flight: u64,
    /// Where the deliveries of this round begin.
    pub(super) round_begins: String,
    /// What should not have been answered.
    pub(super) failures: Vec<String>,
}

/// Shared by all clients.
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

    /// Those of this round.
    pub(super) fn of_round(&self) -> Vec<Delivery> {
        self.all.range(self.round_begins.clone()..).map(|(_, sent)| sent.delivery.clone()).collect()
    }

    /// A round begins: what comes from now on is of it.
    pub(super) fn begin_round(&mut self) {
        let last = self.all.last_key_value().map(|(guid, _)| guid.clone()).unwrap_or_default();
        // Numbers are of one length: what follows it is greater.
        self.round_begins = format!("{last}+");
    }

    /// What must be listed.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Sent> {
        self.all.values().filter(|sent| sent.delivery.kind != Kind::Forged)
    }
}
