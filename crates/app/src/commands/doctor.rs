//! `loci doctor`: looks at store, indexes and access, and calls each configured model once. A finding that is not ok is exit code 5.

use anyhow::Result;
use clap::Args;
use loci_api::admin::DoctorAsk;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Difference;
use crate::output;
use crate::session::Session;

/// Look at store, indexes, access and models
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Compare each index with one built afresh
    #[arg(long)]
    rebuild: bool,
    /// Call nobody: configured models are then not proved
    #[arg(long)]
    offline: bool,
    /// Compare what happened to facts with what they say (T1 to T7), and nothing else
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
        if report.ok { Ok(()) } else { Err(Difference("something is not as it should be".to_owned()).into()) }
    }
}
