//! The receiver of notifications. It stores each under its id, and counts repetitions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::killer::{Door, Killer};

/// A notification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReceivedNotification {
    /// The kind: `self_managed`, `record_stream` or `job_ended`.
    pub(super) kind: String,
    pub(super) body: Value,
}

#[derive(Debug, Default)]
struct NotificationsById {
    by_id: BTreeMap<String, ReceivedNotification>,
    repeated: usize,
    /// Ids that came with two bodies.
    differing: Vec<String>,
}

#[derive(Clone)]
struct Hook {
    kept: Arc<Mutex<NotificationsById>>,
    killer: Arc<Killer>,
}

/// A running receiver. It stops when this is dropped.
pub(super) struct Sink {
    port: u16,
    kept: Arc<Mutex<NotificationsById>>,
    task: JoinHandle<std::io::Result<()>>,
}

fn locked(kept: &Mutex<NotificationsById>) -> MutexGuard<'_, NotificationsById> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sink {
    pub(super) async fn start(killer: Arc<Killer>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listening for notifications")?;
        let port = listener.local_addr()?.port();
        let kept = Arc::default();
        let hook = Hook { kept: Arc::clone(&kept), killer };
        let router = Router::new().route("/hook", post(notified)).with_state(hook);
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, kept, task })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the number of repeated notifications.
    pub(super) fn repeated(&self) -> usize {
        locked(&self.kept).repeated
    }

    /// Returns the notifications, each once. It fails if one id had two bodies.
    pub(super) fn told(&self) -> Result<Vec<ReceivedNotification>> {
        let kept = locked(&self.kept);
        anyhow::ensure!(kept.differing.is_empty(), "came again with another body: {:?}", kept.differing);
        Ok(kept.by_id.values().cloned().collect())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Handles a notification. It counts even if the response does not arrive, which is why repetitions
/// occur.
async fn notified(State(hook): State<Hook>, headers: HeaderMap, body: String) -> StatusCode {
    let text =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (id, told) = (
        text("webhook-id"),
        ReceivedNotification {
            kind: text("x-loci-event"),
            body: serde_json::from_str(&body).unwrap_or(Value::Null),
        },
    );
    {
        let mut kept = locked(&hook.kept);
        if let Some(before) = kept.by_id.get(&id) {
            let differs = *before != told;
            kept.repeated += 1;
            if differs {
                kept.differing.push(id);
            }
        } else {
            kept.by_id.insert(id, told);
        }
    }
    let (number, answers) = hook.killer.came(Door::Hook);
    if !answers {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    hook.killer.answered(Door::Hook, number);
    StatusCode::NO_CONTENT
}
