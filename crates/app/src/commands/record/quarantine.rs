//! `loci record quarantine`: quarantines records, lists quarantined ones, and decides about them.

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::quarantine as shape;

use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a record's text in the output.
const TEXT_CHARS: usize = 100;

/// Quarantine records, and decide about quarantined ones
#[derive(Debug, Subcommand)]
pub(crate) enum Quarantine {
    /// List quarantined records, newest first
    List {
        #[command(flatten)]
        memory: MemoryArgument,
    },
    /// Quarantine the records that meet all given conditions
    Add {
        #[command(flatten)]
        memory: MemoryArgument,
        /// Only records whose text or title matches this regular expression
        #[arg(long, value_name = "REGEX")]
        pattern: Option<String>,
        /// Only records that rest on events of this actor
        #[arg(long)]
        actor: Option<String>,
        /// Only records from this session
        #[arg(long)]
        session: Option<String>,
        /// Created at or after this time
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Created before this time
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
        /// The reason, stored with each record
        #[arg(long)]
        reason: String,
        /// Only list the affected records
        #[arg(long)]
        dry_run: bool,
        /// The records
        records: Vec<String>,
    },
    /// Reactivate quarantined records
    Release(Decision),
    /// Mark quarantined records as wrong permanently
    Reject(Decision),
}

/// The records, and the reason.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    #[command(flatten)]
    memory: MemoryArgument,
    /// The reason, stored with each record
    #[arg(long)]
    reason: String,
    /// The records
    #[arg(required = true)]
    records: Vec<String>,
}

impl Quarantine {
    pub(crate) async fn run(self, session: &mut Session) -> Result<()> {
        match self {
            Self::List { memory } => list(session, &memory).await,
            Self::Add { memory, pattern, actor, session: talk, since, until, reason, dry_run, records } => {
                let memory = memory.id(session).await?;
                let ids = records;
                let asked =
                    shape::Quarantine { ids, pattern, actor, session: talk, since, until, reason, dry_run };
                let done = session.client.records_quarantine(&memory, &asked).await?;
                shown(session.json, &done, if dry_run { "would be held back" } else { "held back" })
            }
            Self::Release(decision) => {
                let (memory, decision) = decision.asked(session).await?;
                let done = session.client.quarantine_release(&memory, &decision).await?;
                session.wrote(&memory)?;
                shown(session.json, &done, "released")
            }
            Self::Reject(decision) => {
                let (memory, decision) = decision.asked(session).await?;
                let done = session.client.quarantine_reject(&memory, &decision).await?;
                shown(session.json, &done, "rejected")
            }
        }
    }
}

impl Decision {
    async fn asked(self, session: &Session) -> Result<(String, shape::QuarantineDecision)> {
        let memory = self.memory.id(session).await?;
        Ok((memory, shape::QuarantineDecision { ids: self.records, reason: self.reason }))
    }
}

async fn list(session: &Session, memory: &MemoryArgument) -> Result<()> {
    let memory = memory.id(session).await?;
    let mut listing = shape::QuarantineListing::default();
    let mut records = Vec::new();
    loop {
        let page = session.client.quarantine_list(&memory, &listing).await?;
        records.extend(page.records);
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            break;
        }
    }
    output::result(session.json, &shape::QuarantineList { records, next_cursor: None }, |list| {
        output::note_if_empty(&list.records, "No records in quarantine.");
        for record in &list.records {
            let reason = record.state_reason.as_deref().unwrap_or("");
            let text = output::short(&record.text, TEXT_CHARS);
            output::line(format!("{}  {}  {reason}  {text}", record.id, record.created_at));
        }
    })
}

fn shown(as_json: bool, done: &shape::Quarantined, what: &str) -> Result<()> {
    output::result(as_json, done, |done| {
        done.ids.iter().for_each(output::line);
        output::line(format!("{} {what}", done.matched));
    })
}
