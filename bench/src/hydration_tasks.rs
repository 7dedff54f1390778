//! `hydration-tasks`: hydrates labelled tasks over the native API, in repositories with known
//! learnings. It measures how many tasks get the learning that they need, the number of other
//! learnings, and the latency. Each file of the set has its own author and becomes its own
//! repository.

mod repository;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use loci_coding::CodingSettings;
use serde_json::{Value, json};

use crate::figures::Latencies;
use crate::labelled_set::{self, stem};
use crate::load::Report;
use crate::progress::Progress;
use crate::server::{self, Server};
use crate::wire::{Wire, text_at};
use repository::{Repository, Task};

/// The minimum share of tasks that must get their learning, in percent.
const SHOWN_MIN: f64 = 90.0;

/// Hydrates labelled tasks.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Files of learnings and tasks (bench/data/hydration/README.md), one author each
    #[arg(long = "set", value_name = "FILE", required = true)]
    sets: Vec<PathBuf>,
    /// Print one line of JSON per figure
    #[arg(long)]
    json: bool,
    /// Fail below 90 % of tasks with their learning, or if a learning below the noise floor is
    /// shown
    #[arg(long)]
    gate: bool,
    /// Print each task that misses its learning, on standard error
    #[arg(long)]
    misses: bool,
    /// The `loci` to run; by default the one next to this program
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Counts of one file, or of all.
#[derive(Debug, Default)]
struct Tally {
    tasks: u64,
    shown: u64,
    first: u64,
    learnings: u64,
    below_floor: u64,
    unrelated: u64,
    unrelated_empty: u64,
    unrelated_learnings: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.shown += other.shown;
        self.first += other.first;
        self.learnings += other.learnings;
        self.below_floor += other.below_floor;
        self.unrelated += other.unrelated;
        self.unrelated_empty += other.unrelated_empty;
        self.unrelated_learnings += other.unrelated_learnings;
    }

    fn shown_percent(&self) -> f64 {
        percent(self.shown, self.tasks)
    }

    fn tell(&self, report: Report, name: &str) {
        let mean = |sum: u64, of: u64| sum as f64 / of.max(1) as f64;
        let text = format!(
            "{:.1} % of {} tasks shown their learning ({:.1} % first, {:.1} shown for a task); of {} unrelated tasks {:.1} % shown nothing \
             ({:.1} for a task); {} below the floor",
            self.shown_percent(),
            self.tasks,
            percent(self.first, self.tasks),
            mean(self.learnings, self.tasks),
            self.unrelated,
            percent(self.unrelated_empty, self.unrelated),
            mean(self.unrelated_learnings, self.unrelated),
            self.below_floor
        );
        let value = json!({"tasks": self.tasks, "shown": self.shown, "first": self.first, "learnings": self.learnings,
                           "unrelated": self.unrelated, "unrelated_shown_nothing": self.unrelated_empty,
                           "unrelated_learnings": self.unrelated_learnings, "below_floor": self.below_floor});
        report.figure(name, &text, &value);
    }
}

/// Measures all files on one server.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let folder = tempfile::tempdir()?;
    let server = Server::start(&binary, &folder.path().join("data"))?;
    let wire = Wire::new(&server.url);
    let report = Report::new(arguments.json);
    let progress = Progress::new(arguments.sets.len());
    let (mut all, mut took) = (Tally::default(), Latencies::default());
    for set in &arguments.sets {
        progress.step(&set.display().to_string());
        let text = labelled_set::text(set)?;
        let repository = Repository::parse(&text).with_context(|| set.display().to_string())?;
        let name = format!("bench/{}", stem(set)?);
        let tally = measured(&wire, &name, &repository, (&mut took, arguments.misses)).await?;
        tally.tell(report, &format!("hydration_tasks_{}", stem(set)?));
        all.add(&tally);
    }
    all.tell(report, "hydration_tasks");
    let quantiles = took.quantiles();
    let text = format!("p50 {:.1} ms, p95 {:.1} ms", quantiles.p50_ms, quantiles.p95_ms);
    let value = json!({"p50_ms": quantiles.p50_ms, "p95_ms": quantiles.p95_ms, "count": quantiles.count});
    report.figure("hydration_tasks_latency", &text, &value);
    server.stop()?;
    if arguments.gate && (all.shown_percent() < SHOWN_MIN || all.below_floor > 0) {
        bail!(
            "below {SHOWN_MIN} % of tasks with their learning, or something below the noise floor was shown"
        );
    }
    Ok(())
}

/// Stores the learnings of one repository and hydrates its tasks.
async fn measured(
    wire: &Wire,
    name: &str,
    repository: &Repository,
    (took, tells_misses): (&mut Latencies, bool),
) -> Result<Tally> {
    let task = format!("t-{}", name.replace('/', "-"));
    wire.ask("PUT", &format!("/v1/repos/{name}"), Some(&json!({}))).await?;
    let begin = json!({"task_id": task, "repo": name, "kind": "new_task", "description": "work"});
    wire.ask("POST", "/v1/tasks", Some(&begin)).await?;
    let mut ids = Vec::new();
    for learning in &repository.learnings {
        let body = json!({"text": learning.text});
        let noted = wire.ask("POST", &format!("/v1/tasks/{task}/notes"), Some(&body)).await?;
        ids.push(text_at(&noted, "/learning/id")?);
    }
    let memory = text_at(&wire.ask("GET", "/v1/memories", None).await?, "/memories/0/id")?;
    wire.settle(&memory).await?;
    let mut tally = Tally::default();
    for (learning, right) in repository.learnings.iter().zip(&ids) {
        for asked in &learning.tasks {
            let shown = hydrated(wire, &task, asked, took).await?;
            tally.tasks += 1;
            tally.learnings += shown.len() as u64;
            tally.below_floor += below_floor(&shown);
            let place = shown.iter().position(|(id, _)| id == right);
            tally.shown += u64::from(place.is_some());
            tally.first += u64::from(place == Some(0));
            if tells_misses && place.is_none() {
                eprintln!("{name}: “{}” is not shown “{}”", asked.description, learning.text);
            }
        }
    }
    for asked in &repository.unrelated {
        let shown = hydrated(wire, &task, asked, took).await?;
        tally.unrelated += 1;
        tally.unrelated_empty += u64::from(shown.is_empty());
        tally.unrelated_learnings += shown.len() as u64;
        tally.below_floor += below_floor(&shown);
    }
    Ok(tally)
}

/// Returns the learnings that a task gets, with their similarity.
async fn hydrated(wire: &Wire, task: &str, asked: &Task, took: &mut Latencies) -> Result<Vec<(String, f64)>> {
    let body = json!({"query": asked.description, "paths": asked.paths, "timeout_ms": 30_000});
    let began = Instant::now();
    let found = wire.ask("POST", &format!("/v1/tasks/{task}/hydrate"), Some(&body)).await?;
    let lasted: Duration = began.elapsed();
    took.add(lasted);
    ensure!(found["degraded"] == json!(false), "degraded: {}", found["warnings"]);
    let list = found.get("knowledge").and_then(Value::as_array).context("no knowledge in the answer")?;
    list.iter()
        .map(|one| Ok((text_at(one, "/id")?, one["similarity"].as_f64().context("no similarity")?)))
        .collect()
}

/// Returns the number of learnings below the server's default noise floor.
fn below_floor(shown: &[(String, f64)]) -> u64 {
    let floor = CodingSettings::default().noise_floor;
    shown.iter().filter(|(_, similarity)| *similarity < floor).count() as u64
}

fn percent(part: u64, of: u64) -> f64 {
    part as f64 * 100.0 / of.max(1) as f64
}
