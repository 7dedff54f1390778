//! One writer: events, batches and searches. After each write, it reads the last event that another
//! writer acknowledged. `worker` runs it in its own process, which embeds the engine and uses the
//! server's router as transport.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::ledger::{self, Line, Writer};
use crate::embedded_engine;
use crate::figures::{Latencies, Quantiles};
use crate::seeded_random::Seeded;
use crate::texts;
use crate::wire::{Wire, text_at, user_turn};

const BASE_SECONDS: f64 = 1_790_000_000.0;
const PAUSE: Duration = Duration::from_millis(5);

/// Options of a process that shares the folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shared folder.
    #[arg(long)]
    data_dir: PathBuf,
    /// The memory.
    #[arg(long)]
    memory: String,
    /// Number among the writers.
    #[arg(long)]
    number: u32,
    /// Seconds of load.
    #[arg(long)]
    seconds: u64,
}

/// Embeds the engine, runs the load, and prints the latencies of its commits.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let (engine, transport) = embedded_engine::open(&arguments.data_dir)?;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let jobs = tokio::spawn(async move {
        let stop = Box::pin(async move {
            let _ = ended.await; // a dropped sender is a signal too
        });
        engine.run_jobs(stop).await;
    });
    let quantiles =
        load(transport, arguments.data_dir, arguments.memory, arguments.number, arguments.seconds).await?;
    drop(end);
    jobs.await?;
    println!("{}", serde_json::to_string(&quantiles)?);
    Ok(())
}

/// Runs the load of one writer. Returns the latencies of its CreateEvents.
pub(super) async fn load(
    wire: Wire,
    folder: PathBuf,
    memory: String,
    number: u32,
    seconds: u64,
) -> Result<Quantiles> {
    let actor = format!("writer-{number}");
    let mut ledger = Writer::open(&folder, &actor)?;
    let mut random = Seeded::new(u64::from(number) + 1);
    let mut latencies = Latencies::default();
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut turn = 0u64;
    while Instant::now() < until {
        turn += 1;
        let text = texts::talk((u64::from(number) << 32) | turn, 160);
        let session = format!("s-{number}-{}", turn / 100);
        let token = format!("{actor}-{turn}");
        let body = user_turn(&actor, &session, BASE_SECONDS + turn as f64, &token, &text);
        let began = Instant::now();
        let made = wire.ask("POST", &format!("/memories/{memory}/events"), Some(&body)).await?;
        latencies.add(began.elapsed());
        let id = text_at(&made, "/event/eventId")?;
        ledger.add(&Line { actor: actor.clone(), session, id, text })?;
        if random.below(4) == 0 {
            see_another(&wire, &folder, &memory, &actor).await?;
        }
        if random.below(8) == 0 {
            batch_and_find(&wire, &memory, &actor, turn).await?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(latencies.quantiles())
}

/// Checks that the last event that another writer acknowledged is readable here now.
async fn see_another(wire: &Wire, folder: &std::path::Path, memory: &str, actor: &str) -> Result<()> {
    let others = ledger::read(folder, Some(actor))?;
    let Some(line) = others.last() else { return Ok(()) };
    let id = line.id.replace('#', "%23");
    let path = format!("/memories/{memory}/actor/{}/sessions/{}/events/{id}", line.actor, line.session);
    let found = wire
        .ask("GET", &path, None)
        .await
        .with_context(|| format!("{actor} does not see what {} acknowledged", line.actor))?;
    let text = text_at(&found, "/event/payload/0/conversational/content/text")?;
    ensure!(text == line.text, "{actor} sees another text than {} wrote", line.actor);
    Ok(())
}

/// Checks that a record is found by its words as soon as it is acknowledged. It has its own
/// namespace, because it ranks below records with vectors until it has one (a missing vector counts
/// as zero). It must still be among the hits.
async fn batch_and_find(wire: &Wire, memory: &str, actor: &str, turn: u64) -> Result<()> {
    let word = format!("zebrafish{}x{turn}", actor.replace('-', ""));
    let record = json!({"requestIdentifier": "one", "namespaces": [format!("/notes/{actor}/{turn}/")],
        "content": {"text": format!("The {word} swims in tank {turn}.")}, "timestamp": BASE_SECONDS});
    wire.batch_create(memory, &[record]).await?;
    let question = json!({"namespacePath": format!("/notes/{actor}/{turn}/"),
        "searchCriteria": {"searchQuery": format!("Where does the {word} swim?"), "topK": 3}});
    let found = wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&question)).await?;
    let first = text_at(&found, "/memoryRecordSummaries/0/content/text")?;
    ensure!(first.contains(&word), "an acknowledged record was not found by its word {word}: {first}");
    Ok(())
}
