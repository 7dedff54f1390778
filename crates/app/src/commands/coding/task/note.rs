//! `loci task note`: one thing that was learned, while the task goes on.

use anyhow::Result;
use loci_api::coding::task::end::{TaskNote, TaskNoted};

use super::complete::learning;
use super::delivery::Helper;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::spool::SpoolCall;

/// Store one thing that was learned; ends well even where no server can be reached
#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// The task
    task: String,
    /// What was learned
    text: String,
    /// What it is about [default: as the text begins]
    #[arg(long)]
    topic: Option<String>,
    /// To what it applies: a path, a glob, module:NAME [default: as the topic says]
    #[arg(long)]
    scope: Option<String>,
    /// architecture, convention, tooling or gotcha [default: as its words say]
    #[arg(long)]
    category: Option<String>,
    #[command(flatten)]
    helper: Helper,
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
