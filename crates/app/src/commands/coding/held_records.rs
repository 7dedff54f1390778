//! `loci held`: memories of a repository that wait for a person, and the decision about each.

use anyhow::Result;
use clap::Subcommand;
use loci_api::coding::safeguard::{HeldDecide, HeldListing};
use loci_api::record::Record;

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{PositionedRepository, Surroundings, repository_and_word};
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 120;

/// Memories that wait for a person
#[derive(Debug, Subcommand)]
pub(crate) enum HeldCommand {
    /// List them, newest first
    List {
        #[command(flatten)]
        of: PositionedRepository,
        /// List the quarantined memories instead
        #[arg(long)]
        quarantined: bool,
    },
    /// Activate one
    Accept(Decision),
    /// Mark one as wrong permanently
    Reject(Decision),
}

/// The record, and the reason.
#[derive(Debug, clap::Args)]
pub(crate) struct Decision {
    /// The record; before it its repository, as owner/name [default: that of the working directory]
    #[arg(required = true, num_args = 1..=2, value_names = ["[REPO]", "RECORD"])]
    record: Vec<String>,
    /// The reason, stored with the record
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    at: CodeMemory,
}

impl HeldCommand {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        match self {
            Self::List { of, quarantined } => {
                let meant = of.meant(around).await?;
                let (client, repo) = (&meant.client, meant.parts());
                let state = quarantined.then(|| "quarantined".to_owned());
                let mut listing = HeldListing { state, ..HeldListing::default() };
                let mut found = client.held_list(repo, &listing).await?;
                while let Some(cursor) = found.next_cursor.take() {
                    listing.cursor = Some(cursor);
                    let page = client.held_list(repo, &listing).await?;
                    found.records.extend(page.records);
                    found.next_cursor = page.next_cursor;
                }
                output::result(session.json, &found, |found| {
                    found.records.iter().for_each(line);
                    if found.records.is_empty() {
                        output::note("nothing waits");
                    }
                })?;
            }
            Self::Accept(Decision { record, reason, at }) => {
                let (repo, record) = repository_and_word(&record);
                let meant = around.meant(&at, repo).await?;
                let done = meant.client.held_accept(meant.parts(), record, &HeldDecide { reason }).await?;
                output::result(session.json, &done, line)?;
            }
            Self::Reject(Decision { record, reason, at }) => {
                let (repo, record) = repository_and_word(&record);
                let meant = around.meant(&at, repo).await?;
                let done = meant.client.held_reject(meant.parts(), record, &HeldDecide { reason }).await?;
                output::result(session.json, &done, line)?;
            }
        }
        session.end().await
    }
}

fn line(record: &Record) {
    let reason = record.state_reason.as_deref().unwrap_or_default();
    let text = output::short(&record.text, TEXT_CHARS);
    output::line(format!("{}  {}  {}  {reason}  {text}", record.id, record.state, record.created_at));
}
