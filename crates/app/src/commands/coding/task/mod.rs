//! `loci task`: tasks of coding agents. `create` and `task_creation` create a task, `hydrate`
//! prints its memories, and `complete`, `finalize`, `note` and `feedback` report about it by way of
//! `delivery`. This module and `explain` show tasks, `search` runs the search of an agent, and
//! `outcome` shows or sets the outcome.

mod complete;
mod create;
pub(crate) mod delivery;
pub(crate) mod entry_sender;
mod explain;
mod failure_class;
mod feedback;
mod finalize;
mod hydrate;
mod note;
mod outcome;
mod search;
pub(crate) mod session;
mod session_parts;
pub(crate) mod spool_flush;
mod task_creation;

pub(super) use complete::learning;

use anyhow::Result;
use clap::Subcommand;
use loci_api::coding::task::{Task as Shown, TaskAlertRaise, TaskListing, TaskPatch, TaskPullRequest};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Tasks of coding agents.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Create a task; repeating an id returns the existing task; exits with 0 even if no server is
    /// reachable
    Create(Box<create::Create>),
    /// Report the end of a task; exits with 0 even if no server is reachable
    Complete(Box<complete::Complete>),
    /// End a task regardless of its agent's result; exits with 0 even if no server is reachable
    Finalize(finalize::Finalize),
    /// Print memories as a block for a prompt; exits with 0 even if no server is reachable
    Hydrate(Box<hydrate::Hydrate>),
    /// Show the memories that a task received and used, and their provenance
    Explain {
        /// The id
        task: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Search the memories of a task's repository, as its agent would
    Search(Box<search::Search>),
    /// Report the memories that were used, helped or misled; exits with 0 even if no server is
    /// reachable
    Feedback(Box<feedback::Feedback>),
    /// Store one learning; exits with 0 even if no server is reachable
    Note(note::Note),
    /// Raise the security alert of a task: its past and future records are quarantined
    Alert {
        /// The id
        task: String,
        /// Your observation, stored with each quarantined record
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Show or set the outcome of a task
    Outcome(outcome::TaskOutcomeCommand),
    /// Report the commit that merged a task's pull request into its base
    Merged(Merged),
    /// Show a task
    Show {
        /// The id
        task: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// List tasks, newest first
    List(Box<List>),
}

/// The merge commit
#[derive(Debug, clap::Args)]
pub(crate) struct Merged {
    /// The task
    task: String,
    /// The commit: of a squash, a merge, or the last of a rebase
    #[arg(long, value_name = "SHA")]
    commit: String,
    /// The pull request [default: the known one of the task]
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The selection of tasks
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The repository
    #[arg(long)]
    repo: Option<String>,
    /// The requesting user, by name
    #[arg(long)]
    user: Option<String>,
    /// accepted, hydrating, running, awaiting_approval, finalizing, completed, failed, cancelled or
    /// timed_out
    #[arg(long)]
    status: Option<String>,
    /// The issue
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// The pull request
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// The branch
    #[arg(long)]
    branch: Option<String>,
    /// The version of the prompt
    #[arg(long, value_name = "VERSION")]
    prompt_version: Option<String>,
    /// The variant
    #[arg(long)]
    variant: Option<String>,
    /// The outcome: merged_as_is, closed_unmerged, reverted, …
    #[arg(long)]
    outcome: Option<String>,
    /// Created at or after this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Created before this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only tasks whose description contains this
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

impl Task {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        match self {
            Self::Create(create) => return create.run(globals, environment).await,
            Self::Complete(complete) => return complete.run(globals, environment).await,
            Self::Finalize(finalize) => return finalize.run(globals, environment).await,
            Self::Note(note) => return note.run(globals, environment).await,
            Self::Feedback(feedback) => return feedback.run(globals, environment).await,
            Self::Hydrate(hydrate) => return hydrate.run(globals, environment).await,
            Self::Alert { .. }
            | Self::Merged(_)
            | Self::Outcome(_)
            | Self::Search(_)
            | Self::Explain { .. }
            | Self::Show { .. }
            | Self::List(_) => {}
        }
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Create(_)
            | Self::Complete(_)
            | Self::Finalize(_)
            | Self::Note(_)
            | Self::Feedback(_)
            | Self::Hydrate(_) => {}
            Self::Explain { task, at } => {
                let explained = at.of(&session.client)?.task_explain(&task).await?;
                output::result(session.json, &explained, explain::shown)?;
            }
            Self::Outcome(outcome) => outcome.run(&session.client, session.json).await?,
            Self::Search(search) => search.run(&session.client, session.json).await?,
            Self::Show { task, at } => {
                let task = at.of(&session.client)?.task_get(&task).await?;
                output::result(session.json, &task, shown)?;
            }
            Self::Alert { task, reason, at } => {
                let alerted = at.of(&session.client)?.task_alert(&task, &TaskAlertRaise { reason }).await?;
                output::result(session.json, &alerted, |alerted| {
                    let (task, held) = (&alerted.task_id, alerted.quarantined.len());
                    let raised = if alerted.raised { "raised" } else { "raised before" };
                    output::line(format!("{task}  security alert {raised}: {held} records held back"));
                    alerted.quarantined.iter().for_each(|id| output::line(format!("    {id}")));
                })?;
            }
            Self::Merged(merged) => {
                let client = merged.at.of(&session.client)?;
                let pr = merged.pr.map(|number| TaskPullRequest { number, ..TaskPullRequest::default() });
                let patch = TaskPatch { pr, merge_commit_sha: Some(merged.commit), ..TaskPatch::default() };
                let patched = client.task_patch(&merged.task, &patch).await?;
                output::result(session.json, &patched.task, shown)?;
            }
            Self::List(list) => {
                let client = list.at.of(&session.client)?;
                let found = client.task_list(&list.listing()).await?;
                output::result(session.json, &found, |found| {
                    let rows = found.tasks.iter().map(row).collect();
                    output::list(&["TASK", "STATUS", "OF", "WHAT"], rows, "No tasks.");
                    if let Some(cursor) = &found.next_cursor {
                        output::note(format!("more with --cursor {cursor}"));
                    }
                })?;
            }
        }
        session.end().await
    }
}

impl List {
    fn listing(self) -> TaskListing {
        TaskListing {
            repo: self.repo,
            user: self.user,
            status: self.status,
            issue: self.issue,
            pr: self.pr,
            branch: self.branch,
            prompt_version: self.prompt_version,
            variant: self.variant,
            outcome: self.outcome,
            since: self.since,
            until: self.until,
            q: self.words,
            limit: self.limit,
            cursor: self.cursor,
        }
    }
}

/// The maximum number of characters of a description in a list.
const WHAT_CHARS_MAX: usize = 60;

fn row(task: &Shown) -> Vec<String> {
    let what = output::short(&task.description, WHAT_CHARS_MAX);
    vec![task.task_id.clone(), task.status.clone(), task.actor.clone(), what]
}

/// Prints a task on several lines.
fn shown(task: &Shown) {
    output::line(format!("{}  {}  {}  {}", task.task_id, task.status, task.actor, task.kind));
    output::line(format!("    {}", task.description));
    let pr = task.pr.as_ref().map(|pr| format!("pull request {}", pr.number));
    let issue = task.issue.map(|issue| format!("issue {issue}"));
    if let Some(alert) = &task.security_alert {
        output::line(format!("    security alert: {} ({}, {})", alert.reason, alert.by, alert.at));
    }
    let about: Vec<String> = [task.branch.clone(), pr, issue].into_iter().flatten().collect();
    if !about.is_empty() {
        output::line(format!("    {}", about.join(" · ")));
    }
    let took = task.duration_s.map(|duration| format!("{duration:.1} s"));
    let cost = task.cost_usd.map(|cost| format!("{cost:.4} USD"));
    let episode = task.written.episode_id.as_ref().map(|id| format!("episode {id}"));
    let end: Vec<String> = [took, cost, episode].into_iter().flatten().collect();
    if !end.is_empty() {
        output::line(format!("    {}", end.join(" · ")));
    }
}
