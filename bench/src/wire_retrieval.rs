//! `wire-retrieval`: recall and latency of RetrieveMemoryRecords against a running server, over the
//! AgentCore wire alone.
//!
//! It uses one memory per conversation with one semantic strategy, one event per turn sent by four
//! writers, one wait, and one retrieval per question. The shipped weights were fitted on the
//! development sets, so the figures are in-sample there, which the output states. With
//! `--weights-dir`, each memory uses weights that did not see its conversation.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::dev_set::{self, Conversation, Question, SentTurn, Turn};
use crate::figures::Latencies;
use crate::recall::{self, Outcome};
use crate::server::Server;
use crate::wire::{Wire, text_at};

const WRITERS: usize = 4;
const ACTOR: &str = "user";
const TEMPLATE: &str = "/facts/{actorId}/";
const NAMESPACE_PATH: &str = "/facts/user";
const RESULTS: u32 = 50;

/// The server to measure.
#[derive(Debug, clap::Args)]
#[group(id = "where", required = true, multiple = false)]
pub(crate) struct MeasuredServer {
    /// A running server.
    #[arg(long)]
    url: Option<String>,
    /// A `loci` to start on its own folder for the run.
    #[arg(long)]
    spawn: Option<PathBuf>,
}

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each.
    #[arg(long)]
    set: PathBuf,
    #[command(flatten)]
    place: MeasuredServer,
    /// Weights by conversation, as `train --out` writes them: each memory ranks by weights that did
    /// not see it.
    #[arg(long)]
    weights_dir: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Measures one set.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let conversations = dev_set::read(&arguments.set)?;
    let temporary = tempfile::tempdir()?;
    let (spawned, url) = match (&arguments.place.spawn, &arguments.place.url) {
        (Some(binary), _) => {
            let server = Server::start(binary, &temporary.path().join("data"))?;
            let url = server.url.clone();
            (Some(server), url)
        }
        (None, Some(url)) => (None, url.trim_end_matches('/').to_owned()),
        (None, None) => bail!("name a server with --url, or a binary with --spawn"),
    };
    let began = Instant::now();
    let run = Run::whole(&url, &conversations, arguments.weights_dir.as_deref()).await?;
    if let Some(server) = spawned {
        server.stop()?;
    }
    run.report(&arguments, conversations.len(), began.elapsed().as_secs_f64());
    Ok(())
}

/// Searches for every question of the conversations, each in its own memory, with its own weights
/// if a folder is given. Returns the outcomes and the latencies.
pub(crate) async fn measure(
    url: &str,
    conversations: &[Conversation],
    weights_dir: Option<&Path>,
) -> Result<(Vec<Outcome>, Latencies)> {
    let run = Run::whole(url, conversations, weights_dir).await?;
    Ok((run.outcomes, run.retrieve))
}

struct Run {
    wire: Wire,
    outcomes: Vec<Outcome>,
    retrieve: Latencies,
}

impl Run {
    async fn whole(url: &str, conversations: &[Conversation], weights_dir: Option<&Path>) -> Result<Self> {
        let mut run = Self { wire: Wire::new(url), outcomes: Vec::new(), retrieve: Latencies::default() };
        for (number, conversation) in conversations.iter().enumerate() {
            let weights = match weights_dir {
                None => None,
                Some(folder) => Some(weights_of(folder, conversation)?),
            };
            run.conversation(number, conversation, weights).await?;
        }
        Ok(run)
    }

    /// Fills a separate memory, searches it, and deletes it.
    async fn conversation(
        &mut self,
        number: usize,
        conversation: &Conversation,
        weights: Option<Value>,
    ) -> Result<()> {
        let memory = fill(&self.wire, number, conversation, weights).await?;
        for question in &conversation.questions {
            let began = Instant::now();
            let answer = retrieve(&self.wire, &memory, question).await?;
            self.retrieve.add(began.elapsed());
            let ranked = ranked(&answer)?;
            let ranked: Vec<_> =
                ranked.iter().map(|(turn, session)| (turn.as_str(), session.as_str())).collect();
            self.outcomes.push(Outcome {
                conversation: number,
                category: question.category.clone(),
                found: recall::found(&ranked, &question.gold_turns, &question.gold_sessions),
            });
        }
        self.wire.ask("DELETE", &format!("/memories/{memory}/delete"), None).await?;
        Ok(())
    }

    fn report(mut self, arguments: &Arguments, conversations: usize, seconds: f64) {
        let rows = recall::rows(&self.outcomes);
        let mean_ms = self.retrieve.mean_ms();
        let latency = self.retrieve.quantiles();
        if arguments.json {
            let report = json!({
                "set": arguments.set.display().to_string(),
                "in_sample": arguments.weights_dir.is_none(),
                "conversations": conversations,
                "seconds": seconds,
                "retrieve_mean_ms": mean_ms,
                "retrieve": latency,
                "recall": rows,
            });
            println!("{report}");
            return;
        }
        println!("{}: {conversations} conversations in {seconds:.0} s", arguments.set.display());
        match &arguments.weights_dir {
            None => println!("IN-SAMPLE for the development sets: the shipped weights were fitted on them."),
            Some(_) => println!("Held out: each conversation by weights that did not see it."),
        }
        println!("retrieve: mean {mean_ms:.2} ms, {latency}");
        print!("{}", recall::table(&rows));
    }
}

/// Returns the weights that did not see a conversation, or those of all conversations if it was not
/// used for training.
fn weights_of(folder: &Path, conversation: &Conversation) -> Result<Value> {
    let own = folder.join(format!("{}.json", conversation.id));
    let file = if own.exists() { own } else { folder.join("all.json") };
    let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("in {}", file.display()))
}

/// Creates a memory of a conversation, and waits until all of it is extracted and embedded. Returns
/// its id.
pub(crate) async fn fill(
    wire: &Wire,
    number: usize,
    conversation: &Conversation,
    weights: Option<Value>,
) -> Result<String> {
    let memory = create_memory(wire, number).await?;
    if let Some(weights) = weights {
        let settings = json!({"retrieval_weights": weights});
        wire.ask("PUT", &format!("/v1/memories/{memory}/settings"), Some(&settings)).await?;
    }
    let turns: Vec<_> = conversation.turns.iter().zip(conversation.sent()?).collect();
    stream::iter(turns)
        .map(|(turn, sent)| send_turn(wire, &memory, turn, sent))
        .buffer_unordered(WRITERS)
        .try_collect::<Vec<()>>()
        .await
        .with_context(|| format!("writing {}", conversation.id))?;
    wire.settle(&memory).await?;
    Ok(memory)
}

async fn create_memory(wire: &Wire, number: usize) -> Result<String> {
    let copied = |key: &str| json!({"key": key, "type": "STRING", "extractionType": "STRICTLY_CONSISTENT"});
    let strategy = json!({"semanticMemoryStrategy": {
        "name": "facts",
        "namespaceTemplates": [TEMPLATE],
        "memoryRecordSchema": {"metadataSchema": [copied("turn"), copied("session")]},
    }});
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let name = format!("recall_{number}_{}", since.as_millis());
    let body = json!({"name": name, "eventExpiryDuration": 3650, "memoryStrategies": [strategy]});
    text_at(&wire.ask("POST", "/memories/create", Some(&body)).await?, "/memory/id")
}

async fn send_turn(wire: &Wire, memory: &str, turn: &Turn, sent: SentTurn) -> Result<()> {
    let body = json!({
        "actorId": ACTOR,
        "sessionId": format!("s-{}", turn.session.replace('.', "-")),
        "eventTimestamp": sent.seconds,
        "payload": [{"conversational": {"role": turn.role.to_uppercase(), "content": {"text": sent.text}}}],
        "metadata": {"turn": {"stringValue": turn.id}, "session": {"stringValue": turn.session}},
    });
    wire.ask("POST", &format!("/memories/{memory}/events"), Some(&body)).await.map(|_| ())
}

/// Returns the response to a question.
pub(crate) async fn retrieve(wire: &Wire, memory: &str, question: &Question) -> Result<Value> {
    let body = json!({
        "namespacePath": NAMESPACE_PATH,
        "searchCriteria": {"searchQuery": question.text, "topK": RESULTS},
        "maxResults": RESULTS,
    });
    wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await
}

/// Returns the turn and session of each record, in the order of the response.
pub(crate) fn ranked(answer: &Value) -> Result<Vec<(String, String)>> {
    let records = answer.get("memoryRecordSummaries").and_then(Value::as_array).context("no records")?;
    let name = |record: &Value, key: &str| text_at(record, &format!("/metadata/{key}/stringValue"));
    records.iter().map(|record| Ok((name(record, "turn")?, name(record, "session")?))).collect()
}
