//! `loci task hydrate`: prints memories as a block for a prompt. It never blocks a task. If no
//! server is reachable or one rejects the request, the block states that nothing could be read, and
//! the answer contains the reason.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use loci_api::ErrorCode;
use loci_api::coding::hydration::{TaskHydrate, TaskHydrated};
use loci_client::ClientError;
use loci_coding::hydration::{HydrationKind, KindStatus};
use loci_engine::retrieval::render::{Frame, fence};
use loci_model::ports::ids::IdSource as _;
use loci_server::regular_file;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::delivery::DeliveryOptions;
use crate::adapters::RandomIds;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;

/// The default time in milliseconds for a server, regardless of its configuration, and the
/// additional time before the command gives up.
const TIMEOUT_MS: u64 = 5_000;
const LONGER_MS: u64 = 1_000;

/// Print memories as a block for a prompt; exits with 0 even if no server is reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Hydrate {
    /// The task
    task: String,
    /// The search query [default: the task's description]
    #[arg(long)]
    query: Option<String>,
    /// A file, directory or pattern of the task; repeatable
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// The user whose preferences are included [default: the user who requested the task]
    #[arg(long)]
    user: Option<String>,
    /// The revision at which citations are verified [default: WORKTREE, the current files; HEAD if
    /// there is none, and with --url, of the server's code]
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// The commit at which citations are verified
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// The token budget of the block
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u32>,
    /// The time limit of the server in milliseconds
    #[arg(long, value_name = "MS", default_value_t = TIMEOUT_MS)]
    timeout_ms: u64,
    /// A document that the prompt already contains, such as AGENTS.md; its content is left out;
    /// repeatable
    #[arg(long = "exclude-doc", value_name = "FILE")]
    excluded: Vec<PathBuf>,
    /// Only this kind: rules, knowledge, episodes, reflections, preferences, self_feedback;
    /// repeatable
    #[arg(long, value_name = "KIND")]
    include: Vec<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Hydrate {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let task = self.task.as_str();
        let asked = TaskHydrate { exclude_repo_docs_sha: digests(&self.excluded), ..self.asked() };
        let within = Duration::from_millis(self.timeout_ms.saturating_add(LONGER_MS));
        let call = |client: loci_client::Client| async move { client.task_hydrate(task, &asked).await };
        match self.helper.ask(globals, environment, (task, within), call).await {
            Ok(found) => {
                self.revision_note(globals.url.is_some(), found.commit.as_deref())
                    .iter()
                    .for_each(output::note);
                output::result(globals.json, &found, shown)
            }
            Err(error) if self.helper.is_strict() => Err(error),
            Err(error) => nothing(globals.json, task, &error),
        }
    }

    fn asked(&self) -> TaskHydrate {
        TaskHydrate {
            query: self.query.clone(),
            paths: self.paths.clone(),
            user: self.user.clone(),
            reference: self.reference.clone(),
            commit: self.commit.clone(),
            budget_tokens: self.budget_tokens,
            timeout_ms: Some(self.timeout_ms),
            include: Some(self.include.clone()).filter(|kinds| !kinds.is_empty()),
            ..TaskHydrate::default()
        }
    }
}

impl Hydrate {
    /// Returns a note about the revision if a remote server chose it and it may differ from the
    /// local files.
    fn revision_note(&self, is_elsewhere: bool, commit: Option<&str>) -> Option<String> {
        let commit = commit.filter(|_| is_elsewhere && self.reference.is_none() && self.commit.is_none())?;
        Some(format!(
            "citations were verified at commit {commit} of the server's code, not at the files here: name another \
             with --commit or --ref"
        ))
    }
}

/// Returns digests of documents. An unreadable document is noted, and its content is not left out.
fn digests(files: &[PathBuf]) -> Vec<String> {
    let digest = |file: &PathBuf| match bytes_of(file) {
        Ok(bytes) => Some(hex::encode(Sha256::digest(&bytes))),
        Err(error) => {
            output::note(format!("--exclude-doc {}: {error:#}", file.display()));
            None
        }
    };
    files.iter().filter_map(digest).collect()
}

fn bytes_of(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular_file::open(file)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn shown(found: &TaskHydrated) {
    output::line(found.rendered.as_deref().unwrap_or_default().trim_end_matches('\n'));
    found.warnings.iter().for_each(output::note);
}

/// The sentence that replaces that of an empty memory.
const UNREAD: &str = "No previous knowledge is available: what is remembered could not be read.";

/// Prints the block if nothing was read. It is never empty, and never claims that nothing is known.
fn nothing(as_json: bool, task: &str, error: &anyhow::Error) -> Result<()> {
    let failure = Failure::of(error);
    let message = format!("{}: {error:#}", failure.what());
    output::note(format!("loci task hydrate: {message}"));
    let frame = Frame { empty: UNREAD.to_owned(), ..Frame::of_memory(RandomIds::new()?.random()) };
    let block = fence(&frame, &[]);
    let status: BTreeMap<&str, &str> =
        HydrationKind::ALL.iter().map(|kind| (kind.as_str(), KindStatus::Error.as_str())).collect();
    let answer = json!({
        "version": 1,
        "task_id": task,
        "degraded": true,
        "warnings": [format!("{}: {error:#}", failure.warning())],
        "error": { "code": failure.code, "message": message },
        "status": status,
        "rendered": block,
        "memory_context": { "repo_knowledge": null, "past_episodes": null },
    });
    output::result(as_json, &answer, |_| output::line(block.trim_end_matches('\n')))
}

/// The reason why nothing was read: an unreachable server, which is temporary, or a rejection,
/// which is a mistake of the caller.
struct Failure<'e> {
    code: &'e str,
    is_refusal: bool,
}

impl<'e> Failure<'e> {
    fn of(error: &'e anyhow::Error) -> Self {
        let answered = error.downcast_ref::<ClientError>();
        let is_refusal = |error: &ClientError| {
            error.status().is_some_and(|status| (400..500).contains(&status)) && !error.is_retryable()
        };
        Self {
            code: answered.and_then(ClientError::code).unwrap_or(ErrorCode::Unavailable.word()),
            is_refusal: answered.is_some_and(is_refusal),
        }
    }

    fn what(&self) -> &'static str {
        if self.is_refusal { "the server refused, and nothing was read" } else { "nothing was read" }
    }

    fn warning(&self) -> &'static str {
        if self.is_refusal { "REFUSED" } else { "NOT_ASKED" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        hydrate: Hydrate,
    }

    #[test]
    fn the_server_is_always_told_what_it_may_take() {
        let asked = |arguments: &[&str]| {
            let line = [&["hydrate", "t-001"], arguments].concat();
            Line::try_parse_from(line).unwrap().hydrate.asked().timeout_ms
        };
        assert_eq!(asked(&[]), Some(TIMEOUT_MS));
        assert_eq!(asked(&["--timeout-ms", "700"]), Some(700));
    }

    #[test]
    fn a_server_elsewhere_says_at_which_commit_it_verified() {
        let check = |arguments: &[&str], is_elsewhere: bool, commit: Option<&str>, expect: bool| {
            let line = [&["hydrate", "t-001"], arguments].concat();
            let note = Line::try_parse_from(line).unwrap().hydrate.revision_note(is_elsewhere, commit);
            assert_eq!(note.as_deref().map(|note| note.contains("commit 9f1c")), expect.then_some(true));
        };
        check(&[], true, Some("9f1c"), true);
        check(&[], false, Some("9f1c"), false);
        check(&[], true, None, false);
        check(&["--ref", "main"], true, Some("9f1c"), false);
        check(&["--commit", "9f1c"], true, Some("9f1c"), false);
    }
}
