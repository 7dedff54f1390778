//! `loci task feedback`: the memories that a task used, that helped it, and that misled it.

use anyhow::Result;
use loci_api::coding::task::feedback::{HarmfulMemory, TaskFeedback, TaskFeedbackTaken};

use super::delivery::DeliveryOptions;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::spool::SpoolCall;

/// Report the memories that were used, helped or misled; exits with 0 even if no server is
/// reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Feedback {
    /// The task
    task: String,
    /// A memory that was used; repeatable
    #[arg(long, value_name = "ID")]
    used: Vec<String>,
    /// A memory that helped; repeatable
    #[arg(long, value_name = "ID")]
    helpful: Vec<String>,
    /// A memory that misled; repeatable. Reports by two tasks quarantine it
    #[arg(long, value_name = "ID")]
    harmful: Vec<String>,
    /// The reason why it misled
    #[arg(long, value_name = "TEXT", requires = "harmful")]
    reason: Option<String>,
    /// The feedback comes from a person and quarantines a misleading memory at once
    #[arg(long)]
    human: bool,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Feedback {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let reason = self.reason;
        let harmful = |id: String| HarmfulMemory { id, reason: reason.clone() };
        let body = TaskFeedback {
            used: self.used,
            helpful: self.helpful,
            harmful: self.harmful.into_iter().map(harmful).collect(),
            by: self.human.then(|| "human".to_owned()),
        };
        let call = (self.task.as_str(), SpoolCall::Feedback);
        self.helper.say(globals, environment, call, &body, shown).await
    }
}

fn shown(taken: &TaskFeedbackTaken) {
    let (used, helpful, harmful) = (taken.used.len(), taken.helpful.len(), taken.harmful.len());
    output::line(format!("{}  {used} used, {helpful} helpful, {harmful} harmful", taken.task_id));
    taken.quarantined.iter().for_each(|id| output::line(format!("    {id}  held back")));
    taken.warnings.iter().for_each(output::note);
}
