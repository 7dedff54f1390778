//! Logs to standard error, as text or JSON. What may be logged is decided where it is logged.

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, LogSection};

/// Starts logging for this process.
pub fn start(section: &LogSection) -> Result<()> {
    let filter = EnvFilter::try_new(&section.level)
        .context("log.level must be a level like info, or a filter like info,loci_engine=debug")?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match section.format {
        LogFormat::Text => builder.with_ansi(false).init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}
