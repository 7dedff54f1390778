//! The JSON lines of an export, sent as they are read. The server accepts all of them, or none if
//! it can still reject them. After an error the same file can be imported again.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result};
use bytes::Bytes;
use futures::stream;
use serde::Deserialize;

use crate::commands::transfer::export::memory_count;
use crate::commands::transfer::manifest;
use crate::input::file_of_lines;
use crate::output::{self, counted};
use crate::session::Session;

/// Bytes per read.
const PIECE_BYTES: usize = 256 * 1024;

/// The part of a line that identifies the memory that it begins.
#[derive(Deserialize)]
struct MemoryLine {
    memory: MemoryName,
}

#[derive(Deserialize)]
struct MemoryName {
    id: String,
}

/// Sends the file and reports the result.
pub(super) async fn import(session: &mut Session, path: &Path) -> Result<()> {
    let open = || file_of_lines(path);
    open()?;
    manifest::check(path)?;
    let memories = memories(open()?).with_context(|| format!("reading {}", path.display()))?;
    let file = open()?;
    let progress = output::progress(file.metadata().map_or(0, |metadata| metadata.len()), "importing");
    let pieces = stream::unfold(progress.wrap_read(file), |mut file| async move {
        let mut piece = vec![0; PIECE_BYTES];
        match file.read(&mut piece) {
            Ok(0) => None,
            Ok(bytes) => {
                piece.truncate(bytes);
                Some((Ok(Bytes::from(piece)), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    let report = session.client.import(pieces).await;
    progress.finish_and_clear();
    let report = report.with_context(|| format!("importing {}", path.display()))?;
    for memory in &memories {
        session.wrote(memory)?;
    }
    output::result(session.json, &report, |report| {
        output::line(format!(
            "imported {}, {}, {}",
            memory_count(report.memories),
            counted(report.events, "event"),
            counted(report.records, "record version")
        ));
        if let Some(at) = &report.erased_at {
            let day: String = at.chars().take(10).collect();
            let kinds: Vec<_> =
                report.erased_kinds.iter().map(|one| format!("{} {}", one.count, one.kind)).collect();
            let kinds = kinds.join(", ");
            output::line(format!("left out, erased here by {day}: {kinds}; --force restores them"));
        }
    })
}

/// Returns the memories that the file begins. The server reports invalid lines with their number.
fn memories(file: File) -> std::io::Result<Vec<String>> {
    let mut memories = Vec::new();
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if line.starts_with(br#"{"type":"memory""#)
            && let Ok(found) = loci_json::from_slice::<MemoryLine>(&line)
        {
            memories.push(found.memory.id);
        }
        line.clear();
    }
    Ok(memories)
}
