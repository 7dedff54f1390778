//! `loci me`: lists, corrects and deletes a user's own records in operations memory.

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::operations::me as shape;
use loci_api::operations::transfer::SreRecordLine;
use serde_json::Value;

use super::memory_selection::OperationsMemory;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::Confirmation;
use crate::exit::{CommandOutcome, Usage};
use crate::output::{self, counted};
use crate::session::Session;

/// The maximum number of characters of a record on a line.
const TEXT_CHARS_MAX: usize = 100;
/// The maximum number of ids per request.
const IDS_MAX: usize = 100;

/// Your own records in operations memory
#[derive(Debug, Subcommand)]
pub(crate) enum Me {
    /// List your records: preferences, investigations, and knowledge about services that these
    /// produced
    List(List),
    /// Correct one of your records
    Correct(Correct),
    /// Delete some or all of your records
    Delete(Delete),
}

/// The selection of records
#[derive(Debug, Args)]
pub(crate) struct List {
    /// preferences, infrastructure or investigations [default: all of them]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The corrected record
#[derive(Debug, Args)]
pub(crate) struct Correct {
    /// The id of the record
    id: String,
    /// The complete new content, as `data` in the list
    #[arg(long, value_name = "JSON")]
    data: String,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The records to delete
#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// Ids of records
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    ids: Vec<String>,
    /// All of your records
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    at: OperationsMemory,
}

impl Me {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match &self {
            Self::List(list) => {
                let memory = list.at.memory(&session).await?;
                let found = own(&session, &memory, list.kind.clone()).await?;
                output::result(session.json, &found, |found| {
                    output::list(&[], found.iter().map(row).collect(), "nothing there is yours");
                })?;
            }
            Self::Correct(correct) => {
                let memory = Some(correct.at.memory(&session).await?);
                let bad = |error| Usage(format!("--data must be JSON, as the list shows it: {error}"));
                let data: Value = loci_json::from_str(&correct.data).map_err(bad)?;
                let asked = shape::MeRecordCorrect { memory, record_id: correct.id.clone(), data };
                let kept = session.client.me_record_correct(&asked).await?;
                output::result(session.json, &kept, |kept| {
                    let id = kept.record_id.as_deref().unwrap_or_default();
                    let reason = kept.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                    output::line(format!("{id}  {}{reason}", kept.action));
                })?;
            }
            Self::Delete(delete) => delete.run(&session).await?,
        }
        session.end().await
    }
}

impl Delete {
    async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let none = shape::MeRecordsDeleted { deleted: 0, failed: Vec::new(), shared: 0, next_cursor: None };
        let mut deleted = none;
        if !self.all
            && !self.confirmation.is_by_id(session.json, &format!("delete {}", self.ids.join(", ")))?
        {
            return Ok(());
        }
        if self.all {
            let name = session.client.memory_get(&memory).await?.name;
            let count = counted(own(session, &memory, None).await?.len(), "record");
            let effect = format!("delete {count} of yours, and the records that these replaced");
            if !self.confirmation.is_given(session.json, &effect, &name)? {
                return Ok(());
            }
            let mut asked = shape::MeRecordsDelete {
                memory: Some(memory),
                yes_destroy: Some(name),
                ..shape::MeRecordsDelete::default()
            };
            loop {
                let done = session.client.me_records_delete(&asked).await?;
                asked.cursor.clone_from(&done.next_cursor);
                add(&mut deleted, done);
                if asked.cursor.is_none() {
                    break;
                }
            }
        }
        for ids in self.ids.chunks(IDS_MAX) {
            let asked = shape::MeRecordsDelete {
                memory: Some(self.at.memory(session).await?),
                ids: ids.to_vec(),
                ..shape::MeRecordsDelete::default()
            };
            add(&mut deleted, session.client.me_records_delete(&asked).await?);
        }
        output::result(session.json, &deleted, |deleted| {
            output::line(format!("{} deleted", counted(deleted.deleted, "record")));
            for one in &deleted.failed {
                output::line(format!("{}: not deleted: {}", one.record_id, one.reason));
            }
            if deleted.shared > 0 {
                output::note(format!(
                    "{} of services stay: investigations of others confirmed them, and an administrator deletes them",
                    deleted.shared
                ));
            }
        })?;
        match deleted.failed.len() {
            0 => Ok(()),
            1 => Err(CommandOutcome { code: 1, text: "1 record was not deleted".to_owned() }.into()),
            count => {
                Err(CommandOutcome { code: 1, text: format!("{count} records were not deleted") }.into())
            }
        }
    }
}

fn add(all: &mut shape::MeRecordsDeleted, done: shape::MeRecordsDeleted) {
    all.deleted += done.deleted;
    all.failed.extend(done.failed);
    all.shared += done.shared;
}

async fn own(session: &Session, memory: &str, kind: Option<String>) -> Result<Vec<SreRecordLine>> {
    let mut asked = shape::MeRecordsAsk { memory: Some(memory.to_owned()), memory_type: kind, cursor: None };
    let mut all = Vec::new();
    loop {
        let page = session.client.me_records(&asked).await?;
        all.extend(page.records);
        for one in page.skipped {
            output::note(format!("{} is not shown: {}", one.record_id, one.reason));
        }
        asked.cursor = page.next_cursor;
        if asked.cursor.is_none() {
            return Ok(all);
        }
    }
}

fn row(one: &SreRecordLine) -> Vec<String> {
    let said = one.data.as_ref().map(Value::to_string).or_else(|| one.text.clone()).unwrap_or_default();
    vec![
        one.record_id.clone().unwrap_or_default(),
        one.memory_type.clone(),
        one.state.clone().unwrap_or_else(|| "active".to_owned()),
        one.source.clone().unwrap_or_default(),
        output::short(&said, TEXT_CHARS_MAX),
    ]
}
