//! `sre-recall`: whether a question of operations people finds what is called otherwise among many facts of infrastructure, with the embedder that
//! is built in, and how long it takes. Facts and questions are generated; what must be found is planted. It asks over the native API.

mod generated;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::figures::Latencies;
use crate::load::Report;
use crate::progress::Progress;
use crate::server::{self, Server};
use crate::wire::{Wire, text_at};
use generated::{CASES, Case, distractor, planted};

/// What to measure on.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Facts that no question is about.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    facts: u64,
    /// Each question so often, for its time.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Which facts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A table of synonyms in place of the shipped one.
    #[arg(long)]
    synonyms: Option<PathBuf>,
    /// One line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; the one beside this program if absent.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Items of one request.
const BATCH: u64 = 100;
/// Places of a list that count.
const CUTS: [usize; 3] = [4, 5, 10];

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let table =
        arguments.synonyms.as_ref().map(|path| path.to_str().context("a path that is UTF-8")).transpose()?;
    let settings: Vec<(&str, &str)> = table.iter().map(|path| ("LOCI_SRE_SYNONYMS", *path)).collect();
    let binary = server::binary(arguments.binary.as_deref())?;
    let server = Server::start_with(&binary, &folder.path().join("data"), &settings)?;
    let bench = Bench::new(Wire::new(&server.url)).await?;
    bench.fill(&arguments).await?;
    let report = Report::new(arguments.json);
    let mut latencies = Latencies::default();
    let mut found = [0.0; CUTS.len()];
    for case in CASES {
        let ranked = bench.ask(case, arguments.rounds, &mut latencies).await?;
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

/// A memory of operations agents.
struct Bench {
    wire: Wire,
    memory: String,
}

impl Bench {
    async fn new(wire: Wire) -> Result<Self> {
        let made = wire.ask("PUT", "/v1/memories/sre_agent_memory", Some(&json!({"profile": "sre"}))).await?;
        let memory = text_at(&made, "/memory_id")?;
        Ok(Self { wire, memory })
    }

    /// Facts, and among them what must be found.
    async fn fill(&self, arguments: &Arguments) -> Result<()> {
        let progress = Progress::new(2);
        progress.step("saving facts");
        let mut random = crate::seeded::Seeded::new(arguments.seed);
        let mut waiting: Vec<Value> = planted();
        for number in 0..arguments.facts {
            waiting.push(distractor(number, &mut random));
            if waiting.len() as u64 >= BATCH || number + 1 == arguments.facts {
                for some in waiting.chunks(usize::try_from(BATCH)?) {
                    self.save(some).await?;
                }
                waiting.clear();
                progress.within(number + 1, arguments.facts);
            }
        }
        progress.step("embedding");
        self.wire.settle(&self.memory).await
    }

    async fn save(&self, facts: &[Value]) -> Result<()> {
        let body = json!({
            "memory_type": "infrastructure", "actor_id": "kubernetes-agent", "session_id": "bench", "data": facts,
        });
        let saved = self.wire.ask("POST", &format!("/v1/memories/{}/save", self.memory), Some(&body)).await?;
        ensure!(saved["saved"] == json!(true), "not saved: {saved}");
        Ok(())
    }

    /// What is found, best first, as texts of what is known.
    async fn ask(&self, case: &Case, rounds: u64, latencies: &mut Latencies) -> Result<Vec<String>> {
        let body = json!({"types": ["infrastructure"], "query": case.question, "top_k": 20});
        let path = format!("/v1/memories/{}/retrieve", self.memory);
        let mut texts = Vec::new();
        for _ in 0..rounds {
            let began = Instant::now();
            let answer = self.wire.ask("POST", &path, Some(&body)).await?;
            latencies.add(began.elapsed());
            let results = answer.pointer("/results").and_then(Value::as_array).context("no results")?;
            texts = results.iter().map(|one| one["content"]["knowledge_data"].to_string()).collect();
        }
        Ok(texts)
    }
}
