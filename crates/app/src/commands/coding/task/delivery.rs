//! Delivery of `loci task create|complete|finalize|note|feedback|hydrate` and `loci session append`
//! to a server. Undeliverable reports are spooled, so that no caller waits. The next command that
//! reaches a server sends them (`spool_flush`).

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

use super::entry_sender::{CALL, probe, say};
use super::failure_class::CallFailureClass;
use super::spool_flush::{FlushSelection, flush};
use crate::adapters::{RandomIds, SystemClock};
use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::config::load;
use crate::local_code::LocalCode;
use crate::output;
use crate::session::Session;
use crate::spool::{Added, Spool, SpoolCall, SpoolEntry, WaitReason};

/// The environment variable with the path of the spool.
const SPOOL: &str = "LOCI_SPOOL";
/// The time limit for sending spooled entries before the caller's own report, because the caller
/// waits.
const BEFORE: Duration = Duration::from_secs(10);

/// Options that all helper commands share.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DeliveryOptions {
    /// Fail if the report cannot be sent now, instead of spooling it and exiting with 0
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    at: CodeMemory,
}

/// A server that is reachable and knows the task, and the spool for undeliverable reports.
struct DeliveryLine {
    session: Session,
    client: Client,
    spool: Option<Spool>,
}

impl DeliveryOptions {
    /// Sends one report about a task. `show` prints the answer.
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

    /// Sends several reports about a task in order, over one connection. An undeliverable report is
    /// spooled, and so are the reports after it. Returns the answers and the first failure.
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
        // The reason why nothing more is sent.
        let mut kept_as: Option<SpooledState> = None;
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
                (None, None) => CallFailureClass::Out(anyhow::anyhow!("no server was found")),
                (None, Some(line)) => match line.send(&said).await {
                    Ok(answer) => {
                        answers.push(answer);
                        continue;
                    }
                    Err(failure) => failure,
                },
            };
            let kept = SpooledState::after(&failure);
            if !matches!(failure, CallFailureClass::Behind(_)) {
                spool_it(globals, environment, kept.of(said)).await;
            }
            if line.is_none() || !matches!(failure, CallFailureClass::Refused { .. }) {
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

    /// Handles an undeliverable report: prints a note, or ends the command with `--strict`.
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

    /// Spools a report that no server will accept, with the reason.
    pub(crate) async fn keep_apart(
        &self,
        globals: &Globals,
        environment: &Environment,
        (task, call): (&str, SpoolCall),
        (body, why): (Value, String),
    ) {
        match entry(globals, (task, self.at.memory.as_deref()), call, body) {
            Ok(entry) => {
                spool_it(globals, environment, SpoolEntry { refused: Some(why), ..entry }).await;
            }
            Err(error) => output::note(format!("not kept: {error:#}")),
        }
    }

    async fn line(
        &self,
        globals: &Globals,
        environment: &Environment,
        task: &str,
    ) -> Result<DeliveryLine, CallFailureClass> {
        let session = Session::begin(globals, environment).map_err(CallFailureClass::Out)?;
        let client = self.at.of(&session.client).map_err(CallFailureClass::refused)?;
        let spool = spool(globals, environment).await;
        let known = probe(&client, task).await;
        // If the spool contains the task's creation, flushing creates the task first.
        if !(matches!(known, Err(CallFailureClass::Unknown(_)))
            && self.begins(globals, spool.as_ref(), task).await)
        {
            known?;
        }
        Ok(DeliveryLine { session, client, spool })
    }

    /// Returns true if the spool contains the creation of this task.
    async fn begins(&self, globals: &Globals, spool: Option<&Spool>, task: &str) -> bool {
        let Some(spool) = spool else { return false };
        let about = (self.memory(), task);
        spool.begins(globals.url.as_deref(), about).await.unwrap_or_default()
    }

    /// Sends a request and waits at most `within`. Nothing is spooled, because the answer would be
    /// useless later.
    ///
    /// # Errors
    /// No server answers, or the server rejects the request.
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
            let (CallFailureClass::Unknown(_), Some(spool), true) = (&failure, spool, begins) else {
                return Err(failure.into_error());
            };
            // The task's creation is spooled and must be sent before the request.
            let (url, first) = (globals.url.as_deref(), Some((self.memory(), task)));
            let flushing = FlushSelection { url, all: false, first, until: Some(BEFORE) };
            flush(&session.client, &spool, flushing).await?;
        }
        let answer = match tokio::time::timeout(within, call(client)).await {
            Ok(answer) => answer?,
            Err(_) => anyhow::bail!("the server did not answer within {} ms", within.as_millis()),
        };
        session.end().await?;
        Ok(answer)
    }

    /// Returns the memory that the options name.
    pub(super) fn memory(&self) -> Option<&str> {
        self.at.memory.as_deref()
    }

    /// Returns true if a failed delivery ends the command with an error.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Returns a part of a report, or `None` with a note if it is unavailable.
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

impl DeliveryLine {
    /// Sends an entry. If spooled entries are due or belong to the same task, they are sent first.
    async fn send(&self, entry: &SpoolEntry) -> Result<Value, CallFailureClass> {
        let Some(spool) = &self.spool else { return self.say(entry).await };
        let now = SystemClock::new().now();
        let held = spool.held().await.map_err(CallFailureClass::Out)?;
        let goes_first = |waiting: &SpoolEntry| {
            waiting.url == entry.url && (waiting.is_due(now) || waiting.about() == entry.about())
        };
        if held.entries.iter().any(goes_first) {
            self.behind(spool, entry).await
        } else {
            self.say(entry).await
        }
    }

    async fn say(&self, entry: &SpoolEntry) -> Result<Value, CallFailureClass> {
        let said = say(&self.client, entry, CALL).await;
        for bad in &said.bad {
            output::note(format!("refused: {}", bad.refused.as_deref().unwrap_or_default()));
        }
        if !said.bad.is_empty() {
            match &self.spool {
                Some(spool) => match spool.refuse(said.bad).await {
                    Ok(()) => output::note("the rejected entry is kept: loci spool show"),
                    Err(error) => output::note(format!("the rejected entry is not kept: {error:#}")),
                },
                None => output::note(format!("the rejected entry is not kept: set {SPOOL} to a file")),
            }
        }
        said.answer
    }

    /// Spools an entry behind the waiting ones and sends them in order. The entry is on disk before
    /// anything is sent.
    async fn behind(&self, spool: &Spool, entry: &SpoolEntry) -> Result<Value, CallFailureClass> {
        spool.add(entry).await.map_err(CallFailureClass::Out)?;
        let url = entry.url.as_deref();
        let flushing = FlushSelection { url, all: false, first: Some(entry.about()), until: Some(BEFORE) };
        let flushed = flush(&self.session.client, spool, flushing).await.map_err(CallFailureClass::Behind)?;
        let (own, others): (Vec<_>, Vec<_>) =
            flushed.answers.into_iter().partition(|(key, _)| *key == entry.key);
        let taken = others.iter().filter(|(_, answer)| answer.is_ok()).count();
        let refused = flushed.done.refused - own.iter().filter(|(_, answer)| answer.is_err()).count();
        if taken + refused > 0 {
            output::note(format!("{taken} spooled reports sent, {refused} refused (loci spool show)"));
        }
        match own.into_iter().next() {
            Some((_, Ok(answer))) => Ok(answer),
            Some((_, Err(why))) => Err(CallFailureClass::Behind(anyhow::anyhow!(why))),
            None => Err(CallFailureClass::Behind(anyhow::anyhow!(
                "it waits in the spool, behind earlier entries: {} (loci spool show)",
                spool.path().display()
            ))),
        }
    }
}

/// The state in which an undeliverable entry is spooled.
enum SpooledState {
    /// Without a result.
    Plain,
    /// Waiting, with the answer of a server.
    Waiting(WaitReason),
    /// Rejected, with the reason.
    Apart(String),
}

impl SpooledState {
    fn after(failure: &CallFailureClass) -> Self {
        let waiting = |error: &anyhow::Error, is_unknown| {
            let tried_at = SystemClock::new().now().to_rfc3339();
            Self::Waiting(WaitReason { why: format!("{error:#}"), tried_at, times: 1, is_unknown })
        };
        match failure {
            CallFailureClass::Out(_) | CallFailureClass::Behind(_) => Self::Plain,
            CallFailureClass::Slow(error) | CallFailureClass::Later(error) => waiting(error, false),
            CallFailureClass::Unknown(error) => waiting(error, true),
            CallFailureClass::Refused { error, .. } => Self::Apart(format!("{error:#}")),
        }
    }

    /// Returns the state for the following entries, which wait behind this one and have not been
    /// tried.
    fn for_the_next(self) -> Self {
        match self {
            Self::Plain | Self::Waiting(_) => Self::Plain,
            Self::Apart(why) => Self::Apart(why),
        }
    }

    fn of(&self, entry: SpoolEntry) -> SpoolEntry {
        match self {
            Self::Plain => entry,
            Self::Waiting(waits) => SpoolEntry { waits: Some(waits.clone()), ..entry },
            Self::Apart(why) => SpoolEntry { refused: Some(why.clone()), ..entry },
        }
    }
}

/// Returns the entry of a report about a task, in the named memory. It contains no secrets, because
/// it may be spooled.
///
/// # Errors
/// A random id cannot be generated.
pub(crate) fn entry(
    globals: &Globals,
    (task, memory): (&str, Option<&str>),
    call: SpoolCall,
    body: Value,
) -> Result<SpoolEntry> {
    let now = SystemClock::new().now();
    Ok(SpoolEntry {
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

/// Spools an undeliverable entry and prints a note. Returns false if there is no spool or it cannot
/// be written.
pub(super) async fn spool_it(globals: &Globals, environment: &Environment, entry: SpoolEntry) -> bool {
    let Some(spool) = spool(globals, environment).await else {
        output::note(format!("nothing is spooled outside of a git repository: set {SPOOL} to a file"));
        return false;
    };
    let path = spool.path().display();
    let added = spool.add(&entry).await;
    let is_kept = added.is_ok();
    match added {
        Ok(Added::Behind { dropped: 0 }) if entry.refused.is_some() => {
            output::note("the rejected entry is kept: loci spool show");
        }
        Ok(Added::Behind { dropped: 0 }) => output::note(format!("spooled in {path}")),
        Ok(Added::Behind { dropped }) => output::note(format!(
            "spooled in {path}; it was full, and its {dropped} oldest events and notes are gone"
        )),
        Ok(Added::Beside) => {
            output::note(format!(
                "another process holds {path}: stored in a second file next to it until the next flush"
            ));
        }
        Err(error) => output::note(format!("not spooled: {error:#}")),
    }
    is_kept
}

/// Returns the spool of the working directory: the path in the variable, else a file of the clone
/// that all its worktrees share.
pub(crate) async fn spool(globals: &Globals, environment: &Environment) -> Option<Spool> {
    if environment.get(SPOOL).is_some() {
        return Some(spool_of(environment, Path::new("")));
    }
    let config = load(globals.config.as_deref(), environment).ok()?;
    let directory = PathBuf::from(".").canonicalize().ok()?;
    let local = LocalCode::around(&config, &directory).await.ok()??;
    Some(spool_of(environment, &local.found().common_dir))
}

/// Returns the spool of a clone in the directory that all its worktrees share, unless the variable
/// names another.
pub(crate) fn spool_of(environment: &Environment, common: &Path) -> Spool {
    let named = environment.get(SPOOL).map(PathBuf::from);
    Spool::at(named.unwrap_or_else(|| common.join("loci").join("spool.jsonl")))
}

/// Masks secrets, so that they are never stored, not even until a server masks them.
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
