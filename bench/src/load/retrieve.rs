//! Measures retrieval over HTTP at many records in one memory, without repeated queries, and the
//! resident memory at several points.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::{Report, fill};
use crate::figures::Latencies;
use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire};

const IDLE: Duration = Duration::from_secs(30);

/// Measures one server from empty to full.
pub(super) async fn run(binary: &Path, report: Report, records: u64, questions: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(binary, &folder.path().join("data"))?;
    let wire = Wire::new(&server.url);
    tokio::time::sleep(IDLE).await;
    resident(&server, report, "rss_idle_30_s")?;
    let small = wire.create_memory(&MemoryShape { name: "small", semantic: None }).await?;
    retrieve(&wire, &small, u64::MAX).await?;
    resident(&server, report, "rss_after_first_embedding")?;

    let began = Instant::now();
    let memory = fill::records(&wire, records).await?;
    let stored = began.elapsed();
    wire.settle(&memory).await?;
    let took = began.elapsed();
    let text = format!(
        "{records} records stored in {:.0} s, embedded after {:.0} s",
        stored.as_secs_f64(),
        took.as_secs_f64()
    );
    report.figure(
        "fill",
        &text,
        &json!({"stored_s": stored.as_secs_f64(), "embedded_s": took.as_secs_f64()}),
    );

    retrieve(&wire, &memory, u64::MAX - 1).await?;
    let mut latencies = Latencies::default();
    for number in 0..questions {
        latencies.add(retrieve(&wire, &memory, number).await?);
    }
    let quantiles = latencies.quantiles();
    let text = format!("{quantiles}; {records} records in one memory, HTTP, one client, embedding included");
    report.figure("retrieve", &text, &json!({"records": records, "latency": quantiles}));
    resident(&server, report, "rss_full")?;
    server.stop()
}

async fn retrieve(wire: &Wire, memory: &str, number: u64) -> Result<Duration> {
    let body =
        json!({"namespacePath": "/", "searchCriteria": {"searchQuery": texts::question(number), "topK": 10}});
    let began = Instant::now();
    wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await?;
    Ok(began.elapsed())
}

pub(super) fn resident(server: &Server, report: Report, name: &str) -> Result<()> {
    let bytes = server.resident_bytes()?;
    report.figure(name, &format!("{:.0} MiB resident", bytes as f64 / 1_048_576.0), &json!({"bytes": bytes}));
    Ok(())
}
