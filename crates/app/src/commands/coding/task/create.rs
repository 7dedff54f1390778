//! `loci task create`. The command generates a missing id itself, so that the caller has one even
//! if no server is reachable.

use anyhow::Result;
use loci_api::coding::task::{TaskCreate, TaskPrompt};
use loci_model::ports::clock::Clock as _;
use loci_model::ports::ids::uuid7;

use super::delivery::DeliveryOptions;
use super::task_creation::TaskCreation;
use crate::adapters::{RandomIds, SystemClock};
use crate::cli::Globals;
use crate::config::environment::Environment;

/// Create a task; repeating an id returns the existing task; exits with 0 even if no server is
/// reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// The description of the work
    description: String,
    /// The id [default: generated]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The repository [default: that of the working directory]
    #[arg(long)]
    repo: Option<String>,
    /// The task has no repository: --user-id names its owner
    #[arg(long, conflicts_with = "repo", requires = "user_id")]
    no_repo: bool,
    /// new_task, pr_iteration or pr_review
    #[arg(long, default_value = "new_task")]
    kind: String,
    /// The requesting user, by name
    #[arg(long)]
    user: Option<String>,
    /// The requesting user, by the forge's number
    #[arg(long, value_name = "ID")]
    user_id: Option<String>,
    /// The forge of the repository: github, gitlab, bitbucket, or a host
    #[arg(long)]
    forge: Option<String>,
    /// The forge's number of the repository
    #[arg(long, value_name = "N")]
    forge_repo_id: Option<u64>,
    /// The issue of the task
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// The pull request of the task
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// The branch of the work
    #[arg(long)]
    branch: Option<String>,
    /// The base branch
    #[arg(long)]
    base: Option<String>,
    /// The base commit
    #[arg(long, value_name = "SHA")]
    base_sha: Option<String>,
    /// The template of the prompt
    #[arg(long, value_name = "ID")]
    template: Option<String>,
    /// The version of the prompt
    #[arg(long, value_name = "VERSION")]
    prompt_version: Option<String>,
    /// The model of the agent
    #[arg(long)]
    model: Option<String>,
    /// The variant of an experiment
    #[arg(long)]
    variant: Option<String>,
    /// The task that this one continues
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// The id of the trace of the work
    #[arg(long, value_name = "HEX")]
    trace_id: Option<String>,
    /// on, off, tier1, tier2 or tier3 [default: that of the parent, else on]
    #[arg(long, value_name = "ARM")]
    memory_arm: Option<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Create {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let (repo, is_on_none) = (self.repo, self.no_repo);
        let create = TaskCreate {
            task_id: Some(self.id.map_or_else(new_id, Ok)?),
            kind: Some(self.kind),
            user: self.user,
            user_id: self.user_id,
            description: self.description,
            issue: self.issue,
            pr: self.pr,
            branch: self.branch,
            base: self.base,
            base_sha: self.base_sha,
            prompt: self.template.map(|id| TaskPrompt { template_id: Some(id), ..TaskPrompt::default() }),
            prompt_version: self.prompt_version,
            model: self.model,
            variant: self.variant,
            parent_task_id: self.parent,
            trace_id: self.trace_id,
            memory_arm: self.memory_arm,
            forge: self.forge,
            forge_repo_id: self.forge_repo_id,
            repo: None,
        };
        let taking = TaskCreation::here(globals, environment, create, repo, is_on_none).await?;
        taking.say(globals, environment, &self.helper).await
    }
}

/// Generates an id without a server.
fn new_id() -> Result<String> {
    Ok(uuid7(&RandomIds::new()?, SystemClock::new().now().millis()))
}
