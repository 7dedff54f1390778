//! `loci ops`: what operations agents remember, by type and by whose it is. Preferences by key are
//! `loci ops preferences`.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::record::{Record, RecordListing};
use loci_model::services::knowledge::SreType;
use serde::Serialize;

use super::doctor::Doctor;
use super::explain::Explain;
use super::export::Export;
use super::history::History;
use super::import::Import;
use super::memory_selection::OperationsMemory;
use super::outcomes::{InvestigationOutcomeCommand, PendingOutcomes, Stats};
use super::preferences::Preferences;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::Confirmation;
use crate::exit::Usage;
use crate::output::{self, counted};
use crate::session::Session;

/// The maximum number of characters of a record's text on a line.
const TEXT_CHARS_MAX: usize = 120;
/// The number of records per page that the command requests.
const PAGE: u32 = 100;

/// Operations memory: preferences, service knowledge, investigations
#[derive(Debug, Subcommand)]
pub(crate) enum Ops {
    /// List, confirm or declare preferences of users
    #[command(subcommand)]
    Preferences(Preferences),
    /// List records, by type and by owner
    List(List),
    /// Show a record
    Get(Get),
    /// Delete a record, or all records of a type or an actor
    Delete(Delete),
    /// Write records as JSON lines
    Export(Export),
    /// Import the JSON lines of an export
    Import(Import),
    /// Show all versions of the knowledge about a service
    History(History),
    /// Show the results of a question, the parts of each score, and the reason why other records
    /// are missing
    Explain(Explain),
    /// List investigations without an outcome after two weeks
    PendingOutcomes(PendingOutcomes),
    /// Report the outcome of an investigation
    Outcome(InvestigationOutcomeCommand),
    /// Show statistics of investigations: duration, confidence, frequency
    Stats(Stats),
    /// Find records that no read will ever match; exit code 1 if there are any
    Doctor(Doctor),
}

/// The selection of records
#[derive(Debug, Args)]
struct Selection {
    /// preferences, infrastructure or investigations [default: all of them]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only this user or agent
    #[arg(long)]
    actor: Option<String>,
}

/// The selection of records
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The record
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// The id of the record
    id: String,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The records to delete
#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The id of a record; without it, all selected records
    id: Option<String>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    at: OperationsMemory,
}

/// Active records of one type, grouped by actor.
#[derive(Debug, Serialize)]
struct ActorRecordsOfType {
    memory_type: &'static str,
    actors: BTreeMap<String, Vec<Record>>,
}

impl Ops {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match &self {
            Self::List(list) => {
                let memory = list.at.memory(&session).await?;
                let found = selected(&session, &memory, &list.selection).await?;
                output::result(session.json, &found, |found| {
                    if found.iter().all(|one| one.actors.is_empty()) {
                        output::note("No records of operations memory.");
                    }
                    found.iter().for_each(shown);
                })?;
            }
            Self::Get(get) => {
                let memory = get.at.memory(&session).await?;
                output::details(session.json, &session.client.record_get(&memory, &get.id).await?)?;
            }
            Self::Preferences(preferences) => {
                let done = preferences.run(&session).await;
                session.end().await?;
                return done;
            }
            Self::Delete(delete) => delete.run(&session).await?,
            Self::Export(export) => export.run(&session).await?,
            Self::Import(import) => {
                let done = import.run(&mut session).await;
                session.end().await?;
                return done;
            }
            Self::History(history) => history.run(&session).await?,
            Self::Explain(explain) => explain.run(&session).await?,
            Self::PendingOutcomes(waiting) => waiting.run(&session).await?,
            Self::Outcome(outcome) => outcome.run(&session).await?,
            Self::Stats(stats) => stats.run(&session).await?,
            Self::Doctor(doctor) => {
                let done = doctor.run(&session).await;
                session.end().await?;
                return done;
            }
        }
        session.end().await
    }
}

impl Delete {
    async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let ids = match &self.id {
            Some(id) => {
                if !self.confirmation.is_by_id(session.json, &format!("delete {id}"))? {
                    return Ok(());
                }
                vec![id.clone()]
            }
            None => {
                let name = session.client.memory_get(&memory).await?.name;
                let found = selected(session, &memory, &self.selection).await?;
                let records = found.into_iter().flat_map(|one| one.actors.into_values().flatten());
                let ids: Vec<String> = records.map(|record| record.id).collect();
                let effect = format!("delete {} of the memory {name}", counted(ids.len(), "record"));
                if !self.confirmation.is_given(session.json, &effect, &name)? {
                    return Ok(());
                }
                ids
            }
        };
        for id in &ids {
            session.client.record_delete(&memory, id).await?;
        }
        output::result(session.json, &ids, |ids| {
            output::line(format!("{} deleted", counted(ids.len(), "record")));
        })
    }
}

/// Returns the selected active records, including those that wait for a person.
async fn selected(session: &Session, memory: &str, selection: &Selection) -> Result<Vec<ActorRecordsOfType>> {
    let kinds = match &selection.kind {
        None => SreType::ALL.to_vec(),
        Some(word) => {
            let unknown =
                || Usage(format!("--type must be preferences, infrastructure or investigations, not {word}"));
            vec![SreType::parse_input(word).ok_or_else(unknown)?]
        }
    };
    let strategies = session.client.memory_get(memory).await?.strategies;
    let mut all = Vec::new();
    for kind in kinds {
        let mut actors: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        let strategy = strategies.iter().find(|one| one.name == kind.strategy_name());
        let mut listing = RecordListing {
            strategy: strategy.map(|one| one.id.clone()),
            states: vec!["active".to_owned(), "candidate".to_owned()],
            limit: Some(PAGE),
            ..RecordListing::default()
        };
        while listing.strategy.is_some() {
            let page = session.client.record_list(memory, &listing).await?;
            for record in page.records {
                let actor = actor_of(kind, &record);
                if selection.actor.as_ref().is_none_or(|wanted| *wanted == actor) {
                    actors.entry(actor).or_default().push(record);
                }
            }
            listing.cursor = page.next_cursor;
            if listing.cursor.is_none() {
                break;
            }
        }
        all.push(ActorRecordsOfType { memory_type: kind.as_str(), actors });
    }
    Ok(all)
}

/// Returns the actor of a record, read from its content, because namespaces encode ids differently.
fn actor_of(kind: SreType, record: &Record) -> String {
    let member = match kind {
        SreType::Preferences | SreType::Investigations => "user_id",
        SreType::Infrastructure => "discovered_by",
    };
    let stored: serde_json::Value = serde_json::from_str(&record.text).unwrap_or_default();
    let said = stored.get(member).and_then(serde_json::Value::as_str).map(str::to_owned);
    said.or_else(|| record.provenance.actor.clone()).unwrap_or_default()
}

fn shown(one: &ActorRecordsOfType) {
    for (actor, records) in &one.actors {
        output::line(format!("{}  {actor}  {}", one.memory_type, records.len()));
        for record in records {
            output::line(format!(
                "  {}  {}  {}",
                record.id,
                record.state,
                output::short(&record.text, TEXT_CHARS_MAX)
            ));
        }
    }
}
