//! The code memory of a command.

use anyhow::Result;
use loci_client::Client;

/// The option that names the memory for code.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CodeMemory {
    /// The memory, by name or id [default: the one for code]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    pub(crate) memory: Option<String>,
}

impl CodeMemory {
    /// Returns a client whose calls use that memory.
    pub(crate) fn of(&self, client: &Client) -> Result<Client> {
        of_memory(client, self.memory.as_deref())
    }
}

/// Returns a client whose calls use a memory. `None` means the one for code.
pub(crate) fn of_memory(client: &Client, memory: Option<&str>) -> Result<Client> {
    // A variable that is set to nothing counts as unset.
    Ok(match memory.filter(|memory| !memory.is_empty()) {
        Some(memory) => client.clone().with_memory(memory)?,
        None => client.clone(),
    })
}
