//! `loci task finalize`: the orchestrator of agents ends a task, on each path.

use anyhow::Result;
use loci_api::coding::task::end::{TaskFinalize, TaskFinalized};

use super::complete::{STATUSES, amount};
use super::delivery::DeliveryOptions;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::spool::SpoolCall;

/// End a task regardless of its agent's result; exits with 0 even if no server is reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Finalize {
    /// The task
    task: String,
    /// The state in which the task ended
    #[arg(long, value_parser = STATUSES)]
    status: String,
    /// The reason of the end, such as heartbeat_lost
    #[arg(long)]
    reason: Option<String>,
    /// The cost in US dollars
    #[arg(long, value_name = "USD")]
    cost_usd: Option<String>,
    /// The duration in seconds
    #[arg(long, value_name = "SECONDS")]
    duration_s: Option<String>,
    /// The error
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Finalize {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let body = TaskFinalize {
            status: self.status,
            duration_s: amount(self.duration_s.as_deref()),
            cost_usd: amount(self.cost_usd.as_deref()),
            reason: self.reason,
            error_message: self.error,
        };
        let call = (self.task.as_str(), SpoolCall::Finalize);
        let shown = |done: &TaskFinalized| {
            output::line(format!("{}  episode {}", done.kind, done.episode_id));
            done.warnings.iter().for_each(output::note);
        };
        self.helper.say(globals, environment, call, &body, shown).await
    }
}
