//! `loci backend copy`: copies files from one place to another, and reports rejected files.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use loci_client::backend::{CopyReport, copy_files};

use super::backend_location::{self, BackendLocation};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;

/// Copy files from one place to another
#[derive(Debug, Args)]
pub(crate) struct Copy {
    #[command(flatten)]
    from: CopySource,
    #[command(flatten)]
    to: CopyDestination,
}

/// The source
#[derive(Debug, Args)]
pub(crate) struct CopySource {
    /// From a local directory
    #[arg(long, value_name = "DIR")]
    from_directory: Option<PathBuf>,
    /// From a server of the HTTP form
    #[arg(long, value_name = "URL")]
    from_url: Option<String>,
    /// A file with the bearer token of --from-url
    #[arg(long, value_name = "FILE", requires = "from_url")]
    from_token_file: Option<PathBuf>,
    /// From the documents of a memory, by name or id
    #[arg(long, value_name = "MEMORY")]
    from_memory: Option<String>,
    /// The namespace of --from-memory; `/` without it
    #[arg(long, value_name = "NAMESPACE", requires = "from_memory")]
    from_namespace: Option<String>,
    /// Only files below this prefix; in a memory it is below knowledge/
    #[arg(long, value_name = "PREFIX")]
    from_prefix: Option<String>,
}

/// The destination
#[derive(Debug, Args)]
pub(crate) struct CopyDestination {
    /// To a local directory
    #[arg(long, value_name = "DIR")]
    to_directory: Option<PathBuf>,
    /// To a server of the HTTP form
    #[arg(long, value_name = "URL")]
    to_url: Option<String>,
    /// A file with the bearer token of --to-url
    #[arg(long, value_name = "FILE", requires = "to_url")]
    to_token_file: Option<PathBuf>,
    /// To the documents of a memory, by name or id
    #[arg(long, value_name = "MEMORY")]
    to_memory: Option<String>,
    /// The namespace of --to-memory; `/` without it
    #[arg(long, value_name = "NAMESPACE", requires = "to_memory")]
    to_namespace: Option<String>,
    /// Below this prefix; in a memory it is below knowledge/
    #[arg(long, value_name = "PREFIX")]
    to_prefix: Option<String>,
}

impl Copy {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let Self { from, to } = self;
        let source = BackendLocation::one(
            from.from_directory,
            from.from_url.map(|url| (url, from.from_token_file)),
            from.from_memory.map(|memory| (memory, from.from_namespace)),
            "--from-directory, --from-url or --from-memory",
        )?;
        let destination = BackendLocation::one(
            to.to_directory,
            to.to_url.map(|url| (url, to.to_token_file)),
            to.to_memory.map(|memory| (memory, to.to_namespace)),
            "--to-directory, --to-url or --to-memory",
        )?;
        let session = backend_location::session(&[&source, &destination], globals, environment)?;
        let source = source.open(from.from_prefix.as_deref(), session.as_ref(), false).await?;
        let destination = destination.open(to.to_prefix.as_deref(), session.as_ref(), false).await?;
        source.check_prefix().await?;
        let mut report = CopyReport::default();
        let copied = copy_files(&*source.view()?, &*destination.view()?, "", &mut report).await;
        let written = destination.memory.as_deref().filter(|_| report.written > 0);
        let ended = backend_location::end(session, written).await;
        output::result(globals.json, &report, |report| {
            let refused = report.refused.len();
            output::line(format!(
                "{} written, {} unchanged, {refused} refused",
                report.written, report.unchanged
            ));
            for file in &report.refused {
                output::line(format!("refused  {}  {}: {}", file.path, file.code, file.message));
            }
        })?;
        copied.context("the copy stopped: copy again to go on")?;
        ended?;
        match report.refused.len() {
            0 => Ok(()),
            refused => bail!("{} refused; the others are copied", output::counted(refused, "file")),
        }
    }
}
