//! `loci task complete`: the report of an agent as flags, as a JSON file, or both. Flags take
//! precedence.

use anyhow::Result;
use loci_api::coding::task::TaskPullRequest;
use loci_api::coding::task::end::{Learned, TaskComplete, TaskCompleted};

use super::delivery::DeliveryOptions;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::input::text_of;
use crate::output;
use crate::spool::SpoolCall;

/// The states in which a task ends.
pub(super) const STATUSES: [&str; 4] = ["completed", "failed", "cancelled", "timed_out"];

/// Report the end of a task; exits with 0 even if no server is reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Complete {
    /// The task
    task: String,
    /// The whole report as JSON, as the native API accepts it; - reads standard input
    #[arg(long, value_name = "FILE")]
    report: Option<String>,
    /// The state in which the task ended
    #[arg(long, value_parser = STATUSES)]
    status: Option<String>,
    /// The summary of the work
    #[arg(long)]
    summary: Option<String>,
    /// The approach
    #[arg(long)]
    approach: Option<String>,
    /// A changed path; repeatable
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// A difficulty; repeatable
    #[arg(long = "difficulty", value_name = "TEXT")]
    difficulties: Vec<String>,
    /// The resulting pull request
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// The URL of the pull request
    #[arg(long, value_name = "URL", requires = "pr")]
    pr_url: Option<String>,
    /// The head commit of the pull request
    #[arg(long, value_name = "SHA", requires = "pr")]
    head_sha: Option<String>,
    /// The branch of the work
    #[arg(long)]
    branch: Option<String>,
    /// A commit, oldest first; repeatable
    #[arg(long = "commit", value_name = "SHA")]
    commits: Vec<String>,
    /// The cost in US dollars
    #[arg(long, value_name = "USD")]
    cost_usd: Option<String>,
    /// The duration in seconds
    #[arg(long, value_name = "SECONDS")]
    duration_s: Option<String>,
    /// The error
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// The learnings, from a file; - reads standard input
    #[arg(long, value_name = "FILE")]
    learnings: Option<String>,
    /// Information that was missing, from a file; - reads standard input
    #[arg(long, value_name = "FILE")]
    self_feedback: Option<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Complete {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let body = self.body()?;
        let call = (self.task.as_str(), SpoolCall::Complete);
        self.helper.say(globals, environment, call, &body, shown).await
    }

    fn body(&self) -> Result<TaskComplete> {
        let mut body = match &self.report {
            Some(file) => {
                let text = text_of(file, "the report")?;
                let bad = |error| Usage(format!("--report must be JSON of a report: {error}"));
                loci_json::from_str(&text).map_err(bad)?
            }
            None => TaskComplete::default(),
        };
        if let Some(status) = body.status.as_deref().filter(|status| !STATUSES.contains(status)) {
            let rule = format!("status in --report must be {}, not {status}", STATUSES.join(", "));
            return Err(Usage(rule).into());
        }
        let or = |flag: &Option<String>, known: Option<String>| flag.clone().or(known);
        body.status = or(&self.status, body.status);
        body.summary = or(&self.summary, body.summary);
        body.approach = or(&self.approach, body.approach);
        body.branch = or(&self.branch, body.branch);
        body.error_message = or(&self.error, body.error_message);
        body.files_changed.extend(self.files.iter().cloned());
        body.difficulties.extend(self.difficulties.iter().cloned());
        body.commits.extend(self.commits.iter().cloned());
        body.cost_usd = amount(self.cost_usd.as_deref()).or(body.cost_usd);
        body.duration_s = amount(self.duration_s.as_deref()).or(body.duration_s);
        if let Some(number) = self.pr {
            let (url, head_sha) = (self.pr_url.clone(), self.head_sha.clone());
            body.pr = Some(TaskPullRequest { number, url, head_sha });
        }
        if let Some(file) = &self.learnings {
            body.learnings_text = self.helper.or_noted(text_of(file, "the learnings"))?;
        }
        if let Some(file) = &self.self_feedback {
            body.self_feedback_text = self.helper.or_noted(text_of(file, "the self-feedback"))?;
        }
        Ok(body)
    }
}

/// Parses an amount. A caller may write `NaN`, which does not invalidate the report.
pub(super) fn amount(text: Option<&str>) -> Option<f64> {
    text.and_then(|text| text.parse().ok()).filter(|amount: &f64| amount.is_finite())
}

fn shown(completed: &TaskCompleted) {
    output::line(format!("episode {}", completed.episode_id));
    for learned in completed.learnings.iter().chain(&completed.self_feedback) {
        output::line(learning(learned));
    }
    completed.warnings.iter().for_each(output::note);
}

/// Formats a learning as a line.
pub(crate) fn learning(learned: &Learned) -> String {
    let about = learned.topic.as_ref().map(|topic| format!("  {topic}")).unwrap_or_default();
    let why = learned.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{}{why}  {}{about}", learned.action, learned.id.as_deref().unwrap_or("-"))
}
