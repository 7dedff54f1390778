//! `loci backup`: writes a consistent copy of the store, even while a server uses it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use loci_api::admin;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Write a consistent copy of the store, even while a server uses it
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// A file that does not exist yet; with --url an absolute path on the server's machine
    file: PathBuf,
}

impl Backup {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let path = match globals.url {
            Some(_) => self.file,
            None => std::path::absolute(&self.file).context("finding the working directory")?,
        };
        let session = Session::begin(globals, environment)?;
        let waiting = output::spinner("copying the store");
        let report = session.client.backup(&admin::Backup { path: path.display().to_string() }).await;
        waiting.finish_and_clear();
        output::result(session.json, &report?, |report| {
            output::line(format!("wrote {} ({} bytes)", report.path, report.bytes));
            output::note("the master key is not in it: keep master.key, or LOCI_MASTER_KEY, apart");
        })?;
        session.end().await
    }
}
