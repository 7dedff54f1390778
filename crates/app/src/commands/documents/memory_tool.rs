//! `loci files tool`: runs one command of the memory tool, as a model would call it.

use anyhow::{Result, bail};
use clap::Args;
use loci_api::documents::memory_tool as shape;

use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::memory_argument;
use crate::output;
use crate::session::Session;

/// A command of the memory tool.
#[derive(Debug, Args)]
pub(crate) struct Tool {
    /// A mount of the configuration
    #[arg(long, conflicts_with_all = ["memory", "namespace"])]
    mount: Option<String>,
    /// The memory, by name or id, instead of a mount [default: LOCI_MEMORY, or the mount]
    #[arg(long)]
    memory: Option<String>,
    /// The namespace of the documents; `/` without it
    #[arg(long)]
    namespace: Option<String>,
    /// The command: a JSON object, like {"command":"view","path":"/memories"}
    command: String,
}

impl Tool {
    pub(crate) async fn run(self, session: &Session, environment: &Environment) -> Result<()> {
        let bad = |error| Usage(format!("the command must be a JSON object: {error}"));
        let command = loci_json::from_str(&self.command).map_err(bad)?;
        let memory = match &self.mount {
            Some(_) => None,
            None => memory_argument::named_id(self.memory, session, environment).await?,
        };
        let query = shape::MemoryToolQuery { mount: self.mount, memory, namespace: self.namespace };
        let answer = session.client.memory_tool(&query, &shape::MemoryToolCommand(command)).await?;
        if answer.is_error && !session.json {
            bail!(answer.content);
        }
        output::result(session.json, &answer, |answer| output::line(&answer.content))
    }
}
