//! `loci attribution`: finds the tasks, prompts and people behind a commit, pull request or file,
//! and their recorded text.

use anyhow::Result;
use loci_api::coding::attribution::{Attributed, AttributionAsk};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of text on a line of the output.
const WHAT_CHARS_MAX: usize = 100;

/// Find the tasks, prompts and people behind a change, and their recorded text
#[derive(Debug, clap::Args)]
pub(crate) struct Attribution {
    /// The full hash of the commit
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// The pull request
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// The issue
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// The task
    #[arg(long)]
    task: Option<String>,
    /// The session
    #[arg(long)]
    session: Option<String>,
    /// The repository, by any of its names
    #[arg(long)]
    repo: Option<String>,
    /// The version of the prompt
    #[arg(long, value_name = "VERSION")]
    prompt_version: Option<String>,
    /// The user who requested the task, by name
    #[arg(long)]
    user: Option<String>,
    /// A changed file: a path, a directory or a glob
    #[arg(long)]
    path: Option<String>,
    /// The branch
    #[arg(long)]
    branch: Option<String>,
    /// accepted, hydrating, running, awaiting_approval, finalizing, completed, failed, cancelled or
    /// timed_out
    #[arg(long)]
    status: Option<String>,
    /// Created at or after this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Created before this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Words that must all occur in the text of the task
    #[arg(long, value_name = "TEXT")]
    words: Option<String>,
    /// The maximum number of rows
    #[arg(long)]
    limit: Option<u32>,
    /// The cursor of the previous page
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

impl Attribution {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let client = self.at.of(&session.client)?;
        let found = client.attribution(&self.ask()).await?;
        output::result(session.json, &found, |found| {
            found.items.iter().for_each(shown);
            if found.items.is_empty() && found.next_cursor.is_none() {
                output::note("nothing is known of it");
            }
            if let Some(cursor) = &found.next_cursor {
                output::note(format!("more with --cursor {cursor}"));
            }
        })?;
        session.end().await
    }

    fn ask(self) -> AttributionAsk {
        AttributionAsk {
            repo: self.repo,
            commit: self.commit,
            pr: self.pr,
            issue: self.issue,
            task: self.task,
            session: self.session,
            prompt_version: self.prompt_version,
            user: self.user,
            path: self.path,
            branch: self.branch,
            status: self.status,
            since: self.since,
            until: self.until,
            q: self.words,
            limit: self.limit,
            cursor: self.cursor,
        }
    }
}

fn shown(found: &Attributed) {
    let task = &found.task;
    let user = found.user.as_ref().map(|user| format!("  {user}")).unwrap_or_default();
    output::line(format!("{}  {}  {}{user}  {}", task.task_id, task.status, task.actor, task.created_at));
    output::line(format!("    {}", output::short(&task.description, WHAT_CHARS_MAX)));
    let prompt = found.prompt.as_ref().and_then(|prompt| prompt.version.as_ref());
    let prompt = prompt.map(|version| format!("prompt {version}"));
    let issue = task.issue.map(|issue| format!("issue {issue}"));
    let pr = found.pr.as_ref().map(|pr| format!("pull request {}", pr.number));
    let about: Vec<String> = [prompt, task.branch.clone(), issue, pr].into_iter().flatten().collect();
    if !about.is_empty() {
        output::line(format!("    {}", about.join(" · ")));
    }
    for commit in &found.commits {
        output::line(format!("    commit {}  {}  {}", commit.sha, commit.state, commit.how));
    }
    if found.has_more_commits {
        output::line("    and more commits");
    }
    if let Some(error) = &found.told.error_message {
        output::line(format!("    error: {}", output::short(error, WHAT_CHARS_MAX)));
    }
    if let Some(summary) = &found.told.summary {
        output::line(format!("    {}", output::short(summary, WHAT_CHARS_MAX)));
    }
    for said in &found.snippets {
        let text = output::short(&said.text, WHAT_CHARS_MAX);
        output::line(format!("    {:>4}  {}  {text}", said.seq, said.r#type));
    }
}
