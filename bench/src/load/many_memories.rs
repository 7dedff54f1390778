//! Measures many memories of usual size in one store: retrieval over HTTP, with the first and later
//! searches of a memory, and CreateEvent into random memories. The store is the one that
//! `LOCI_STORE` names, otherwise a folder.
//!
//! Records are written directly into the store, with the vectors of a pool of texts. Embedding a
//! million texts would take hours and measure something else. Texts differ within a memory, not
//! between memories.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use loci_app::config::Config;
use loci_app::config::environment::Environment;
use loci_app::wiring::store::StorePlan;
use loci_embed::MiniLm;
use loci_model::ports::embedder::Vector;
use loci_model::ports::store::{PassageVector, Store, StoreExt};
use loci_model::record::Record;
use loci_model::{MemoryId, Namespace, Timestamp};
use loci_testkit_ports::samples;
use serde_json::json;

use super::Report;
use crate::figures::Latencies;
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire, user_turn};

const TEXT_BYTES: usize = 300;
/// The number of texts of which records are made: at least the number of records of a memory.
const POOL: u64 = 4_000;
/// Records of one write.
const BATCH: u64 = 250;
/// Memories that are filled in parallel.
const SIDE_BY_SIDE: usize = 4;
const SECONDS: u64 = 20;
/// The number of events of the paced part, and their rate per second.
const PACED: u64 = 600;
const PACED_PER_S: u64 = 20;
const BASE_SECONDS: f64 = 1_790_000_000.0;

/// Fills the memories, then searches them.
pub(super) async fn run(
    binary: &Path,
    report: Report,
    (memories, records): (u64, u64),
    questions: u64,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let held = held(&data).await?;
    let ids = if held.len() as u64 == memories {
        held
    } else {
        let ids = make(binary, &data, memories).await?;
        fill(report, &data, &ids, records / memories.max(1)).await?;
        ids
    };
    let server = Server::start(binary, &data)?;
    let wire = Wire::new(&server.url);
    let mut seeded = Seeded::new(7);
    // A database outlives a run, so each run uses other queries and other events.
    let of_run = std::time::UNIX_EPOCH.elapsed()?.as_secs();
    firsts(&wire, report, &ids, questions.min(memories / 2)).await?;
    later(&wire, report, &ids, (&mut seeded, of_run), questions).await?;
    side_by_side(&server, report, &ids, questions).await?;
    paced_events(&wire, report, &ids, (&mut seeded, of_run)).await?;
    events(&wire, report, &ids, (&mut seeded, of_run)).await?;
    super::retrieve::resident(&server, report, "rss_many_memories")?;
    server.stop()
}

/// Returns the memories that an earlier run left in the store. A database outlives a run.
async fn held(data: &Path) -> Result<Vec<String>> {
    let store = StorePlan::of(&Config::default(), &Environment::of_process(), data.to_owned())?.open()?;
    let (mut held, mut after) = (Vec::new(), None);
    loop {
        let behind = after.clone();
        let page = store.read(move |tx| tx.memories().list(behind.as_ref(), 500)).await?;
        let Some(last) = page.last() else { break };
        after = Some((last.created_at, last.id.clone()));
        let filled = page.iter().filter(|memory| memory.name.starts_with("m0"));
        held.extend(filled.map(|memory| memory.id.to_string()));
    }
    store.close();
    held.sort_unstable();
    Ok(held)
}

/// Creates the memories over the wire. Returns their ids.
async fn make(binary: &Path, data: &Path, memories: u64) -> Result<Vec<String>> {
    let server = Server::start(binary, data)?;
    let wire = Wire::new(&server.url);
    let mut ids = Vec::new();
    for number in 0..memories {
        let name = format!("m{number:06}");
        let shape = MemoryShape { name: &name, semantic: Some(("facts", "/facts/{actorId}/")) };
        ids.push(wire.create_memory(&shape).await?);
    }
    server.stop()?;
    Ok(ids)
}

/// The texts of the pool with their vectors.
struct Pool {
    texts: Vec<String>,
    vectors: Vec<Vector>,
    model: String,
}

impl Pool {
    fn new() -> Result<Self> {
        let model = MiniLm::new();
        let texts: Vec<String> = (0..POOL).map(|number| texts::talk(number, TEXT_BYTES)).collect();
        let threads = std::thread::available_parallelism()?.get();
        let share = texts.len().div_ceil(threads);
        let vectors = std::thread::scope(|scope| {
            let work: Vec<_> = texts
                .chunks(share)
                .map(|texts| {
                    scope.spawn(|| model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
                })
                .collect();
            work.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        Ok(Self { texts, vectors, model: model.model_id().to_owned() })
    }
}

async fn fill(report: Report, data: &Path, ids: &[String], each: u64) -> Result<()> {
    let pool = Arc::new(Pool::new()?);
    let plan = StorePlan::of(&Config::default(), &Environment::of_process(), data.to_owned())?;
    let store = plan.open()?;
    let progress = Progress::new(1);
    let began = Instant::now();
    let mut done = 0;
    for share in ids.chunks(SIDE_BY_SIDE) {
        let work = share.iter().map(|id| fill_one(&store, id, &pool, each));
        futures::future::try_join_all(work).await?;
        done += share.len() as u64;
        progress.within(done, ids.len() as u64);
    }
    let rate = (ids.len() as u64 * each) as f64 / began.elapsed().as_secs_f64();
    store.close();
    let text =
        format!("{} memories of {each} records with vectors, {rate:.0} records/s into the store", ids.len());
    report.figure(
        "fill_many_memories",
        &text,
        &json!({"memories": ids.len(), "each": each, "records_per_s": rate}),
    );
    Ok(())
}

async fn fill_one(store: &Arc<dyn Store>, id: &str, pool: &Arc<Pool>, each: u64) -> Result<()> {
    let memory = MemoryId::parse(id).map_err(|error| anyhow::anyhow!(error.message))?;
    let mut next = 0;
    while next < each {
        let until = each.min(next + BATCH);
        let (memory, pool) = (memory.clone(), Arc::clone(pool));
        store
            .write(move |tx| {
                let mut vectors = Vec::new();
                for number in next..until {
                    let record = record(&memory, number, &pool)?;
                    vectors.push(PassageVector {
                        record: record.id.clone(),
                        version: 1,
                        part: 0,
                        model: pool.model.clone(),
                        vector: pool.vectors[(number % POOL) as usize].clone(),
                    });
                    tx.records_mut().insert(&record)?;
                }
                tx.records_mut().put_vectors(&memory, &vectors).map(drop)
            })
            .await?;
        next = until;
    }
    Ok(())
}

fn record(memory: &MemoryId, number: u64, pool: &Pool) -> loci_model::Result<Record> {
    let at = Timestamp::clamped(1_790_000_000_000 + number as i64 * 1_000);
    let mut record = samples::record(memory, number as u32, &pool.texts[(number % POOL) as usize])?;
    record.namespace = Namespace::parse(format!("/facts/a{}/", number % 20))?;
    record.strategy = None;
    record.created_at = at;
    record.updated_at = at;
    record.timestamp = at;
    record.valid_from = at;
    Ok(record)
}

async fn retrieve(wire: &Wire, memory: &str, number: u64) -> Result<Duration> {
    let body = json!({"namespacePath": "/",
                      "searchCriteria": {"searchQuery": texts::question(number), "topK": 10}});
    let began = Instant::now();
    let answer = wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await?;
    let took = began.elapsed();
    let found = answer["memoryRecordSummaries"].as_array().map_or(0, Vec::len);
    anyhow::ensure!(found == 10, "a question to {memory} found {found} records, not 10");
    Ok(took)
}

/// Measures the first search of a memory, which reads its index from the store.
async fn firsts(wire: &Wire, report: Report, ids: &[String], count: u64) -> Result<()> {
    retrieve(wire, ids.last().context("no memory")?, u64::MAX).await?;
    let mut latencies = Latencies::default();
    for (number, id) in (0..count).zip(ids) {
        latencies.add(retrieve(wire, id, number).await?);
    }
    let quantiles = latencies.quantiles();
    let text =
        format!("{quantiles}; the first question to each memory, HTTP, one client, embedding included");
    report.figure("retrieve_first", &text, &json!(quantiles));
    Ok(())
}

/// Measures searches of random memories, many of which were searched before.
async fn later(
    wire: &Wire,
    report: Report,
    ids: &[String],
    (seeded, of_run): (&mut Seeded, u64),
    count: u64,
) -> Result<()> {
    for (part, name) in ["retrieve_mixed", "retrieve_again"].into_iter().enumerate() {
        let first = of_run % 1_000_000 * 10_000 + part as u64 * count;
        let mut latencies = Latencies::default();
        for number in first..first + count {
            let id = &ids[seeded.below(ids.len() as u64) as usize];
            latencies.add(retrieve(wire, id, number).await?);
        }
        let quantiles = latencies.quantiles();
        let text = format!(
            "{quantiles}; memories at random, a new question each, HTTP, one client, embedding included"
        );
        report.figure(name, &text, &json!(quantiles));
    }
    Ok(())
}

async fn side_by_side(server: &Server, report: Report, ids: &[String], count: u64) -> Result<()> {
    const CLIENTS: u64 = 8;
    let loops = (0..CLIENTS).map(|client| {
        let (wire, ids) = (Wire::new(&server.url), ids.to_vec());
        tokio::spawn(async move {
            let (mut seeded, mut latencies) = (Seeded::new(100 + client), Latencies::default());
            for number in 0..count / CLIENTS {
                let id = &ids[seeded.below(ids.len() as u64) as usize];
                latencies.add(retrieve(&wire, id, client << 40 | number).await?);
            }
            Ok::<_, anyhow::Error>(latencies)
        })
    });
    let began = Instant::now();
    let mut all = Latencies::default();
    for one in loops.collect::<Vec<_>>() {
        all.extend(one.await??);
    }
    let quantiles = all.quantiles();
    let rate = quantiles.count as f64 / began.elapsed().as_secs_f64();
    let text = format!("{rate:.0} questions/s with {CLIENTS} closed loops; {quantiles}");
    report.figure("retrieve_8_clients", &text, &json!({"per_s": rate, "latency": quantiles}));
    Ok(())
}

/// Sends an event into a random memory. Returns the latency.
async fn event(
    wire: &Wire,
    ids: &[String],
    seeded: &mut Seeded,
    token: &str,
    number: u64,
) -> Result<Duration> {
    let id = &ids[seeded.below(ids.len() as u64) as usize];
    let text = texts::talk(number, TEXT_BYTES);
    let body = user_turn("loader", "s-1", BASE_SECONDS + number as f64, token, &text);
    let began = Instant::now();
    wire.ask("POST", &format!("/memories/{id}/events"), Some(&body)).await?;
    Ok(began.elapsed())
}

/// Sends events at a rate that the machine can extract. A late response does not shift the later
/// events.
async fn paced_events(
    wire: &Wire,
    report: Report,
    ids: &[String],
    (seeded, of_run): (&mut Seeded, u64),
) -> Result<()> {
    let mut ticks = tokio::time::interval(Duration::from_millis(1_000 / PACED_PER_S));
    let mut latencies = Latencies::default();
    for number in 0..PACED {
        ticks.tick().await;
        latencies.add(event(wire, ids, seeded, &format!("p-{of_run}-{number}"), number).await?);
    }
    let quantiles = latencies.quantiles();
    let text =
        format!("{quantiles}; durable, {PACED_PER_S} events a second, memories at random, each extracted");
    report.figure("create_event_paced", &text, &json!(quantiles));
    Ok(())
}

/// Sends events into random memories as fast as they are answered. Extraction runs at the same time
/// and does not keep up.
async fn events(
    wire: &Wire,
    report: Report,
    ids: &[String],
    (seeded, of_run): (&mut Seeded, u64),
) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let mut latencies = Latencies::default();
    let mut number = 0;
    while Instant::now() < until {
        number += 1;
        latencies.add(event(wire, ids, seeded, &format!("t-{of_run}-{number}"), number).await?);
    }
    let quantiles = latencies.quantiles();
    let text = format!("{quantiles}; durable, one closed loop, memories at random, extraction running");
    report.figure("create_event_many_memories", &text, &json!(quantiles));
    Ok(())
}
