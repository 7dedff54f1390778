//! Bytes on disk per record of about 300 bytes that came from an event: event, token, telemetry and vector included.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::{Report, fill};
use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire, user_turn};

const RECORDS: u64 = 4_000;
const TEXT_BYTES: usize = 300;

/// Fills, ends the server (which checkpoints), looks at the files.
pub(super) async fn run(binary: &Path, report: Report) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let server = Server::start(binary, &folder)?;
    let wire = Wire::new(&server.url);
    let shape = MemoryShape { name: "disk", semantic: Some(("facts", "/facts/{actorId}/")) };
    let memory = wire.create_memory(&shape).await?;
    let path = format!("/memories/{memory}/events");
    for number in 0..RECORDS {
        let text: String = texts::talk(number, TEXT_BYTES).chars().take(TEXT_BYTES).collect();
        let session = format!("s-{}", number / 50);
        let seconds = 1_790_000_000.0 + number as f64;
        let body =
            user_turn("loader", &session, seconds, &format!("7c9e6679-7425-40de-944b-{number:012}"), &text);
        wire.ask("POST", &path, Some(&body)).await?;
    }
    fill::vectors(&wire, &memory).await?;
    server.stop()?;
    let bytes = total_bytes(&folder)?;
    let each = bytes as f64 / RECORDS as f64;
    let text = format!(
        "{each:.0} bytes per record of {TEXT_BYTES} bytes with event, token, telemetry and vector ({RECORDS} records)"
    );
    report.figure("disk", &text, &json!({"bytes_per_record": each, "bytes": bytes}));
    Ok(())
}

fn total_bytes(folder: &Path) -> Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder).context("reading the data folder")? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        // Snapshots of indexes can be deleted at any time and are no part of what a record needs.
        if metadata.is_file() {
            total += metadata.len();
        }
    }
    Ok(total)
}
