//! `loci task hydrate`: what is remembered, as a block for a prompt on standard output. A task is not held up by it: where no server
//! can be reached, the block says that nothing is known.

use std::time::Duration;

use anyhow::Result;
use loci_api::hydration::{TaskHydrate, TaskHydrated};
use loci_engine::render::{Frame, fence};
use loci_model::ports::ids::IdSource as _;
use serde_json::json;

use super::delivery::Helper;
use crate::adapters::RandomIds;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;

/// What a server is given where nothing else is said, and how much longer it is waited for.
const TIMEOUT_MS: u64 = 5_000;
const LONGER_MS: u64 = 1_000;

/// Print what is remembered, as a block for a prompt; ends well even where no server can be reached
#[derive(Debug, clap::Args)]
pub(crate) struct Hydrate {
    /// The task
    task: String,
    /// What is looked by [default: the task's description]
    #[arg(long)]
    query: Option<String>,
    /// A file, directory or pattern that the task has to do with; may be repeated
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Whose preferences [default: those of whoever asked for the task]
    #[arg(long)]
    user: Option<String>,
    /// The branch at which citations are verified
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// The commit at which citations are verified
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// Tokens of the block
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u32>,
    /// What the server may take
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
    /// Only this kind: rules, knowledge, episodes, reflections, preferences; may be repeated
    #[arg(long, value_name = "KIND")]
    include: Vec<String>,
    #[command(flatten)]
    helper: Helper,
}

impl Hydrate {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let asked = TaskHydrate {
            query: self.query,
            paths: self.paths,
            user: self.user,
            reference: self.reference,
            commit: self.commit,
            budget_tokens: self.budget_tokens,
            timeout_ms: self.timeout_ms,
            include: Some(self.include).filter(|kinds| !kinds.is_empty()),
            ..TaskHydrate::default()
        };
        let task = self.task.as_str();
        let within = Duration::from_millis(self.timeout_ms.unwrap_or(TIMEOUT_MS).saturating_add(LONGER_MS));
        let call = |client: loci_client::Client| async move { client.task_hydrate(task, &asked).await };
        match self.helper.ask(globals, environment, (task, within), call).await {
            Ok(found) => output::result(globals.json, &found, shown),
            Err(error) if self.helper.is_strict() => Err(error),
            Err(error) => nothing(globals.json, task, &error),
        }
    }
}

fn shown(found: &TaskHydrated) {
    output::line(found.rendered.as_deref().unwrap_or_default().trim_end_matches('\n'));
    found.warnings.iter().for_each(output::note);
}

/// What is printed where nobody was asked: never an empty hole, and never as if nothing were known.
fn nothing(as_json: bool, task: &str, error: &anyhow::Error) -> Result<()> {
    output::note(format!("loci task hydrate: {error:#}"));
    let block = fence(&Frame::of_memory(RandomIds::new()?.random()), &[]);
    let answer = json!({
        "version": 1,
        "task_id": task,
        "degraded": true,
        "warnings": [format!("NOT_ASKED: {error:#}")],
        "rendered": block,
        "memory_context": { "repo_knowledge": null, "past_episodes": null },
    });
    output::result(as_json, &answer, |_| output::line(block.trim_end_matches('\n')))
}
