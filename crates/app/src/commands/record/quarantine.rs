//! `loci record quarantine`: holding records back, looking at what is held, deciding about it.

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::quarantine as shape;

use crate::output;
use crate::session::Session;

/// Characters of a record's text that are shown.
const TEXT_CHARS: usize = 100;

/// Hold records back, and decide about those that are held
#[derive(Debug, Subcommand)]
pub(crate) enum Quarantine {
    /// What is held, newest first
    List {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
    },
    /// Hold records back: every condition given must hold
    Add {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
        /// Whose text or title this regular expression matches
        #[arg(long, value_name = "REGEX")]
        pattern: Option<String>,
        /// That rest on what this actor said
        #[arg(long)]
        actor: Option<String>,
        /// That come from this session
        #[arg(long)]
        session: Option<String>,
        /// Made at or after this time
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Made before this time
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
        /// Why; kept with each record
        #[arg(long)]
        reason: String,
        /// Only say what would be held back
        #[arg(long)]
        dry_run: bool,
        /// The records
        records: Vec<String>,
    },
    /// Make held records active again
    Release(Decision),
    /// Mark held records as wrong, for good
    Reject(Decision),
}

/// Which records, and why.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// Why; kept with each record
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
                let memory = session.memory(&memory).await?;
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
        let memory = session.memory(&self.memory).await?;
        Ok((memory, shape::QuarantineDecision { ids: self.records, reason: self.reason }))
    }
}

async fn list(session: &Session, memory: &str) -> Result<()> {
    let memory = session.memory(memory).await?;
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
