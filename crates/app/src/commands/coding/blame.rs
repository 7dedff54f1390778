//! `loci blame`: maps a line of code to its commit, as git reports it in this clone, and to the
//! task, the prompt and the person, as the server stores them. The clone provides what only it
//! knows: the changes of the commit and the trailers in its message.

use std::time::Duration;

use anyhow::{Context, Result};
use loci_api::coding::commit::{Blame as Blamed, BlameAsk, BlamedTask};
use serde::Serialize;

use super::githook::git::{Git, shown};
use super::task::delivery::spool;
use super::task::spool_flush::{FlushSelection, flush};
use crate::cli::Globals;
use crate::commands::verified::repository_words::{OptionalRepository, Surroundings};
use crate::config::environment::Environment;
use crate::exit::{NotFound, Usage};
use crate::output;
use crate::session::Session;

/// The time limit of one git call.
const CALL: Duration = Duration::from_secs(30);
/// The time limit for sending spooled reports before the question about the lines.
const FLUSH: Duration = Duration::from_secs(5);
/// The maximum number of commits of one file that a request names.
const COMMITS_MAX: usize = 200;
/// The maximum number of characters of a subject and of a task description.
const WHAT_CHARS_MAX: usize = 70;

/// Ranges of lines: the first and last line of each.
type Stretches = Vec<(u32, u32)>;

/// Show the task, prompt and person behind a line of code
#[derive(Debug, clap::Args)]
pub(crate) struct Blame {
    /// FILE, FILE:LINE or FILE:LINE-LINE
    place: String,
    /// The revision [default: the files in the working tree]
    #[arg(long, visible_alias = "ref", value_name = "REV")]
    rev: Option<String>,
    #[command(flatten)]
    of: OptionalRepository,
}

/// Lines that come from one commit.
#[derive(Debug, Serialize)]
struct BlamedLines {
    /// The ranges of these lines in the file, each as first and last line.
    lines: Stretches,
    /// The author that the commit names.
    author: String,
    /// The author time of the commit.
    authored_at: String,
    /// The first line of the commit message.
    subject: String,
    /// The task, prompt and person behind the commit, as the server stores them.
    #[serde(flatten)]
    blame: Blamed,
}

/// The result of `loci blame`.
#[derive(Debug, Serialize)]
struct BlameResult {
    path: String,
    items: Vec<BlamedLines>,
    /// The ranges of lines that no commit contains yet.
    uncommitted: Stretches,
}

impl Blame {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let (path, lines) = place(&self.place)?;
        let here = std::env::current_dir().context("finding the current folder")?;
        let git = Git::at(&here, CALL);
        git.working_tree().await?;
        let (commits, uncommitted) = self.commits(&git, path, lines).await?;
        let session = Session::begin(globals, environment)?;
        let meant = self.of.meant(Surroundings { session: &session, globals, environment }).await?;
        send_what_waits(&session, globals, environment).await;
        let mut items = Vec::with_capacity(commits.len());
        for (sha, lines) in commits {
            let commit = commit(&git, &sha).await?;
            let blame = meant.client.blame(meant.parts(), &commit.ask).await?;
            let Commit { author, authored_at, subject, .. } = commit;
            items.push(BlamedLines { lines, author, authored_at, subject, blame });
        }
        let found = BlameResult { path: path.to_owned(), items, uncommitted };
        output::result(globals.json, &found, show)?;
        session.end().await
    }

    /// Returns the commits of the lines, in line order, and the uncommitted lines.
    async fn commits(
        &self,
        git: &Git,
        path: &str,
        lines: Option<(u32, u32)>,
    ) -> Result<(Vec<(String, Stretches)>, Stretches)> {
        let mut arguments = vec!["blame".to_owned(), "--porcelain".to_owned(), "--no-textconv".to_owned()];
        arguments.extend(lines.map(|(from, to)| format!("-L{from},{to}")));
        if let Some(rev) = &self.rev {
            let commit = format!("{rev}^{{commit}}");
            let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", commit.as_str()];
            let none = || NotFound(format!("there is no revision {rev} in this clone"));
            arguments.push(git.answer(&asked).await?.ok_or_else(none)?);
        }
        arguments.extend(["--".to_owned(), path.to_owned()]);
        let none = || NotFound(format!("git knows no such lines here: {}", self.place));
        let said = git.answer(&arguments).await?.ok_or_else(none)?;
        let mut commits: Vec<(String, Stretches)> = Vec::new();
        let mut uncommitted = Vec::new();
        for (sha, line) in said.lines().filter_map(header) {
            let stretches = if sha.bytes().all(|digit| digit == b'0') {
                &mut uncommitted
            } else {
                match commits.iter().position(|(known, _)| known == sha) {
                    None if commits.len() >= COMMITS_MAX => {
                        let rule =
                            format!("the lines come from more than {COMMITS_MAX} commits: name fewer lines");
                        return Err(Usage(rule).into());
                    }
                    None => commits.push((sha.to_owned(), Vec::new())),
                    Some(_) => {}
                }
                let at = commits.iter().position(|(known, _)| known == sha).unwrap_or_default();
                match commits.get_mut(at) {
                    Some((_, stretches)) => stretches,
                    None => continue,
                }
            };
            join(stretches, line);
        }
        Ok((commits, uncommitted))
    }
}

/// Sends the spooled reports of this clone's hooks first, because the request may be about their
/// commits.
async fn send_what_waits(session: &Session, globals: &Globals, environment: &Environment) {
    let Some(spool) = spool(globals, environment).await else { return };
    let waiting = FlushSelection { url: globals.url.as_deref(), all: false, first: None, until: Some(FLUSH) };
    if let Err(error) = flush(&session.client, &spool, waiting).await {
        output::note(format!("the pending entries of the spool were not sent: {error:#}"));
    }
}

/// Parses an argument: a path, and after a colon an optional line or range of lines.
fn place(text: &str) -> Result<(&str, Option<(u32, u32)>)> {
    let Some((path, lines)) = text.rsplit_once(':') else { return Ok((text, None)) };
    let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
    let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { return Ok((text, None)) };
    if from == 0 || to < from || path.is_empty() {
        return Err(Usage(format!("lines count from 1, the first before the last: {text}")).into());
    }
    Ok((path, Some((from, to))))
}

/// Parses the commit and the line number from a header line of `git blame --porcelain`.
fn header(line: &str) -> Option<(&str, u32)> {
    let mut words = line.split(' ');
    let sha = words.next().filter(|sha| matches!(sha.len(), 40 | 64))?;
    if !sha.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let (_, line) = (words.next()?, words.next()?);
    Some((sha, line.parse().ok()?))
}

fn join(stretches: &mut Stretches, line: u32) {
    match stretches.last_mut() {
        Some((_, last)) if last.saturating_add(1) == line => *last = line,
        _ => stretches.push((line, line)),
    }
}

struct Commit {
    ask: BlameAsk,
    author: String,
    authored_at: String,
    subject: String,
}

async fn commit(git: &Git, sha: &str) -> Result<Commit> {
    let format = "--format=%aI%x00%an%x00%s%x00%(trailers:key=Task-Id,valueonly,separator=%x2C)";
    let said = git.output(&["log", "-1", format, sha]).await.context("reading a commit")?;
    let mut fields = said.splitn(4, '\0');
    let mut next = || fields.next().unwrap_or_default();
    let (authored_at, author, subject, tasks) = (next(), next(), next(), next());
    let ask = BlameAsk {
        commit: sha.to_owned(),
        patch_id: git.patch_id(sha).await.unwrap_or_default(),
        task_ids: Some(shown(tasks).trim().to_owned()).filter(|tasks| !tasks.is_empty()),
        authored_at: Some(authored_at.to_owned()),
    };
    let authored_at = authored_at.to_owned();
    Ok(Commit { ask, author: shown(author), authored_at, subject: shown(subject) })
}

fn show(found: &BlameResult) {
    for item in &found.items {
        let id: String = item.blame.commit.chars().take(12).collect();
        let subject = output::short(&item.subject, WHAT_CHARS_MAX);
        output::line(format!("{}:{}  {id}  {}  {subject}", found.path, stretches(&item.lines), item.author));
        for task in &item.blame.tasks {
            show_task(&item.blame, task);
        }
        if item.blame.tasks.is_empty() {
            output::line("    no task is known to have led to it");
        }
        item.blame.warnings.iter().for_each(output::note);
    }
    if !found.uncommitted.is_empty() {
        output::line(format!("{}:{}  not committed yet", found.path, stretches(&found.uncommitted)));
    }
}

fn show_task(blame: &Blamed, task: &BlamedTask) {
    let user = task.user.as_ref().map(|user| format!("  asked for by {user}")).unwrap_or_default();
    let prompt =
        task.prompt_version.as_ref().map(|version| format!("  prompt {version}")).unwrap_or_default();
    let pr = task.pr.map(|pr| format!("  pull request {pr}")).unwrap_or_default();
    output::line(format!("    task {}{user}{prompt}{pr}  ({})", task.task_id, blame.how));
    output::line(format!("    {}", output::short(&task.description, WHAT_CHARS_MAX)));
}

fn stretches(lines: &[(u32, u32)]) -> String {
    let one = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    lines.iter().map(one).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let check = |text: &str, expect: Option<(&str, Option<(u32, u32)>)>| {
            assert_eq!(place(text).ok(), expect, "{text}");
        };
        check("src/a.rs", Some(("src/a.rs", None)));
        check("src/a.rs:7", Some(("src/a.rs", Some((7, 7)))));
        check("src/a.rs:7-9", Some(("src/a.rs", Some((7, 9)))));
        check("a:b", Some(("a:b", None)));
        check("a:0", None);
        check("a:9-7", None);
        check(":7", None);
    }

    #[test]
    fn lines_of_a_blame() {
        let sha = "a".repeat(40);
        assert_eq!(header(&format!("{sha} 3 7 2")), Some((sha.as_str(), 7)));
        assert_eq!(header(&format!("{sha} 3 8")), Some((sha.as_str(), 8)));
        assert_eq!(header(&format!("\t{sha} 3 8")), None, "a line of the file");
        assert_eq!(header("author-time 1"), None);
        let mut all = Vec::new();
        [1, 2, 4, 5, 6, 9].into_iter().for_each(|line| join(&mut all, line));
        assert_eq!(stretches(&all), "1-2,4-6,9");
    }
}
