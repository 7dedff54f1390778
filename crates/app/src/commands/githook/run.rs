//! What a hook does when git runs it. A commit is a person's or an agent's: nothing here fails it, and nothing holds it up for
//! longer than is said.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use loci_api::commit::TaskCommits;

use super::git::{Git, WorkingTree};
use super::task_here::{self, TaskHere};
use super::{message, report, trailers};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;

/// Bytes of pairs: of a hundred thousand commits.
const PAIRS_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// A call of git within a hook.
const CALL: Duration = Duration::from_secs(2);
/// All that a hook does.
const HOOK: Duration = Duration::from_secs(4);

/// A hook, as git runs it
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Run {
    /// Adds trailers to a message before somebody edits it
    PrepareCommitMsg {
        /// The message
        file: String,
        /// Where it comes from: message, template, merge, squash or commit
        source: Option<String>,
        /// The commit it comes from
        commit: Option<String>,
    },
    /// Puts right what was edited
    CommitMsg {
        /// The message
        file: String,
    },
    /// Reports a commit
    PostCommit,
    /// Reports commits that took the place of others: pairs on standard input
    PostRewrite {
        /// amend or rebase
        by: String,
        /// What else git says
        rest: Vec<String>,
    },
}

impl Run {
    /// Never an error: what goes wrong is said to whoever commits.
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
        let task = task_here::with(environment, task_here::installed(&tree.own)?);
        let Some(task) = task else {
            if matches!(self, Self::PrepareCommitMsg { .. }) {
                output::note("loci githook: no task: set TASK_ID, or run `loci githook install --task ID`");
            }
            return Ok(());
        };
        // A rebase tells of the commits it made when it is through.
        if !matches!(self, Self::PostRewrite { .. }) && is_replaying(&tree) {
            return Ok(());
        }
        // So git says that nobody edits.
        let is_edited = environment.get("GIT_EDITOR") != Some(":");
        match self {
            Self::PrepareCommitMsg { file, source, .. } => {
                // Git calls off a commit whose message says nothing, or no more than its template; with trailers it would say
                // something. Who edits it gets them when the message is written.
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                let comment = comment_sign(&git, is_edited).await?;
                if source.as_deref() == Some("template") || !message::says_anything(&text, comment.as_deref())
                {
                    return Ok(());
                }
                add(&git, &task, &file, true).await
            }
            Self::CommitMsg { file } => {
                if says_nothing(&git, &file, is_edited).await? {
                    return Ok(());
                }
                put_right(&file)?;
                add(&git, &task, &file, false).await
            }
            Self::PostCommit => {
                let commits = vec![report::head(&git, &task).await?];
                let report = TaskCommits { commits, rewrites: Vec::new() };
                report::say((globals, environment), &task, &tree, report).await
            }
            Self::PostRewrite { .. } => {
                let rewrites = report::rewrites(&pairs()?);
                let report = TaskCommits { commits: Vec::new(), rewrites };
                report::say((globals, environment), &task, &tree, report).await
            }
        }
    }
}

/// A rebase makes commits anew by itself: they are whose they were. Where it has stopped, somebody works.
fn is_replaying(tree: &WorkingTree) -> bool {
    let rebase = tree.own.join("rebase-merge");
    rebase.exists() && !rebase.join("stopped-sha").exists()
}

/// What git says of commits that took the place of others.
fn pairs() -> Result<String> {
    let mut text = String::new();
    let input = std::io::stdin().lock();
    input.take(PAIRS_BYTES_MAX).read_to_string(&mut text).context("reading which commits were rewritten")?;
    Ok(text)
}

async fn add(git: &Git, task: &TaskHere, file: &str, is_first: bool) -> Result<()> {
    let (wanted, refused) = trailers::of(task);
    if is_first {
        refused.iter().for_each(|why| output::note(format!("loci githook: {why}")));
    }
    if wanted.is_empty() {
        return Ok(());
    }
    git.output(&trailers::arguments(&wanted, file)).await.context("adding trailers").map(drop)
}

/// Nobody left anything of their own in a message: ours goes too, and git calls the commit off.
async fn says_nothing(git: &Git, file: &str, is_edited: bool) -> Result<bool> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(false) };
    let comment = comment_sign(git, is_edited).await?;
    if let Some(empty) = message::emptied(&text, comment.as_deref()) {
        return rewrite(file, &empty).map(|()| true);
    }
    if !message::says_anything(&text, comment.as_deref()) {
        return Ok(true);
    }
    let template = git.answer(&["config", "--path", "--get", "commit.template"]).await?;
    let template = template.and_then(|path| std::fs::read_to_string(path.trim_end()).ok());
    Ok(template.is_some_and(|template| message::says_the_same(&text, &template, comment.as_deref())))
}

/// How comments in a message begin, where git takes any out.
async fn comment_sign(git: &Git, is_edited: bool) -> Result<Option<String>> {
    if !is_edited {
        return Ok(None);
    }
    let set = git.answer(&["config", "--get-regexp", "^core\\.comment(char|string)$"]).await?;
    let set = set.as_deref().and_then(|lines| lines.lines().last()).and_then(|line| line.split_once(' '));
    let set = set.map(|(_, value)| value).filter(|value| *value != "auto" && !value.is_empty());
    Ok(Some(set.unwrap_or("#").to_owned()))
}

fn put_right(file: &str) -> Result<()> {
    // In another encoding than UTF-8 it is left as it is.
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(()) };
    match message::repaired(&text) {
        Some(repaired) => rewrite(file, &repaired),
        None => Ok(()),
    }
}

fn rewrite(file: &str, text: &str) -> Result<()> {
    super::placing::write(Path::new(file), text, 0o644)
}
