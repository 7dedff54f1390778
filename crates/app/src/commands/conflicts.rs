//! `loci conflicts`: memories of a repository that contradict each other, and deciding which stays.

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::conflict::{Conflict, ConflictListing, ConflictResolve};
use loci_api::record::Record;

use super::at::At;
use super::here::repository;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Characters of a record's text that are shown.
const TEXT_CHARS: usize = 120;

/// Memories that contradict each other
#[derive(Debug, Subcommand)]
pub(crate) enum Conflicts {
    /// List those that nobody decided about, the newest first
    List {
        /// The repository, as owner/name [default: that of the working directory]
        repo: Option<String>,
        /// Those that somebody decided about
        #[arg(long)]
        resolved: bool,
        #[command(flatten)]
        at: At,
    },
    /// Decide which of two memories stays: the other gives up its place
    Resolve {
        /// The repository, as owner/name
        repo: String,
        /// The conflict
        conflict: String,
        /// The record that stays, or both
        #[arg(long, value_name = "RECORD|both")]
        keep: String,
        #[command(flatten)]
        at: At,
    },
}

impl Conflicts {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::List { repo, resolved, at } => {
                let client = at.of(&session.client)?;
                let repo = repository(&session, globals, environment, repo.as_deref()).await?;
                let repo = named(&repo)?;
                let state = resolved.then(|| "resolved".to_owned());
                let mut listing = ConflictListing { state, ..ConflictListing::default() };
                let mut found = client.conflicts_list(repo, &listing).await?;
                while let Some(cursor) = found.next_cursor.take() {
                    listing.cursor = Some(cursor);
                    let page = client.conflicts_list(repo, &listing).await?;
                    found.conflicts.extend(page.conflicts);
                    found.next_cursor = page.next_cursor;
                }
                output::result(session.json, &found, |found| {
                    found.conflicts.iter().for_each(line);
                    if found.conflicts.is_empty() {
                        output::note("nothing contradicts anything");
                    }
                })?;
            }
            Self::Resolve { repo, conflict, keep, at } => {
                let client = at.of(&session.client)?;
                let done =
                    client.conflict_resolve(named(&repo)?, &conflict, &ConflictResolve { keep }).await?;
                output::result(session.json, &done, line)?;
            }
        }
        session.end().await
    }
}

/// The two parts of a repository's name.
pub(super) fn named(repo: &str) -> Result<(&str, &str)> {
    repo.split_once('/').context("the repository must be owner/name")
}

fn line(conflict: &Conflict) {
    let kept = conflict.kept.as_ref().map(|kept| format!("  kept {kept}")).unwrap_or_default();
    output::line(format!(
        "{}  {}  {}  {}{kept}",
        conflict.id, conflict.state, conflict.found_at, conflict.reason
    ));
    for (what, record) in [("there", &conflict.standing), ("against", &conflict.against)] {
        output::line(format!("      {what:<8}{}", told(record.as_ref())));
    }
}

fn told(record: Option<&Record>) -> String {
    record.map_or("deleted".to_owned(), |record| {
        let scope = record.scope.as_ref().map(|scope| format!(" [{scope}]")).unwrap_or_default();
        format!("{}  {}{scope}  {}", record.id, record.state, output::short(&record.text, TEXT_CHARS))
    })
}
