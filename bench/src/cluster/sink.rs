//! The receiver of notifications. It records the notifications, their order per record, and
//! repetitions. It rejects some, so that they are sent again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::seeded_random::Seeded;
use crate::wire::text_at;

/// The inverse of the share of notifications that it rejects.
const REFUSES: u64 = 100;

/// A record as followers know it.
#[derive(Debug, Clone)]
struct Followed {
    memory: String,
    /// The id of the last notification.
    last: String,
    /// The time of the last notification, in milliseconds since the epoch.
    at: i64,
    /// The text of the record. `None`: it is deleted.
    text: Option<String>,
}

#[derive(Debug)]
struct SinkState {
    /// Bodies by id, with true if the notification was accepted.
    bodies: BTreeMap<String, (String, bool)>,
    records: BTreeMap<String, Followed>,
    /// Notifications that came again after they were accepted.
    doubled: u64,
    refused: u64,
    jobs: u64,
    wrong: Vec<String>,
    random: Seeded,
}

/// A running receiver. It stops when this is dropped.
pub(super) struct Sink {
    port: u16,
    kept: Arc<Mutex<SinkState>>,
    task: JoinHandle<std::io::Result<()>>,
}

/// Counts of received notifications.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub(super) struct NotificationCounts {
    /// Notifications, counted by id.
    pub(super) notifications: usize,
    /// Notifications that came again although they were accepted.
    pub(super) doubled: u64,
    /// Notifications that were rejected, and came again.
    pub(super) refused: u64,
    /// Notifications of ends of jobs.
    pub(super) jobs: u64,
}

fn locked(kept: &Mutex<SinkState>) -> MutexGuard<'_, SinkState> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sink {
    pub(super) async fn start(seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listening for notifications")?;
        let port = listener.local_addr()?.port();
        let kept = Arc::new(Mutex::new(SinkState::new(Seeded::new(seed ^ 0x51_4b))));
        let router = Router::new().route("/hook", post(notified)).with_state(Arc::clone(&kept));
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, kept, task })
    }

    /// Returns the URL of the receiver.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// Returns the counts. It fails if the order of a record was violated, or if one id had two
    /// bodies.
    pub(super) fn told(&self) -> Result<NotificationCounts> {
        let kept = locked(&self.kept);
        ensure!(kept.wrong.is_empty(), "notifications: {:#?}", kept.wrong);
        Ok(NotificationCounts {
            notifications: kept.bodies.len(),
            doubled: kept.doubled,
            refused: kept.refused,
            jobs: kept.jobs,
        })
    }

    /// Returns the existing records of a memory as a follower knows them: texts by id.
    pub(super) fn followed(&self, memory: &str) -> BTreeMap<String, String> {
        let kept = locked(&self.kept);
        let of = kept.records.iter().filter(|(_, followed)| followed.memory == memory);
        of.filter_map(|(id, followed)| Some((id.clone(), followed.text.clone()?))).collect()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SinkState {
    fn new(random: Seeded) -> Self {
        Self {
            bodies: BTreeMap::new(),
            records: BTreeMap::new(),
            doubled: 0,
            refused: 0,
            jobs: 0,
            wrong: Vec::new(),
            random,
        }
    }

    /// Records a notification. Returns true if it is accepted.
    fn take(&mut self, id: &str, kind: &str, body: &str) -> bool {
        let came_before = match self.bodies.get(id) {
            Some((before, accepted)) => {
                if before != body {
                    self.wrong.push(format!("{id} came with two bodies: {before} and {body}"));
                }
                self.doubled += u64::from(*accepted);
                true
            }
            None => false,
        };
        let accepts = came_before || self.random.below(REFUSES) != 0;
        self.refused += u64::from(!accepts);
        self.bodies.insert(id.to_owned(), (body.to_owned(), accepts));
        match kind {
            "record_stream" => {
                if let Err(error) = self.follow(id, came_before, body) {
                    self.wrong.push(format!("{error:#}: {id} {body}"));
                }
            }
            _ => self.jobs += u64::from(!came_before),
        }
        accepts
    }

    /// Checks the order of a record's notifications: each comes after the previous one, and only
    /// the last one may be repeated.
    fn follow(&mut self, id: &str, came_before: bool, body: &str) -> Result<()> {
        let body: Value = serde_json::from_str(body)?;
        let event = body.get("memoryStreamEvent").context("no event")?;
        let Some(record) = event.get("memoryRecordId").and_then(Value::as_str) else { return Ok(()) };
        let kind = text_at(event, "/eventType")?;
        let at = text_at(event, "/eventTime")?.parse::<jiff::Timestamp>()?.as_millisecond();
        if let Some(before) = self.records.get(record) {
            if came_before {
                ensure!(before.last == id, "came again behind a later one of its record");
                return Ok(());
            }
            ensure!(before.text.is_some(), "a record is told of after its deletion");
            ensure!(kind != "MemoryRecordCreated", "a record is created twice");
            ensure!(at >= before.at, "an earlier change is told of behind a later one");
        } else {
            ensure!(kind == "MemoryRecordCreated", "a record is told of before it was created");
        }
        let text = match kind.as_str() {
            "MemoryRecordDeleted" => None,
            _ => Some(text_at(event, "/memoryRecordText")?),
        };
        let followed = Followed { memory: text_at(event, "/memoryId")?, last: id.to_owned(), at, text };
        self.records.insert(record.to_owned(), followed);
        Ok(())
    }
}

/// Handles a notification. It counts even if the response does not arrive, which is why some
/// notifications come again.
async fn notified(State(kept): State<Arc<Mutex<SinkState>>>, headers: HeaderMap, body: String) -> StatusCode {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = locked(&kept).take(text("webhook-id"), text("x-loci-event"), &body);
    if accepts { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(notices: &[(&str, &str, i64)]) -> SinkState {
        let mut kept = SinkState::new(Seeded::new(1));
        for (id, kind, second) in notices {
            let body = serde_json::json!({"memoryStreamEvent": {"eventType": format!("MemoryRecord{kind}"),
                "eventTime": format!("2026-11-22T10:00:0{second}Z"), "memoryId": "m", "memoryRecordId": "r",
                "memoryRecordText": id}});
            kept.take(id, "record_stream", &body.to_string());
        }
        kept
    }

    #[test]
    fn orders() {
        let check = |notices: &[(&str, &str, i64)], expect: &str| {
            let kept = kept(notices);
            let wrong = kept.wrong.first().map_or("", String::as_str);
            assert_eq!(wrong.split(':').next(), Some(expect), "{notices:?}");
        };
        check(&[("a", "Created", 1), ("b", "Updated", 2), ("c", "Deleted", 2)], "");
        check(&[("a", "Created", 1), ("a", "Created", 1), ("b", "Updated", 2), ("b", "Updated", 2)], "");
        check(
            &[("a", "Created", 1), ("b", "Updated", 2), ("a", "Created", 1)],
            "came again behind a later one of its record",
        );
        check(&[("a", "Created", 2), ("b", "Updated", 1)], "an earlier change is told of behind a later one");
        check(&[("a", "Updated", 1)], "a record is told of before it was created");
        check(&[("a", "Created", 1), ("b", "Created", 1)], "a record is created twice");
        check(
            &[("a", "Created", 1), ("b", "Deleted", 1), ("c", "Updated", 1)],
            "a record is told of after its deletion",
        );
    }

    #[test]
    fn what_was_accepted_and_comes_again_is_counted() {
        let kept = kept(&[("a", "Created", 1), ("a", "Created", 1), ("b", "Updated", 2)]);
        assert_eq!((kept.bodies.len(), kept.doubled), (2, 1));
    }
}
