//! `loci record feedback`: that a record is useful, or wrong.

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_api::record::feedback as shape;

use crate::output;
use crate::session::Session;

/// What is said of which record.
#[derive(Debug, Args)]
pub(crate) struct Feedback {
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// Why; kept with the record
    #[arg(long)]
    reason: Option<String>,
    /// A person says it, who administers the memory: one is enough to hold back what is wrong
    #[arg(long)]
    human: bool,
    /// The record
    record: String,
    /// What it is
    verdict: Verdict,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Verdict {
    /// It helped
    Useful,
    /// It is not so: what two principals say is held back
    Wrong,
}

impl Feedback {
    pub(crate) async fn run(self, session: &mut Session) -> Result<()> {
        let memory = session.memory(&self.memory).await?;
        let said = shape::RecordFeedback {
            verdict: match self.verdict {
                Verdict::Useful => shape::FeedbackVerdict::Useful,
                Verdict::Wrong => shape::FeedbackVerdict::Wrong,
            },
            reason: self.reason,
            by: Some(if self.human { shape::FeedbackBy::Human } else { shape::FeedbackBy::Agent }),
        };
        let standing = session.client.record_feedback(&memory, &self.record, &said).await?;
        session.wrote(&memory)?;
        output::result(session.json, &standing, |standing| {
            let shape::RecordFeedbackStanding { id, version, useful, wrong, state, .. } = standing;
            output::line(format!("{id} v{version}  {state}  useful {useful}  wrong {wrong}"));
        })
    }
}
