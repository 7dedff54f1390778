//! `loci record`: records, their versions, and changes.

pub(crate) mod feedback;
pub(crate) mod quarantine;

use anyhow::{Result, bail};
use clap::Subcommand;
use loci_api::ErrorCode;
use loci_api::record as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::{self, DryRun};
use crate::exit::NotFound;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;
use feedback::Feedback;
use quarantine::Quarantine;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 120;

/// Memory records
#[derive(Debug, Subcommand)]
pub(crate) enum Record {
    /// Create a record
    Create {
        #[command(flatten)]
        memory: MemoryArgument,
        /// Its place
        #[arg(long)]
        namespace: String,
        /// fact, preference, summary, episode, reflection, rule, investigation or document
        #[arg(long)]
        kind: Option<String>,
        /// The title
        #[arg(long)]
        title: Option<String>,
        /// The text of the record
        text: String,
    },
    /// List records, newest first
    List {
        #[command(flatten)]
        memory: MemoryArgument,
        /// Only this node and everything beneath it
        #[arg(long)]
        namespace: Option<String>,
        /// Only records in this state instead of active ones; repeatable
        #[arg(long = "state", value_name = "STATE")]
        states: Vec<String>,
        /// The maximum number of records
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Show a record
    Get {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The record
        record: String,
    },
    /// Change the text of a record, which creates its next version
    Update {
        #[command(flatten)]
        memory: MemoryArgument,
        /// Only if the stored version is this one
        #[arg(long)]
        if_version: Option<u32>,
        /// The record
        record: String,
        /// The new text
        text: String,
    },
    /// Delete a record
    Delete {
        #[command(flatten)]
        memory: MemoryArgument,
        #[command(flatten)]
        dry: DryRun,
        /// The record
        record: String,
    },
    /// Quarantine records, and decide about quarantined ones
    #[command(subcommand)]
    Quarantine(Quarantine),
    /// Mark a record as useful or wrong
    Feedback(Feedback),
    /// Show all versions and state changes
    History {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The record
        record: String,
    },
    /// Restore an earlier version, or undo the decision of a record, which reactivates the record
    /// that it superseded
    Revert {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The version whose content comes back; without it the decision is undone, and a second
        /// time done again
        #[arg(long)]
        to_version: Option<u32>,
        /// Only if the stored version is this one
        #[arg(long)]
        if_version: Option<u32>,
        /// The record
        record: String,
    },
}

impl Record {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::Create { memory, namespace, kind, title, text } => {
                let memory = memory.id(&session).await?;
                let new = new_record(namespace, kind, title, text);
                let new = shape::RecordsCreate { records: vec![new], expiry_days: None };
                let outcome = session.client.records_create(&memory, &new).await?;
                session.wrote(&memory)?;
                one(session.json, outcome)?;
            }
            Self::List { memory, namespace, states, limit } => {
                let memory = memory.id(&session).await?;
                let listing = shape::RecordListing {
                    namespace_paths: namespace.into_iter().collect(),
                    states,
                    limit: Some(limit),
                    ..Default::default()
                };
                let list = session.client.record_list(&memory, &listing).await?;
                output::result(session.json, &list, |list| {
                    output::note_if_empty(&list.records, "No records.");
                    list.records.iter().for_each(shown);
                })?;
            }
            Self::Get { memory, record } => {
                let memory = memory.id(&session).await?;
                output::details(session.json, &session.client.record_get(&memory, &record).await?)?;
            }
            Self::Update { memory, if_version, record, text } => {
                let memory = memory.id(&session).await?;
                let change = shape::RecordUpdate {
                    id: record,
                    timestamp: None,
                    text: Some(text),
                    namespace: None,
                    strategy: None,
                    metadata: None,
                    if_version,
                };
                let changes = shape::RecordsUpdate { records: vec![change], expiry_days: None };
                let outcome = session.client.records_update(&memory, &changes).await?;
                session.wrote(&memory)?;
                one(session.json, outcome)?;
            }
            Self::Delete { memory, dry, record } if dry.dry_run => {
                let memory = memory.id(&session).await?;
                let found = session.client.record_get(&memory, &record).await?;
                let text = output::short(&found.text, TEXT_CHARS);
                confirmation::would(session.json, &format!("delete the record {record}: {text}"))?;
            }
            Self::Delete { memory, record, .. } => {
                let memory = memory.id(&session).await?;
                let nothing = session.client.record_delete(&memory, &record).await?;
                output::result(session.json, &nothing, |_| output::line(format!("deleted {record}")))?;
            }
            Self::Quarantine(quarantine) => quarantine.run(&mut session).await?,
            Self::Feedback(feedback) => feedback.run(&mut session).await?,
            Self::History { memory, record } => history(&session, &memory, &record).await?,
            Self::Revert { memory, to_version, if_version, record } => {
                let revert = shape::RecordRevert { to_version, if_version };
                reverted(&mut session, &memory, &record, &revert).await?;
            }
        }
        session.end().await
    }
}

async fn history(session: &Session, memory: &MemoryArgument, record: &str) -> Result<()> {
    let memory = memory.id(session).await?;
    let history = session.client.record_history(&memory, record).await?;
    output::result(session.json, &history, |history| {
        for version in &history.versions {
            shown(version);
            decided(version);
        }
        for change in &history.changes {
            let from = change.from.as_deref().unwrap_or("new");
            let reason = change.reason.as_deref().unwrap_or("");
            output::line(format!("{}  {from} → {}  {}  {reason}", change.at, change.to, change.by));
        }
        if let Some(said) = &history.feedback {
            output::line(format!("useful {}  wrong {}", said.useful, said.wrong));
        }
    })
}

async fn reverted(
    session: &mut Session,
    memory: &MemoryArgument,
    record: &str,
    revert: &shape::RecordRevert,
) -> Result<()> {
    let memory = memory.id(session).await?;
    let reverted = session.client.record_revert(&memory, record, revert).await?;
    session.wrote(&memory)?;
    output::result(session.json, &reverted, |reverted| {
        for record in &reverted.records {
            output::line(format!("{} v{}  {}", record.id, record.version, record.state));
        }
    })
}

/// Prints the decision that led to this version of a record.
fn decided(record: &shape::Record) {
    if let Some(decided) = record.making.as_ref().and_then(|making| making.decided.as_ref()) {
        output::line(format!("    {} by {}: {}", decided.action, decided.by, decided.reason));
    }
}

fn new_record(
    namespace: String,
    kind: Option<String>,
    title: Option<String>,
    text: String,
) -> shape::RecordCreate {
    shape::RecordCreate { namespace, text, kind, title, ..shape::RecordCreate::default() }
}

/// Takes the outcome of a batch with one record. If the record failed, the command fails.
fn one(as_json: bool, outcome: shape::BatchOutcome) -> Result<()> {
    let Some(item) = outcome.items.into_iter().next() else { bail!("the server answered for no record") };
    match &item.error {
        Some(problem) if problem.code == ErrorCode::NotFound.word() => {
            Err(NotFound(problem.message.clone()).into())
        }
        Some(problem) => bail!("{}", problem.message),
        None => output::result(as_json, &item, |item| output::line(&item.id)),
    }
}

fn shown(record: &shape::Record) {
    let date = record.timestamp.get(..10).unwrap_or(&record.timestamp);
    output::line(format!(
        "{} v{}  {date}  {}  {}  {}",
        record.id,
        record.version,
        record.state,
        record.namespace,
        output::short(&record.text, TEXT_CHARS)
    ));
}
