//! Sends one spool entry to a server within a time limit. An invalid session event does not block
//! the others: they are sent without it.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Context as _;
use loci_api::coding::task::session::SessionAppended;
use loci_client::Client;
use serde_json::Value;

use super::failure_class::CallFailureClass;
use super::task_creation;
use crate::spool::{SpoolCall, SpoolEntry};

/// The time limit of a small request. After it the server counts as unreachable.
pub(super) const PROBE: Duration = Duration::from_millis(1_500);
/// The time limit of a call to a reachable server.
pub(super) const CALL: Duration = Duration::from_secs(6);

/// The result of sending a spooled entry.
pub(super) struct EntrySendResult {
    /// The server's answer, or the reason why the call failed.
    pub(super) answer: Result<Value, CallFailureClass>,
    /// The invalid events of the entry, one entry each, with the reason.
    pub(super) bad: Vec<SpoolEntry>,
}

/// Checks that a server is reachable and knows the task.
pub(super) async fn probe(client: &Client, task: &str) -> Result<(), CallFailureClass> {
    match tokio::time::timeout(PROBE, client.task_get(task)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(CallFailureClass::Out(slow(PROBE))),
    }
}

/// Sends an entry, and waits at most `within` for the answer.
pub(super) async fn say(client: &Client, entry: &SpoolEntry, within: Duration) -> EntrySendResult {
    let mut bad = Vec::new();
    let count = entry.body.get("events").and_then(Value::as_array).map_or(0, Vec::len);
    if entry.call != SpoolCall::Session || count <= 1 {
        return EntrySendResult { answer: say_once(client, entry, within).await, bad };
    }
    let mut whole = SessionAppended::default();
    let mut parts = VecDeque::from([entry.clone()]);
    while let Some(mut part) = parts.pop_front() {
        let failure = match say_once(client, &part, within).await {
            Ok(answer) => match joined(&mut whole, answer) {
                Ok(()) => continue,
                Err(error) => CallFailureClass::Later(error),
            },
            Err(failure) => failure,
        };
        let count = events(&mut part).map_or(0, |events| events.len());
        match failure {
            CallFailureClass::Refused { error, event: Some(at), .. } if at < count => {
                bad.extend(alone(&mut part, at, &format!("{error:#}")));
                if count > 1 {
                    parts.push_front(part);
                }
            }
            CallFailureClass::Refused { is_too_great: true, error, .. } if count == 1 => {
                bad.extend(alone(&mut part, 0, &format!("{error:#}")));
            }
            CallFailureClass::Refused { is_too_great: true, .. } if count > 1 => {
                let mut rest = part.clone();
                if let (Some(first), Some(second)) = (events(&mut part), events(&mut rest)) {
                    first.truncate(count / 2);
                    second.drain(..count / 2);
                }
                parts.push_front(rest);
                parts.push_front(part);
            }
            // On the next attempt the server recognizes the events that it has already accepted.
            failure => return EntrySendResult { answer: Err(failure), bad },
        }
    }
    let answer = serde_json::to_value(whole).map_err(|error| CallFailureClass::Later(error.into()));
    EntrySendResult { answer, bad }
}

/// Sends an entry unchanged.
pub(super) async fn say_once(
    client: &Client,
    entry: &SpoolEntry,
    within: Duration,
) -> Result<Value, CallFailureClass> {
    let once = client.clone().with_idempotency_key(&entry.key)?;
    let call = async {
        match entry.call {
            SpoolCall::Create => task_creation::take_in(client, &once, &entry.body).await,
            SpoolCall::Session => once.session_say(&entry.task, &entry.body).await,
            other => once.task_say(&entry.task, path(other), &entry.body).await,
        }
    };
    match tokio::time::timeout(within, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(CallFailureClass::Slow(slow(within))),
    }
}

fn slow(within: Duration) -> anyhow::Error {
    anyhow::anyhow!("the server did not answer within {} ms", within.as_millis())
}

/// Returns the last segment of the path of a call about an existing task.
fn path(call: SpoolCall) -> &'static str {
    match call {
        SpoolCall::Note => "notes",
        other => other.as_str(),
    }
}

fn events(entry: &mut SpoolEntry) -> Option<&mut Vec<Value>> {
    entry.body.get_mut("events").and_then(Value::as_array_mut)
}

/// Moves an event into an entry of its own. Its key consists of the key of the original and the
/// event's number, so that it is kept once.
fn alone(entry: &mut SpoolEntry, at: usize, why: &str) -> Option<SpoolEntry> {
    let event = events(entry).filter(|events| at < events.len())?.remove(at);
    let name = event.get("seq").map_or_else(|| format!("at-{at}"), Value::to_string);
    let mut one = SpoolEntry {
        key: format!("{}.{name}", entry.key),
        refused: Some(why.to_owned()),
        waits: None,
        ..entry.clone()
    };
    *events(&mut one)? = vec![event];
    Some(one)
}

/// Adds the answer for one part to the total.
fn joined(whole: &mut SessionAppended, answer: Value) -> anyhow::Result<()> {
    let part: SessionAppended = serde_json::from_value(answer).context("the answer of the server")?;
    join(whole, part);
    Ok(())
}

/// Adds the result of one call to the total.
pub(crate) fn join(whole: &mut SessionAppended, part: SessionAppended) {
    whole.accepted = whole.accepted.saturating_add(part.accepted);
    whole.duplicates = whole.duplicates.saturating_add(part.duplicates);
    whole.last_seq = whole.last_seq.max(part.last_seq);
    whole.warnings.extend(part.warnings);
    whole.warnings.dedup();
}
