//! Measures the latency of events with one client and with sixteen closed loops, both during
//! extraction, and the speed of extraction.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::Report;
use crate::figures::Latencies;
use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire, user_turn};

const TEXT_BYTES: usize = 300;
const CLIENTS: u64 = 16;
/// The number of records whose extraction is timed.
const EXTRACTED: u64 = 3_000;
const BASE_SECONDS: f64 = 1_790_000_000.0;

/// Starts three servers, one per figure.
pub(super) async fn run(binary: &Path, report: Report, seconds: u64) -> Result<()> {
    one_client(binary, report, seconds).await?;
    many_clients(binary, report, seconds).await?;
    extraction(binary, report).await
}

async fn fresh(binary: &Path, folder: &Path) -> Result<(Server, Wire, String)> {
    let server = Server::start(binary, folder)?;
    let wire = Wire::new(&server.url);
    let shape = MemoryShape { name: "load", semantic: Some(("facts", "/facts/{actorId}/")) };
    let memory = wire.create_memory(&shape).await?;
    Ok((server, wire, memory))
}

/// Sends events in sequence until the time is up.
async fn closed_loop(wire: Wire, memory: String, client: u64, seconds: u64) -> Result<Latencies> {
    let path = format!("/memories/{memory}/events");
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut latencies = Latencies::default();
    let mut number = client << 32;
    while Instant::now() < until {
        number += 1;
        let text = texts::talk(number, TEXT_BYTES);
        let session = format!("s-{client}-{}", (number & 0xffff_ffff) / 50);
        let seconds = BASE_SECONDS + (number & 0xffff_ffff) as f64;
        let body = user_turn("loader", &session, seconds, &format!("t-{number}"), &text);
        let began = Instant::now();
        wire.ask("POST", &path, Some(&body)).await?;
        latencies.add(began.elapsed());
    }
    Ok(latencies)
}

async fn one_client(binary: &Path, report: Report, seconds: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (_server, wire, memory) = fresh(binary, &folder.path().join("data")).await?;
    let quantiles = closed_loop(wire, memory, 1, seconds).await?.quantiles();
    let text = format!("{quantiles}; durable, one closed loop, extraction running");
    report.figure("create_event_one_client", &text, &json!(quantiles));
    Ok(())
}

async fn many_clients(binary: &Path, report: Report, seconds: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (server, _wire, memory) = fresh(binary, &folder.path().join("data")).await?;
    let loops = (0..CLIENTS).map(|client| {
        let wire = Wire::new(&server.url);
        tokio::spawn(closed_loop(wire, memory.clone(), client, seconds))
    });
    let mut all = Latencies::default();
    for one in loops.collect::<Vec<_>>() {
        all.extend(one.await??);
    }
    let quantiles = all.quantiles();
    let rate = quantiles.count as f64 / seconds as f64;
    let text = format!("{rate:.0} events/s with {CLIENTS} closed loops; {quantiles}; extraction running");
    report.figure("create_event_16_clients", &text, &json!({"events_per_s": rate, "latency": quantiles}));
    Ok(())
}

async fn extraction(binary: &Path, report: Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (_server, wire, memory) = fresh(binary, &folder.path().join("data")).await?;
    let began = Instant::now();
    let path = format!("/memories/{memory}/events");
    for number in 0..EXTRACTED {
        let session = format!("s-{}", number / 50);
        let text = texts::talk(number, TEXT_BYTES);
        let body = user_turn("loader", &session, BASE_SECONDS + number as f64, &format!("t-{number}"), &text);
        wire.ask("POST", &path, Some(&body)).await?;
    }
    let sent = began.elapsed();
    wire.settle(&memory).await?;
    let took = began.elapsed();
    let rate = EXTRACTED as f64 / took.as_secs_f64();
    let text = format!(
        "{rate:.0} records/s extracted and embedded ({EXTRACTED} turns of about {TEXT_BYTES} bytes in {:.1} s, the \
         last sent after {:.1} s)",
        took.as_secs_f64(),
        sent.as_secs_f64()
    );
    report.figure("extraction", &text, &json!({"records_per_s": rate, "seconds": took.as_secs_f64()}));
    Ok(())
}
