//! Measures the bytes on disk per record of about 300 bytes from an event, including event, token,
//! telemetry and vector. There are two figures: the database alone, and with the index snapshots,
//! which can be deleted at any time.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use super::Report;
use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire, user_turn};

const RECORDS: u64 = 4_000;
const TEXT_BYTES: usize = 300;

/// Fills a folder, stops the server (which checkpoints), and measures the files.
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
    wire.settle(&memory).await?;
    server.stop()?;
    let database = bytes_beneath(&folder, false)?;
    let with_snapshots = bytes_beneath(&folder, true)?;
    let each = |bytes: u64| bytes as f64 / RECORDS as f64;
    let text = format!(
        "{:.0} bytes in the database per record of {TEXT_BYTES} bytes with event, token, telemetry and vector, {:.0} with the \
         index snapshots ({RECORDS} records)",
        each(database),
        each(with_snapshots)
    );
    let value = json!({
        "bytes_per_record": each(database),
        "bytes": database,
        "bytes_per_record_with_snapshots": each(with_snapshots),
        "bytes_with_snapshots": with_snapshots,
    });
    report.figure("disk", &text, &value);
    Ok(())
}

/// Returns the size of a folder's files. If `deep` is true, it includes subfolders, of which a data
/// folder has one: the index snapshots.
fn bytes_beneath(folder: &Path, deep: bool) -> Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder).context("reading the data folder")? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            total += metadata.len();
        } else if deep && metadata.is_dir() {
            total += bytes_beneath(&entry.path(), true)?;
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_alone_and_with_snapshots() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("loci.db"), [0; 5]).unwrap();
        std::fs::create_dir(folder.path().join("index")).unwrap();
        std::fs::write(folder.path().join("index").join("a.snap"), [0; 7]).unwrap();
        assert_eq!(bytes_beneath(folder.path(), false).unwrap(), 5);
        assert_eq!(bytes_beneath(folder.path(), true).unwrap(), 12);
    }
}
