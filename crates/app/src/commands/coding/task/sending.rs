//! Saying one entry of a spool to a server: a call within a time. Of what was said in a session an event that cannot be right holds
//! nothing back: the others are said without it.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Context as _;
use loci_api::coding::task::session::SessionAppended;
use loci_client::Client;
use serde_json::Value;

use super::failing::Failure;
use super::taking_in;
use crate::spool::{Entry, SpoolCall};

/// A server that does not answer a small question by then is taken for gone.
pub(super) const PROBE: Duration = Duration::from_millis(1_500);
/// One that answers is waited for.
pub(super) const CALL: Duration = Duration::from_secs(6);

/// What became of an entry that was said.
pub(super) struct Said {
    /// The server's answer.
    pub(super) answer: Result<Value, Failure>,
    /// Events of it that cannot be right, an entry each, with the reason.
    pub(super) bad: Vec<Entry>,
}

/// Finds out whether there is a server, and whether it knows the task.
pub(super) async fn probe(client: &Client, task: &str) -> Result<(), Failure> {
    match tokio::time::timeout(PROBE, client.task_get(task)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Failure::Out(slow(PROBE))),
    }
}

/// Says an entry, and waits no longer than `within` for an answer.
pub(super) async fn say(client: &Client, entry: &Entry, within: Duration) -> Said {
    let mut bad = Vec::new();
    let count = entry.body.get("events").and_then(Value::as_array).map_or(0, Vec::len);
    if entry.call != SpoolCall::Session || count <= 1 {
        return Said { answer: say_once(client, entry, within).await, bad };
    }
    let mut whole = SessionAppended::default();
    let mut parts = VecDeque::from([entry.clone()]);
    while let Some(mut part) = parts.pop_front() {
        let failure = match say_once(client, &part, within).await {
            Ok(answer) => match joined(&mut whole, answer) {
                Ok(()) => continue,
                Err(error) => Failure::Later(error),
            },
            Err(failure) => failure,
        };
        let count = events(&mut part).map_or(0, |events| events.len());
        match failure {
            Failure::Refused { error, event: Some(at), .. } if at < count => {
                bad.extend(alone(&mut part, at, &format!("{error:#}")));
                if count > 1 {
                    parts.push_front(part);
                }
            }
            Failure::Refused { is_too_great: true, error, .. } if count == 1 => {
                bad.extend(alone(&mut part, 0, &format!("{error:#}")));
            }
            Failure::Refused { is_too_great: true, .. } if count > 1 => {
                let mut rest = part.clone();
                if let (Some(first), Some(second)) = (events(&mut part), events(&mut rest)) {
                    first.truncate(count / 2);
                    second.drain(..count / 2);
                }
                parts.push_front(rest);
                parts.push_front(part);
            }
            // What was taken of it is a repetition the next time.
            failure => return Said { answer: Err(failure), bad },
        }
    }
    let answer = serde_json::to_value(whole).map_err(|error| Failure::Later(error.into()));
    Said { answer, bad }
}

/// Says an entry as it is.
pub(super) async fn say_once(client: &Client, entry: &Entry, within: Duration) -> Result<Value, Failure> {
    let once = client.clone().with_idempotency_key(&entry.key)?;
    let call = async {
        match entry.call {
            SpoolCall::Create => taking_in::take_in(client, &once, &entry.body).await,
            SpoolCall::Session => once.session_say(&entry.task, &entry.body).await,
            other => once.task_say(&entry.task, path(other), &entry.body).await,
        }
    };
    match tokio::time::timeout(within, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Failure::Slow(slow(within))),
    }
}

fn slow(within: Duration) -> anyhow::Error {
    anyhow::anyhow!("the server did not answer within {} ms", within.as_millis())
}

/// The last part of the path of a call that is about a task that is there.
fn path(call: SpoolCall) -> &'static str {
    match call {
        SpoolCall::Note => "notes",
        other => other.as_str(),
    }
}

fn events(entry: &mut Entry) -> Option<&mut Vec<Value>> {
    entry.body.get_mut("events").and_then(Value::as_array_mut)
}

/// Takes an event out: an entry of its own, whose key is made of the whole's and its number, so that it is kept once.
fn alone(entry: &mut Entry, at: usize, why: &str) -> Option<Entry> {
    let event = events(entry).filter(|events| at < events.len())?.remove(at);
    let name = event.get("seq").map_or_else(|| format!("at-{at}"), Value::to_string);
    let mut one = Entry {
        key: format!("{}.{name}", entry.key),
        refused: Some(why.to_owned()),
        waits: None,
        ..entry.clone()
    };
    *events(&mut one)? = vec![event];
    Some(one)
}

/// What became of one part beside the others.
fn joined(whole: &mut SessionAppended, answer: Value) -> anyhow::Result<()> {
    let part: SessionAppended = serde_json::from_value(answer).context("the answer of the server")?;
    join(whole, part);
    Ok(())
}

/// What became of one call beside another.
pub(crate) fn join(whole: &mut SessionAppended, part: SessionAppended) {
    whole.accepted = whole.accepted.saturating_add(part.accepted);
    whole.duplicates = whole.duplicates.saturating_add(part.duplicates);
    whole.last_seq = whole.last_seq.max(part.last_seq);
    whole.warnings.extend(part.warnings);
    whole.warnings.dedup();
}
