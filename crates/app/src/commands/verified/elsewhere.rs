//! Checks of a remote server's facts against the code of this machine. This process verifies at
//! revisions that the server cannot read: a worktree, or a commit that was not pushed. The server
//! then answers with these verdicts. At revisions that the server can read, it verifies itself and
//! stores its verdicts, which may change states of facts. Verdicts from this machine change none.

use std::collections::HashSet;
use std::path::Path;

use loci_api::tool::ToolArguments;
use loci_api::verified::evidence::EvidenceRepository;
use loci_api::verified::verdict::{EvidenceAnswer, EvidenceAsk, Verdicts};
use loci_client::{Client, ClientError};
use loci_server::tools::tool::ReceivedArguments;
use loci_verified::RepositoryName;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::config::Config;
use crate::local_code::{LocalCode, WORKTREE, subject, verdict};

/// The tools whose calls read facts.
const TOOLS: &[&str] = &["memory_get_recent", "memory_search", "memory_search_by_path", VERIFY];
/// The tool that shows cited lines.
pub(in crate::commands) const VERIFY: &str = "memory_verify_citations";
/// The tool that reports the use of a fact, and the arguments that its preceding verification
/// shares.
const USE: &str = "memory_log_applied";
const OF_USE: &[&str] = &["memory_id", "agent_id", "session_id"];
/// The maximum number of cached commits that the server can read.
const READABLE_MAX: usize = 1_000;

/// The code around the working directory.
pub(in crate::commands) struct Elsewhere {
    code: LocalCode,
    /// Commits that the server can read, so that the question is not repeated.
    readable: Mutex<HashSet<(String, String)>>,
}

/// The place where a tool call is verified.
pub(in crate::commands) enum Way {
    /// The server verifies the facts itself.
    Theirs,
    /// The server verifies at this commit, to which `ref` resolves on this machine.
    TheirsAt(String),
    /// This process verified the facts, and the server answers with these verdicts.
    Ours(Verdicts),
}

impl Elsewhere {
    /// Returns the repository around a directory. `None` if there is no readable one.
    pub(in crate::commands) async fn around(config: &Config, directory: &Path) -> Option<Self> {
        match LocalCode::around(config, directory).await {
            Ok(code) => code.map(Self::of),
            Err(error) => {
                tracing::warn!(%error, "the working directory's repository cannot be read: only the server verifies");
                None
            }
        }
    }

    /// Returns an instance for already opened code.
    pub(super) fn of(code: LocalCode) -> Self {
        Self { code, readable: Mutex::default() }
    }

    /// Returns the name of the repository on the server, unless another was assigned.
    pub(in crate::commands) fn name(&self) -> String {
        self.code.name()
    }

    /// Returns true if the repository has a working tree.
    fn has_worktree(&self) -> bool {
        self.code.found().worktree.is_some()
    }

    /// Returns the arguments of a call that reads facts, with the local default: the files of the
    /// working tree if no revision is named.
    pub(in crate::commands) fn meant(&self, name: &str, arguments: &ReceivedArguments) -> ReceivedArguments {
        let mut meant = arguments.clone();
        if self.has_worktree() && looked_at(&name.replacen('.', "_", 1), arguments).is_some() {
            meant.entry("ref").or_insert_with(|| WORKTREE.into());
        }
        meant
    }

    /// Returns the route of a call with its completed arguments, and the verdicts if this process
    /// is the verifier.
    pub(in crate::commands) async fn way(
        &self,
        client: &Client,
        name: &str,
        arguments: &ReceivedArguments,
    ) -> Result<Way, ClientError> {
        let name = name.replacen('.', "_", 1);
        let Some(repo) = looked_at(&name, arguments) else { return Ok(Way::Theirs) };
        let reference = arguments.get("ref").and_then(Value::as_str).unwrap_or("HEAD");
        // An unknown ref may be a branch that only the server has. The server reports an error if
        // it does not.
        let Ok(tip) = self.code.tip(reference, &EvidenceRepository::default()).await else {
            return Ok(Way::Theirs);
        };
        let clean = tip.commit().filter(|_| !tip.revision.is_dirty()).map(|commit| commit.to_string());
        if let Some(commit) = &clean
            && self.readable.lock().await.contains(&(repo.to_owned(), commit.clone()))
        {
            return Ok(Way::TheirsAt(commit.clone()));
        }
        let ask = EvidenceAsk { arguments: ToolArguments(arguments.clone()), commit: clean.clone() };
        let evidence = client.tool_evidence(&name, &ask).await?;
        if !self.is_of(&evidence.repository) {
            return Ok(Way::Theirs);
        }
        if let (Some(commit), true) = (clean, evidence.readable) {
            let mut readable = self.readable.lock().await;
            if readable.len() >= READABLE_MAX {
                readable.clear();
            }
            readable.insert((repo.to_owned(), commit.clone()));
            return Ok(Way::TheirsAt(commit));
        }
        self.verdicts(reference, &evidence, name == VERIFY)
            .await
            .map(|found| found.map_or(Way::Theirs, Way::Ours))
    }

    /// True if this is a clone of the repository: by its name with its host, or by the name and a
    /// first commit if the server knows no host. Never by a similar name.
    fn is_of(&self, repository: &EvidenceRepository) -> bool {
        let own = self.code.name();
        if repository.aliases.contains(&own) || repository.repo == own {
            return true;
        }
        let parsed = |name: &str| RepositoryName::parse(name).ok();
        let has_host =
            repository.aliases.iter().any(|alias| parsed(alias).is_some_and(|name| name.host.is_some()));
        let Some(name) = parsed(&own).filter(|_| !has_host) else { return false };
        let roots: Vec<String> = self.code.found().roots.iter().map(ToString::to_string).collect();
        repository.aliases.contains(&name.unqualified())
            && repository.roots.iter().any(|root| roots.contains(root))
    }

    /// Returns the local verdicts of all facts. `None` if the code cannot be read here either.
    async fn verdicts(
        &self,
        reference: &str,
        evidence: &EvidenceAnswer,
        with_lines: bool,
    ) -> Result<Option<Verdicts>, ClientError> {
        let unread = |error: anyhow::Error| ClientError::Unexpected(format!("{error:#}"));
        let subjects =
            evidence.facts.iter().map(subject).collect::<anyhow::Result<Vec<_>>>().map_err(unread)?;
        let looked = match self.code.look(reference, &evidence.repository, subjects, with_lines).await {
            Ok(looked) => looked,
            Err(error) => {
                tracing::warn!(error.detail, "the code of this machine cannot be read: the server answers");
                return Ok(None);
            }
        };
        let (tip, found) = looked;
        let facts = evidence.facts.iter().zip(found).map(|(fact, seen)| verdict(fact, seen));
        Ok(Some(Verdicts {
            reference: reference.to_owned(),
            commit: tip.commit().map(|commit| commit.to_string()),
            facts: facts.collect::<anyhow::Result<_>>().map_err(unread)?,
        }))
    }
}

/// Returns the repository whose facts a call reads. `None` if it reads none, or does not request
/// verification.
fn looked_at<'a>(name: &str, arguments: &'a ReceivedArguments) -> Option<&'a str> {
    let is_unverified = arguments.get("verify").and_then(Value::as_str) == Some("none");
    // Citations in the arguments belong to no fact, so the server verifies them.
    let is_given = arguments.contains_key("citations");
    let is_looked_at = TOOLS.contains(&name) && !is_unverified && !is_given;
    arguments.get("repo").and_then(Value::as_str).filter(|_| is_looked_at)
}

/// Returns the arguments of the verification that must precede the use of a fact. `None` for other
/// calls.
pub(in crate::commands) fn look_before_use(
    name: &str,
    arguments: &ReceivedArguments,
) -> Option<ReceivedArguments> {
    let is_use = name.replacen('.', "_", 1) == USE;
    let shared = |name: &&str| Some(((*name).to_owned(), arguments.get(*name)?.clone()));
    is_use.then(|| OF_USE.iter().filter_map(shared).collect())
}

/// Returns the arguments at a commit.
pub(in crate::commands) fn at_commit(mut arguments: ReceivedArguments, commit: &str) -> ReceivedArguments {
    arguments.insert("ref".to_owned(), commit.into());
    arguments
}

/// Restores the requested revision in the result of such a call.
pub(in crate::commands) fn as_asked(mut result: Value, arguments: &ReceivedArguments) -> Value {
    let asked = arguments.get("ref").and_then(Value::as_str).unwrap_or("HEAD");
    if let Some(said) = result.get_mut("ref") {
        *said = asked.into();
    }
    result
}
