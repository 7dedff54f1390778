//! The listing of a tree with many documents. It stays within its token budget and its time, and
//! has the same bytes and the same entity tag each time. The first listing after the writes is
//! reported separately, because it reads the tree.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::figures::Latencies;
use crate::server::Server;
use crate::wire::Wire;

/// The token budget of a listing.
const BUDGET: u64 = 1_500;

/// The size of the measurement.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Documents.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// Listings.
    #[arg(long, default_value_t = 50)]
    listings: usize,
    /// Maximum p95 latency in milliseconds.
    #[arg(long, default_value_t = 50.0)]
    p95_ms_max: f64,
}

pub(super) async fn run(binary: &Path, arguments: &Arguments) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let server = Server::start(binary, &temporary.path().join("data"))?;
    let wire = Wire::new(&server.url);
    let memory = wire.ask("POST", "/v1/memories", Some(&json!({"name": "notes"}))).await?;
    let memory = memory["id"].as_str().unwrap_or_default().to_owned();
    fill(&wire, &memory, arguments.documents).await?;
    let url = format!("{}/v1/memories/{memory}/tree/listing", server.url);
    let client = reqwest::Client::new();
    let (first, took) = listed(&client, &url).await?;
    println!("the first after the writes: {took:.1} ms, {} bytes", first.1.len());
    let mut all = Latencies::default();
    for _ in 0..arguments.listings {
        let began = Instant::now();
        let (again, _) = listed(&client, &url).await?;
        all.add(began.elapsed());
        ensure!(again == first, "another listing without a change");
    }
    // After a change the server updates the tree instead of reading it again.
    wire.ask(
        "POST",
        &format!("/v1/memories/{memory}/tree/append"),
        Some(&json!({"title": "New", "lines": ["- new"]})),
    )
    .await?;
    let (_, after) = listed(&client, &url).await?;
    let shown = wire.ask("GET", &format!("/v1/memories/{memory}/tree/listing"), None).await?;
    ensure!(
        shown["tokens"].as_u64().is_some_and(|tokens| tokens <= BUDGET),
        "over the budget: {}",
        shown["tokens"]
    );
    let there = &shown["files_total"];
    ensure!(there == &json!(arguments.documents + 1), "{there} documents of {} and one", arguments.documents);
    let quantiles = all.quantiles();
    println!(
        "{} documents: {quantiles}; after a change {after:.1} ms; {} tokens",
        arguments.documents, shown["tokens"]
    );
    ensure!(quantiles.p95_ms <= arguments.p95_ms_max, "slower than {} ms", arguments.p95_ms_max);
    Ok(())
}

/// Creates documents, a hundred records per call.
async fn fill(wire: &Wire, memory: &str, documents: usize) -> Result<()> {
    let numbers: Vec<usize> = (0..documents).collect();
    for chunk in numbers.chunks(100) {
        let records: Vec<_> = chunk
            .iter()
            .map(|number| {
                let path = format!("knowledge/area-{:02}/part-{:02}/note-{number}.md", number % 40, number % 7);
                json!({"namespace": "/", "kind": "document", "path": path, "text": format!("Note {number} says what stands in it.\n")})
            })
            .collect();
        wire.ask("POST", &format!("/v1/memories/{memory}/records"), Some(&json!({"records": records})))
            .await?;
    }
    Ok(())
}

/// Returns the entity tag, the bytes and the latency in milliseconds.
async fn listed(client: &reqwest::Client, url: &str) -> Result<((String, Vec<u8>), f64)> {
    let began = Instant::now();
    let response = client.get(format!("{url}?format=text")).send().await?.error_for_status()?;
    let tag = response.headers().get("etag").context("no entity tag")?.to_str()?.to_owned();
    let bytes = response.bytes().await?.to_vec();
    Ok(((tag, bytes), began.elapsed().as_secs_f64() * 1_000.0))
}
