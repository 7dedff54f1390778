//! `loci conflicts`: lists memories of a repository that contradict each other, and decides between
//! them.

use anyhow::Result;
use clap::Subcommand;
use loci_api::coding::conflict::{Conflict, ConflictListing, ConflictResolve};
use loci_api::record::Record;

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{PositionedRepository, Surroundings, repository_and_word};
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 120;

/// Memories that contradict each other
#[derive(Debug, Subcommand)]
pub(crate) enum Conflicts {
    /// List open conflicts, newest first
    List {
        #[command(flatten)]
        of: PositionedRepository,
        /// List resolved conflicts instead
        #[arg(long)]
        resolved: bool,
    },
    /// Decide which of two memories stays; it supersedes the other
    Resolve {
        /// The conflict; before it its repository, as owner/name [default: that of the working
        /// directory]
        #[arg(required = true, num_args = 1..=2, value_names = ["[REPO]", "CONFLICT"])]
        conflict: Vec<String>,
        /// The record that stays, or "both"
        #[arg(long, value_name = "RECORD|both")]
        keep: String,
        #[command(flatten)]
        at: CodeMemory,
    },
}

impl Conflicts {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        match self {
            Self::List { of, resolved } => {
                let meant = of.meant(around).await?;
                let (client, repo) = (&meant.client, meant.parts());
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
            Self::Resolve { conflict, keep, at } => {
                let (repo, conflict) = repository_and_word(&conflict);
                let meant = around.meant(&at, repo).await?;
                let decided = ConflictResolve { keep };
                let done = meant.client.conflict_resolve(meant.parts(), conflict, &decided).await?;
                output::result(session.json, &done, line)?;
            }
        }
        session.end().await
    }
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
