//! The memory of an operations command: the named one, or the one whose id `loci memory ensure`
//! wrote to the working directory. The file is for scripts and people. The server never needs it.

use anyhow::{Context, Result};
use loci_json::without_mark;
use loci_model::MemoryId;
use loci_server::regular_file;

use crate::commands::memory::ensure::FILE;
use crate::exit::Usage;
use crate::session::Session;

/// The memory.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct OperationsMemory {
    /// The memory, by name or id [default: the one in ./.memory_id]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    memory: Option<String>,
}

impl OperationsMemory {
    /// Returns the memory's id.
    pub(crate) async fn memory(&self, session: &Session) -> Result<String> {
        // A variable that is set to nothing counts as unset.
        match self.memory.as_deref().filter(|named| !named.is_empty()) {
            Some(named) => session.memory_named(named).await,
            None => written(),
        }
    }
}

/// Returns the memory's id in the file that `loci memory ensure` wrote to the working directory.
fn written() -> Result<String> {
    let path = std::env::current_dir().context("finding the folder for .memory_id")?.join(FILE);
    let none = || Usage(format!("no {FILE} here; run \"loci memory ensure sre_agent_memory\""));
    let text = match regular_file::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(none().into()),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    let id = without_mark(&text).trim();
    match MemoryId::parse(id) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(Usage(format!(
            "{FILE} here holds no id of a memory; run \"loci memory ensure sre_agent_memory\""
        ))
        .into()),
    }
}
