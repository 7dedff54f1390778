//! Measures one memory of many records in PostgreSQL. It compares searches in the memory of the
//! process with searches in the database, with filters too. It also measures the time until the
//! database can be searched, and the latency of writes in that mode.
//!
//! Records are written directly into the store: turns of many words, with vectors near those of a
//! pool of texts. The database is the one that `LOCI_STORE` names, and data of an earlier run is
//! used again. Without the variable, a durable database is started for the run.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use loci_app::config::Config;
use loci_app::wiring::store::{STORE, StorePlan};
use loci_embed::MiniLm;
use loci_model::event::Role;
use loci_model::ports::embedder::Vector;
use loci_model::ports::store::{PassageVector, Store, StoreExt};
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::{ActorId, EventId, MemoryId, Namespace, SessionId, Timestamp};
use loci_pgserver::PostgresServer;
use loci_testkit_ports::samples;
use serde_json::json;

use super::Report;
use super::zipf_texts::{SESSION, question, turn};
use crate::figures::Latencies;
use crate::great_tables::{drawn, taken_in, with_members};
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::wire::{Wire, text_at, user_turn};

/// The number of embedded texts. The vectors of records are near theirs.
const POOL: u64 = 2_000;
/// Records of one write.
const BATCH: u64 = 500;
const START_MS: u64 = 1_700_000_000_000;
/// The maximum wait until the passages are in the database, and again until the graph is.
const WAIT_MAX: Duration = Duration::from_secs(3_600);
const LOOK_AGAIN: Duration = Duration::from_millis(500);
const NAME: &str = "great";
const ANSWERS: usize = 10;
/// The duration of the closed loop of events, in seconds.
const SECONDS: u64 = 15;

/// The scopes of the searches.
const SCOPES: [(&str, &str); 4] = [
    ("whole", "everything"),
    ("namespace", "a namespace of 1 in 20"),
    ("metadata_100", "metadata of 1 in 100"),
    ("metadata_20000", "metadata of 1 in 20,000"),
];

/// Fills the memory, then searches it in both modes.
pub(super) async fn run(binary: &Path, report: Report, records: u64, questions: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (_database, address) = database()?;
    let small = with_members(&address, &format!("scan_passages_max={}", records * 2));
    let server = Server::start_with(binary, &data, &[(STORE, &small)])?;
    let memory = filled(&Wire::new(&server.url), &address, &data, report, records).await?;
    let asked = QuestionTarget { memory: &memory, records, questions, report };
    let wire = Wire::new(&server.url);
    asked.first(&wire, "held").await?;
    let held = asked.every_scope(&wire, "held").await?;
    super::retrieve::resident(&server, report, "held_rss")?;
    server.stop()?;

    let great = with_members(&address, "scan_passages_max=200");
    let server = Server::start_with(binary, &data, &[(STORE, &great)])?;
    let wire = Wire::new(&server.url);
    asked.until(&wire, "becomes_great", || taken_in(&address)).await?;
    asked.until(&wire, "graph", || drawn(&address)).await?;
    server.stop()?;

    let server = Server::start_with(binary, &data, &[(STORE, &great)])?;
    let wire = Wire::new(&server.url);
    asked.first(&wire, "great").await?;
    let found = asked.every_scope(&wire, "great").await?;
    asked.compare(&held, &found);
    asked.events(&wire, "great").await?;
    super::retrieve::resident(&server, report, "great_rss")?;
    server.stop()?;

    // This comes last, because the events change the results of searches.
    let server = Server::start_with(binary, &data, &[(STORE, &small)])?;
    asked.events(&Wire::new(&server.url), "held").await?;
    server.stop()
}

/// Returns the database, and its server if this run started it.
fn database() -> Result<(Option<PostgresServer>, String)> {
    if let Ok(address) = std::env::var(STORE) {
        return Ok((None, address));
    }
    let further = [("shared_buffers", "2GB"), ("max_wal_size", "8GB")];
    let further = further.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let server = PostgresServer::start(&loci_pgserver::Settings { durable: true, further })?;
    let address = server.fresh_database()?;
    Ok((Some(server), address))
}

/// Returns the id of the memory, and fills it if it does not exist.
async fn filled(wire: &Wire, address: &str, data: &Path, report: Report, records: u64) -> Result<String> {
    let listed = wire.pages("/memories/", &json!({}), "memories").await?;
    let held = listed.iter().find(|memory| memory["id"].as_str().is_some_and(|id| id.starts_with(NAME)));
    if let Some(memory) = held {
        return text_at(memory, "/id");
    }
    let key = |key: &str| json!({"key": key, "type": "STRING"});
    let strategy =
        json!({"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}});
    let body = json!({"name": NAME, "eventExpiryDuration": 90, "memoryStrategies": [strategy],
                      "indexedKeys": [key("of_100"), key("of_20000")]});
    let memory = text_at(&wire.ask("POST", "/memories/create", Some(&body)).await?, "/memory/id")?;
    let store = StorePlan::at(address, &Config::default(), data.to_owned())?.open()?;
    fill(&store, &memory, report, records).await?;
    store.close();
    Ok(memory)
}

async fn fill(store: &Arc<dyn Store>, memory: &str, report: Report, records: u64) -> Result<()> {
    let memory = MemoryId::parse(memory).map_err(|error| anyhow::anyhow!(error.message))?;
    let pool = Arc::new(Pool::new()?);
    let progress = Progress::new(1);
    let began = Instant::now();
    for first in (0..records).step_by(BATCH as usize) {
        progress.within(first, records);
        let (memory, pool, until) = (memory.clone(), Arc::clone(&pool), records.min(first + BATCH));
        store
            .write(move |tx| {
                let mut vectors = Vec::new();
                for number in first..until {
                    let record = record(&memory, number)?;
                    let (id, vector) = (record.id.clone(), pool.near(number));
                    let model = pool.model.clone();
                    vectors.push(PassageVector { record: id, version: 1, part: 0, model, vector });
                    tx.records_mut().insert(&record)?;
                }
                tx.records_mut().put_vectors(&memory, &vectors).map(drop)
            })
            .await?;
    }
    let rate = records as f64 / began.elapsed().as_secs_f64();
    let text = format!("{records} records with vectors, {rate:.0} records/s, {BATCH} a write");
    report.figure("fill_great", &text, &json!({"records": records, "records_per_s": rate}));
    Ok(())
}

/// Vectors of some turns.
struct Pool {
    vectors: Vec<Vector>,
    model: String,
}

impl Pool {
    fn new() -> Result<Self> {
        let model = MiniLm::new();
        let texts: Vec<String> = (0..POOL).map(|number| turn(number * SESSION)).collect();
        let share = texts.len().div_ceil(std::thread::available_parallelism()?.get());
        let embed = |texts: &[String]| model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let vectors: Vec<Vector> = std::thread::scope(|scope| {
            let work: Vec<_> = texts.chunks(share).map(|texts| scope.spawn(|| embed(texts))).collect();
            work.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        ensure!(vectors.len() == texts.len(), "texts were not embedded");
        Ok(Self { vectors, model: model.model_id().to_owned() })
    }

    /// Returns a vector between two of the pool, with a deviation of its own. Turns of a session
    /// lie close together.
    fn near(&self, number: u64) -> Vector {
        let mut seeded = Seeded::new(number.wrapping_mul(0x9e37_79b9).wrapping_add(29));
        let session = number / SESSION;
        let of = |number: u64| self.vectors.get((number % POOL) as usize).map_or(&[][..], Vec::as_slice);
        let (one, other) = (of(session), of(session / POOL + session * 7 + 1));
        let mut vector: Vector = one
            .iter()
            .zip(other)
            .map(|(a, b)| a + 0.7 * b + (seeded.below(2_001) as f32 / 1_000.0 - 1.0) * 0.06)
            .collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}

fn record(memory: &MemoryId, number: u64) -> loci_model::Result<Record> {
    let at = Timestamp::clamped((START_MS + number * 10_000) as i64);
    let session = number / SESSION;
    let mut record = samples::record(memory, number as u32, &turn(number))?;
    record.namespace = Namespace::parse(format!("/facts/a{}/", session % 20))?;
    record.strategy = None;
    for (key, of) in [("of_100", 100), ("of_20000", 20_000)] {
        record.metadata.insert(key.to_owned(), MetadataValue::String(format!("v{}", number % of)));
    }
    record.provenance = Provenance {
        actor: Some(ActorId::parse(format!("a{}", session % 20))?),
        session: Some(SessionId::parse(format!("s-{session}"))?),
        branch: None,
        sources: vec![Source { event: EventId::compose(at.millis(), 0), message: 0, part: 0 }],
        verbatim: true,
        role: Some(Role::User),
        run: None,
        bound: BTreeSet::new(),
    };
    (record.created_at, record.updated_at, record.timestamp, record.valid_from) = (at, at, at, at);
    Ok(record)
}

/// The best results of each query, by scope.
type BestByScope = Vec<Vec<Vec<String>>>;

/// The inputs of the searches, and the report.
struct QuestionTarget<'a> {
    memory: &'a str,
    records: u64,
    questions: u64,
    report: Report,
}

impl QuestionTarget<'_> {
    /// Sends one search. It fails if fewer results come than exist.
    async fn ask(&self, wire: &Wire, scope: &str, number: u64) -> Result<(Duration, Vec<String>)> {
        let about = number.wrapping_mul(7_919).wrapping_add(13) % self.records;
        let mut criteria = json!({"searchQuery": question(about, number), "topK": ANSWERS});
        let equals = |key: &str, of: u64| {
            json!([{"left": {"metadataKey": key}, "operator": "EQUALS_TO",
                    "right": {"metadataValue": {"stringValue": format!("v{}", about % of)}}}])
        };
        let mut namespace = "/".to_owned();
        let mut there = self.records;
        match scope {
            "namespace" => namespace = format!("/facts/a{}/", about / SESSION % 20),
            "metadata_100" => criteria["metadataFilters"] = equals("of_100", 100),
            "metadata_20000" => {
                criteria["metadataFilters"] = equals("of_20000", 20_000);
                there = (self.records + 19_999 - about % 20_000) / 20_000;
            }
            _ => {}
        }
        let body = json!({"namespacePath": namespace, "searchCriteria": criteria});
        let began = Instant::now();
        let answer = wire.ask("POST", &format!("/memories/{}/retrieve", self.memory), Some(&body)).await?;
        let took = began.elapsed();
        let records = answer["memoryRecordSummaries"].as_array().context("no records")?;
        let ids =
            records.iter().map(|record| text_at(record, "/memoryRecordId")).collect::<Result<Vec<_>>>()?;
        let wanted = ANSWERS.min(there as usize);
        ensure!(ids.len() >= wanted, "{} records of {wanted} for question {number} to {scope}", ids.len());
        Ok((took, ids))
    }

    /// Measures the first search after the start of the server.
    async fn first(&self, wire: &Wire, path: &str) -> Result<()> {
        let (took, _) = self.ask(wire, "whole", u64::MAX >> 8).await?;
        let ms = took.as_secs_f64() * 1_000.0;
        let text = format!("{ms:.0} ms; the first question after the start of the server");
        self.report.figure(&format!("{path}_first"), &text, &json!({"ms": ms}));
        Ok(())
    }

    /// Searches each scope, without repeating a query.
    async fn every_scope(&self, wire: &Wire, path: &str) -> Result<BestByScope> {
        let mut all = Vec::new();
        for (scope, name) in SCOPES {
            let (mut latencies, mut found) = (Latencies::default(), Vec::new());
            for number in 0..self.questions {
                let (took, ids) = self.ask(wire, scope, number).await?;
                latencies.add(took);
                found.push(ids);
            }
            let quantiles = latencies.quantiles();
            let text = format!("{quantiles}; {name}, HTTP, one client, embedding included");
            self.report.figure(&format!("{path}_{scope}"), &text, &json!(quantiles));
            all.push(found);
        }
        Ok(all)
    }

    /// Compares the results of both modes.
    fn compare(&self, held: &BestByScope, great: &BestByScope) {
        for ((scope, name), (held, great)) in SCOPES.iter().zip(held.iter().zip(great)) {
            let shared = held.iter().zip(great).map(|(held, great)| {
                let held: BTreeSet<&String> = held.iter().collect();
                great.iter().filter(|id| held.contains(id)).count()
            });
            let all: usize = held.iter().map(Vec::len).sum();
            let overlap = shared.sum::<usize>() as f64 / all.max(1) as f64;
            let text = format!("{overlap:.4} of the best ten are the same both ways; {name}");
            self.report.figure(&format!("overlap_{scope}"), &text, &json!({"overlap_at_10": overlap}));
        }
    }

    /// Searches until `is_there` reports data of the memory in the database.
    async fn until(&self, wire: &Wire, what: &str, is_there: impl Fn() -> Result<usize>) -> Result<()> {
        let began = Instant::now();
        let mut number = 0;
        while is_there()? == 0 {
            ensure!(began.elapsed() < WAIT_MAX, "{what}: not within {} s", WAIT_MAX.as_secs());
            self.ask(wire, "whole", (1 << 32) + number).await?;
            number += 1;
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        let seconds = began.elapsed().as_secs_f64();
        let text = format!("{seconds:.0} s, {:.0} records/s", self.records as f64 / seconds);
        self.report.figure(what, &text, &json!({"seconds": seconds}));
        Ok(())
    }

    /// Sends events in one closed loop, with a search after every tenth. The search first loads the
    /// data that was written before it.
    async fn events(&self, wire: &Wire, path: &str) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(SECONDS);
        let (mut events, mut asked, mut number) = (Latencies::default(), Latencies::default(), 0);
        while Instant::now() < until {
            number += 1;
            let seconds = 1_790_000_000.0 + number as f64;
            let token = format!("{path}-{number}");
            let body = user_turn("loader", "s-1", seconds, &token, &turn(number << 20));
            let began = Instant::now();
            wire.ask("POST", &format!("/memories/{}/events", self.memory), Some(&body)).await?;
            events.add(began.elapsed());
            if number.is_multiple_of(10) {
                asked.add(self.ask(wire, "whole", (1 << 40) + number).await?.0);
            }
        }
        for (what, mut latencies) in [("event", events), ("retrieve_beside_events", asked)] {
            let quantiles = latencies.quantiles();
            let text = format!("{quantiles}; one closed loop, extraction running");
            self.report.figure(&format!("{path}_{what}"), &text, &json!(quantiles));
        }
        Ok(())
    }
}
