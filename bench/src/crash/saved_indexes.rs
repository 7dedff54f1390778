//! Checks of saved indexes between rounds. A server that starts with a saved index must answer as
//! one that rebuilds it. Nothing changes the folder during the check: this program holds the host's
//! lock, so that no server runs jobs, and it only reads.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::check::index_equals_rebuild;
use crate::server::Server;
use crate::texts;
use crate::wire::Wire;

/// Settings of the servers. Deleted records are erased at once, because a saved index must not
/// outlive an erasure. The log states with which index a server started.
pub(super) const SETTINGS: &[(&str, &str)] =
    &[("LOCI_MEMORIES_ERASE_AFTER_MS", "0"), ("LOCI_LOG_LEVEL", "info,loci_store_sqlite=debug")];
const QUESTIONS: u64 = 12;

/// Counts of the starts between rounds.
#[derive(Debug, Default)]
pub(super) struct IndexStarts {
    /// Starts that loaded a saved index.
    pub(super) loaded: u32,
    /// Starts that found none.
    pub(super) absent: u32,
}

impl IndexStarts {
    /// Compares a start with the saved index of the last round with a start that must rebuild it.
    pub(super) async fn check(&mut self, binary: &Path, folder: &Path, memory: &str) -> Result<()> {
        let index = folder.join("index");
        let is_saved = index.join(format!("{memory}.snap")).exists();
        if !is_saved {
            self.absent += 1;
            return Ok(());
        }
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let host = options.open(folder.join("host")).context("opening the host's lock")?;
        host.lock().context("taking the host's place")?;
        let loads = said(folder, "an index was loaded")?;
        let saved = asked(binary, folder, memory).await.context("with the saved index")?;
        ensure!(said(folder, "an index was loaded")? > loads, "the saved index was not used");
        ensure!(said(folder, "is of no use")? == 0, "a saved index was of no use: see the log");
        ensure!(unfinished(&index)?.is_empty(), "an unfinished index outlives a start");
        let aside = folder.with_extension("index");
        std::fs::rename(&index, &aside).context("moving the saved index away")?;
        let rebuilt = asked(binary, folder, memory).await.context("without a saved index")?;
        ensure!(!index.exists(), "who only asks saved an index");
        std::fs::rename(&aside, &index).context("moving the saved index back")?;
        ensure!(saved == rebuilt, "answers differ: saved {saved:?}, rebuilt {rebuilt:?}");
        self.loaded += 1;
        Ok(())
    }
}

/// Returns the answers of a server that is started for them, and compares its index with a rebuild.
async fn asked(binary: &Path, folder: &Path, memory: &str) -> Result<Vec<Value>> {
    let mut server = Server::start_with(binary, folder, SETTINGS)?;
    let wire = Wire::new(&server.url);
    let mut answers = Vec::new();
    for number in 0..QUESTIONS {
        answers.push(answer(&wire, memory, number).await?);
    }
    index_equals_rebuild(&wire, memory).await?;
    server.kill()?;
    Ok(answers)
}

async fn answer(wire: &Wire, memory: &str, number: u64) -> Result<Value> {
    let body = json!({"namespacePath": "/", "maxResults": 50,
                      "searchCriteria": {"searchQuery": texts::question(number), "topK": 50}});
    wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await
}

/// Makes a server load the index. An index without requests is not saved.
pub(super) async fn hold(wire: &Wire, memory: &str) -> Result<()> {
    answer(wire, memory, 0).await.map(drop)
}

/// Counts the lines of the servers' log that contain a text.
fn said(folder: &Path, what: &str) -> Result<usize> {
    let log = std::fs::read_to_string(folder.with_extension("log")).context("reading the log")?;
    Ok(log.lines().filter(|line| line.contains(what)).count())
}

fn unfinished(index: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(index).context("looking for unfinished indexes")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "partial") {
            found.push(path);
        }
    }
    Ok(found)
}
