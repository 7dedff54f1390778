//! Facts of a server elsewhere, checked against the code of this machine: what a server cannot read, a worktree or a commit that was not
//! pushed, is verified here by the same verifier, and the server serves by it. What it can read is left to it: its verdicts are
//! kept, and those of the default branch change states; what is said from here changes none.

use std::collections::HashSet;
use std::path::Path;

use loci_api::tool::ToolArguments;
use loci_api::verified::evidence::EvidenceRepository;
use loci_api::verified::verdict::{EvidenceAnswer, EvidenceAsk, Verdicts};
use loci_client::{Client, ClientError};
use loci_server::tools::tool::Arguments;
use loci_verified::RepositoryName;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::config::Config;
use crate::local_code::{LocalCode, WORKTREE, subject, verdict};

/// Tools that look at facts.
const TOOLS: &[&str] = &["memory_get_recent", "memory_search", "memory_search_by_path", VERIFY];
/// The one that shows lines.
pub(in crate::commands) const VERIFY: &str = "memory_verify_citations";
/// The tool that reports the use of a fact, and the arguments that a look before it shares.
const USE: &str = "memory_log_applied";
const OF_USE: &[&str] = &["memory_id", "agent_id", "session_id"];
/// Commits that the server is known to read.
const READABLE_MAX: usize = 1_000;

/// The code around the working directory.
pub(in crate::commands) struct Elsewhere {
    code: LocalCode,
    /// Commits that the server can read: it need not be asked again.
    readable: Mutex<HashSet<(String, String)>>,
}

/// How a call goes on.
pub(in crate::commands) enum Way {
    /// It is the server's.
    Theirs,
    /// It is the server's, at this commit, which `ref` means here.
    TheirsAt(String),
    /// By what was found here.
    Ours(Verdicts),
}

impl Elsewhere {
    /// The repository around a directory; `None` where there is none that can be read.
    pub(in crate::commands) async fn around(config: &Config, directory: &Path) -> Option<Self> {
        match LocalCode::around(config, directory).await {
            Ok(code) => code.map(Self::of),
            Err(error) => {
                tracing::warn!(%error, "the working directory's repository cannot be read: only the server verifies");
                None
            }
        }
    }

    /// The same where it is known already.
    pub(super) fn of(code: LocalCode) -> Self {
        Self { code, readable: Mutex::default() }
    }

    /// The name under which a server knows the repository, unless somebody gave it another.
    pub(in crate::commands) fn name(&self) -> String {
        self.code.name()
    }

    /// There are files beside the commits.
    fn has_worktree(&self) -> bool {
        self.code.found().worktree.is_some()
    }

    /// The arguments of a call that looks at facts, as they are meant here: where no revision is named, the
    /// files of the working tree.
    pub(in crate::commands) fn meant(&self, name: &str, arguments: &Arguments) -> Arguments {
        let mut meant = arguments.clone();
        if self.has_worktree() && looked_at(&name.replacen('.', "_", 1), arguments).is_some() {
            meant.entry("ref").or_insert_with(|| WORKTREE.into());
        }
        meant
    }

    /// The verifier of a call, given its arguments as they are meant here, and what was found where that
    /// is this process.
    pub(in crate::commands) async fn way(
        &self,
        client: &Client,
        name: &str,
        arguments: &Arguments,
    ) -> Result<Way, ClientError> {
        let name = name.replacen('.', "_", 1);
        let Some(repo) = looked_at(&name, arguments) else { return Ok(Way::Theirs) };
        let reference = arguments.get("ref").and_then(Value::as_str).unwrap_or("HEAD");
        // What is not there may be a branch that only the server has; it says so if not.
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

    /// True where this is a clone of the repository: by its name with its host; where the server knows no host of it, by the name
    /// and a first commit. Never by a similar name.
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

    /// What is found here of all facts; `None` where the code cannot be read here either.
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

/// The repository whose facts a call looks at; `None` where it looks at none, or is told not to verify them.
fn looked_at<'a>(name: &str, arguments: &'a Arguments) -> Option<&'a str> {
    let is_unverified = arguments.get("verify").and_then(Value::as_str) == Some("none");
    // Given citations are of no fact: whoever can read them says what they are.
    let is_given = arguments.contains_key("citations");
    let is_looked_at = TOOLS.contains(&name) && !is_unverified && !is_given;
    arguments.get("repo").and_then(Value::as_str).filter(|_| is_looked_at)
}

/// The arguments of the verification that a use of a fact needs first; `None` for other calls.
pub(in crate::commands) fn look_before_use(name: &str, arguments: &Arguments) -> Option<Arguments> {
    let is_use = name.replacen('.', "_", 1) == USE;
    let shared = |name: &&str| Some(((*name).to_owned(), arguments.get(*name)?.clone()));
    is_use.then(|| OF_USE.iter().filter_map(shared).collect())
}

/// The arguments at a commit.
pub(in crate::commands) fn at_commit(mut arguments: Arguments, commit: &str) -> Arguments {
    arguments.insert("ref".to_owned(), commit.into());
    arguments
}

/// The result of such a call says the revision as it was asked for.
pub(in crate::commands) fn as_asked(mut result: Value, arguments: &Arguments) -> Value {
    let asked = arguments.get("ref").and_then(Value::as_str).unwrap_or("HEAD");
    if let Some(said) = result.get_mut("ref") {
        *said = asked.into();
    }
    result
}
