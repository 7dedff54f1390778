//! The option of commands that work on one memory: `--memory`, `LOCI_MEMORY`, or the only memory
//! there is.

use anyhow::Result;
use clap::Args;
use loci_api::memory::MemoryListing;

use crate::config::environment::Environment;
use crate::exit::{NotFound, Usage};
use crate::session::Session;

/// Memories that an error lists by name.
const NAMES_MAX: u32 = 10;

/// The memory that a command works on.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MemoryArgument {
    /// The memory, by name or id [default: the only one]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    memory: Option<String>,
}

impl MemoryArgument {
    /// Returns the argument of a command whose `--memory` excludes other options: the given name, or
    /// that of `LOCI_MEMORY`, which excludes none.
    pub(crate) fn of(named: Option<String>, environment: &Environment) -> Self {
        Self { memory: given(named, environment) }
    }

    /// Returns the id of the memory.
    ///
    /// # Errors
    /// [`NotFound`] for a name that no memory has and for a store without a memory, [`Usage`] for a
    /// store with several if none is named.
    pub(crate) async fn id(&self, session: &Session) -> Result<String> {
        // A variable that is set to nothing counts as unset.
        match self.memory.as_deref().filter(|named| !named.is_empty()) {
            Some(named) => session.memory_named(named).await,
            None => only_memory(session).await,
        }
    }
}

/// Returns the given name of a memory, or that of `LOCI_MEMORY`.
pub(crate) fn given(named: Option<String>, environment: &Environment) -> Option<String> {
    named.or_else(|| environment.get("LOCI_MEMORY").map(str::to_owned))
}

/// Returns the id of the given memory, or of that of `LOCI_MEMORY`, if there is one.
pub(crate) async fn named_id(
    named: Option<String>,
    session: &Session,
    environment: &Environment,
) -> Result<Option<String>> {
    match given(named, environment) {
        Some(named) => Ok(Some(session.memory_named(&named).await?)),
        None => Ok(None),
    }
}

async fn only_memory(session: &Session) -> Result<String> {
    let listing = MemoryListing { limit: Some(NAMES_MAX), ..MemoryListing::default() };
    let list = session.client.memory_list(&listing).await?;
    match list.memories.as_slice() {
        [] => {
            Err(NotFound("there is no memory yet: `loci memory create NAME` creates one".to_owned()).into())
        }
        [only] if list.next_cursor.is_none() => Ok(only.id.clone()),
        several => {
            let names: Vec<&str> = several.iter().map(|memory| memory.name.as_str()).collect();
            let more = if list.next_cursor.is_some() { ", …" } else { "" };
            Err(Usage(format!(
                "there are several memories ({}{more}): name one with --memory, or set LOCI_MEMORY",
                names.join(", ")
            ))
            .into())
        }
    }
}
