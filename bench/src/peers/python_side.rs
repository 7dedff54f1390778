//! A peer. Its program is started for each phase, without a network if the machine permits it, and
//! its output is read line by line. `bench/peers/protocol.py` defines the phases.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::engine_figures::{Ingest, Quality, ScaleFigures, Serve};
use super::environment::{self, Environment};
use super::workload::{Scales, Set};
use super::{Settings, folder_bytes};
use crate::progress::Progress;
use crate::recall::{self, Outcome};

/// The time that a phase has after its own limit, to build indexes and to end. Then it is killed.
const GRACE: Duration = Duration::from_secs(600);
const QUALITY_MAX: Duration = Duration::from_secs(3_600);

/// A peer's program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program {
    /// The name on the command line, in the table, and of its requirements.
    pub(super) name: &'static str,
    /// The package whose version is reported.
    pub(super) package: &'static str,
    pub(super) file: &'static str,
    /// A short description of its search.
    pub(super) search: &'static str,
}

/// All peers. A new one needs a file next to `protocol.py`, its pinned requirements, and a line
/// here.
pub(super) const PROGRAMS: [Program; 4] = [
    Program { name: "chromadb", package: "chromadb", file: "chromadb_peer.py", search: "vectors (HNSW)" },
    Program { name: "mem0ai", package: "mem0ai", file: "mem0_peer.py", search: "vectors (all rows)" },
    Program {
        name: "langgraph",
        package: "langgraph-checkpoint-sqlite",
        file: "langgraph_peer.py",
        search: "vectors (all rows)",
    },
    Program {
        name: "lancedb",
        package: "lancedb",
        file: "lancedb_peer.py",
        search: "words and vectors, fused by rank",
    },
];

/// A peer that is ready to run.
#[derive(Debug)]
pub(super) struct PythonSide {
    pub(super) program: Program,
    pub(super) environment: Environment,
    model: PathBuf,
    /// The folder with vectors of the sets, kept between runs.
    cache: PathBuf,
    unshare: bool,
}

impl PythonSide {
    pub(super) fn prepare(program: Program, target: &Path) -> Result<Self> {
        let environment = environment::prepare(target, program.name, program.package)?;
        let (model, unshare) = (environment::model(target)?, environment::can_unshare());
        Ok(Self { program, environment, model, cache: target.join("set-vectors.npz"), unshare })
    }

    /// Returns the size of packages and model, in bytes.
    pub(super) fn installed_bytes(&self) -> Result<u64> {
        Ok(self.environment.bytes + folder_bytes(&self.model)?)
    }

    /// Measures recall with a store for each conversation, every question once.
    pub(super) async fn quality(&self, set: &Set, progress: &Progress) -> Result<Quality> {
        let folder = tempfile::tempdir()?;
        let mut phase = Phase::start(self, folder.path(), "quality", &set.work, |command| {
            command.arg("--cache").arg(&self.cache);
        })?;
        let mut outcomes = Vec::new();
        while let Some(answer) = phase.next(QUALITY_MAX, progress).await? {
            outcomes.push(outcome(set, &answer)?);
        }
        phase.end().await?;
        let questions: usize = set.conversations.iter().map(|one| one.questions.len()).sum();
        ensure!(outcomes.len() == questions, "{} of {questions} questions were answered", outcomes.len());
        Ok(Quality { set: set.name(), note: "", all: recall::all(&outcomes) })
    }

    /// Loads with the model if configured, loads with vectors, and searches.
    pub(super) async fn scale(
        &self,
        records: usize,
        scales: &Scales,
        settings: &Settings,
        progress: &Progress,
    ) -> Result<ScaleFigures> {
        let with_model = if records <= settings.embed_up_to {
            let folder = tempfile::tempdir()?;
            progress.step(&format!("{}: {records} records with the model", self.program.name));
            Some(self.fill(folder.path(), records, scales, settings, true, progress).await?)
        } else {
            None
        };
        let folder = tempfile::tempdir()?;
        progress.step(&format!("{}: {records} records with vectors at hand", self.program.name));
        let without_model = self.fill(folder.path(), records, scales, settings, false, progress).await?;
        let disk_bytes = folder_bytes(folder.path())?;
        progress.step(&format!("{}: questions at {} records", self.program.name, without_model.records));
        let serve = self.serve(folder.path(), scales, settings, progress).await?;
        Ok(ScaleFigures {
            asked: records,
            with_model,
            without_model: Some(without_model),
            serve: Some(serve),
            disk_bytes,
        })
    }

    async fn fill(
        &self,
        folder: &Path,
        records: usize,
        scales: &Scales,
        settings: &Settings,
        model: bool,
        progress: &Progress,
    ) -> Result<Ingest> {
        let limit = settings.limit;
        let mut phase = Phase::start(self, folder, "fill", &scales.texts, |command| {
            command.arg("--count").arg(records.to_string());
            command.arg("--limit-seconds").arg(limit.as_secs_f64().to_string());
            if !model {
                command.arg("--vectors").arg(&scales.vectors);
            }
        })?;
        let answer = phase.next(limit + GRACE, progress).await?.context("no figures")?;
        phase.end().await?;
        Ok(Ingest {
            records: usize::try_from(count(&answer, "records")?)?,
            seconds: number(&answer, "seconds")?,
            resident_bytes: count(&answer, "resident_bytes")?,
        })
    }

    async fn serve(
        &self,
        folder: &Path,
        scales: &Scales,
        settings: &Settings,
        progress: &Progress,
    ) -> Result<Serve> {
        let limit = settings.limit;
        let began = Instant::now();
        let mut phase = Phase::start(self, folder, "serve", &scales.questions, |command| {
            command.arg("--limit-seconds").arg(limit.as_secs_f64().to_string());
        })?;
        phase.next(limit + GRACE, progress).await?.context("no first answer")?;
        let first = began.elapsed();
        let answer = phase.next(limit + GRACE, progress).await?.context("no figures")?;
        phase.end().await?;
        ensure!(number(&answer, "found")? > 0.0, "the searches found nothing");
        let calls: Vec<(f64, f64)> =
            serde_json::from_value(answer.get("calls").cloned().unwrap_or_default())?;
        let duration = |seconds: f64| Duration::from_secs_f64(seconds.max(0.0));
        let calls: Vec<_> =
            calls.into_iter().map(|(whole, embedding)| (duration(whole), duration(embedding))).collect();
        Ok(Serve::new(first, &calls, count(&answer, "resident_bytes")?))
    }
}

/// One run of a peer's program.
struct Phase {
    child: Child,
    answers: Lines<BufReader<ChildStdout>>,
    log: PathBuf,
}

impl Phase {
    fn start(
        side: &PythonSide,
        folder: &Path,
        phase: &str,
        work: &Path,
        more: impl FnOnce(&mut Command),
    ) -> Result<Self> {
        let log = side.cache.with_file_name(format!("{}-{phase}.log", side.program.name));
        let mut command = if side.unshare {
            let mut command = Command::new("unshare");
            command.arg("-rn").arg(&side.environment.python);
            command
        } else {
            Command::new(&side.environment.python)
        };
        command.arg(Path::new(environment::PROGRAMS).join(side.program.file)).arg(phase);
        command.arg("--model").arg(&side.model).arg("--folder").arg(folder.join("store"));
        command.arg("--work").arg(work);
        more(&mut command);
        std::fs::create_dir_all(folder.join("store"))?;
        for name in ["HOME", "MEM0_DIR", "TMPDIR"] {
            command.env(name, folder);
        }
        for (name, value) in QUIET {
            command.env(name, value);
        }
        let stderr = std::fs::File::create(&log).context("opening the peer's log")?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        let answers = child.stdout.take().context("no pipe")?;
        Ok(Self { child, answers: BufReader::new(answers).lines(), log })
    }

    /// Returns the next output that is not about progress.
    async fn next(&mut self, limit: Duration, progress: &Progress) -> Result<Option<Value>> {
        let until = tokio::time::Instant::now() + limit;
        loop {
            let line = tokio::time::timeout_at(until, self.answers.next_line());
            let line = line.await.with_context(|| format!("no answer in {} s", limit.as_secs()))??;
            let Some(line) = line else { return Ok(None) };
            let answer: Value = serde_json::from_str(&line).with_context(|| format!("reading {line}"))?;
            match (answer.get("progress").and_then(Value::as_u64), answer.get("of").and_then(Value::as_u64)) {
                (Some(done), Some(of)) => progress.within(done, of),
                _ => return Ok(Some(answer)),
            }
        }
    }

    async fn end(mut self) -> Result<()> {
        let status = tokio::time::timeout(GRACE, self.child.wait()).await.context("it does not end")??;
        if status.success() {
            return Ok(());
        }
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        bail!("{status}: {}", log.lines().last().unwrap_or_default())
    }
}

/// Settings that disable telemetry, hubs, and Python's cache files next to the programs.
const QUIET: [(&str, &str); 8] = [
    ("ANONYMIZED_TELEMETRY", "False"),
    ("MEM0_TELEMETRY", "False"),
    ("DO_NOT_TRACK", "1"),
    ("HF_HUB_OFFLINE", "1"),
    ("LANGSMITH_TRACING", "false"),
    ("POSTHOG_DISABLED", "1"),
    ("OPENAI_API_KEY", "never used"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

fn outcome(set: &Set, answer: &Value) -> Result<Outcome> {
    let at = usize::try_from(count(answer, "conversation")?)?;
    let conversation = set.conversations.get(at).context("an unknown conversation")?;
    let place = usize::try_from(count(answer, "question")?)?;
    let question = conversation.questions.get(place).context("an unknown question")?;
    let found: Vec<String> = serde_json::from_value(answer.get("found").cloned().unwrap_or_default())?;
    let mut ranked = Vec::with_capacity(found.len());
    for id in &found {
        let turn = conversation.turns.iter().find(|turn| turn.id == *id);
        let turn = turn.with_context(|| format!("found {id}, which is no turn"))?;
        ranked.push((turn.id.as_str(), turn.session.as_str()));
    }
    Ok(Outcome {
        conversation: at,
        category: question.category.clone(),
        found: recall::found(&ranked, &question.gold_turns, &question.gold_sessions),
    })
}

fn number(answer: &Value, name: &str) -> Result<f64> {
    answer.get(name).and_then(Value::as_f64).with_context(|| format!("no {name} in {answer}"))
}

fn count(answer: &Value, name: &str) -> Result<u64> {
    answer.get(name).and_then(Value::as_u64).with_context(|| format!("no {name} in {answer}"))
}
