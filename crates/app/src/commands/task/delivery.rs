//! How `loci task complete|finalize|note` reach a server, or do not: what cannot be said now is spooled, and nobody is held up
//! for it. Whoever comes next and finds a server sends what waits.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use loci_client::{Client, ClientError};
use loci_engine::safety::{RedactionMode, secrets};
use loci_model::ports::clock::Clock as _;
use loci_model::ports::ids::uuid7;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::adapters::{RandomIds, SystemClock};
use crate::cli::Globals;
use crate::commands::at::{At, of_memory};
use crate::config::environment::Environment;
use crate::config::load;
use crate::local_code::LocalCode;
use crate::output;
use crate::session::Session;
use crate::spool::{Entry, Sent, Spool, SpoolCall};

/// A server that does not answer a small question by then is taken for gone.
const PROBE: Duration = Duration::from_millis(1_500);
/// One that answers is waited for.
const CALL: Duration = Duration::from_secs(6);
/// The variable that says where the spool is.
const SPOOL: &str = "LOCI_SPOOL";

/// What the helpers have in common.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Helper {
    /// Fail where it cannot be said now, instead of spooling it and ending well
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    at: At,
}

/// Why nothing came of a call.
enum Failure {
    /// It may be said later.
    Out(anyhow::Error),
    /// It would be refused again.
    Refused(anyhow::Error),
}

impl Helper {
    /// Says something of a task. `show` shows the answer.
    ///
    /// # Errors
    /// Only with `--strict`.
    pub(super) async fn say<A: DeserializeOwned + Serialize>(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, call): (&str, SpoolCall),
        body: &impl Serialize,
        show: impl FnOnce(&A),
    ) -> Result<()> {
        let said = self.entry(task, call, body);
        let failure = match said {
            Ok(entry) => match self.send(globals, environment, &entry).await {
                Ok(answer) => {
                    let answer: A = serde_json::from_value(answer).context("the answer of the server")?;
                    return output::result(globals.json, &answer, show);
                }
                Err(Failure::Refused(error)) => error,
                Err(Failure::Out(error)) => {
                    spool_it(globals, environment, &entry).await;
                    error
                }
            },
            Err(error) => error,
        };
        if self.strict {
            return Err(failure);
        }
        output::note(format!("loci task {}: {failure:#}", call.as_str()));
        Ok(())
    }

    /// The request as it is sent, and kept if need be: without secrets.
    fn entry(&self, task: &str, call: SpoolCall, body: &impl Serialize) -> Result<Entry> {
        let now = SystemClock::new().now();
        Ok(Entry {
            key: uuid7(&RandomIds::new()?, now.millis()),
            at: now.to_rfc3339(),
            memory: self.at.memory.clone(),
            task: task.to_owned(),
            call,
            body: without_secrets(serde_json::to_value(body)?),
            refused: None,
        })
    }

    async fn send(
        &self,
        globals: &Globals,
        environment: &Environment,
        entry: &Entry,
    ) -> Result<Value, Failure> {
        let session = Session::begin(globals, environment).map_err(Failure::Out)?;
        let client = of_memory(&session.client, entry.memory.as_deref()).map_err(Failure::Refused)?;
        probe(&client, &entry.task).await?;
        if let Some(spool) = spool(globals, environment).await {
            flush_quietly(&session.client, &spool).await;
        }
        let answer = say_once(&client, entry).await?;
        session.end().await.map_err(Failure::Out)?;
        Ok(answer)
    }
}

/// Finds out whether there is a server, and whether it knows the task.
async fn probe(client: &Client, task: &str) -> Result<(), Failure> {
    match tokio::time::timeout(PROBE, client.task_get(task)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(failed(error)),
        Err(_) => {
            Err(Failure::Out(anyhow::anyhow!("the server did not answer within {} ms", PROBE.as_millis())))
        }
    }
}

async fn say_once(client: &Client, entry: &Entry) -> Result<Value, Failure> {
    let client = client.clone().with_idempotency_key(&entry.key).map_err(failed)?;
    let call = client.task_say(&entry.task, path(entry.call), &entry.body);
    match tokio::time::timeout(CALL, call).await {
        Ok(answer) => answer.map_err(failed),
        Err(_) => Err(Failure::Out(anyhow::anyhow!("the server did not answer within {} s", CALL.as_secs()))),
    }
}

/// The last part of the call's path.
fn path(call: SpoolCall) -> &'static str {
    match call {
        SpoolCall::Complete => "complete",
        SpoolCall::Finalize => "finalize",
        SpoolCall::Note => "notes",
    }
}

fn failed(error: ClientError) -> Failure {
    let is_out = error.is_retryable() || matches!(error, ClientError::Unexpected(_));
    if is_out { Failure::Out(error.into()) } else { Failure::Refused(error.into()) }
}

async fn spool_it(globals: &Globals, environment: &Environment, entry: &Entry) {
    let Some(spool) = spool(globals, environment).await else {
        output::note(format!("nothing is spooled outside of a git repository: set {SPOOL} to a file"));
        return;
    };
    match spool.add(entry) {
        Ok(0) => output::note(format!("spooled in {}", spool.path().display())),
        Ok(dropped) => {
            let path = spool.path().display();
            output::note(format!("spooled in {path}; it was full, and its {dropped} oldest notes are gone"));
        }
        Err(error) => output::note(format!("not spooled: {error:#}")),
    }
}

/// The spool of the working directory: what the variable says, else a file of the clone that all its worktrees share.
pub(crate) async fn spool(globals: &Globals, environment: &Environment) -> Option<Spool> {
    if let Some(path) = environment.get(SPOOL) {
        return Some(Spool::at(PathBuf::from(path)));
    }
    let config = load(globals.config.as_deref(), environment).ok()?;
    let directory = PathBuf::from(".").canonicalize().ok()?;
    let local = LocalCode::around(&config, &directory).await.ok()??;
    Some(Spool::at(local.found().common_dir.join("loci").join("spool.jsonl")))
}

/// Sends what waits and was not refused before; says how many are taken.
async fn flush_quietly(client: &Client, spool: &Spool) {
    match flush(client, spool, false).await {
        Ok(Flushed { taken: 0, refused: 0, .. }) => {}
        Ok(Flushed { taken, refused, .. }) => {
            output::note(format!("{taken} spooled reports sent, {refused} refused (loci spool show)"));
        }
        Err(error) => output::note(format!("the spool: {error:#}")),
    }
}

/// What became of a spool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Flushed {
    /// Servers have so many more.
    pub(crate) taken: usize,
    /// So many were refused now.
    pub(crate) refused: usize,
    /// So many wait.
    pub(crate) waiting: usize,
}

/// Sends what waits, oldest first, until a server cannot be reached; with `all` also what was refused before.
pub(crate) async fn flush(client: &Client, spool: &Spool, all: bool) -> Result<Flushed> {
    let (entries, _) = spool.entries()?;
    let mut sent: BTreeMap<String, Sent> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| all || entry.refused.is_none()) {
        let client = of_memory(client, entry.memory.as_deref())?;
        match say_once(&client, entry).await {
            Ok(_) => sent.insert(entry.key.clone(), Sent::Taken),
            Err(Failure::Refused(error)) => {
                sent.insert(entry.key.clone(), Sent::Refused(format!("{error:#}")))
            }
            Err(Failure::Out(_)) => break,
        };
    }
    spool.settle(&sent)?;
    let taken = sent.values().filter(|one| **one == Sent::Taken).count();
    Ok(Flushed { taken, refused: sent.len() - taken, waiting: entries.len() - sent.len() })
}

/// Secrets are kept nowhere, not even until a server masks them.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(secrets::redact(text, RedactionMode::Mask).0),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, without_secrets(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_spooled_with_its_secrets() {
        let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
        let body = serde_json::json!({ "a": [format!("use {secret}")], "b": 1 });
        let expect = serde_json::json!({ "a": ["use [REDACTED:github_token]"], "b": 1 });
        assert_eq!(without_secrets(body), expect);
    }
}
