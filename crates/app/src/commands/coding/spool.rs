//! `loci spool`: reports about tasks that no server has received yet.

use anyhow::Result;
use clap::Subcommand;

use super::task::delivery::spool;
use super::task::spool_flush::{FlushSelection, flush};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{Difference, NotFound};
use crate::output;
use crate::session::Session;
use crate::spool::{Refused, SpoolContents, SpoolEntry};

/// The maximum number of characters of an unreadable line in the output.
const LINE_CHARS_MAX: usize = 80;

/// Spooled reports that no server has received yet
#[derive(Debug, Subcommand)]
pub(crate) enum SpoolCommand {
    /// Show waiting entries and their reason, oldest first, and rejected ones
    Show,
    /// Send waiting entries, including those rejected before; exit code 5 if any remain
    Flush,
}

impl SpoolCommand {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let none =
            || NotFound("there is no spool here: work in a git repository, or set LOCI_SPOOL".to_owned());
        let spool = spool(globals, environment).await.ok_or_else(none)?;
        match self {
            Self::Show => {
                let SpoolContents { entries, refused } = spool.held().await?;
                let all: Vec<Refused> = entries.into_iter().map(Refused::of).chain(refused).collect();
                output::result(globals.json, &all, |all| {
                    output::note_if_empty(all, "The spool is empty.");
                    all.iter().for_each(shown);
                })
            }
            Self::Flush => {
                let session = Session::begin(globals, environment)?;
                let url = globals.url.as_deref();
                let everything = FlushSelection { url, all: true, first: None, until: None };
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

fn shown(one: &Refused) {
    let entry = match one {
        Refused::Entry(entry) => entry,
        Refused::Line { refused, line } => {
            let line: String = line.chars().filter(|c| !c.is_control()).take(LINE_CHARS_MAX).collect();
            output::line(format!("refused: {refused}: {line}"));
            return;
        }
    };
    let to = entry.url.as_ref().map(|url| format!("  for {url}")).unwrap_or_default();
    output::line(format!("{}  {}  {}{to}{}", entry.at, entry.call.as_str(), entry.task, why(entry)));
}

/// Returns the reason why an entry is still spooled.
fn why(entry: &SpoolEntry) -> String {
    if let Some(why) = &entry.refused {
        return format!("  refused: {why}");
    }
    let Some(waits) = &entry.waits else { return String::new() };
    let times = if waits.times == 1 { String::new() } else { format!(" {} times", waits.times) };
    format!("  waits: {} (tried{times}, last at {})", waits.why, waits.tried_at)
}
