//! `migrate`: moves a folder of many records into PostgreSQL and back with `loci migrate`, with
//! kills at random moments. It reports the rows per second and compares the original folder with
//! the copy.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use loci_app::wiring::store::StorePlan;
use loci_engine_testkit::postgres::PostgresServer;
use loci_model::MemoryId;
use loci_model::ports::store::{PassageVector, Store, StoreExt};
use loci_store_conformance::filled_store;
use loci_testkit_ports::samples;
use serde_json::Value;
use tokio::process::Command;

use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server;

/// Options of the migration.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Records in all memories together.
    #[arg(long, default_value_t = 200_000)]
    records: u32,
    /// Memories.
    #[arg(long, default_value_t = 8)]
    memories: u32,
    /// Kills in each direction.
    #[arg(long, default_value_t = 5)]
    kills: u32,
    /// Maximum time from a start to the kill, in milliseconds.
    #[arg(long, default_value_t = 15_000)]
    kill_after_ms_max: u64,
    /// Seed of records and kills.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// The variable with the address of the database.
const DATABASE: &str = "MIGRATE_DATABASE";
/// Records and events per write.
const PAGE: u32 = 1_000;
/// The number of records per record that has its own event.
const RECORDS_PER_EVENT: u32 = 4;
/// The number of values of a vector.
const DIMENSIONS: u32 = 384;

/// Runs the migration in both directions.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let progress = Progress::new(3);
    progress.step("writing records");
    let source = temporary.path().join("source");
    tokio::task::block_in_place(|| fill(&source, &arguments, &progress))?;
    let postgres = tokio::task::block_in_place(PostgresServer::shared)?;
    let database = tokio::task::block_in_place(|| postgres.fresh_database())?;
    let mut run = Run { binary, database, random: Seeded::new(arguments.seed), arguments };

    progress.step("into the database");
    let (folder, back) = (folder(&source), folder(&temporary.path().join("back")));
    let database = format!("env:{DATABASE}");
    let there = run.with_kills(&folder, &database).await?;
    progress.step("and back");
    let again = run.with_kills(&database, &back).await?;
    let compared = run.compare(&folder, &back).await?;
    println!("into PostgreSQL: {there}");
    println!("and back:        {again}");
    println!("the folder beside the one that came back: {compared}");
    Ok(())
}

fn folder(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Fills each memory with data of every kind, and with records that have vectors.
fn fill(folder: &Path, arguments: &Arguments, progress: &Progress) -> Result<()> {
    let store: Arc<dyn Store> = StorePlan::folder_at(folder).open()?;
    let each = arguments.records.div_ceil(arguments.memories.max(1));
    let mut random = Seeded::new(arguments.seed);
    for number in 0..arguments.memories {
        let memory = filled_store::fill(&store, &format!("m{number}"))?;
        for first in (0..each).step_by(PAGE as usize) {
            progress.within(u64::from(number * each + first), u64::from(arguments.memories * each));
            let count = PAGE.min(each - first);
            page(&store, &memory, first, count, &mut random)?;
        }
    }
    loci_testkit_ports::block_on(store.checkpoint(loci_model::ports::store::Checkpoint::Last))?;
    store.close();
    Ok(())
}

fn page(
    store: &Arc<dyn Store>,
    memory: &MemoryId,
    first: u32,
    count: u32,
    random: &mut Seeded,
) -> Result<()> {
    let mut vectors = Vec::with_capacity(count as usize);
    for _ in 0..count {
        vectors
            .push((0..DIMENSIONS).map(|_| random.below(2_001) as f32 / 1_000.0 - 1.0).collect::<Vec<f32>>());
    }
    let memory = memory.clone();
    loci_testkit_ports::block_on(store.write(move |tx| {
        for (place, vector) in (0..).zip(&vectors) {
            let number = 1_000 + first + place;
            let event = samples::event(&memory, &format!("actor{}", number % 50), "long", i64::from(number))?;
            let text =
                format!("What was said as number {number}: Ann met Bob at lake {} in winter", number % 977);
            let record = if number.is_multiple_of(RECORDS_PER_EVENT) {
                tx.events_mut().insert(&event)?;
                samples::turn(&event, number)?
            } else {
                samples::record(&memory, number, &text)?
            };
            tx.records_mut().insert(&record)?;
            let row = PassageVector {
                record: record.id,
                version: 1,
                part: 0,
                model: "measured".to_owned(),
                vector: vector.clone(),
            };
            tx.records_mut().put_vectors(&memory, &[row])?;
        }
        Ok(())
    }))?;
    Ok(())
}

struct Run {
    binary: PathBuf,
    database: String,
    random: Seeded,
    arguments: Arguments,
}

impl Run {
    fn command(&self, from: &str, to: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["--json", "migrate", "--from", from, "--to", to]);
        // Settings of this program must not affect the other one.
        command.env(DATABASE, &self.database).env_remove("LOCI_TEST_POSTGRES_BIN").kill_on_drop(true);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    }

    /// Migrates with the configured number of kills. Returns a report.
    async fn with_kills(&mut self, from: &str, to: &str) -> Result<String> {
        let (began, mut killed) = (Instant::now(), 0);
        while killed < self.arguments.kills {
            let mut child = self.command(from, to).spawn().context("starting loci migrate")?;
            let wait = 500 + self.random.below(self.arguments.kill_after_ms_max.max(1));
            if tokio::time::timeout(Duration::from_millis(wait), child.wait()).await.is_ok() {
                break;
            }
            child.kill().await?;
            killed += 1;
        }
        let copied = answer(self.command(from, to).output().await?)?;
        let last_ms = number(&copied, "elapsed_ms");
        let rows = rows(&copied);
        let whole_s = began.elapsed().as_secs_f64();
        Ok(format!(
            "{rows} rows, the same; {killed} kills, {whole_s:.0} s in all with every start; the last run copied {} and \
             compared all in {:.1} s",
            number(&copied, "copied"),
            last_ms as f64 / 1_000.0
        ))
    }

    async fn compare(&self, from: &str, to: &str) -> Result<String> {
        let answer = answer(self.command(from, to).arg("--verify-only").output().await?)?;
        Ok(format!(
            "{} rows, the same checksums, {:.1} s",
            rows(&answer),
            number(&answer, "elapsed_ms") as f64 / 1_000.0
        ))
    }
}

fn answer(output: std::process::Output) -> Result<Value> {
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "loci migrate ended with {}: {said}", output.status);
    let answer: Value = serde_json::from_slice(&output.stdout).context("reading what loci migrate says")?;
    if answer.get("same") != Some(&Value::Bool(true)) {
        bail!("the stores differ: {answer}");
    }
    Ok(answer)
}

fn number(answer: &Value, member: &str) -> u64 {
    answer.get(member).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns the number of rows of all memories in the target.
fn rows(answer: &Value) -> u64 {
    let places = answer.get("places").and_then(Value::as_array).into_iter().flatten();
    let kinds = places.filter_map(|place| place.get("kinds").and_then(Value::as_array)).flatten();
    kinds.filter_map(|kind| kind.get("to")?.get("rows")?.as_u64()).sum()
}
