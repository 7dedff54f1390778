//! The client of a request: notifications to it while the request is answered, and, in
//! initialize-based revisions, questions to it. Newer revisions carry questions in results instead.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::fault::McpFault;
use super::message;

/// The number of messages that are buffered for a slow reader.
pub(super) const WAITING_MAX: usize = 64;
/// The maximum number of open questions at once, over all clients.
const OPEN_MAX: usize = 1024;

type PeerAnswer = Result<Value, Value>;

/// Questions without an answer yet.
#[derive(Default)]
pub struct Pending {
    open: Mutex<HashMap<String, oneshot::Sender<PeerAnswer>>>,
}

impl Pending {
    /// Delivers an answer. Answers without a waiting question are dropped.
    pub fn answered(&self, id: &Value, outcome: PeerAnswer) {
        let Some(id) = id.as_str() else { return };
        let waiting = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(waiting) = waiting {
            let _ = waiting.send(outcome); // whoever asked may have gone
        }
    }

    fn open(&self, id: &str) -> Option<oneshot::Receiver<PeerAnswer>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN_MAX {
            open.retain(|_, waiting| !waiting.is_closed());
        }
        if open.len() >= OPEN_MAX {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        open.insert(id.to_owned(), sender);
        Some(receiver)
    }

    fn forget(&self, id: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

/// Returns an unguessable id.
pub type FreshId = Arc<dyn Fn() -> String + Send + Sync>;

/// The client of a request, behind a channel of messages to it.
#[derive(Clone)]
pub struct Peer {
    out: mpsc::Sender<Value>,
    pending: Arc<Pending>,
    fresh: FreshId,
}

impl Peer {
    /// Creates a client behind a channel of messages.
    pub fn new(out: mpsc::Sender<Value>, pending: Arc<Pending>, fresh: FreshId) -> Self {
        Self { out, pending, fresh }
    }

    /// Sends a notification. A client that has disconnected does not get it.
    pub async fn notify(&self, method: &str, params: Value) {
        let _ = self.out.send(message::notification(method, params)).await;
    }

    /// Resolves when the client has disconnected.
    pub async fn gone(&self) {
        self.out.closed().await;
    }

    /// Sends a question and waits for the answer.
    ///
    /// # Errors
    /// An error if too many questions are open, if the client has disconnected, or if it answers
    /// with an error.
    pub async fn ask(&self, method: &str, params: Value) -> Result<Map<String, Value>, McpFault> {
        let id = (self.fresh)();
        let too_much = || McpFault::internal("too many questions to clients are open");
        let answer = self.pending.open(&id).ok_or_else(too_much)?;
        let forget = Forget { pending: &self.pending, id: &id };
        let gone = || McpFault::internal("the client went away before it answered");
        self.out.send(message::request(&id, method, params)).await.map_err(|_| gone())?;
        let outcome = answer.await.map_err(|_| gone())?;
        drop(forget);
        match outcome {
            Ok(Value::Object(result)) => Ok(result),
            Ok(_) => Err(McpFault::invalid("the client's answer is no object")),
            Err(_) => Err(McpFault::invalid(format!("the client refused {method}"))),
        }
    }
}

/// Removes a question when its asker is dropped.
struct Forget<'a> {
    pending: &'a Pending,
    id: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.pending.forget(self.id);
    }
}
