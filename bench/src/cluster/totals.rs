//! The counts of a run, and their output.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Counts of a run, shared by all its clients.
pub(super) type Shared = Arc<Totals>;

/// Counts of a run.
#[derive(Debug, Default)]
pub(super) struct Totals(Mutex<Counts>);

#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    /// Writes that were acknowledged.
    pub(super) acknowledged: u64,
    /// Attempts of writes with an unknown result.
    pub(super) in_doubt: u64,
    /// Attempts of writes after the first.
    pub(super) retried: u64,
    /// Writes that were given up in doubt. They took effect once or not at all.
    pub(super) given_up: u64,
    /// Reads of acknowledged writes by another server.
    pub(super) read_elsewhere: u64,
    /// Attempts of reads after the first.
    pub(super) reads_retried: u64,
    pub(super) kills: u64,
    /// Servers that ended before they listened, while the database was down.
    pub(super) ended_starts: u64,
    /// Messages of failed servers and of broken calls, with their numbers.
    pub(super) failures: BTreeMap<String, u64>,
    /// The restart of the database.
    pub(super) outage: Option<Outage>,
}

/// The time without writes after the stop of the database.
#[derive(Debug, Clone)]
pub(super) struct Outage {
    began: Instant,
    /// The time from the stop until the database accepted connections again.
    pub(super) database: Duration,
    /// By server: the time from the stop to the acknowledgement of the first write that was sent
    /// after it.
    pub(super) servers: BTreeMap<usize, Duration>,
}

impl Totals {
    /// Updates or reads the counts under their lock.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records that a server acknowledged a write that was sent at `sent`.
    pub(super) fn acknowledged(&self, server: usize, sent: Instant) {
        self.with(|counts| {
            counts.acknowledged += 1;
            if let Some(outage) = counts.outage.as_mut().filter(|outage| sent > outage.began) {
                let took = outage.began.elapsed();
                outage.servers.entry(server).or_insert(took);
            }
        });
    }

    /// Records the stop of the database.
    pub(super) fn stopped(&self, began: Instant) {
        let outage = Outage { began, database: Duration::ZERO, servers: BTreeMap::new() };
        self.with(|counts| counts.outage = Some(outage));
    }

    /// Records that the database accepts connections again.
    pub(super) fn started(&self) {
        self.with(|counts| {
            if let Some(outage) = counts.outage.as_mut() {
                outage.database = outage.began.elapsed();
            }
        });
    }
}

impl Counts {
    /// Returns the downtime of the database, and the times of the first write by any server and by
    /// the last server.
    fn unavailable(&self) -> Option<(Duration, Duration, Duration)> {
        let outage = self.outage.as_ref()?;
        Some((outage.database, *outage.servers.values().min()?, *outage.servers.values().max()?))
    }

    /// Returns the counts as JSON.
    pub(super) fn json(&self) -> Value {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let outage = self.unavailable().map(|(database, first, last)| {
            json!({"database_ms": millis(database), "first_write_ms": millis(first), "every_server_ms": millis(last)})
        });
        json!({
            "acknowledged": self.acknowledged, "in_doubt": self.in_doubt, "retried": self.retried,
            "given_up": self.given_up, "read_elsewhere": self.read_elsewhere, "reads_retried": self.reads_retried,
            "kills": self.kills, "ended_starts": self.ended_starts, "failures": self.failures, "outage": outage,
        })
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} writes acknowledged, {} tries in doubt, {} retried, {} given up in doubt; {} reads of them by other \
             servers; {} kills",
            self.acknowledged, self.in_doubt, self.retried, self.given_up, self.read_elsewhere, self.kills
        )?;
        if let Some((database, first, last)) = self.unavailable() {
            let seconds = |time: Duration| time.as_secs_f64();
            write!(
                f,
                "; the database was down for {:.1} s, the first write came {:.1} s and every server's {:.1} s after its stop",
                seconds(database),
                seconds(first),
                seconds(last)
            )?;
        }
        Ok(())
    }
}
