//! The option that names the memory of a command: `--memory`, else `LOCI_MEMORY`, else the only
//! memory of the store.

use anyhow::Result;
use clap::Args;
use loci_api::memory::MemoryListing;

use crate::config::environment::Environment;
use crate::exit::{NotFound, Usage};
use crate::session::Session;

/// The maximum number of memories that an error lists by name.
const NAMES_MAX: u32 = 10;

/// The memory that a command works on.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MemoryArgument {
    /// The memory, by name or id [default: the only one]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    memory: Option<String>,
}

impl MemoryArgument {
    /// Returns the argument of a command whose `--memory` excludes other options: `named`, else the
    /// value of `LOCI_MEMORY`. The variable excludes no options.
    pub(crate) fn of(named: Option<String>, environment: &Environment) -> Self {
        Self { memory: given(named, environment) }
    }

    /// Returns the id of the memory.
    ///
    /// # Errors
    /// [`NotFound`] if no memory has the name or the store has no memory, [`Usage`] if the store
    /// has several memories and none is named.
    pub(crate) async fn id(&self, session: &Session) -> Result<String> {
        // A variable that is set to nothing counts as unset.
        match self.memory.as_deref().filter(|named| !named.is_empty()) {
            Some(named) => session.memory_named(named).await,
            None => only_memory(session).await,
        }
    }
}

/// Returns the name of a memory: `named`, else the value of `LOCI_MEMORY`.
pub(crate) fn given(named: Option<String>, environment: &Environment) -> Option<String> {
    named.or_else(|| environment.get("LOCI_MEMORY").map(str::to_owned))
}

/// Returns the id of the memory that the argument or `LOCI_MEMORY` names. `None` if neither names
/// one.
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
