//! `pipeline-load`: a server that reads with a provider that takes its time. Whether sessions wait for each other, and
//! whether CreateEvent is slower while the provider works. The provider is the scripted model of this program, in this
//! process; the server is a process of its own.

mod beside;
mod calls;
mod sessions;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::load::Report;
use crate::scripted_model::{Scripted, configuration};
use crate::server::{self, Server};
use crate::wire::{Wire, text_at};
use calls::Calls;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Parts to run; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The provider answers so late.
    #[arg(long, default_value_t = 500)]
    delay_ms: u64,
    /// It is asked so many questions at once; the default of a `[[model]]`.
    #[arg(long, default_value_t = 16)]
    concurrency: u64,
    /// Sessions that are read at once.
    #[arg(long, default_value_t = 16)]
    sessions: u64,
    /// CreateEvents of each block; there are two blocks of each kind.
    #[arg(long, default_value_t = 5_000)]
    requests: u64,
    /// Beside them each session fills a window this often; 2,000 keeps the provider as busy as it can be.
    #[arg(long, default_value_t = 8_000)]
    window_every_ms: u64,
    /// Fails where a goal is missed.
    #[arg(long)]
    gate: bool,
    /// The `loci` to run; the one beside this program if absent.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Prints one JSON object per figure.
    #[arg(long)]
    json: bool,
}

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// From the last CreateEvent of many sessions to all of their records.
    Sessions,
    /// CreateEvent with and without the provider at work.
    CreateEvent,
}

/// Messages of a window: the default of a memory.
const WINDOW: u64 = 6;
const BASE_SECONDS: f64 = 1_790_000_000.0;
/// All four strategies that read.
const STRATEGIES: [(&str, &str, &str); 4] = [
    ("semanticMemoryStrategy", "facts", "/facts/{actorId}/"),
    ("userPreferenceMemoryStrategy", "preferences", "/preferences/{actorId}/"),
    ("summaryMemoryStrategy", "summaries", "/summaries/{actorId}/{sessionId}/"),
    ("episodicMemoryStrategy", "episodes", "/episodes/{actorId}/{sessionId}/"),
];

/// Runs the parts asked for.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let report = Report::new(arguments.json);
    let wanted = |part| arguments.parts.is_empty() || arguments.parts.contains(&part);
    let mut missed = Vec::new();
    if wanted(Part::Sessions) {
        missed.extend(sessions::run(&binary, report, &arguments).await?);
    }
    if wanted(Part::CreateEvent) {
        missed.extend(beside::run(&binary, report, &arguments).await?);
    }
    ensure!(!arguments.gate || missed.is_empty(), "missed: {}", missed.join("; "));
    Ok(())
}

/// A server that reads with a slow model, and a memory on it.
struct Ground {
    calls: Arc<Calls>,
    _model: Scripted,
    _server: Server,
    _folder: tempfile::TempDir,
    wire: Wire,
    memory: String,
}

impl Ground {
    async fn new(binary: &Path, arguments: &Arguments) -> Result<Self> {
        let calls = Arc::new(Calls::default());
        let model = Scripted::start(Duration::from_millis(arguments.delay_ms), calls.clone()).await?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("loci.toml");
        std::fs::write(&file, configuration(model.port(), arguments.concurrency))?;
        let settings = [("LOCI_CONFIG", file.to_str().context("a folder with a strange name")?)];
        let server = Server::start_with(binary, &folder.path().join("data"), &settings)?;
        let wire = Wire::new(&server.url);
        let memory = memory(&wire).await?;
        Ok(Self { calls, _model: model, _server: server, _folder: folder, wire, memory })
    }

    /// One event with some messages of a session.
    async fn say(&self, actor: &str, session: &str, texts: &[String]) -> Result<()> {
        let item = |text: &String| json!({"conversational": {"role": "USER", "content": {"text": text}}});
        let body = json!({"actorId": actor, "sessionId": session, "eventTimestamp": BASE_SECONDS,
                          "payload": texts.iter().map(item).collect::<Vec<_>>()});
        self.wire.ask("POST", &format!("/memories/{}/events", self.memory), Some(&body)).await.map(drop)
    }

    /// Jobs of reading in a state, at most a page.
    async fn jobs(&self, state: &str) -> Result<usize> {
        let path = format!("/v1/memories/{}/jobs?kind=extract&state={state}", self.memory);
        let page = self.wire.ask("GET", &path, None).await?;
        page.get("jobs").and_then(Value::as_array).map(Vec::len).context("no list of jobs")
    }
}

async fn memory(wire: &Wire) -> Result<String> {
    let strategies: Vec<Value> = STRATEGIES
        .iter()
        .map(|(kind, name, template)| {
            let mut strategy = json!({"name": name, "namespaceTemplates": [template]});
            if *name == "episodes" {
                strategy["reflectionConfiguration"] = json!({"namespaceTemplates": ["/episodes/{actorId}/"]});
            }
            let mut one = serde_json::Map::new();
            one.insert((*kind).to_owned(), strategy);
            Value::Object(one)
        })
        .collect();
    let body = json!({"name": "pipeline", "eventExpiryDuration": 90, "memoryStrategies": strategies});
    text_at(&wire.ask("POST", "/memories/create", Some(&body)).await?, "/memory/id")
}
