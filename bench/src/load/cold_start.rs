//! Measures the time from the start of the process to the first response of a retrieval, at 10,000
//! records.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::{Report, fill};
use crate::server::Server;
use crate::wire::Wire;

const RECORDS: u64 = 10_000;
const STARTS: u64 = 5;

/// Fills once, then starts several times and takes the median.
pub(super) async fn run(binary: &Path, report: Report) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let (server, _, memory) = fill::server(binary, &folder, RECORDS).await?;
    server.stop()?;
    let mut times = Vec::new();
    for number in 0..STARTS {
        let began = Instant::now();
        let server = Server::start(binary, &folder)?;
        let listened = began.elapsed();
        fill::ask(&Wire::new(&server.url), &memory, number).await?;
        times.push((began.elapsed(), listened));
        server.stop()?;
    }
    times.sort_unstable();
    let (median, listened) = times.get(times.len() / 2).copied().unwrap_or_default();
    let text = format!(
        "{:.0} ms from start to the first answer at {RECORDS} records, listening after {:.0} ms (median of {STARTS})",
        median.as_secs_f64() * 1000.0,
        listened.as_secs_f64() * 1000.0
    );
    report.figure("cold_start", &text, &json!({"ms": median.as_secs_f64() * 1000.0}));
    Ok(())
}
