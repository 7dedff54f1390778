//! `loci spool`: what was said of tasks while no server could be reached.

use anyhow::Result;
use clap::Subcommand;

use super::task::delivery::{Flushing, flush, spool};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{Difference, NotFound};
use crate::output;
use crate::session::Session;
use crate::spool::Entry;

/// What was said of tasks while no server could be reached
#[derive(Debug, Subcommand)]
pub(crate) enum SpoolCommand {
    /// Show what waits, oldest first
    Show,
    /// Send what waits, what was refused before included; exit code 5 if something is left
    Flush,
}

impl SpoolCommand {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let none =
            || NotFound("there is no spool here: work in a git repository, or set LOCI_SPOOL".to_owned());
        let spool = spool(globals, environment).await.ok_or_else(none)?;
        match self {
            Self::Show => {
                let (entries, cut) = spool.entries()?;
                output::result(globals.json, &entries, |entries| entries.iter().for_each(shown))?;
                if cut > 0 {
                    output::note(format!("{cut} lines cannot be read: they were cut off"));
                }
                Ok(())
            }
            Self::Flush => {
                let session = Session::begin(globals, environment)?;
                let everything = Flushing { url: globals.url.as_deref(), all: true, until: None };
                let flushed = flush(&session.client, &spool, everything).await?.done;
                output::result(globals.json, &flushed, |flushed| {
                    let (taken, refused, waiting) = (flushed.taken, flushed.refused, flushed.waiting);
                    output::line(format!("{taken} sent, {refused} refused, {waiting} waiting"));
                })?;
                session.end().await?;
                if flushed.refused + flushed.waiting > 0 {
                    return Err(
                        Difference("something is left in the spool: loci spool show".to_owned()).into()
                    );
                }
                Ok(())
            }
        }
    }
}

fn shown(entry: &Entry) {
    let waits = entry.unknown.as_ref().map(|why| format!("  waits: {why}"));
    let why = entry.refused.as_ref().map(|why| format!("  refused: {why}")).or(waits).unwrap_or_default();
    let to = entry.url.as_ref().map(|url| format!("  for {url}")).unwrap_or_default();
    output::line(format!("{}  {}  {}{to}{why}", entry.at, entry.call.as_str(), entry.task));
}
