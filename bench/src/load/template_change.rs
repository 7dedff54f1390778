//! Measures the move of a strategy's records after a change of its template. All of it is one
//! write, so it also measures how long a concurrent event waits.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Report, fill};
use crate::figures::Latencies;
use crate::server::Server;
use crate::wire::{MemoryShape, Wire, text_at, user_turn};

/// Fills a strategy's namespaces, changes its template, and checks that the records moved.
pub(super) async fn run(binary: &Path, report: Report, records: u64) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let server = Server::start(binary, &temporary.path().join("data"))?;
    let wire = Wire::new(&server.url);
    let shape = MemoryShape { name: "moving", semantic: Some(("facts", "/facts/{actorId}/")) };
    let memory = wire.create_memory(&shape).await?;
    let details = wire.ask("GET", &format!("/memories/{memory}/details"), None).await?;
    let strategy = text_at(&details, "/memory/strategies/0/strategyId")?;
    fill::into(&wire, &memory, Some(&strategy), records).await?;
    let other = wire.create_memory(&MemoryShape { name: "beside", semantic: None }).await?;
    let change = json!({"memoryStrategies": {"modifyMemoryStrategies":
        [{"memoryStrategyId": strategy, "namespaceTemplates": ["/people/{actorId}/facts/"]}]}});
    let moved = AtomicBool::new(false);
    let moving = async {
        let began = Instant::now();
        let answer = wire.ask("PUT", &format!("/memories/{memory}/update"), Some(&change)).await;
        moved.store(true, Ordering::Relaxed);
        answer.map(|_| began.elapsed())
    };
    let beside = async {
        let mut waits = Latencies::default();
        let path = format!("/memories/{other}/events");
        let mut number = 0;
        while !moved.load(Ordering::Relaxed) {
            let token = format!("7c9e6679-7425-40de-944b-{number:012}");
            let body = user_turn("someone", "beside", 1_790_000_000.0, &token, "hello");
            let began = Instant::now();
            wire.ask("POST", &path, Some(&body)).await?;
            waits.add(began.elapsed());
            number += 1;
        }
        anyhow::Ok(waits)
    };
    let (took, waits) = tokio::join!(moving, beside);
    let (took, mut waits) = (took?, waits?);
    let (arrived, left) = (there(&wire, &memory, "/people/").await?, there(&wire, &memory, "/facts/").await?);
    ensure!((arrived, left) == (true, false), "records stayed behind");
    server.stop()?;
    let waits = waits.quantiles();
    let seconds = took.as_secs_f64();
    let text = format!(
        "{records} records in {seconds:.2} s; the longest an event beside it waited {:.0} ms",
        waits.max_ms
    );
    report.figure("move", &text, &json!({"seconds": seconds, "records": records, "beside": waits}));
    Ok(())
}

/// Returns true if the memory lists a record beneath a namespace path.
async fn there(wire: &Wire, memory: &str, place: &str) -> Result<bool> {
    let body = json!({"namespacePath": place, "maxResults": 1});
    let found = wire.ask("POST", &format!("/memories/{memory}/memoryRecords"), Some(&body)).await?;
    Ok(found.pointer("/memoryRecordSummaries/0").is_some())
}
