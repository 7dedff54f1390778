//! `loci export`: a memory as JSON lines, to a file or standard output. A cut stream is an error, not a short file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use futures::StreamExt;
use loci_client::LineStream;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Enough to see the type of the last line.
const TAIL_BYTES: usize = 4096;

/// Write a memory as JSON lines
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The memory, by name or id
    #[arg(long)]
    memory: String,
    /// The file; standard output where it is absent
    file: Option<PathBuf>,
}

impl Export {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let memory = session.memory(&self.memory).await?;
        let lines = session.client.export(&memory).await?;
        match &self.file {
            None => {
                copy(lines, &mut std::io::stdout().lock()).await?;
            }
            Some(path) => {
                let bytes = to_file(lines, path).await?;
                let report = serde_json::json!({ "path": path, "bytes": bytes });
                output::result(session.json, &report, |_| {
                    output::line(format!("wrote {} ({bytes} bytes)", path.display()));
                })?;
            }
        }
        session.end().await
    }
}

/// Under another name until it is whole.
async fn to_file(lines: LineStream, path: &Path) -> Result<u64> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let mut file =
        std::fs::File::create(&partial).with_context(|| format!("writing {}", partial.display()))?;
    let bytes = copy(lines, &mut file).await?;
    file.sync_all()?;
    std::fs::rename(&partial, path).with_context(|| format!("writing {}", path.display()))?;
    Ok(bytes)
}

async fn copy(mut lines: LineStream, out: &mut impl Write) -> Result<u64> {
    let waiting = output::spinner("exporting");
    let mut bytes = 0;
    let mut tail: Vec<u8> = Vec::new();
    while let Some(piece) = lines.next().await {
        let piece = piece.map_err(|error| anyhow::anyhow!("the export ended early: {error}"))?;
        out.write_all(&piece).context("writing the export")?;
        bytes += piece.len() as u64;
        waiting.inc(piece.len() as u64);
        tail.extend_from_slice(&piece);
        let surplus = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..surplus);
    }
    out.flush().context("writing the export")?;
    waiting.finish_and_clear();
    let text = String::from_utf8_lossy(&tail);
    let last = text.trim_end().lines().last().unwrap_or_default();
    ensure!(last.starts_with("{\"type\":\"end\""), "the export ended early: its last line is missing");
    Ok(bytes)
}
