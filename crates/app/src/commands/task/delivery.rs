//! How `loci task create|complete|finalize|note|feedback|hydrate` and `loci session append` reach a server, or do not: what cannot be
//! said now is spooled, and nobody is held up for it. Whoever comes next and finds a server sends what waits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use loci_client::{Client, ClientError};
use loci_engine::safety::{RedactionMode, secrets};
use loci_model::Timestamp;
use loci_model::ports::clock::Clock as _;
use loci_model::ports::ids::uuid7;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::taking_in;
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
pub(super) const PROBE: Duration = Duration::from_millis(1_500);
/// One that answers is waited for.
const CALL: Duration = Duration::from_secs(6);
/// What is said of a task that its server does not know waits so long.
const UNKNOWN_MAX_MS: i64 = 14 * 24 * 60 * 60 * 1_000;
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

/// Sending what waits before one's own report ends then: somebody waits for the command.
const BEFORE: Duration = Duration::from_secs(10);

/// Why nothing came of a call.
pub(super) enum Failure {
    /// It may be said later.
    Out(anyhow::Error),
    /// It would be refused again.
    Refused(anyhow::Error),
    /// The server does not know the task. It may come to know it: whoever takes tasks in may be late as well.
    Unknown(anyhow::Error),
    /// It is spooled already, behind what waits.
    Behind(anyhow::Error),
}

impl Failure {
    pub(super) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Out(error) | Self::Refused(error) | Self::Unknown(error) | Self::Behind(error) => error,
        }
    }
}

impl Helper {
    /// Says something of a task. `show` shows the answer.
    ///
    /// # Errors
    /// Only with `--strict`.
    pub(crate) async fn say<A: DeserializeOwned + Serialize>(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, call): (&str, SpoolCall),
        body: &impl Serialize,
        show: impl FnOnce(&A),
    ) -> Result<()> {
        let said = entry(globals, (task, self.at.memory.as_deref()), call, body);
        let failure = match said {
            Ok(entry) => match self.send(globals, environment, &entry).await {
                Ok(answer) => {
                    let answer: A = serde_json::from_value(answer).context("the answer of the server")?;
                    return output::result(globals.json, &answer, show);
                }
                Err(Failure::Behind(error)) => error,
                Err(Failure::Refused(error)) => {
                    let refused = Some(format!("{error:#}"));
                    spool_it(globals, environment, &Entry { refused, ..entry }).await;
                    error
                }
                Err(Failure::Unknown(error)) => {
                    let unknown = Some(format!("{error:#}"));
                    spool_it(globals, environment, &Entry { unknown, ..entry }).await;
                    error
                }
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
        let said = match call {
            SpoolCall::Session => "session append".to_owned(),
            other => format!("task {}", other.as_str()),
        };
        output::note(format!("loci {said}: {failure:#}"));
        Ok(())
    }

    /// Asks something of a server, and waits no longer than `within`. Nothing is spooled: what is asked for now is of no use later.
    ///
    /// # Errors
    /// Where nobody answers, and where the server refuses.
    pub(super) async fn ask<A, Call, Work>(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, within): (&str, Duration),
        call: Call,
    ) -> Result<A>
    where
        Call: FnOnce(Client) -> Work,
        Work: Future<Output = Result<A, ClientError>>,
    {
        let session = Session::begin(globals, environment)?;
        let client = self.at.of(&session.client)?;
        if let Err(failure) = probe(&client, task).await {
            let spool = spool(globals, environment).await;
            let url = globals.url.as_deref();
            let begins = spool.filter(|spool| spool.begins(url, task).unwrap_or_default());
            let (Failure::Unknown(_), Some(spool)) = (&failure, begins) else {
                return Err(failure.into_error());
            };
            // The task waits to be taken in, before anything can be asked of it.
            flush(&session.client, &spool, Flushing { url, all: false, until: Some(BEFORE) }).await?;
        }
        let answer = match tokio::time::timeout(within, call(client)).await {
            Ok(answer) => answer?,
            Err(_) => anyhow::bail!("the server did not answer within {} ms", within.as_millis()),
        };
        session.end().await?;
        Ok(answer)
    }

    /// The memory that is named.
    pub(super) fn memory(&self) -> Option<&str> {
        self.at.memory.as_deref()
    }

    /// Whether a failure ends the command.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// A part of a report; where it cannot be had, the rest is said without it.
    ///
    /// # Errors
    /// Only with `--strict`.
    pub(super) fn or_noted(&self, part: Result<String>) -> Result<Option<String>> {
        match part {
            Ok(text) => Ok(Some(text)),
            Err(error) if self.strict => Err(error),
            Err(error) => {
                output::note(format!("left out of the report: {error:#}"));
                Ok(None)
            }
        }
    }

    async fn send(
        &self,
        globals: &Globals,
        environment: &Environment,
        entry: &Entry,
    ) -> Result<Value, Failure> {
        let session = Session::begin(globals, environment).map_err(Failure::Out)?;
        let client = of_memory(&session.client, entry.memory.as_deref()).map_err(Failure::Refused)?;
        let known = probe(&client, &entry.task).await;
        let spool = spool(globals, environment).await;
        let begins = |spool: &Spool| spool.begins(entry.url.as_deref(), &entry.task).unwrap_or_default();
        match known {
            Ok(()) => {}
            // What waits in the spool takes the task in first.
            Err(Failure::Unknown(_)) if spool.as_ref().is_some_and(begins) => {}
            Err(failure) => return Err(failure),
        }
        let answer = match spool {
            Some(spool) if spool.waits_for(entry.url.as_deref()).map_err(Failure::Out)? => {
                behind_others(&session.client, &spool, entry).await?
            }
            _ => say_once(&client, entry).await?,
        };
        session.end().await.map_err(Failure::Out)?;
        Ok(answer)
    }
}

/// What is said of a task, of a memory where one is named, as it is sent and kept if need be: without secrets.
///
/// # Errors
/// It cannot be written down.
pub(crate) fn entry(
    globals: &Globals,
    (task, memory): (&str, Option<&str>),
    call: SpoolCall,
    body: &impl Serialize,
) -> Result<Entry> {
    let now = SystemClock::new().now();
    Ok(Entry {
        key: uuid7(&RandomIds::new()?, now.millis()),
        at: now.to_rfc3339(),
        url: globals.url.clone(),
        memory: memory.map(str::to_owned),
        task: task.to_owned(),
        call,
        body: without_secrets(serde_json::to_value(body)?),
        refused: None,
        unknown: None,
    })
}

/// Says something after what waits, in the order in which it was said. It is on the disk before anything is sent.
async fn behind_others(client: &Client, spool: &Spool, entry: &Entry) -> Result<Value, Failure> {
    spool.add(entry).map_err(Failure::Out)?;
    let flushing = Flushing { url: entry.url.as_deref(), all: false, until: Some(BEFORE) };
    let flushed = flush(client, spool, flushing).await.map_err(Failure::Behind)?;
    let (own, others): (Vec<_>, Vec<_>) = flushed.answers.into_iter().partition(|(key, _)| *key == entry.key);
    let taken = others.iter().filter(|(_, answer)| answer.is_ok()).count();
    let refused = others.len() - taken;
    output::note(format!("{taken} spooled reports sent, {refused} refused (loci spool show)"));
    match own.into_iter().next() {
        Some((_, Ok(answer))) => Ok(answer),
        Some((_, Err(why))) => Err(Failure::Behind(anyhow::anyhow!(why))),
        None => Err(Failure::Behind(anyhow::anyhow!(
            "it waits in the spool, behind what was said before: {}",
            spool.path().display()
        ))),
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

pub(super) async fn say_once(client: &Client, entry: &Entry) -> Result<Value, Failure> {
    let once = client.clone().with_idempotency_key(&entry.key).map_err(failed)?;
    let call = async {
        match entry.call {
            SpoolCall::Create => taking_in::take_in(client, &once, &entry.body).await,
            SpoolCall::Session => once.session_say(&entry.task, &entry.body).await,
            other => once.task_say(&entry.task, path(other), &entry.body).await,
        }
    };
    match tokio::time::timeout(CALL, call).await {
        Ok(answer) => answer.map_err(failed),
        Err(_) => Err(Failure::Out(anyhow::anyhow!("the server did not answer within {} s", CALL.as_secs()))),
    }
}

/// The last part of the path of a call that is about a task that is there.
fn path(call: SpoolCall) -> &'static str {
    match call {
        SpoolCall::Note => "notes",
        other => other.as_str(),
    }
}

fn failed(error: ClientError) -> Failure {
    if error.status() == Some(404) {
        return Failure::Unknown(error.into());
    }
    // A key that ran out and a server's fault are mended; what is said is right all the same.
    let is_mended = error.status().is_some_and(|status| matches!(status, 401 | 403 | 500..));
    let is_out = error.is_retryable() || is_mended || matches!(error, ClientError::Unexpected(_));
    if is_out { Failure::Out(error.into()) } else { Failure::Refused(error.into()) }
}

/// Keeps what could not be said, and says so; false where there is no place for it.
pub(super) async fn spool_it(globals: &Globals, environment: &Environment, entry: &Entry) -> bool {
    let Some(spool) = spool(globals, environment).await else {
        output::note(format!("nothing is spooled outside of a git repository: set {SPOOL} to a file"));
        return false;
    };
    match spool.add(entry) {
        Ok(0) => {
            output::note(format!("spooled in {}", spool.path().display()));
            true
        }
        Ok(dropped) => {
            let path = spool.path().display();
            output::note(format!(
                "spooled in {path}; it was full, and its {dropped} oldest events and notes are gone"
            ));
            true
        }
        Err(error) => {
            output::note(format!("not spooled: {error:#}"));
            false
        }
    }
}

/// The spool of the working directory: what the variable says, else a file of the clone that all its worktrees share.
pub(crate) async fn spool(globals: &Globals, environment: &Environment) -> Option<Spool> {
    if environment.get(SPOOL).is_some() {
        return Some(spool_of(environment, Path::new("")));
    }
    let config = load(globals.config.as_deref(), environment).ok()?;
    let directory = PathBuf::from(".").canonicalize().ok()?;
    let local = LocalCode::around(&config, &directory).await.ok()??;
    Some(spool_of(environment, &local.found().common_dir))
}

/// The spool of a clone by the directory that all its worktrees share, unless the variable names another.
pub(crate) fn spool_of(environment: &Environment, common: &Path) -> Spool {
    let named = environment.get(SPOOL).map(PathBuf::from);
    Spool::at(named.unwrap_or_else(|| common.join("loci").join("spool.jsonl")))
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

/// What is sent of a spool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flushing<'a> {
    /// What was said to this server, and no other.
    pub(crate) url: Option<&'a str>,
    /// Also what was refused before.
    pub(crate) all: bool,
    /// Nothing more is begun after so long.
    pub(crate) until: Option<Duration>,
}

/// What became of a spool, with the answers by key: a server's, or why it refused.
pub(crate) struct Answered {
    pub(crate) done: Flushed,
    pub(crate) answers: Vec<(String, Result<Value, String>)>,
}

/// Sends what waits, oldest first, until a server cannot be reached. What is said of a task that it does not know waits on.
pub(crate) async fn flush(client: &Client, spool: &Spool, what: Flushing<'_>) -> Result<Answered> {
    let clock = SystemClock::new();
    let until_us = what.until.and_then(|until| u64::try_from(until.as_micros()).ok());
    let until_us = until_us.map(|until| clock.monotonic_us().saturating_add(until));
    let (entries, _) = spool.entries()?;
    let wanted = |entry: &&Entry| entry.url.as_deref() == what.url && (what.all || entry.refused.is_none());
    let mut answers = Vec::new();
    let mut unknown: BTreeSet<(Option<&str>, &str)> = BTreeSet::new();
    for entry in entries.iter().filter(wanted) {
        if until_us.is_some_and(|until| clock.monotonic_us() >= until) {
            break;
        }
        let about = (entry.memory.as_deref(), entry.task.as_str());
        if unknown.contains(&about) {
            continue;
        }
        let client = of_memory(client, entry.memory.as_deref())?;
        let answer = match say_once(&client, entry).await {
            Ok(answer) => Ok(answer),
            Err(Failure::Unknown(error)) if !is_old(&entry.at, clock.now()) => {
                unknown.insert(about);
                if entry.unknown.is_none() {
                    spool.settle(&entry.key, &Sent::Unknown(format!("{error:#}")))?;
                }
                continue;
            }
            Err(Failure::Refused(error) | Failure::Unknown(error) | Failure::Behind(error)) => {
                Err(format!("{error:#}"))
            }
            Err(Failure::Out(_)) => break,
        };
        // At once: whoever is killed on the way sends nothing twice that need not be.
        let sent = answer.as_ref().map_or_else(|why| Sent::Refused(why.clone()), |_| Sent::Taken);
        spool.settle(&entry.key, &sent)?;
        answers.push((entry.key.clone(), answer));
    }
    let taken = answers.iter().filter(|(_, answer)| answer.is_ok()).count();
    let done = Flushed { taken, refused: answers.len() - taken, waiting: entries.len() - answers.len() };
    Ok(Answered { done, answers })
}

/// Nobody takes its task in any more.
fn is_old(at: &str, now: Timestamp) -> bool {
    Timestamp::parse(at).is_ok_and(|at| at.plus_millis(UNKNOWN_MAX_MS) < now)
}

/// Secrets are kept nowhere, not even until a server masks them.
pub(crate) fn without_secrets(value: Value) -> Value {
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
    fn a_task_is_waited_for_but_not_for_ever() {
        let said = "2026-11-23T03:00:00Z";
        let at = Timestamp::parse(said).unwrap();
        assert!(!is_old(said, at.plus_millis(UNKNOWN_MAX_MS)));
        assert!(is_old(said, at.plus_millis(UNKNOWN_MAX_MS + 1)));
    }

    #[test]
    fn nothing_is_spooled_with_its_secrets() {
        let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
        let body = serde_json::json!({ "a": [format!("use {secret}")], "b": 1 });
        let expect = serde_json::json!({ "a": ["use [REDACTED:github_token]"], "b": 1 });
        assert_eq!(without_secrets(body), expect);
    }
}
