//! The other side of a request: what is told to it while the request is answered, and, in initialize-based revisions, what it
//! is asked. Newer revisions carry questions in results instead.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};

use super::fault::Fault;
use super::message;

/// Messages that wait for a slow reader.
pub(super) const WAITING_MAX: usize = 64;
/// Questions that are open at once, of all clients.
const OPEN_MAX: usize = 1024;

type Answered = Result<Value, Value>;

/// Questions whose answers have not come.
#[derive(Default)]
pub struct Pending {
    open: Mutex<HashMap<String, oneshot::Sender<Answered>>>,
}

impl Pending {
    /// An answer has come. Answers nobody waits for are dropped.
    pub fn answered(&self, id: &Value, outcome: Answered) {
        let Some(id) = id.as_str() else { return };
        let waiting = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(waiting) = waiting {
            let _ = waiting.send(outcome); // whoever asked may have gone
        }
    }

    fn open(&self, id: &str) -> Option<oneshot::Receiver<Answered>> {
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

/// Gives an id that nobody guesses.
pub type FreshId = Arc<dyn Fn() -> String + Send + Sync>;

/// The other side.
#[derive(Clone)]
pub struct Peer {
    out: mpsc::Sender<Value>,
    pending: Arc<Pending>,
    fresh: FreshId,
}

impl Peer {
    /// The other side, behind a channel of messages.
    pub fn new(out: mpsc::Sender<Value>, pending: Arc<Pending>, fresh: FreshId) -> Self {
        Self { out, pending, fresh }
    }

    /// Tells something. Who has gone hears nothing.
    pub async fn notify(&self, method: &str, params: Value) {
        let _ = self.out.send(message::notification(method, params)).await;
    }

    /// Resolves when nobody listens any more.
    pub async fn gone(&self) {
        self.out.closed().await;
    }

    /// Asks something, and waits for the answer.
    ///
    /// # Errors
    /// Where too much is asked at once, the client has gone, or answers with an error.
    pub async fn ask(&self, method: &str, params: Value) -> Result<Map<String, Value>, Fault> {
        let id = (self.fresh)();
        let too_much = || Fault::internal("too many questions to clients are open");
        let answer = self.pending.open(&id).ok_or_else(too_much)?;
        let forget = Forget { pending: &self.pending, id: &id };
        let gone = || Fault::internal("the client went away before it answered");
        self.out.send(message::request(&id, method, params)).await.map_err(|_| gone())?;
        let outcome = answer.await.map_err(|_| gone())?;
        drop(forget);
        match outcome {
            Ok(Value::Object(result)) => Ok(result),
            Ok(_) => Err(Fault::invalid("the client's answer is no object")),
            Err(_) => Err(Fault::invalid(format!("the client refused {method}"))),
        }
    }
}

/// Forgets a question whose asker goes away.
struct Forget<'a> {
    pending: &'a Pending,
    id: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.pending.forget(self.id);
    }
}
