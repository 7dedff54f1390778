//! `loci memory recreate`: replaces a memory with an empty one under the same name. It reports the
//! content first, and destroys it only after a confirmation.

use anyhow::{Context, Result};
use clap::Args;
use loci_api::memory::recreate as shape;
use loci_json::without_mark;
use loci_server::regular_file;

use super::ensure::{FILE, write};
use crate::confirmation::Confirmation;
use crate::output::{self, counted};
use crate::session::Session;

/// The memory to destroy
#[derive(Debug, Args)]
pub(crate) struct Recreate {
    /// The memory, by name or id
    memory: String,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Recreate {
    pub(super) async fn run(self, session: &Session) -> Result<()> {
        let memory = session.memory_named(&self.memory).await?;
        let held =
            session.client.memory_recreate(&memory, &shape::MemoryRecreate { yes_destroy: None }).await?;
        let (records, events) = (counted(held.records, "record"), counted(held.events, "event"));
        let effect = format!("destroy {records} and {events} of the memory {}", held.name);
        if !self.confirmation.is_given(session.json, &effect, &held.name)? {
            return Ok(());
        }
        let asked = shape::MemoryRecreate { yes_destroy: Some(held.name.clone()) };
        let done = session.client.memory_recreate(&memory, &asked).await?;
        if let Some(new) = &done.memory_id {
            follow(&memory, new)?;
        }
        output::result(session.json, &done, |done| {
            output::line(format!("destroyed {records} and {events}"));
            output::line(done.memory_id.as_deref().unwrap_or_default());
        })
    }
}

/// Updates the file in this folder if it names the old memory.
fn follow(old: &str, new: &str) -> Result<()> {
    let path = std::env::current_dir().context("finding the folder for .memory_id")?.join(FILE);
    match regular_file::read_to_string(&path) {
        Ok(text) if without_mark(&text).trim() == old => write(&path, new),
        Ok(_) | Err(_) => Ok(()),
    }
}
