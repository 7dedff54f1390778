//! `loci forget`: erases what is kept of an actor, and shows the receipt.

use anyhow::Result;
use clap::Args;
use loci_api::admin;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Erase events, records and jobs of an actor, now
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// The actor
    #[arg(long)]
    actor: String,
}

impl Forget {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        let memory = session.memory(&self.memory).await?;
        let receipt = session.client.forget(&memory, &admin::Forget { actor: self.actor }).await?;
        session.wrote(&memory)?;
        output::result(session.json, &receipt, |receipt| {
            output::line(format!(
                "forgot {} in {}: {} events, {} records, {} jobs, {} tasks, at {}",
                receipt.actor,
                receipt.memory,
                receipt.events,
                receipt.records,
                receipt.jobs,
                receipt.tasks,
                receipt.at
            ));
        })?;
        session.end().await
    }
}
