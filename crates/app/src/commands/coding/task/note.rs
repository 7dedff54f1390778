//! `loci task note`: stores one learning during a task.

use anyhow::Result;
use loci_api::coding::task::end::{TaskNote, TaskNoted};

use super::complete::learning;
use super::delivery::DeliveryOptions;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::spool::SpoolCall;

/// Store one learning; exits with 0 even if no server is reachable
#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// The task
    task: String,
    /// The learning
    text: String,
    /// The topic [default: the beginning of the text]
    #[arg(long)]
    topic: Option<String>,
    /// The scope: a path, a glob, module:NAME [default: derived from the topic]
    #[arg(long)]
    scope: Option<String>,
    /// architecture, convention, tooling or gotcha [default: derived from the text]
    #[arg(long)]
    category: Option<String>,
    #[command(flatten)]
    helper: DeliveryOptions,
}

impl Note {
    pub(super) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let Self { text, topic, scope, category, .. } = &self;
        let body = TaskNote {
            text: text.clone(),
            topic: topic.clone(),
            scope: scope.clone(),
            category: category.clone(),
            observed_at: None,
        };
        let call = (self.task.as_str(), SpoolCall::Note);
        let shown = |noted: &TaskNoted| {
            output::line(learning(&noted.learning));
            noted.warnings.iter().for_each(output::note);
        };
        self.helper.say(globals, environment, call, &body, shown).await
    }
}
