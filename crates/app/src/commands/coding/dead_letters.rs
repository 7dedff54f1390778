//! `loci dead-letters`: lists the deferred writes for coding agents that a server gave up, and
//! retries them.

use anyhow::Result;
use clap::Subcommand;
use loci_api::coding::dead_letter::{DeadLetter, DeadLetterList, DeadLetterListing};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Deferred writes for coding agents that failed permanently; without a subcommand: list them,
/// newest first
#[derive(Debug, clap::Args)]
pub(crate) struct DeadLetters {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The operation on dead letters.
#[derive(Debug, Subcommand)]
enum What {
    /// Retry one now
    Retry {
        /// The id
        id: String,
    },
}

impl DeadLetters {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let client = self.at.of(&session.client)?;
        match self.what {
            None => {
                let mut listing = DeadLetterListing::default();
                let mut all = Vec::new();
                loop {
                    let page = client.dead_letter_list(&listing).await?;
                    all.extend(page.dead_letters);
                    listing.cursor = page.next_cursor;
                    if listing.cursor.is_none() {
                        break;
                    }
                }
                let list = DeadLetterList { dead_letters: all, next_cursor: None };
                output::result(session.json, &list, |list| {
                    output::note_if_empty(&list.dead_letters, "No failed deliveries.");
                    list.dead_letters.iter().for_each(shown);
                })?;
            }
            Some(What::Retry { id }) => {
                let retried = client.dead_letter_retry(&id).await?;
                output::result(session.json, &retried, |retried| {
                    let what = if retried.was_dead { "is tried again" } else { "had not been given up" };
                    output::line(format!("{}  {what}", retried.id));
                })?;
            }
        }
        session.end().await
    }
}

fn shown(letter: &DeadLetter) {
    let DeadLetter { id, kind, payload, error, attempts, failed_at, .. } = letter;
    output::line(format!("{id}  {failed_at}  {kind}  {}", payload.key));
    output::line(format!("    {error} (tried {attempts} times)"));
}
