//! `loci backend check`: the conformance suite of file backends, and its report.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use loci_client::backend::conformance::{CheckOutcome, ConformanceReport, run_conformance};

use super::backend_location::{self, BackendLocation};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::memory_argument;
use crate::output;

/// Run the conformance suite against a backend
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// A local directory
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    directory: Option<PathBuf>,
    /// The documents of a memory, by name or id; without it and without --directory, the global
    /// --url is the backend and --token-file contains its token; without all of them, LOCI_MEMORY
    #[arg(long)]
    memory: Option<String>,
    /// The namespace of the documents; `/` without it
    #[arg(long, requires = "memory")]
    namespace: Option<String>,
    /// The prefix below which the suite works
    #[arg(long)]
    prefix: Option<String>,
}

impl Check {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        // Next to a directory or a memory, the URL does not name the backend: it may come from the
        // environment.
        let is_url = self.directory.is_none() && self.memory.is_none();
        let url = globals.url.clone().filter(|_| is_url).map(|url| (url, globals.token_file.clone()));
        let memory = match (&self.directory, &url) {
            (None, None) => memory_argument::given(self.memory, environment),
            (Some(_), _) | (_, Some(_)) => self.memory,
        };
        let memory = memory.map(|memory| (memory, self.namespace));
        let flags = "--directory DIR, --url URL, or --memory MEMORY";
        let place = BackendLocation::one(self.directory, url, memory, flags)?;
        let session = backend_location::session(&[&place], globals, environment)?;
        let opened = place.open(self.prefix.as_deref(), session.as_ref(), true).await?;
        let run = format!("{:016x}", getrandom::u64()?);
        let report = run_conformance(Arc::clone(&opened.backend), &opened.prefix, &run).await?;
        // The files of the run are removed, so nothing waits for the jobs that they caused.
        backend_location::end(session, None).await?;
        output::result(globals.json, &report, lines)?;
        match report.failed().as_slice() {
            [] => Ok(()),
            failed => bail!("{} checks failed: {}", failed.len(), failed.join(", ")),
        }
    }
}

fn lines(report: &ConformanceReport) {
    for check in &report.checks {
        match &check.outcome {
            CheckOutcome::Passed => output::line(format!("passed   {}", check.name)),
            CheckOutcome::Skipped { reason } => output::line(format!("skipped  {}: {reason}", check.name)),
            CheckOutcome::Failed { expected, found } => {
                output::line(format!("FAILED   {}", check.name));
                output::line(format!("         expected  {expected}"));
                output::line(format!("         found     {found}"));
            }
        }
    }
    let (failed, skipped) = (report.failed().len(), report.skipped().len());
    output::line(format!("{} passed, {failed} failed, {skipped} skipped", report.passed()));
}
