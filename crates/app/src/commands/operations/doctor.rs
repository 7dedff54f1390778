//! `loci sre doctor`: finds records of operations memory that no read will ever match. It reports
//! them, and repairs nothing.

use anyhow::Result;
use clap::Args;
use loci_api::operations::doctor::SreDoctorReport;

use super::memory_selection::OperationsMemory;
use crate::exit::CommandOutcome;
use crate::output::{self, counted};
use crate::session::Session;

/// The records to check
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    at: OperationsMemory,
}

impl Doctor {
    /// Reports the findings.
    ///
    /// # Errors
    /// [`Outcome`] with code 1 if there is a finding.
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let report = session.client.sre_doctor(&memory).await?;
        output::result(session.json, &report, shown)?;
        if report.ok {
            return Ok(());
        }
        let all = u64::try_from(report.problems.len()).unwrap_or(u64::MAX).saturating_add(report.more);
        Err(CommandOutcome { code: 1, text: output::counted(all, "problem") }.into())
    }
}

fn shown(report: &SreDoctorReport) {
    output::note(format!("{} looked at", counted(report.records, "record")));
    if report.ok {
        output::line("nothing is wrong");
        return;
    }
    let heads = ["PROBLEM", "RECORD", "PLACE", "MEANING"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(report.problems.iter().map(|one| {
        let record = one.record_id.clone().unwrap_or_else(|| "-".to_owned());
        vec![one.problem.clone(), record, one.place.clone(), one.detail.clone()]
    }));
    output::table(&rows);
    if report.more > 0 {
        output::note(format!("{} more are not shown: correct these first", report.more));
    }
}
