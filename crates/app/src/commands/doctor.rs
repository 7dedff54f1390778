//! `loci doctor`: checks the store, indexes and access, and calls each configured model once. The
//! exit code is 5 if a finding is not ok.

use anyhow::Result;
use clap::Args;
use loci_api::admin::DoctorAsk;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Difference;
use crate::output;
use crate::session::Session;

/// Check the store, indexes, access and models
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Compare each index with a rebuilt one
    #[arg(long)]
    rebuild: bool,
    /// Make no calls: configured models remain unchecked
    #[arg(long)]
    offline: bool,
    /// Only check the telemetry rules of facts (T1 to T7)
    #[arg(long, conflicts_with_all = ["rebuild", "offline"])]
    telemetry: bool,
}

impl Doctor {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let Self { rebuild, offline, telemetry } = self;
        let report = session.client.doctor(&DoctorAsk { rebuild, offline, telemetry }).await?;
        output::result(session.json, &report, |report| {
            output::line(format!("loci {}", report.version));
            let rows: Vec<_> = report
                .findings
                .iter()
                .map(|finding| {
                    let mark = if finding.ok { "ok" } else { "NOT OK" };
                    vec![mark.to_owned(), finding.name.clone(), finding.detail.clone()]
                })
                .collect();
            output::table(&rows);
        })?;
        session.end().await?;
        if report.ok { Ok(()) } else { Err(Difference("the check found problems".to_owned()).into()) }
    }
}
