//! `sre-recall`: measures the recall of questions whose facts use other words, among many
//! infrastructure facts, with the built-in embedder. It also measures the latency. Facts and
//! questions are generated, and the expected facts are planted. It uses the native API.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::cases::{CASES, planted};
use super::facts::distractor;
use super::{BATCH, Memory};
use crate::figures::Latencies;
use crate::load::Report;
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::{self, Server};

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Facts that answer no question.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    facts: u64,
    /// Repetitions of each question, for its latency.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Seed of the facts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A table of synonyms that replaces the shipped one.
    #[arg(long)]
    synonyms: Option<PathBuf>,
    /// Print one line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// The numbers of ranks that count as found.
const CUTS: [usize; 3] = [4, 5, 10];

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let table =
        arguments.synonyms.as_ref().map(|path| path.to_str().context("a path that is UTF-8")).transpose()?;
    let settings: Vec<(&str, &str)> = table.iter().map(|path| ("LOCI_SRE_SYNONYMS", *path)).collect();
    let binary = server::binary(arguments.binary.as_deref())?;
    let server = Server::start_with(&binary, &folder.path().join("data"), &settings)?;
    let memory = Memory::new(&server.url).await?;
    fill(&memory, &arguments).await?;
    let report = Report::new(arguments.json);
    let mut latencies = Latencies::default();
    let mut found = [0.0; CUTS.len()];
    for case in CASES {
        let ranked = ask(&memory, case.question, arguments.rounds, &mut latencies).await?;
        let places: Vec<Option<usize>> =
            case.gold.iter().map(|gold| ranked.iter().position(|text| text.contains(gold))).collect();
        for (sum, cut) in found.iter_mut().zip(CUTS) {
            let hits = places.iter().filter(|place| place.is_some_and(|place| place < cut)).count();
            *sum += hits as f64 / case.gold.len() as f64 / CASES.len() as f64;
        }
        let shown: Vec<String> = places
            .iter()
            .map(|place| place.map_or("-".to_owned(), |place| (place + 1).to_string()))
            .collect();
        report.figure(case.question, &shown.join(" "), &json!(places));
    }
    for (share, cut) in found.iter().zip(CUTS) {
        report.figure(&format!("recall_at_{cut}"), &format!("{:.1} %", share * 100.0), &json!(share));
    }
    let quantiles = latencies.quantiles();
    report.figure("retrieve", &quantiles.to_string(), &json!(quantiles));
    server.stop()
}

/// Returns the knowledge of the results as texts, best first.
async fn ask(memory: &Memory, question: &str, rounds: u64, latencies: &mut Latencies) -> Result<Vec<String>> {
    let body = json!({"types": ["infrastructure"], "query": question, "top_k": 20});
    let path = format!("/v1/memories/{}/retrieve", memory.id);
    let mut texts = Vec::new();
    for _ in 0..rounds {
        let began = Instant::now();
        let answer = memory.wire.ask("POST", &path, Some(&body)).await?;
        latencies.add(began.elapsed());
        let results = answer.pointer("/results").and_then(Value::as_array).context("no results")?;
        texts = results.iter().map(|one| one["content"]["knowledge_data"].to_string()).collect();
    }
    Ok(texts)
}

/// Creates facts, including those that must be found.
async fn fill(memory: &Memory, arguments: &Arguments) -> Result<()> {
    let progress = Progress::new(2);
    progress.step("saving facts");
    let mut random = Seeded::new(arguments.seed);
    let mut waiting = planted();
    for number in 0..arguments.facts {
        waiting.push(distractor(number, &mut random));
        if waiting.len() >= BATCH || number + 1 == arguments.facts {
            for some in waiting.chunks(BATCH) {
                memory.learn("kubernetes-agent", some).await?;
            }
            waiting.clear();
            progress.within(number + 1, arguments.facts);
        }
    }
    progress.step("embedding");
    memory.wire.settle(&memory.id).await
}
