//! Runs one-shot commands that open the folder themselves, in sequence, during the other load.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::ledger::{Line, Writer};
use crate::texts;
use crate::wire::text_at;

const ACTOR: &str = "writer-command";
const SESSION: &str = "s-command";

/// Runs commands until the time is up. Returns their number.
pub(super) async fn run(binary: &Path, folder: &Path, memory: &str, time: Duration) -> Result<u64> {
    let mut ledger = Writer::open(folder, ACTOR)?;
    let until = Instant::now() + time;
    let mut count = 0;
    while Instant::now() < until {
        count += 1;
        let text = texts::talk((99 << 32) | count, 160);
        let output = tokio::process::Command::new(binary)
            .args(["event", "create", "--no-attach", "--json", "--memory", memory, "--actor", ACTOR])
            .args(["--session", SESSION, "--wait-ms", "0", "--data-dir"])
            .arg(folder)
            .arg(&text)
            .output()
            .await?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "a one-shot command failed: {} {error}", output.status);
        let made: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        let id = text_at(&made, "/event/id")?;
        ledger.add(&Line { actor: ACTOR.to_owned(), session: SESSION.to_owned(), id, text })?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(count)
}
