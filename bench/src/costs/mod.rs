//! `costs`: the resources that one operation uses: processor time, log of the database and disk
//! space. One client runs one kind of operation after the other, on a folder and on PostgreSQL. The
//! figures serve planning. `wire-load` measures latencies under load.

mod meters;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::figures::Latencies;
use crate::load::Report;
use crate::server::{self, Server};
use crate::texts;
use crate::wire::{MemoryShape, Wire, user_turn};
use meters::{Database, MeterReading};

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Operations of each kind.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(100..))]
    operations: u64,
    /// Print one line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

const TEXT_BYTES: usize = 300;
const BASE_SECONDS: f64 = 1_790_000_000.0;
const BATCH: u64 = 20;
/// Events of one session.
const SESSION: u64 = 50;
/// The length of the idle period whose usage is measured.
const IDLE: Duration = Duration::from_secs(20);

/// A server under measurement.
struct Bench {
    server: Server,
    wire: Wire,
    database: Option<Database>,
    report: Report,
    store: &'static str,
    operations: u64,
}

/// Measures both stores.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    for store in ["folder", "postgresql"] {
        let temporary = tempfile::tempdir()?;
        let database = if store == "folder" { None } else { Some(Database::start()?) };
        let url = database.as_ref().map(Database::url);
        let environment: Vec<(&str, &str)> = url.iter().map(|url| ("LOCI_STORE", url.as_str())).collect();
        let server = Server::start_with(&binary, &temporary.path().join("data"), &environment)?;
        let wire = Wire::new(&server.url);
        let report = Report::new(arguments.json);
        let bench = Bench { server, wire, database, report, store, operations: arguments.operations };
        bench.all().await?;
        bench.server.stop()?;
    }
    Ok(())
}

impl Bench {
    async fn all(&self) -> Result<()> {
        let plain = self.wire.create_memory(&MemoryShape { name: "plain", semantic: None }).await?;
        let shape = MemoryShape { name: "read", semantic: Some(("facts", "/facts/{actorId}/")) };
        let read = self.wire.create_memory(&shape).await?;
        self.events("create_event", &plain, false).await?;
        self.events("create_event_extracted", &read, true).await?;
        self.records(&plain).await?;
        self.asks("retrieve", |number| {
            let criteria = json!({"searchQuery": texts::question(number), "topK": 10});
            (format!("/memories/{read}/retrieve"), json!({"namespacePath": "/", "searchCriteria": criteria}))
        })
        .await?;
        self.asks("list_events", |number| {
            let session = number % (self.operations / SESSION).max(1);
            (format!("/memories/{read}/actor/loader/sessions/s-{session}"), json!({"maxResults": 20}))
        })
        .await?;
        self.idle().await
    }

    fn read(&self) -> Result<MeterReading> {
        meters::read(&self.server, self.database.as_ref())
    }

    async fn events(&self, name: &str, memory: &str, is_read: bool) -> Result<()> {
        let (before, mut latencies) = (self.read()?, Latencies::default());
        for number in 0..self.operations {
            let text = texts::talk(number, TEXT_BYTES);
            let (session, token) = (format!("s-{}", number / SESSION), format!("{name}-{number}"));
            let body = user_turn("loader", &session, BASE_SECONDS + number as f64, &token, &text);
            let began = Instant::now();
            self.wire.ask("POST", &format!("/memories/{memory}/events"), Some(&body)).await?;
            latencies.add(began.elapsed());
        }
        if is_read {
            self.wire.settle(memory).await?;
        }
        self.tell(name, latencies, before, self.operations)
    }

    /// Measures creating records directly, which includes their embedding.
    async fn records(&self, memory: &str) -> Result<()> {
        let (before, mut latencies) = (self.read()?, Latencies::default());
        for batch in 0..self.operations / BATCH {
            let records: Vec<Value> = (batch * BATCH..(batch + 1) * BATCH)
                .map(|number| {
                    json!({"requestIdentifier": format!("r-{number}"), "namespaces": ["/notes/"],
                           "content": {"text": texts::talk(number, TEXT_BYTES)},
                           "timestamp": BASE_SECONDS + number as f64})
                })
                .collect();
            let began = Instant::now();
            self.wire.batch_create(memory, &records).await?;
            latencies.add(began.elapsed());
        }
        self.wire.settle(memory).await?;
        self.tell("batch_create_of_20_per_record", latencies, before, self.operations / BATCH * BATCH)
    }

    async fn asks(&self, name: &str, question: impl Fn(u64) -> (String, Value)) -> Result<()> {
        // The first request loads the index.
        let (path, body) = question(self.operations);
        self.wire.ask("POST", &path, Some(&body)).await?;
        let (before, mut latencies) = (self.read()?, Latencies::default());
        for number in 0..self.operations {
            let (path, body) = question(number);
            let began = Instant::now();
            self.wire.ask("POST", &path, Some(&body)).await?;
            latencies.add(began.elapsed());
        }
        self.tell(name, latencies, before, self.operations)
    }

    async fn idle(&self) -> Result<()> {
        let before = self.read()?;
        tokio::time::sleep(IDLE).await;
        let each = self.read()?.each(before, IDLE.as_secs_f64());
        let text = format!(
            "{}: in a second without requests the server takes {:.1} ms of a processor, the database {:.1} ms",
            self.store, each.server_ms, each.database_ms
        );
        let value = json!({"store": self.store, "server_ms_per_s": each.server_ms,
                           "database_ms_per_s": each.database_ms});
        self.report.figure("idle", &text, &value);
        Ok(())
    }

    fn tell(
        &self,
        name: &str,
        mut latencies: Latencies,
        before: MeterReading,
        operations: u64,
    ) -> Result<()> {
        let each = self.read()?.each(before, operations as f64);
        let quantiles = latencies.quantiles();
        let mut text = format!("{}: {:.2} ms of the server", self.store, each.server_ms);
        if self.database.is_some() {
            text += &format!(
                ", {:.2} ms of the database, {:.0} bytes of its log, {:.0} bytes stored",
                each.database_ms, each.log_bytes, each.stored_bytes
            );
        }
        text += &format!("; p50 {:.2} ms, p95 {:.2} ms", quantiles.p50_ms, quantiles.p95_ms);
        let value = json!({
            "store": self.store, "operations": operations, "server_ms": each.server_ms,
            "database_ms": each.database_ms, "log_bytes": each.log_bytes, "stored_bytes": each.stored_bytes,
            "latency": quantiles,
        });
        self.report.figure(name, &text, &value);
        Ok(())
    }
}
