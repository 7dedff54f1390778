//! How `loci task create|complete|finalize|note|feedback|hydrate` and `loci session append` reach a server, or do not: what cannot be
//! said now is spooled, and nobody is held up for it. Whoever comes next and finds a server sends what waits (`flushing`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use loci_client::{Client, ClientError};
use loci_engine::safety::{RedactionMode, json_secrets};
use loci_model::ports::clock::Clock as _;
use loci_model::ports::ids::uuid7;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failing::Failure;
use super::flushing::{Flushing, flush};
use super::sending::{CALL, probe, say};
use crate::adapters::{RandomIds, SystemClock};
use crate::cli::Globals;
use crate::commands::verified::at::At;
use crate::config::environment::Environment;
use crate::config::load;
use crate::local_code::LocalCode;
use crate::output;
use crate::session::Session;
use crate::spool::{Added, Entry, Spool, SpoolCall, Waits};

/// The variable that says where the spool is.
const SPOOL: &str = "LOCI_SPOOL";
/// Sending what waits before one's own report ends then: somebody waits for the command.
const BEFORE: Duration = Duration::from_secs(10);

/// What the helpers have in common.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Helper {
    /// Fail where it cannot be said now, instead of spooling it and ending well
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    at: At,
}

/// A server that is there and knows the task, and the spool of what could not be said to it.
struct Line {
    session: Session,
    client: Client,
    spool: Option<Spool>,
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
        about: (&str, SpoolCall),
        body: &impl Serialize,
        show: impl FnOnce(&A),
    ) -> Result<()> {
        let said = match serde_json::to_value(body) {
            Ok(body) => self.say_each(globals, environment, about, vec![body]).await,
            Err(error) => (Vec::new(), Some(error.into())),
        };
        let (answers, failure) = said;
        if let Some(answer) = answers.into_iter().next() {
            let answer: A = serde_json::from_value(answer).context("the answer of the server")?;
            return output::result(globals.json, &answer, show);
        }
        failure.map_or(Ok(()), |failure| self.fail(about.1, failure))
    }

    /// Says several things of a task, one after the other, to a server that is looked for once. What cannot be said is kept, and
    /// what follows it behind it. The answers, and the first failure.
    pub(crate) async fn say_each(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, call): (&str, SpoolCall),
        bodies: Vec<Value>,
    ) -> (Vec<Value>, Option<anyhow::Error>) {
        let line = self.line(globals, environment, task).await;
        let (line, mut failed) = match line {
            Ok(line) => (Some(line), None),
            Err(failure) => (None, Some(failure)),
        };
        let (mut answers, mut first) = (Vec::new(), None);
        // Why nothing more is sent.
        let mut kept_as: Option<Kept> = None;
        for body in bodies {
            let said = match entry(globals, (task, self.memory()), call, body) {
                Ok(said) => said,
                Err(error) => return (answers, Some(first.unwrap_or(error))),
            };
            if let Some(kept) = &kept_as {
                spool_it(globals, environment, kept.of(said)).await;
                continue;
            }
            let failure = match (failed.take(), &line) {
                (Some(failure), _) => failure,
                (None, None) => Failure::Out(anyhow::anyhow!("no server was found")),
                (None, Some(line)) => match line.send(&said).await {
                    Ok(answer) => {
                        answers.push(answer);
                        continue;
                    }
                    Err(failure) => failure,
                },
            };
            let kept = Kept::after(&failure);
            if !matches!(failure, Failure::Behind(_)) {
                spool_it(globals, environment, kept.of(said)).await;
            }
            if line.is_none() || !matches!(failure, Failure::Refused { .. }) {
                kept_as = Some(kept.for_the_next());
            }
            first = first.or(Some(failure.into_error()));
        }
        if let Some(line) = line
            && let Err(error) = line.session.end().await
        {
            first = first.or(Some(error));
        }
        (answers, first)
    }

    /// What is done where something could not be said: it is noted, unless it is to end the command.
    ///
    /// # Errors
    /// With `--strict`.
    pub(crate) fn fail(&self, call: SpoolCall, failure: anyhow::Error) -> Result<()> {
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

    /// Keeps what no server will want, with the reason.
    pub(crate) async fn keep_apart(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, call): (&str, SpoolCall),
        (body, why): (Value, String),
    ) {
        match entry(globals, (task, self.at.memory.as_deref()), call, body) {
            Ok(entry) => {
                spool_it(globals, environment, Entry { refused: Some(why), ..entry }).await;
            }
            Err(error) => output::note(format!("not kept: {error:#}")),
        }
    }

    async fn line(&self, globals: &Globals, environment: &Environment, task: &str) -> Result<Line, Failure> {
        let session = Session::begin(globals, environment).map_err(Failure::Out)?;
        let client = self.at.of(&session.client).map_err(Failure::refused)?;
        let spool = spool(globals, environment).await;
        let known = probe(&client, task).await;
        // What waits in the spool takes the task in first.
        if !(matches!(known, Err(Failure::Unknown(_))) && self.begins(globals, spool.as_ref(), task).await) {
            known?;
        }
        Ok(Line { session, client, spool })
    }

    /// Whether the task waits in the spool to be taken in.
    async fn begins(&self, globals: &Globals, spool: Option<&Spool>, task: &str) -> bool {
        let Some(spool) = spool else { return false };
        let about = (self.memory(), task);
        spool.begins(globals.url.as_deref(), about).await.unwrap_or_default()
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
            let begins = self.begins(globals, spool.as_ref(), task).await;
            let (Failure::Unknown(_), Some(spool), true) = (&failure, spool, begins) else {
                return Err(failure.into_error());
            };
            // The task waits to be taken in, before anything can be asked of it.
            let (url, first) = (globals.url.as_deref(), Some((self.memory(), task)));
            let flushing = Flushing { url, all: false, first, until: Some(BEFORE) };
            flush(&session.client, &spool, flushing).await?;
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
}

impl Line {
    /// Says an entry: behind what waits where something may be sent by now, or is of the same task.
    async fn send(&self, entry: &Entry) -> Result<Value, Failure> {
        let Some(spool) = &self.spool else { return self.say(entry).await };
        let now = SystemClock::new().now();
        let held = spool.held().await.map_err(Failure::Out)?;
        let goes_first = |waiting: &Entry| {
            waiting.url == entry.url && (waiting.is_due(now) || waiting.about() == entry.about())
        };
        if held.entries.iter().any(goes_first) {
            self.behind(spool, entry).await
        } else {
            self.say(entry).await
        }
    }

    async fn say(&self, entry: &Entry) -> Result<Value, Failure> {
        let said = say(&self.client, entry, CALL).await;
        for bad in &said.bad {
            output::note(format!("refused: {}", bad.refused.as_deref().unwrap_or_default()));
        }
        if !said.bad.is_empty() {
            match &self.spool {
                Some(spool) => match spool.refuse(said.bad).await {
                    Ok(()) => output::note("what was refused is kept: loci spool show"),
                    Err(error) => output::note(format!("what was refused is not kept: {error:#}")),
                },
                None => output::note(format!("what was refused is not kept: set {SPOOL} to a file")),
            }
        }
        said.answer
    }

    /// Says something after what waits, in the order in which it was said. It is on the disk before anything is sent.
    async fn behind(&self, spool: &Spool, entry: &Entry) -> Result<Value, Failure> {
        spool.add(entry).await.map_err(Failure::Out)?;
        let url = entry.url.as_deref();
        let flushing = Flushing { url, all: false, first: Some(entry.about()), until: Some(BEFORE) };
        let flushed = flush(&self.session.client, spool, flushing).await.map_err(Failure::Behind)?;
        let (own, others): (Vec<_>, Vec<_>) =
            flushed.answers.into_iter().partition(|(key, _)| *key == entry.key);
        let taken = others.iter().filter(|(_, answer)| answer.is_ok()).count();
        let refused = flushed.done.refused - own.iter().filter(|(_, answer)| answer.is_err()).count();
        if taken + refused > 0 {
            output::note(format!("{taken} spooled reports sent, {refused} refused (loci spool show)"));
        }
        match own.into_iter().next() {
            Some((_, Ok(answer))) => Ok(answer),
            Some((_, Err(why))) => Err(Failure::Behind(anyhow::anyhow!(why))),
            None => Err(Failure::Behind(anyhow::anyhow!(
                "it waits in the spool, behind what was said before: {} (loci spool show)",
                spool.path().display()
            ))),
        }
    }
}

/// How something is kept that could not be said.
enum Kept {
    /// As it is.
    Plain,
    /// With what a server said.
    Waiting(Waits),
    /// Apart.
    Apart(String),
}

impl Kept {
    fn after(failure: &Failure) -> Self {
        let waiting = |error: &anyhow::Error, is_unknown| {
            let tried_at = SystemClock::new().now().to_rfc3339();
            Self::Waiting(Waits { why: format!("{error:#}"), tried_at, times: 1, is_unknown })
        };
        match failure {
            Failure::Out(_) | Failure::Behind(_) => Self::Plain,
            Failure::Slow(error) | Failure::Later(error) => waiting(error, false),
            Failure::Unknown(error) => waiting(error, true),
            Failure::Refused { error, .. } => Self::Apart(format!("{error:#}")),
        }
    }

    /// What follows waits behind it, and has not been tried itself.
    fn for_the_next(self) -> Self {
        match self {
            Self::Plain | Self::Waiting(_) => Self::Plain,
            Self::Apart(why) => Self::Apart(why),
        }
    }

    fn of(&self, entry: Entry) -> Entry {
        match self {
            Self::Plain => entry,
            Self::Waiting(waits) => Entry { waits: Some(waits.clone()), ..entry },
            Self::Apart(why) => Entry { refused: Some(why.clone()), ..entry },
        }
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
    body: Value,
) -> Result<Entry> {
    let now = SystemClock::new().now();
    Ok(Entry {
        key: uuid7(&RandomIds::new()?, now.millis()),
        at: now.to_rfc3339(),
        url: globals.url.clone(),
        memory: memory.map(str::to_owned),
        task: task.to_owned(),
        call,
        body: without_secrets(body),
        refused: None,
        waits: None,
    })
}

/// Keeps what could not be said, and says so; false where there is no place for it.
pub(super) async fn spool_it(globals: &Globals, environment: &Environment, entry: Entry) -> bool {
    let Some(spool) = spool(globals, environment).await else {
        output::note(format!("nothing is spooled outside of a git repository: set {SPOOL} to a file"));
        return false;
    };
    let path = spool.path().display();
    let added = spool.add(&entry).await;
    let is_kept = added.is_ok();
    match added {
        Ok(Added::Behind { dropped: 0 }) if entry.refused.is_some() => {
            output::note("what was refused is kept: loci spool show");
        }
        Ok(Added::Behind { dropped: 0 }) => output::note(format!("spooled in {path}")),
        Ok(Added::Behind { dropped }) => output::note(format!(
            "spooled in {path}; it was full, and its {dropped} oldest events and notes are gone"
        )),
        Ok(Added::Beside) => {
            output::note(format!("another process holds {path}: kept beside it, until it is flushed"));
        }
        Err(error) => output::note(format!("not spooled: {error:#}")),
    }
    is_kept
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

/// Secrets are kept nowhere, not even until a server masks them.
pub(crate) fn without_secrets(value: Value) -> Value {
    json_secrets::redact_all(value, RedactionMode::Mask)
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
