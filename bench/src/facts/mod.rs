//! `facts`: how long verified memory takes over the native API: storing with three citations, reading fifty facts anew at
//! commits nobody has seen, one citation, and reading of many facts. How well it decides is `rot`'s business. What tasks are
//! shown of it is `hydrate`'s.

pub(crate) mod hydrate;
mod places;
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
use places::{Place, Places};
use playground::Playground;

/// What to measure on.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A clone or bare repository, only read: it is cloned, and the clone gets commits.
    #[arg(long)]
    repo: PathBuf,
    /// Facts of the repository with many.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(50..))]
    facts: u64,
    /// Calls of each kind, each at a commit of its own where the kind asks for that.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(20..))]
    calls: u64,
    /// Which lines are cited.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; the one beside this program if absent.
    #[arg(long)]
    binary: Option<PathBuf>,
}

const NAME: &str = "bench/code";
/// Facts of the small repository, citations of each, and how many of them rot.
const FEW: u64 = 50;
const CITATIONS: usize = 3;
const ROTTED: usize = 5;

/// A server, the repository it reads, and who asks.
struct Bench {
    server: Server,
    wire: Wire,
    playground: Playground,
    places: Places,
    report: Report,
    /// Goes with this.
    _folder: tempfile::TempDir,
}

/// Measures both repositories.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    few(Bench::start(&arguments, &binary)?, arguments.calls).await?;
    many(Bench::start(&arguments, &binary)?, arguments.facts, arguments.calls).await
}

/// Fifty facts, a tenth of them rotted.
async fn few(mut bench: Bench, calls: u64) -> Result<()> {
    let mut facts = Vec::new();
    for number in 0..FEW {
        facts.push(bench.places.some(CITATIONS)?);
        bench.store(number, facts.last().context("a fact")?).await?;
    }
    let cited: Vec<Place> = facts.iter().flatten().cloned().collect();
    let rotted: Vec<Place> = facts.iter().take(ROTTED).filter_map(|places| places.first()).cloned().collect();
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

/// As many facts as nobody should have.
async fn many(mut bench: Bench, facts: u64, calls: u64) -> Result<()> {
    let (mut stores, progress) = (Latencies::default(), Progress::new(1));
    progress.step("storing facts");
    for number in 0..facts {
        let places = bench.places.some(CITATIONS)?;
        stores.add(bench.store(number, &places).await?.0);
        progress.within(number + 1, facts);
    }
    bench.tell("store_3_citations", stores);
    // Vectors of what was just stored are another work, and so is the first look at facts whose verdicts are not kept yet.
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

    /// The id of the one memory that the server has for facts.
    async fn memory(&self) -> Result<String> {
        text_at(&self.wire.ask("GET", "/v1/memories", None).await?, "/memories/0/id")
    }

    /// Waits for the vectors of what was stored.
    async fn settle(&self) -> Result<()> {
        self.wire.settle(&self.memory().await?).await
    }

    async fn store(&self, number: u64, places: &[Place]) -> Result<(Duration, Value)> {
        let citations: Vec<Value> = places.iter().map(Place::citation).collect();
        let body = json!({"repo": NAME, "subject": format!("part {number}"), "citations": citations,
                          "fact": places.first().context("a citation")?.fact(number)});
        let began = Instant::now();
        let stored = self.wire.ask("POST", "/v1/tools/memory.store", Some(&body)).await?;
        let took = began.elapsed();
        ensure!(stored.pointer("/status") == Some(&json!("created")), "not stored: {stored}");
        Ok((took, stored))
    }

    /// Reads fifty facts; those that rotted are withheld, else the time would be of another work.
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

    /// A stored fact's one citation, whose file has just changed.
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
