//! The hooks that git runs. A failure here never fails the commit of a person or an agent, and each
//! hook has a time limit.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use loci_api::coding::commit::TaskCommits;
use loci_server::regular_file;

use super::git::Git;
use super::message::{self, Comments};
use super::rebase_attribution::{self, CommitOrigin};
use super::worktree_task::{self, TaskHere};
use super::{report, trailers};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;

/// The maximum number of bytes of pairs, enough for a hundred thousand commits.
const PAIRS_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The time limit of a git call within a hook.
const CALL: Duration = Duration::from_millis(1_500);
/// The time limit of a whole hook.
const HOOK: Duration = Duration::from_secs(2);

/// A hook, as git runs it
#[derive(Debug, clap::Subcommand)]
pub(crate) enum GithookRun {
    /// Add trailers to a message before editing
    PrepareCommitMsg {
        /// The file of the message
        file: String,
        /// The source of the message: message, template, merge, squash or commit
        source: Option<String>,
        /// The commit that the message comes from
        commit: Option<String>,
    },
    /// Repair the message after editing
    CommitMsg {
        /// The file of the message
        file: String,
    },
    /// Report a commit
    PostCommit,
    /// Report commits that replaced others: pairs on standard input
    PostRewrite {
        /// amend or rebase
        by: String,
        /// Further arguments of git
        rest: Vec<String>,
    },
}

impl GithookRun {
    /// Runs the hook. Never fails: an error becomes a note to the person who commits.
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) {
        let outcome = tokio::time::timeout(HOOK, self.at_hook(globals, environment)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(anyhow::anyhow!("it took too long")));
        if let Err(error) = outcome {
            output::note(format!("loci githook: {error:#}; the commit is not affected"));
        }
    }

    async fn at_hook(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let here = std::env::current_dir().context("finding the current folder")?;
        let git = Git::at(&here, CALL);
        let tree = git.working_tree().await?;
        let task = worktree_task::with(environment, worktree_task::installed(&tree.own)?);
        // Git sets this value if nobody edits the message.
        let is_edited = environment.get("GIT_EDITOR") != Some(":");
        match self {
            Self::PrepareCommitMsg { file, source, .. } => {
                let making = rebase_attribution::at_message(&tree);
                rebase_attribution::mark(&tree, making)?;
                let Some(task) = task else {
                    output::note(
                        "loci githook: no task: set TASK_ID, or run `loci githook install --task ID`",
                    );
                    return Ok(());
                };
                if making != CommitOrigin::Work {
                    return Ok(());
                }
                // Without a source there is an editor, regardless of its name.
                before_editing(&git, &task, &file, source.as_deref(), is_edited || source.is_none()).await
            }
            Self::CommitMsg { file } => match task {
                Some(task) if rebase_attribution::at_message(&tree) == CommitOrigin::Work => {
                    behind_editing(&git, &task, &file, is_edited).await
                }
                _ => Ok(()),
            },
            Self::PostCommit => {
                let how = (globals, environment);
                match (rebase_attribution::behind(&tree)?, task) {
                    (CommitOrigin::Resolved, task) => {
                        let pair = report::resolved(&git).await?;
                        report::rewritten(how, &git, &tree, task, pair).await
                    }
                    (CommitOrigin::Work, Some(task)) => {
                        let commits = vec![report::head(&git, &task).await?];
                        let report = TaskCommits { commits, rewrites: Vec::new() };
                        report::say(how, &task, &tree, report).await
                    }
                    // A rebase reports its commits at its end.
                    (CommitOrigin::Anew | CommitOrigin::Work, _) => Ok(()),
                }
            }
            Self::PostRewrite { .. } => {
                let pairs = report::rewrites(&pairs()?);
                report::rewritten((globals, environment), &git, &tree, task, pairs).await
            }
        }
    }
}

/// Reads the pairs of replaced commits that git writes.
fn pairs() -> Result<String> {
    let mut text = String::new();
    let input = std::io::stdin().lock();
    input.take(PAIRS_BYTES_MAX).read_to_string(&mut text).context("reading which commits were rewritten")?;
    Ok(text)
}

/// Git aborts a commit whose message is empty or equals its template. Trailers would make it
/// non-empty, so the hook after editing adds them in that case.
async fn before_editing(
    git: &Git,
    task: &TaskHere,
    file: &str,
    source: Option<&str>,
    is_edited: bool,
) -> Result<()> {
    let settings = Settings::read(git).await?;
    let text = read(file)?;
    let comments = settings.comments(&text, is_edited);
    let (wanted, refused) = trailers::of(task);
    refused.iter().for_each(|why| output::note(format!("loci githook: {why}")));
    if source == Some("template") || !message::says_anything(&text, &comments) {
        return Ok(());
    }
    add(git, &wanted, file, &comments).await
}

async fn behind_editing(git: &Git, task: &TaskHere, file: &str, is_edited: bool) -> Result<()> {
    let settings = Settings::read(git).await?;
    let text = read(file)?;
    let comments = settings.comments(&text, is_edited);
    if let Some(empty) = message::emptied(&text, &comments) {
        return rewrite(file, &text, &empty);
    }
    if !message::says_anything(&text, &comments) || settings.is_template(&text, &comments) {
        return Ok(());
    }
    if let Some(repaired) = message::repaired(&text, &comments) {
        rewrite(file, &text, &repaired)?;
    }
    add(git, &trailers::of(task).0, file, &comments).await
}

async fn add(git: &Git, wanted: &[trailers::Trailer], file: &str, comments: &Comments) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let arguments = trailers::arguments(wanted, file, comments.sign.as_deref());
    git.output(&arguments).await.context("adding trailers").map(drop)
}

/// Settings of git's configuration for messages.
#[derive(Debug, Default)]
struct Settings {
    /// The comment sign.
    sign: Option<String>,
    cleanup: Option<String>,
    /// The path of the message template.
    template: Option<String>,
}

impl Settings {
    async fn read(git: &Git) -> Result<Self> {
        let names = r"^(core\.comment(char|string)|commit\.cleanup)$";
        let said = git.answer(&["config", "--null", "--get-regexp", names]).await?.unwrap_or_default();
        let template = git.answer(&["config", "--type=path", "--get", "commit.template"]).await?;
        let mut settings = Self { template, ..Self::default() };
        for (name, value) in said.split('\0').filter_map(|entry| entry.split_once('\n')) {
            let value = Some(value.to_owned());
            // The last setting applies, under either name.
            if name == "commit.cleanup" { settings.cleanup = value } else { settings.sign = value }
        }
        Ok(settings)
    }

    fn comments(&self, text: &str, is_edited: bool) -> Comments {
        Comments::of(text, self.sign.as_deref(), self.cleanup.as_deref(), is_edited)
    }

    fn is_template(&self, text: &str, comments: &Comments) -> bool {
        let bytes = self.template.as_ref().and_then(|path| regular_file::read(Path::new(path)).ok());
        let template = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        template.is_some_and(|template| message::says_the_same(text, &template, comments))
    }
}

/// Reads a message in any encoding. Invalid UTF-8 is replaced, which affects none of the matched
/// signs.
fn read(file: &str) -> Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {file}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Rewrites a message. A message in another encoding than UTF-8 stays unchanged.
fn rewrite(file: &str, before: &str, text: &str) -> Result<()> {
    if before.contains(char::REPLACEMENT_CHARACTER) {
        return Ok(());
    }
    super::hook_installation::write(Path::new(file), text.as_bytes(), 0o644)
}
