//! Loci as its users reach it: a separate server on a fresh folder, over HTTP on loopback. The HTTP
//! overhead counts against Loci. The embedding of a question is timed separately, in this process,
//! by the same code.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use loci_embed::MiniLm;
use serde_json::{Value, json};

use super::engine_figures::{Ingest, Quality, ScaleFigures, Serve};
use super::workload::{Scales, Set, first_lines};
use super::{Settings, folder_bytes};
use crate::progress::Progress;
use crate::server::Server;
use crate::wire::{MemoryShape, Wire};
use crate::{recall, wire_retrieval};

/// Records of one request, the wire's limit.
const BATCH: usize = 100;
const WAIT_MS: u64 = 5_000;
const RESULTS: u64 = 10;
/// The number of times that each question is embedded, to measure the cost.
const EMBEDDINGS: usize = 3;

/// The binary to measure.
#[derive(Debug)]
pub(super) struct LociSide {
    pub(super) binary: PathBuf,
}

impl LociSide {
    /// Returns the version: the last word of `loci --version`.
    pub(super) fn version(&self) -> Result<String> {
        let output = std::process::Command::new(&self.binary).arg("--version").output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        Ok(text.rsplit(' ').next().unwrap_or_default().to_owned())
    }

    /// Measures the set over the wire, with one memory per conversation, like `wire-retrieval`. It
    /// uses the shipped weights, or held-out weights from a folder, which were fitted without the
    /// conversation.
    pub(super) async fn quality(&self, set: &Set, held_out: Option<&Path>) -> Result<Quality> {
        let folder = tempfile::tempdir()?;
        let server = Server::start(&self.binary, &folder.path().join("data"))?;
        let (outcomes, _) = wire_retrieval::measure(&server.url, &set.conversations, held_out).await?;
        server.stop()?;
        let note = match held_out {
            None => "shipped weights, in-sample",
            Some(_) => "weights that did not see the conversation",
        };
        Ok(Quality { set: set.name(), note, all: recall::all(&outcomes) })
    }

    /// Loads, waits for the vectors, restarts the server and searches.
    pub(super) async fn scale(
        &self,
        records: usize,
        scales: &Scales,
        settings: &Settings,
        progress: &Progress,
    ) -> Result<ScaleFigures> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        let texts = first_lines(&scales.texts, records)?;
        progress.step(&format!("loci: {records} records"));
        let server = Server::start(&self.binary, &data)?;
        let wire = Wire::new(&server.url);
        let memory = wire.create_memory(&MemoryShape { name: "scale", semantic: None }).await?;
        let began = Instant::now();
        store(&wire, &memory, &texts, progress).await?;
        let stored = began.elapsed();
        found_by_words(&wire, &memory, &texts).await?;
        wait(&wire, &memory, progress).await?;
        let embedded = began.elapsed();
        let resident_bytes = server.resident_bytes()?;
        let ingest = |took: Duration| Ingest { records, seconds: took.as_secs_f64(), resident_bytes };
        server.stop()?;
        let disk_bytes = folder_bytes(&data)?;

        progress.step(&format!("loci: questions at {records} records"));
        let questions: Vec<String> = first_lines(&scales.questions, settings.questions + 1)?
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect::<serde_json::Result<_>>()?;
        let began = Instant::now();
        let server = Server::start(&self.binary, &data)?;
        let wire = Wire::new(&server.url);
        let (first, rest) = questions.split_first().context("no questions")?;
        retrieve(&wire, &memory, first).await?;
        let first = began.elapsed();
        let mut whole = Vec::with_capacity(rest.len());
        for question in rest {
            let began = Instant::now();
            let found = retrieve(&wire, &memory, question).await?;
            whole.push(began.elapsed());
            ensure!(!found.is_empty(), "nothing was found for {question}");
        }
        let resident = server.resident_bytes()?;
        server.stop()?;
        let calls: Vec<_> = whole.into_iter().zip(embedding(rest)).collect();
        Ok(ScaleFigures {
            asked: records,
            with_model: Some(ingest(embedded)),
            without_model: Some(ingest(stored)),
            serve: Some(Serve::new(first, &calls, resident)),
            disk_bytes,
        })
    }
}

/// Sends all texts. A response means that they are durable.
async fn store(wire: &Wire, memory: &str, texts: &[String], progress: &Progress) -> Result<()> {
    for (number, lines) in texts.chunks(BATCH).enumerate() {
        let first = number * BATCH;
        let records = lines.iter().enumerate().map(|(at, line)| {
            let text: String = serde_json::from_str(line)?;
            Ok(json!({"requestIdentifier": format!("r{}", first + at), "namespaces": ["/facts/user/"],
                      "content": {"text": text}, "timestamp": 1_790_000_000 + first + at}))
        });
        let records = records.collect::<Result<Vec<Value>>>()?;
        wire.batch_create(memory, &records).await?;
        progress.within(first as u64, texts.len() as u64);
    }
    Ok(())
}

/// Checks that the stored texts can be found: a search finds the last text before its vector must
/// exist.
async fn found_by_words(wire: &Wire, memory: &str, texts: &[String]) -> Result<()> {
    let last: String = serde_json::from_str(texts.last().context("no texts")?)?;
    let found = retrieve(wire, memory, &last).await?;
    ensure!(found.contains(&last), "the text sent last was not found by its own words");
    Ok(())
}

async fn wait(wire: &Wire, memory: &str, progress: &Progress) -> Result<()> {
    loop {
        let waited = wire.wait(memory, WAIT_MS).await?;
        ensure!(waited.pointer("/failed") == Some(&json!(0)), "embedding failed: {waited}");
        if waited.pointer("/complete") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        progress.waiting();
    }
}

/// Returns the texts that a search finds, best first.
async fn retrieve(wire: &Wire, memory: &str, question: &str) -> Result<Vec<String>> {
    let body = json!({
        "namespacePath": "/facts/user",
        "searchCriteria": {"searchQuery": question, "topK": RESULTS},
        "maxResults": RESULTS,
    });
    let answer = wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await?;
    let records = answer.get("memoryRecordSummaries").and_then(Value::as_array).context("no records")?;
    let text = |record: &Value| record.pointer("/content/text").and_then(Value::as_str).map(str::to_owned);
    Ok(records.iter().filter_map(text).collect())
}

/// Returns the shortest of several times for each question. A short embedding time assigns more of
/// the latency to the search.
fn embedding(questions: &[String]) -> Vec<Duration> {
    let model = MiniLm::new();
    let timed = |question: &String| {
        let began = Instant::now();
        let vector = model.embed_question(question);
        (began.elapsed(), vector.vector.len()).0
    };
    let least = |question| (0..EMBEDDINGS).map(|_| timed(question)).min().unwrap_or_default();
    questions.iter().map(least).collect()
}
