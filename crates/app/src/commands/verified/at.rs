//! Which memory for code a command is about.

use anyhow::Result;
use loci_client::Client;

/// Which memory.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct At {
    /// The memory, by name or id [default: the one for code]
    #[arg(long, value_name = "MEMORY")]
    pub(crate) memory: Option<String>,
}

impl At {
    /// A client whose calls mean that memory.
    pub(crate) fn of(&self, client: &Client) -> Result<Client> {
        of_memory(client, self.memory.as_deref())
    }
}

/// A client whose calls mean a memory; `None`: the one for code.
pub(crate) fn of_memory(client: &Client, memory: Option<&str>) -> Result<Client> {
    Ok(match memory {
        Some(memory) => client.clone().with_memory(memory)?,
        None => client.clone(),
    })
}
