//! `loci record feedback`: marks a record as useful or wrong.

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_api::record::feedback as shape;

use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// The feedback about a record.
#[derive(Debug, Args)]
pub(crate) struct Feedback {
    #[command(flatten)]
    memory: MemoryArgument,
    /// The reason, stored with the record
    #[arg(long)]
    reason: Option<String>,
    /// The feedback comes from a person who administers the memory, whose single verdict
    /// quarantines a wrong record
    #[arg(long)]
    human: bool,
    /// The record
    record: String,
    /// The verdict
    verdict: Verdict,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Verdict {
    /// The record helped
    Useful,
    /// The record is wrong; the verdicts of two principals quarantine it
    Wrong,
}

impl Feedback {
    pub(crate) async fn run(self, session: &mut Session) -> Result<()> {
        let memory = self.memory.id(session).await?;
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
