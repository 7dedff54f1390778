//! `loci held`: memories of a repository that wait for a person, and the decision about each.

use anyhow::Result;
use clap::Subcommand;
use loci_api::record::Record;
use loci_api::safeguard::{HeldDecide, HeldListing};

use super::at::At;
use super::conflicts::named;
use super::here::repository;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Characters of a record's text that are shown.
const TEXT_CHARS: usize = 120;

/// Memories that wait for a person
#[derive(Debug, Subcommand)]
pub(crate) enum Held {
    /// List them, the newest first
    List {
        /// The repository, as owner/name [default: that of the working directory]
        repo: Option<String>,
        /// Those that are held back as suspicious
        #[arg(long)]
        quarantined: bool,
        #[command(flatten)]
        at: At,
    },
    /// Put one in force
    Accept(Decision),
    /// Mark one as wrong, for good
    Reject(Decision),
}

/// Which record, and why.
#[derive(Debug, clap::Args)]
pub(crate) struct Decision {
    /// The repository, as owner/name
    repo: String,
    /// The record
    record: String,
    /// Why; kept with the record
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    at: At,
}

impl Held {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::List { repo, quarantined, at } => {
                let repo = repository(&session, globals, environment, repo.as_deref()).await?;
                let (client, repo) = (at.of(&session.client)?, named(&repo)?);
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
            Self::Accept(Decision { repo, record, reason, at }) => {
                let client = at.of(&session.client)?;
                let done = client.held_accept(named(&repo)?, &record, &HeldDecide { reason }).await?;
                output::result(session.json, &done, line)?;
            }
            Self::Reject(Decision { repo, record, reason, at }) => {
                let client = at.of(&session.client)?;
                let done = client.held_reject(named(&repo)?, &record, &HeldDecide { reason }).await?;
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
