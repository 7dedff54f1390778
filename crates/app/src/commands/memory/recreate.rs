//! `loci memory recreate`: replaces a memory with an empty one under the same name. It reports the
//! content first, and destroys it only if the name is repeated.

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use clap::Args;
use loci_api::memory::recreate as shape;
use loci_json::without_mark;
use loci_server::regular_file;

use super::ensure::{FILE, write};
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The memory to destroy
#[derive(Debug, Args)]
pub(crate) struct Recreate {
    /// The memory, by name or id
    memory: String,
    /// The name again, if nobody can type it
    #[arg(long, value_name = "NAME")]
    yes_destroy: Option<String>,
}

impl Recreate {
    pub(super) async fn run(self, session: &Session) -> Result<()> {
        let memory = session.memory_named(&self.memory).await?;
        let held =
            session.client.memory_recreate(&memory, &shape::MemoryRecreate { yes_destroy: None }).await?;
        let told = format!("{} holds {} records and {} events", held.name, held.records, held.events);
        let typed = match self.yes_destroy {
            Some(name) => name,
            None if std::io::stdin().is_terminal() => typed(&told)?,
            None => {
                let rule = format!("{told}: say --yes-destroy {} if all of it is to be destroyed", held.name);
                return Err(Usage(rule).into());
            }
        };
        if typed.trim() != held.name {
            return Err(Usage(format!("{told}; nothing was destroyed: the name is {}", held.name)).into());
        }
        let asked = shape::MemoryRecreate { yes_destroy: Some(held.name.clone()) };
        let done = session.client.memory_recreate(&memory, &asked).await?;
        if let Some(new) = &done.memory_id {
            follow(&memory, new)?;
        }
        output::result(session.json, &done, |done| {
            output::line(format!("{} records and {} events were destroyed", done.records, done.events));
            output::line(done.memory_id.as_deref().unwrap_or_default());
        })
    }
}

fn typed(told: &str) -> Result<String> {
    let mut out = std::io::stderr().lock();
    write!(out, "{told}. Type its name to destroy all of it: ")?;
    out.flush()?;
    let mut name = String::new();
    std::io::stdin().read_line(&mut name).context("reading the name")?;
    Ok(name)
}

/// Updates the file in this folder if it names the old memory.
fn follow(old: &str, new: &str) -> Result<()> {
    let path = std::env::current_dir().context("finding the folder for .memory_id")?.join(FILE);
    match regular_file::read_to_string(&path) {
        Ok(text) if without_mark(&text).trim() == old => write(&path, new),
        Ok(_) | Err(_) => Ok(()),
    }
}
