//! Logging to standard error, as text or JSON. The code that logs decides which data a log may
//! contain.

use anyhow::{Context, Result};
use tracing_subscriber::EnvFilter;

use crate::config::{LogFormat, LogSection};

/// Starts logging for this process.
pub fn start(section: &LogSection) -> Result<()> {
    let filter = EnvFilter::try_new(&section.level)
        .context("log.level must be a level like info, or a filter like info,loci_coding=debug")?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match section.format {
        LogFormat::Text => builder.with_ansi(false).init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}

/// Starts logging of errors only, for a command that opens a folder itself. A second call keeps the
/// log that the first one installed.
pub fn start_quiet() {
    let builder =
        tracing_subscriber::fmt().with_env_filter(EnvFilter::new("error")).with_writer(std::io::stderr);
    let _ = builder.with_ansi(false).without_time().with_target(false).try_init();
}
