//! `injection`: measures the time that the injection of memories into a model call adds to the
//! search: the query, fusion of two stores, the budget, and the rendering. Searches and injections
//! alternate, so that the state of the machine affects both. A further injection has stores with
//! immediate results, to isolate the client's own share.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all, ready};
use loci_client::agent::stores::{ReadNamespace, RemoteStoreOptions};
use loci_client::agent::{
    Added, BatchOutcome, Capabilities, Entry, MemoryManager, MemoryStore, Message, MessageBatch, NewEntry,
    RuntimeContext, SearchQuery, StoreError,
};
use loci_client::api::memory::MemoryListing;
use loci_client_embedded::{EmbeddedEngine, EmbeddedOptions, EmbeddedStore};
use serde_json::json;

use crate::figures::Latencies;
use crate::texts;

/// The size of a record's text, in bytes.
const RECORD_BYTES: usize = 400;

/// The size of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Records of the memory, half of them for each store.
    #[arg(long, default_value_t = 10_000)]
    records: usize,
    /// Turns, each with one query.
    #[arg(long, default_value_t = 400)]
    turns: usize,
    /// Maximum median of the time that injection adds to the search, in milliseconds.
    #[arg(long, default_value_t = 2.0)]
    added_ms_max: f64,
}

/// A store that immediately returns fixed entries.
struct ImmediateSearch {
    name: String,
    entries: Vec<Entry>,
}

impl MemoryStore for ImmediateSearch {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { scored: true, ..Capabilities::default() }
    }

    fn search<'a>(&'a self, _: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        ready(Ok(self.entries.clone())).boxed()
    }

    fn add<'a>(&'a self, _: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        ready(Err(StoreError::permanent("it is only read"))).boxed()
    }

    fn add_messages<'a>(&'a self, _: &'a MessageBatch) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        ready(Err(StoreError::permanent("it is only read"))).boxed()
    }
}

/// Fills a memory, runs the turns, and compares.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let engine = Arc::new(EmbeddedEngine::open(EmbeddedOptions::new(temporary.path())).await?);
    let stores = ["facts", "talk"].map(|area| store(&engine, area));
    let [facts, talk] = stores;
    let stores: Vec<Arc<dyn MemoryStore>> = vec![Arc::new(facts?), Arc::new(talk?)];
    for store in &stores {
        store.initialize().await?;
    }
    fill(&engine, arguments.records).await?;
    let waited = stores.first().context("no store")?.wait_extracted(300_000).await?;
    ensure!(waited.complete, "{} jobs are left after five minutes", waited.pending);
    let builder = MemoryManager::builder(RuntimeContext::system());
    let manager =
        stores.iter().fold(builder, |builder, store| builder.shared_store(Arc::clone(store))).build().await?;
    let mut figures = Figures::default();
    for turn in 0..arguments.turns {
        let question = texts::question(turn as u64);
        figures.turn(&manager, &stores, &question, turn.is_multiple_of(2)).await?;
    }
    engine.close().await?;
    figures.told(&arguments)
}

fn store(engine: &Arc<EmbeddedEngine>, area: &str) -> Result<EmbeddedStore> {
    let place = ReadNamespace::NamespacePath(format!("/{area}/{{actorId}}/"));
    Ok(EmbeddedStore::new(
        engine,
        RemoteStoreOptions {
            actor: Some("ann".to_owned()),
            writable: true,
            ..RemoteStoreOptions::new(engine.client(), "notes", place)
        },
    )?)
}

/// Creates records, alternating between the two areas, a hundred per call.
async fn fill(engine: &EmbeddedEngine, records: usize) -> Result<()> {
    let client = engine.client();
    let listing = MemoryListing { name: Some("notes".to_owned()), ..MemoryListing::default() };
    let memory = client.memory_list(&listing).await?.memories.into_iter().next().context("no memory")?;
    let numbers: Vec<u64> = (0..records as u64).collect();
    for chunk in numbers.chunks(100) {
        let record = |number: &u64| {
            let area = if number.is_multiple_of(2) { "facts" } else { "talk" };
            let text = texts::talk(*number, RECORD_BYTES);
            json!({"namespace": format!("/{area}/ann/"), "text": text})
        };
        let create = json!({"records": chunk.iter().map(record).collect::<Vec<_>>()});
        let made = client.records_create(&memory.id, &serde_json::from_value(create)?).await?;
        ensure!(made.items.iter().all(|item| item.error.is_none()), "a record was refused");
    }
    Ok(())
}

#[derive(Default)]
struct Figures {
    search: Latencies,
    inject: Latencies,
    at_once: Latencies,
    added_ms: Vec<f64>,
}

impl Figures {
    /// Searches and injects for one turn of the user. `search_first` determines the order.
    async fn turn(
        &mut self,
        manager: &MemoryManager,
        stores: &[Arc<dyn MemoryStore>],
        question: &str,
        search_first: bool,
    ) -> Result<()> {
        let history = [Message::user(question)];
        let early = if search_first { Some(searched(stores, question).await?) } else { None };
        let began = Instant::now();
        let injected = manager.inject(&history, &json!({})).await;
        let inject = began.elapsed();
        ensure!(injected.appended_blocks == 1, "nothing was injected for {question}");
        let (search, found) = match early {
            Some(early) => early,
            None => searched(stores, question).await?,
        };
        let manager = at_once(found).await?;
        let began = Instant::now();
        let alone = manager.inject(&history, &json!({})).await;
        self.at_once.add(began.elapsed());
        ensure!(alone.entries == injected.entries, "the same entries make another input");
        self.search.add(search);
        self.inject.add(inject);
        self.added_ms.push((inject.as_secs_f64() - search.as_secs_f64()) * 1_000.0);
        Ok(())
    }

    fn told(mut self, arguments: &Arguments) -> Result<()> {
        self.added_ms.sort_by(f64::total_cmp);
        let added = self.added_ms.get(self.added_ms.len() / 2).copied().unwrap_or_default();
        let at_once = self.at_once.quantiles();
        println!("{} records, {} turns, two stores in process", arguments.records, arguments.turns);
        println!("search alone   {}", self.search.quantiles());
        println!("injection      {}", self.inject.quantiles());
        println!("added          p50 {added:.2} ms, turn by turn");
        println!("without search {at_once}");
        let max = arguments.added_ms_max;
        ensure!(added <= max && at_once.p95_ms <= max, "injection adds more than {max} ms");
        Ok(())
    }
}

/// Searches both stores in parallel, as the manager does. Returns the duration and the results.
async fn searched(
    stores: &[Arc<dyn MemoryStore>],
    question: &str,
) -> Result<(Duration, Vec<(String, Vec<Entry>)>)> {
    let query = SearchQuery {
        text: question.to_owned(),
        max_results: NonZeroU32::new(5).unwrap_or(NonZeroU32::MIN),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    };
    let began = Instant::now();
    let found = join_all(stores.iter().map(|store| store.search(&query))).await;
    let took = began.elapsed();
    let found = found.into_iter().zip(stores).map(|(entries, store)| Ok((store.name().to_owned(), entries?)));
    Ok((took, found.collect::<Result<_>>()?))
}

/// Returns a manager whose stores return these results immediately.
async fn at_once(found: Vec<(String, Vec<Entry>)>) -> Result<MemoryManager> {
    let builder = MemoryManager::builder(RuntimeContext::system());
    let stores = found.into_iter().map(|(name, entries)| ImmediateSearch { name, entries });
    Ok(stores.fold(builder, |builder, store| builder.store(store)).build().await?)
}
