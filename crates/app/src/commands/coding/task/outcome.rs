//! `loci task outcome`: shows the outcome of a task, or sets it manually.

use anyhow::Result;
use loci_api::coding::outcome::{Outcome as Shown, OutcomeSet};
use loci_client::Client;

use crate::commands::verified::code_memory::CodeMemory;
use crate::output;

/// The outcome of a task
#[derive(Debug, clap::Args)]
pub(crate) struct TaskOutcomeCommand {
    /// The task
    task: String,
    /// The new outcome: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`,
    /// `closed_unmerged`, `closed_superseded`, `abandoned`, `reverted` or `no_pr` [default: show
    /// it]
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,
    /// The time of the merge, as RFC 3339
    #[arg(long, value_name = "TIME", requires = "outcome")]
    merged_at: Option<String>,
    /// The number of revision rounds
    #[arg(long, value_name = "N", requires = "outcome")]
    rounds: Option<u32>,
    /// The result of the first checks of the first push: pass, fail or unknown
    #[arg(long, value_name = "END", requires = "outcome")]
    ci_first_push: Option<String>,
    /// The source of the outcome [default: manual]
    #[arg(long, requires = "outcome")]
    source: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

impl TaskOutcomeCommand {
    pub(super) async fn run(self, client: &Client, json: bool) -> Result<()> {
        let client = self.at.of(client)?;
        let outcome = match self.outcome {
            None => client.task_outcome(&self.task).await?,
            Some(outcome) => {
                let set = OutcomeSet {
                    outcome,
                    merged_at: self.merged_at,
                    revision_count: self.rounds,
                    ci_first_push: self.ci_first_push,
                    source: self.source,
                };
                client.task_outcome_set(&self.task, &set).await?
            }
        };
        output::result(json, &outcome, shown)
    }
}

fn shown(outcome: &Shown) {
    let word = outcome.outcome.as_deref().unwrap_or("open");
    output::line(format!("{}  {word}  {:+.2}  {}", outcome.task_id, outcome.value, outcome.polarity));
    let pr = outcome.pr.map(|pr| format!("pull request {pr}"));
    let rounds = (outcome.revision_count > 0).then(|| format!("{} rounds", outcome.revision_count));
    let people =
        outcome.human_commits.filter(|count| *count > 0).map(|count| format!("{count} commits of people"));
    let checks =
        (outcome.ci_first_push != "unknown").then(|| format!("first checks: {}", outcome.ci_first_push));
    let back = outcome.reverted_by.as_ref().map(|by| format!("reverted by {by}"));
    let place = outcome.superseded_by.as_ref().map(|by| format!("superseded by {by}"));
    let about: Vec<String> = [pr, rounds, people, checks, back, place].into_iter().flatten().collect();
    if !about.is_empty() {
        output::line(format!("    {}", about.join(" · ")));
    }
    for change in &outcome.history {
        let word = change.outcome.as_deref().unwrap_or("open");
        output::line(format!(
            "    {}  {word}  {:+.2}  {} ({})",
            change.at, change.value, change.why, change.by
        ));
    }
}
