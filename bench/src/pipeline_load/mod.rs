//! `pipeline-load`: measures a server whose extraction uses a slow provider. It checks if sessions
//! wait for each other, and if CreateEvent is slower while the provider works. The provider is the
//! scripted model of this program, in this process. The server is a separate process.

mod calls;
mod sessions;
mod write_latency;

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

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Parts to run; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Delay of the provider's responses, in milliseconds.
    #[arg(long, default_value_t = 500)]
    delay_ms: u64,
    /// Maximum number of parallel requests to the provider; the default of a `[[model]]`.
    #[arg(long, default_value_t = 16)]
    concurrency: u64,
    /// Sessions that are extracted at once.
    #[arg(long, default_value_t = 16)]
    sessions: u64,
    /// CreateEvents of each block; there are two blocks of each kind.
    #[arg(long, default_value_t = 5_000)]
    requests: u64,
    /// Interval in milliseconds at which each other session fills a window; 2,000 keeps the
    /// provider fully busy.
    #[arg(long, default_value_t = 8_000)]
    window_every_ms: u64,
    /// Fail if a goal is missed.
    #[arg(long)]
    gate: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Print one JSON object per figure.
    #[arg(long)]
    json: bool,
}

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Time from the last CreateEvent of many sessions to all of their records.
    Sessions,
    /// CreateEvent with and without the provider at work.
    CreateEvent,
}

/// Messages of a window: the default of a memory.
const WINDOW: u64 = 6;
const BASE_SECONDS: f64 = 1_790_000_000.0;
/// All four strategies that extract.
const STRATEGIES: [(&str, &str, &str); 4] = [
    ("semanticMemoryStrategy", "facts", "/facts/{actorId}/"),
    ("userPreferenceMemoryStrategy", "preferences", "/preferences/{actorId}/"),
    ("summaryMemoryStrategy", "summaries", "/summaries/{actorId}/{sessionId}/"),
    ("episodicMemoryStrategy", "episodes", "/episodes/{actorId}/{sessionId}/"),
];

/// Runs the selected parts.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let report = Report::new(arguments.json);
    let wanted = |part| arguments.parts.is_empty() || arguments.parts.contains(&part);
    let mut missed = Vec::new();
    if wanted(Part::Sessions) {
        missed.extend(sessions::run(&binary, report, &arguments).await?);
    }
    if wanted(Part::CreateEvent) {
        missed.extend(write_latency::run(&binary, report, &arguments).await?);
    }
    ensure!(!arguments.gate || missed.is_empty(), "missed: {}", missed.join("; "));
    Ok(())
}

/// A server that extracts with a slow model, and a memory on it.
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

    /// Sends one event with messages of a session.
    async fn say(&self, actor: &str, session: &str, texts: &[String]) -> Result<()> {
        let item = |text: &String| json!({"conversational": {"role": "USER", "content": {"text": text}}});
        let body = json!({"actorId": actor, "sessionId": session, "eventTimestamp": BASE_SECONDS,
                          "payload": texts.iter().map(item).collect::<Vec<_>>()});
        self.wire.ask("POST", &format!("/memories/{}/events", self.memory), Some(&body)).await.map(drop)
    }

    /// Returns the number of extraction jobs in a state, at most a page.
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
