//! Kills the server at a chosen point. It watches the model and the receiver of notifications to
//! which the server sends requests.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::scripted_model::{ReceivedQuestion, Watch};
use crate::server::Server;

/// The receivers of the server's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Model,
    Hook,
}

/// The moment of a kill, relative to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// After the request arrived, before its response.
    Before,
    /// After the response, by this duration.
    After(Duration),
}

/// The point at which the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KillPoint {
    pub(super) door: Door,
    /// The number of the request, from 1.
    pub(super) number: u64,
    pub(super) moment: Moment,
}

impl fmt::Display for KillPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.door {
            Door::Model => "question",
            Door::Hook => "notification",
        };
        match self.moment {
            Moment::Before => write!(f, "before {what} {} was answered", self.number),
            Moment::After(pause) => write!(f, "{} ms after {what} {}", pause.as_millis(), self.number),
        }
    }
}

struct Inner {
    place: Option<KillPoint>,
    questions: AtomicU64,
    notifications: AtomicU64,
    server: Mutex<Option<Server>>,
    /// True once a kill is scheduled.
    is_armed: AtomicBool,
    has_killed: AtomicBool,
}

/// Counts requests, and kills once.
#[derive(Clone)]
pub(super) struct Killer(Arc<Inner>);

impl Killer {
    pub(super) fn new(place: Option<KillPoint>) -> Self {
        Self(Arc::new(Inner {
            place,
            questions: AtomicU64::new(0),
            notifications: AtomicU64::new(0),
            server: Mutex::default(),
            is_armed: AtomicBool::new(false),
            has_killed: AtomicBool::new(false),
        }))
    }

    /// Sets the server to kill.
    pub(super) fn watch(&self, server: Server) {
        *self.0.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
    }

    /// Returns false from the kill until the next start.
    pub(super) fn is_watching(&self) -> bool {
        self.0.server.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn has_killed(&self) -> bool {
        self.0.has_killed.load(Ordering::SeqCst)
    }

    /// Returns the number of requests so far.
    pub(super) fn count(&self, door: Door) -> u64 {
        self.counter(door).load(Ordering::SeqCst)
    }

    fn counter(&self, door: Door) -> &AtomicU64 {
        match door {
            Door::Model => &self.0.questions,
            Door::Hook => &self.0.notifications,
        }
    }

    /// Records the arrival of a request. Returns its number, and true if it may be answered.
    pub(super) fn came(&self, door: Door) -> (u64, bool) {
        let number = self.counter(door).fetch_add(1, Ordering::SeqCst) + 1;
        let here = KillPoint { door, number, moment: Moment::Before };
        if self.0.place == Some(here) {
            self.kill();
            return (number, false);
        }
        (number, true)
    }

    /// Records that the response is on its way.
    pub(super) fn answered(&self, door: Door, number: u64) {
        let Some(place) = self.0.place.filter(|place| place.door == door && place.number == number) else {
            return;
        };
        if let Moment::After(pause) = place.moment {
            self.0.is_armed.store(true, Ordering::SeqCst);
            let killer = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(pause).await;
                killer.kill();
            });
        }
    }

    /// Waits for a scheduled kill. Returns true if it happened.
    pub(super) async fn falls(&self) -> bool {
        if !self.0.is_armed.load(Ordering::SeqCst) || self.has_killed() {
            return false;
        }
        while !self.has_killed() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        true
    }

    fn kill(&self) {
        let mut server = self.0.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut server) = server.take() {
            // A server that has ended already needs no kill.
            let _ = server.kill();
            self.0.has_killed.store(true, Ordering::SeqCst);
        }
    }
}

impl Watch for Killer {
    fn asked(&self, _asked: &ReceivedQuestion) -> bool {
        self.came(Door::Model).1
    }

    fn answers(&self, asked: &ReceivedQuestion) {
        self.answered(Door::Model, asked.number);
    }
}
