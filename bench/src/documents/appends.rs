//! Writers that append their lines to one document, half of them through each of two servers on one
//! folder. Every third line is sent twice, as after a lost response.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::figures::Latencies;
use crate::server::Server;
use crate::wire::Wire;

/// The size of the load.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Writers.
    #[arg(long, default_value_t = 8)]
    writers: usize,
    /// Lines of each writer.
    #[arg(long, default_value_t = 200)]
    lines: usize,
}

pub(super) async fn run(binary: &Path, arguments: &Arguments) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let servers = [Server::start(binary, &folder)?, Server::start(binary, &folder)?];
    let memory =
        Wire::new(&servers[0].url).ask("POST", "/v1/memories", Some(&json!({"name": "notes"}))).await?;
    let base = format!("/v1/memories/{}", memory["id"].as_str().unwrap_or_default());
    let began = Instant::now();
    let writers = (0..arguments.writers).zip(servers.iter().cycle()).map(|(writer, server)| {
        let (wire, path, lines) = (Wire::new(&server.url), format!("{base}/tree/append"), arguments.lines);
        tokio::spawn(async move { append(&wire, &path, writer, lines).await })
    });
    let mut took = Latencies::default();
    for writer in writers.collect::<Vec<_>>() {
        took.extend(writer.await??);
    }
    let seconds = began.elapsed().as_secs_f64();
    let expect: BTreeSet<String> = (0..arguments.writers)
        .flat_map(|writer| (0..arguments.lines).map(move |line| text(writer, line)))
        .collect();
    for server in &servers {
        let shown = Wire::new(&server.url)
            .ask("GET", &format!("{base}/files/knowledge/facts/topic.md"), None)
            .await?;
        let body = shown["body"].as_str().unwrap_or_default();
        let there: Vec<&str> = body.lines().collect();
        ensure!(there.len() == expect.len(), "{} lines of {}", there.len(), expect.len());
        ensure!(there.iter().all(|line| expect.contains(*line)), "a line that nobody sent");
        ensure!(there.iter().collect::<BTreeSet<_>>().len() == there.len(), "a line is there twice");
    }
    let sent = expect.len() as f64;
    println!(
        "{} lines, none lost or twice; {:.0} a second; {}",
        expect.len(),
        sent / seconds,
        took.quantiles()
    );
    Ok(())
}

fn text(writer: usize, line: usize) -> String {
    format!("- writer {writer} says line {line}")
}

async fn append(wire: &Wire, path: &str, writer: usize, lines: usize) -> Result<Latencies> {
    let mut took = Latencies::default();
    for line in 0..lines {
        let body = json!({"title": "Topic", "lines": [text(writer, line)]});
        for again in 0..=usize::from(line % 3 == 0) {
            let began = Instant::now();
            let answer: Value = wire.ask("POST", path, Some(&body)).await?;
            took.add(began.elapsed());
            ensure!(answer["added"] == json!(1 - again), "{answer}");
        }
    }
    Ok(took)
}
