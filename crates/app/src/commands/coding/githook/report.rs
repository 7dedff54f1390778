//! Reports of a hook. Each report is on disk before it is sent, and is sent at once only if a
//! server answers soon. The next command (`loci task …`, `loci blame`, `loci spool flush`) sends
//! the rest.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use loci_api::coding::commit::{CommitRewrite, ReportedCommit, TaskCommits};
use loci_model::limits;

use super::git::{Git, WorkingTree, shown};
use super::trailers::{TASK, is_value};
use super::worktree_task::{self, TaskHere};
use crate::cli::Globals;
use crate::commands::coding::task::delivery::{entry, spool_of};
use crate::commands::coding::task::spool_flush::{FlushSelection, flush};
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;
use crate::spool::{Added, Spool, SpoolCall};

/// The time limit for sending while a commit waits.
const SENDING: Duration = Duration::from_millis(700);
/// The time limit for sending and recording the result.
const SENT: Duration = Duration::from_millis(1_000);
/// The time limit of each of the two git calls for a patch id.
const PATCH_CALL: Duration = Duration::from_millis(500);
/// The format of a commit: id, parents, author, time, trailers.
const FORMAT: &str = "--format=%H%x00%P%x00%an <%ae>%x00%aI%x00%(trailers:only,unfold)";
/// The maximum number of characters of a trailer's value.
const VALUE_CHARS_MAX: usize = 500;

/// Returns the commit that was just made.
///
/// # Errors
/// Git fails.
pub(super) async fn head(git: &Git, task: &TaskHere) -> Result<ReportedCommit> {
    let said = git.output(&["log", "-1", FORMAT, "HEAD"]).await.context("reading the commit")?;
    let mut fields = said.splitn(5, '\0');
    let mut next = || fields.next().context("the output of git about the commit is incomplete");
    let (sha, parents, author, at, trailers) = (next()?, next()?, next()?, next()?, next()?);
    let branch = git.answer(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await?;
    // A commit must not wait for the patch id, so a failure leaves it out.
    let patch_id = git.within(PATCH_CALL).patch_id("HEAD").await.unwrap_or_default();
    Ok(ReportedCommit {
        sha: sha.to_owned(),
        parents: parents.split_whitespace().take(limits::COMMIT_TRAILERS_MAX).map(str::to_owned).collect(),
        branch: branch.map(|branch| short(&branch)).filter(|branch| !branch.is_empty()),
        author: Some(short(author)).filter(|author| !author.is_empty()),
        authored_at: Some(at.to_owned()),
        user: task.user.clone(),
        prompt_hash: task.prompt_version.clone(),
        trailers: trailers_of(trailers),
        patch_id,
    })
}

fn short(text: &str) -> String {
    shown(text)
        .chars()
        .filter(|c| !c.is_control())
        .take(VALUE_CHARS_MAX)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Returns trailers by name, with several values joined by commas, up to the limits of the API.
fn trailers_of(lines: &str) -> BTreeMap<String, String> {
    let mut trailers = BTreeMap::<String, String>::new();
    for (name, value) in lines.lines().filter_map(|line| line.split_once(": ")) {
        let (name, value) = (short(name), short(value));
        if name.is_empty() || value.is_empty() {
            continue;
        }
        if let Some(known) = trailers.get_mut(&name) {
            if known.chars().count() + value.chars().count() < VALUE_CHARS_MAX {
                known.push(',');
                known.push_str(&value);
            }
        } else if trailers.len() < limits::COMMIT_TRAILERS_MAX {
            trailers.insert(name, value);
        }
    }
    trailers
}

/// Parses pairs, one per line: `old new`, optionally followed by more text.
pub(super) fn rewrites(pairs: &str) -> Vec<CommitRewrite> {
    let pair = |line: &str| {
        let mut words = line.split_whitespace();
        let (old, new) = (words.next()?, words.next()?);
        (old != new).then(|| CommitRewrite { old: old.to_owned(), new: new.to_owned() })
    };
    pairs.lines().filter_map(pair).collect()
}

/// Returns the commit at which a rebase stopped and the commit that resolved it.
///
/// # Errors
/// Git fails.
pub(super) async fn resolved(git: &Git) -> Result<Vec<CommitRewrite>> {
    let said =
        git.output(&["rev-parse", "REBASE_HEAD", "HEAD"]).await.context("reading what was resolved")?;
    Ok(rewrites(&said.replace('\n', " ")))
}

/// Reports commits that replaced others, regardless of their author. The report needs a task of the
/// same repository: without a given task it uses any task of the clone, or the tasks that the
/// commits name.
///
/// # Errors
/// Git fails, or the report can be neither sent nor spooled.
pub(super) async fn rewritten(
    how: (&Globals, &Environment),
    git: &Git,
    tree: &WorkingTree,
    task: Option<TaskHere>,
    pairs: Vec<CommitRewrite>,
) -> Result<()> {
    let of_task = |rewrites| TaskCommits { commits: Vec::new(), rewrites };
    if let Some(task) = task.or_else(|| worktree_task::anybodys(tree)) {
        return say(how, &task, tree, of_task(pairs)).await;
    }
    for (task, rewrites) in by_trailer(git, pairs).await? {
        say(how, &TaskHere { task, ..TaskHere::default() }, tree, of_task(rewrites)).await?;
    }
    Ok(())
}

/// Groups the pairs by the first task that the old commit names, else by that of the new commit.
async fn by_trailer(git: &Git, pairs: Vec<CommitRewrite>) -> Result<BTreeMap<String, Vec<CommitRewrite>>> {
    let ids: String = pairs.iter().map(|pair| format!("{}\n{}\n", pair.old, pair.new)).collect();
    let format = format!("--format=%H %(trailers:key={TASK},valueonly,separator=%x20)");
    let asked = ["log", "--no-walk=unsorted", "--ignore-missing", format.as_str(), "--stdin"];
    let said = git.output_of(&asked, &ids).await.context("reading which tasks commits name")?;
    let named: BTreeMap<&str, &str> = said
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(id, tasks)| Some((id, tasks.split(' ').find(|task| is_value(task))?)))
        .collect();
    let mut all = BTreeMap::<String, Vec<CommitRewrite>>::new();
    for pair in pairs {
        if let Some(task) = named.get(pair.old.as_str()).or_else(|| named.get(pair.new.as_str())) {
            all.entry((*task).to_owned()).or_default().push(pair);
        }
    }
    Ok(all)
}

/// Reports commits, in parts of the maximum size per request.
///
/// # Errors
/// The report can be neither sent nor spooled.
pub(super) async fn say(
    (globals, environment): (&Globals, &Environment),
    task: &TaskHere,
    tree: &WorkingTree,
    report: TaskCommits,
) -> Result<()> {
    let globals = Globals {
        url: globals.url.clone().or_else(|| task.url.clone()),
        data_dir: globals.data_dir.clone().or_else(|| task.data_dir.clone()),
        ..globals.clone()
    };
    let mut spool = spool_of(environment, &tree.common);
    let mut is_held = false;
    let TaskCommits { commits, rewrites } = report;
    let parts = rewrites.chunks(limits::COMMITS_PER_REPORT_MAX).map(<[_]>::to_vec);
    let parts = parts.map(|rewrites| TaskCommits { commits: Vec::new(), rewrites });
    let made = (!commits.is_empty()).then_some(TaskCommits { commits, rewrites: Vec::new() });
    let about = (task.task.as_str(), task.memory.as_deref());
    for part in made.into_iter().chain(parts) {
        let entry = entry(&globals, about, SpoolCall::Commits, serde_json::to_value(part)?)?;
        if spool.add(&entry).await? == Added::Beside {
            // Another process holds the spool, so do not wait for it again.
            is_held = true;
            spool = spool.without_patience();
        }
    }
    // The report is on disk, so a failed send loses nothing.
    if is_held {
        return Ok(());
    }
    let sent = tokio::time::timeout(SENT, send(&globals, environment, &spool)).await;
    if let Ok(Err(error)) = sent {
        output::note(format!("loci githook: the commit is reported later: {error:#}"));
    }
    Ok(())
}

async fn send(globals: &Globals, environment: &Environment, spool: &Spool) -> Result<()> {
    // A commit does not open a store that no server has open.
    let Some(session) = Session::to_server(globals, environment)? else { return Ok(()) };
    let waiting =
        FlushSelection { url: globals.url.as_deref(), all: false, first: None, until: Some(SENDING) };
    flush(&session.client, spool, waiting).await?;
    session.end().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_rewrite() {
        let found = rewrites("a b\nc d extra words\n\ne\nf f\n");
        let pair = |old: &str, new: &str| CommitRewrite { old: old.into(), new: new.into() };
        assert_eq!(found, [pair("a", "b"), pair("c", "d")]);
    }

    #[test]
    fn trailers_by_name() {
        let found = trailers_of("Task-Id: t-1\nTask-Id: t-2\nOdd: a\u{1b}[31m\tb\nno trailer\n");
        assert_eq!(found.get("Task-Id").map(String::as_str), Some("t-1,t-2"));
        let odd = found.get("Odd").unwrap();
        assert!(!odd.chars().any(char::is_control), "{odd:?}");
        let many: String = (0..200).map(|number| format!("T-{number}: x\n")).collect();
        assert_eq!(trailers_of(&many).len(), loci_model::limits::COMMIT_TRAILERS_MAX);
        let long = format!("Task-Id: {}\nTask-Id: b\n", "a".repeat(2_000));
        assert_eq!(trailers_of(&long).get("Task-Id").unwrap().chars().count(), VALUE_CHARS_MAX);
    }
}
