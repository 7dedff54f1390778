//! `facts`: measures the latency of verified memory over the native API. It measures storing with
//! three citations, verifying fifty facts at new commits, verifying one citation, and reading from
//! many facts. `rot` measures the quality of the verdicts, and `hydrate` the hydration of tasks.

mod cited_lines;
pub(crate) mod hydrate;
mod playground;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::figures::Latencies;
use crate::load::Report;
use crate::progress::Progress;
use crate::server::{self, Server};
use crate::wire::{Wire, text_at};
use cited_lines::{CitedLineRange, Places};
use playground::Playground;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Clone or bare repository, only read: it is cloned, and the clone gets commits.
    #[arg(long)]
    repo: PathBuf,
    /// Facts of the large memory.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(50..))]
    facts: u64,
    /// Calls of each kind, each at its own commit if the kind requires it.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(20..))]
    calls: u64,
    /// Seed that selects the cited lines.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

const NAME: &str = "bench/code";
/// The number of facts of the small memory, of citations per fact, and of stale facts.
const FEW: u64 = 50;
const CITATIONS: usize = 3;
const ROTTED: usize = 5;

/// A server, its repository, and the client.
struct Bench {
    server: Server,
    wire: Wire,
    playground: Playground,
    places: Places,
    report: Report,
    /// The folder, which is removed when this is dropped.
    _folder: tempfile::TempDir,
}

/// Measures the small and the large memory.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    few(Bench::start(&arguments, &binary)?, arguments.calls).await?;
    many(Bench::start(&arguments, &binary)?, arguments.facts, arguments.calls).await
}

/// Measures fifty facts, a tenth of them stale.
async fn few(mut bench: Bench, calls: u64) -> Result<()> {
    let mut facts = Vec::new();
    for number in 0..FEW {
        facts.push(bench.places.some(CITATIONS)?);
        bench.store(number, facts.last().context("a fact")?).await?;
    }
    let cited: Vec<CitedLineRange> = facts.iter().flatten().cloned().collect();
    let rotted: Vec<CitedLineRange> =
        facts.iter().take(ROTTED).filter_map(|places| places.first()).cloned().collect();
    bench.playground.delete(&rotted)?;

    let (mut anew, mut again) = (Latencies::default(), Latencies::default());
    for round in 0..calls {
        bench.playground.shift(&cited, round)?;
        anew.add(bench.read("fresh", ROTTED).await?);
        again.add(bench.read("fresh", ROTTED).await?);
    }
    bench.tell("read_50_fresh_new_commit", anew);
    bench.tell("read_50_fresh_same_commit", again);

    let mut beside = Latencies::default();
    for round in 0..calls {
        bench.playground.touch_others(round)?;
        beside.add(bench.read("fresh", ROTTED).await?);
    }
    bench.tell("read_50_fresh_cited_files_unchanged", beside);
    bench.server.stop()
}

/// Measures an unusually large number of facts.
async fn many(mut bench: Bench, facts: u64, calls: u64) -> Result<()> {
    let (mut stores, progress) = (Latencies::default(), Progress::new(1));
    progress.step("storing facts");
    for number in 0..facts {
        let places = bench.places.some(CITATIONS)?;
        stores.add(bench.store(number, &places).await?.0);
        progress.within(number + 1, facts);
    }
    bench.tell("store_3_citations", stores);
    // The measured reads exclude the computation of vectors for the new facts, and the first read,
    // which has no stored verdicts.
    bench.settle().await?;
    bench.read("cached", 0).await?;
    for verify in ["cached", "fresh"] {
        let mut latencies = Latencies::default();
        for _ in 0..calls {
            latencies.add(bench.read(verify, 0).await?);
        }
        bench.tell(&format!("read_50_of_{facts}_{verify}"), latencies);
    }
    let place = bench.places.some(1)?;
    let id = text_at(&bench.store(facts, &place).await?.1, "/id")?;
    let mut one = Latencies::default();
    for round in 0..calls {
        bench.playground.shift(&place, round)?;
        one.add(bench.verify_one(&id).await?);
    }
    bench.tell("verify_one_citation_new_commit", one);
    bench.server.stop()
}

impl Bench {
    fn start(arguments: &Arguments, binary: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let playground = Playground::new(&arguments.repo, folder.path())?;
        let places = Places::of(&playground.files()?, arguments.seed)?;
        let config = folder.path().join("config.toml");
        let text = format!("[[repo]]\nname = {NAME:?}\npath = {:?}\n", playground.bare());
        std::fs::write(&config, text)?;
        let config = config.to_str().context("a path that is UTF-8")?;
        let server = Server::start_with(binary, &folder.path().join("data"), &[("LOCI_CONFIG", config)])?;
        let wire = Wire::new(&server.url);
        let report = Report::new(arguments.json);
        Ok(Self { server, wire, playground, places, report, _folder: folder })
    }

    /// Returns the id of the only memory, which the server created for facts.
    async fn memory(&self) -> Result<String> {
        text_at(&self.wire.ask("GET", "/v1/memories", None).await?, "/memories/0/id")
    }

    /// Waits for the vectors of the stored facts.
    async fn settle(&self) -> Result<()> {
        self.wire.settle(&self.memory().await?).await
    }

    async fn store(&self, number: u64, places: &[CitedLineRange]) -> Result<(Duration, Value)> {
        let citations: Vec<Value> = places.iter().map(CitedLineRange::citation).collect();
        let body = json!({"repo": NAME, "subject": format!("part {number}"), "citations": citations,
                          "fact": places.first().context("a citation")?.fact(number)});
        let began = Instant::now();
        let stored = self.wire.ask("POST", "/v1/tools/memory.store", Some(&body)).await?;
        let took = began.elapsed();
        ensure!(stored.pointer("/status") == Some(&json!("created")), "not stored: {stored}");
        Ok((took, stored))
    }

    /// Reads fifty facts. Stale ones must be withheld, otherwise the latency would be of other
    /// work.
    async fn read(&self, verify: &str, withheld: usize) -> Result<Duration> {
        let body = json!({"repo": NAME, "limit": FEW, "verify": verify});
        let began = Instant::now();
        let read = self.wire.ask("POST", "/v1/tools/memory.get_recent", Some(&body)).await?;
        let took = began.elapsed();
        let served = read.pointer("/memories").and_then(Value::as_array).map_or(0, Vec::len);
        let expected = usize::try_from(FEW)? - withheld;
        ensure!(served == expected, "{served} facts served, not {expected}: {}", read["omitted"]);
        Ok(took)
    }

    /// Verifies the only citation of a stored fact, whose file has just changed.
    async fn verify_one(&self, id: &str) -> Result<Duration> {
        let body = json!({"repo": NAME, "memory_id": id});
        let began = Instant::now();
        let verified = self.wire.ask("POST", "/v1/tools/memory.verify_citations", Some(&body)).await?;
        let took = began.elapsed();
        ensure!(verified.pointer("/verdict") == Some(&json!("valid")), "not valid: {verified}");
        Ok(took)
    }

    fn tell(&self, name: &str, mut latencies: Latencies) {
        let quantiles = latencies.quantiles();
        self.report.figure(name, &quantiles.to_string(), &json!(quantiles));
    }
}
