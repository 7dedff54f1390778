//! `hydrate`: measures the latency of hydration over the native API, and the share of the unlimited
//! result that a budget of two thousand tokens keeps. The memory contains the repository's older
//! commits, and its newest commits are the queries.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Bench, CITATIONS, NAME};
use crate::figures::Latencies;
use crate::git::git_text;
use crate::progress::Progress;
use crate::texts;
use crate::wire::text_at;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Clone or bare repository, only read: it is cloned, and the clone gets commits.
    #[arg(long)]
    repo: PathBuf,
    /// Records of the repository, all kinds together.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(500..))]
    records: u64,
    /// Facts among them that cite code.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100))]
    facts: u64,
    /// Calls of each kind.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(20..))]
    calls: u64,
    /// Newest commits whose messages are the queries.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(10..))]
    questions: u64,
    /// Seed that selects the cited lines.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

const TASK: &str = "t-bench";
/// The budget whose recall is measured, and one that holds everything, in tokens.
const TOKENS: u64 = 2_000;
const UNLIMITED: u64 = 200_000;
const TEXT_BYTES: usize = 300;
const BATCH: usize = 100;
const SETTLED_BATCHES: usize = 5;
/// The maximum number of files of a commit. A larger commit has little information about each file.
const TOUCHED_MAX: usize = 10;
/// The minimum share of facts that must be retrieved for a query about them, in percent.
const LOOKED_AT_MIN: u64 = 80;

/// A commit: its message, and the files that it changes.
struct Commit {
    message: String,
    touched: BTreeSet<String>,
}

/// Measures one repository.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = crate::server::binary(arguments.binary.as_deref())?;
    let commits = commits(&arguments.repo)?;
    let split = usize::try_from(arguments.questions)?.min(commits.len() / 2);
    let (questions, remembered) = commits.split_at(split);
    ensure!(!questions.is_empty(), "this repository has too few commits");
    let mut bench = Bench::start(&(&arguments).into(), &binary)?;
    let facts = fill(&mut bench, &arguments, remembered).await?;
    let create = json!({"task_id": TASK, "repo": NAME, "user": "bench", "description": "measure"});
    bench.wire.ask("POST", "/v1/tasks", Some(&create)).await?;

    let all: Vec<&Commit> = questions.iter().collect();
    latencies(&mut bench, &arguments, &all, &facts).await?;
    recall(&bench, &all).await?;
    bench.server.stop()
}

impl From<&Arguments> for super::Arguments {
    fn from(arguments: &Arguments) -> Self {
        Self {
            repo: arguments.repo.clone(),
            facts: arguments.facts.max(super::FEW),
            calls: arguments.calls,
            seed: arguments.seed,
            json: arguments.json,
            binary: arguments.binary.clone(),
        }
    }
}

/// Returns the commits that change few files, newest first.
fn commits(repo: &std::path::Path) -> Result<Vec<Commit>> {
    let list = git_text(repo, &["log", "--no-merges", "--name-only", "--format=%x01%s%n%b%x02"])?;
    let commit = |text: &str| {
        let (message, files) = text.split_once('\u{2}')?;
        let touched: BTreeSet<String> =
            files.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let message = message.trim().chars().take(2_000).collect::<String>();
        let is_of_use = (1..=TOUCHED_MAX).contains(&touched.len()) && !message.is_empty();
        is_of_use.then_some(Commit { message, touched })
    };
    Ok(list.split('\u{1}').filter_map(commit).collect())
}

/// Stores facts, records of older commits and unrelated records, up to the requested number.
/// Returns the ids of the facts.
async fn fill(bench: &mut Bench, arguments: &Arguments, remembered: &[Commit]) -> Result<BTreeSet<String>> {
    let progress = Progress::new(2);
    progress.step("storing facts");
    let mut facts = BTreeSet::new();
    for number in 0..arguments.facts {
        let places = bench.places.some(CITATIONS)?;
        facts.insert(bare(&text_at(&bench.store(number, &places).await?.1, "/id")?));
    }
    let memory = bench.memory().await?;
    let wanted = usize::try_from(arguments.records - arguments.facts)?;
    let from_history = remembered.iter().enumerate().map(|(number, commit)| record(number, commit));
    let others = (0..).map(talk);
    let records: Vec<Value> = from_history.chain(others).take(wanted).collect();
    progress.step("storing records");
    let path = format!("/v1/memories/{memory}/records");
    for (done, some) in records.chunks(BATCH).enumerate() {
        bench.wire.ask("POST", &path, Some(&json!({"records": some}))).await?;
        // One job computes the vectors. The regular wait for it keeps the progress display moving
        // at the end.
        if (done + 1).is_multiple_of(SETTLED_BATCHES) {
            bench.settle().await?;
        }
        progress.within(u64::try_from(done * BATCH)?, arguments.records);
    }
    bench.settle().await?;
    Ok(facts)
}

/// Returns the record of a commit: alternately knowledge and an episode.
fn record(number: usize, commit: &Commit) -> Value {
    let subject = commit.message.lines().next().unwrap_or_default();
    let files: Vec<&str> = commit.touched.iter().map(String::as_str).collect();
    let text = format!("{subject} Touched {}.", files.join(", "));
    if number.is_multiple_of(2) {
        return json!({"namespace": format!("/{NAME}/knowledge/"), "text": text,
                      "metadata": {"source_type": "agent_learning"}});
    }
    let told = json!({"intent": subject, "assessment": "success", "justification": text});
    json!({"namespace": format!("/{NAME}/episodes/c-{number}/"), "kind": "episode", "text": told.to_string(),
           "description": text, "metadata": {"source_type": "agent_episode", "status": "completed"}})
}

/// Returns a record that answers none of the queries.
fn talk(number: u64) -> Value {
    let text = texts::talk(number, TEXT_BYTES);
    if number.is_multiple_of(10) {
        let told = json!({"intent": text, "assessment": "unknown"});
        return json!({"namespace": format!("/{NAME}/episodes/n-{number}/"), "kind": "episode",
                      "text": told.to_string(), "description": text});
    }
    json!({"namespace": format!("/{NAME}/knowledge/"), "text": text})
}

/// Hydrates the task once.
async fn hydrate(bench: &Bench, query: &str, tokens: u64) -> Result<(Duration, Value)> {
    let body = json!({"query": query, "budget_tokens": tokens, "timeout_ms": 30_000});
    let began = Instant::now();
    let found = bench.wire.ask("POST", &format!("/v1/tasks/{TASK}/hydrate"), Some(&body)).await?;
    let took = began.elapsed();
    ensure!(found.pointer("/degraded") == Some(&json!(false)), "degraded: {}", found["warnings"]);
    Ok((took, found))
}

async fn latencies(
    bench: &mut Bench,
    arguments: &Arguments,
    questions: &[&Commit],
    facts: &BTreeSet<String>,
) -> Result<()> {
    // A query about the facts, with different words each time, so that its vector is computed
    // again.
    let about =
        |round: u64| format!("Which part rests on what? Part {} rests on it.", round % arguments.facts);
    let (_, first) = hydrate(bench, &about(0), TOKENS).await?;
    let looked_at = u64::try_from(ids(&first).iter().filter(|id| facts.contains(*id)).count())?;
    let least = arguments.facts.min(50) * LOOKED_AT_MIN / 100;
    ensure!(looked_at >= least, "only {looked_at} of {} facts were looked at", arguments.facts);

    let mut warm = Latencies::default();
    for round in 0..arguments.calls {
        warm.add(hydrate(bench, &about(round), TOKENS).await?.0);
    }
    bench.tell(&format!("hydrate_{}_cited_warm", arguments.facts), warm);
    let mut history = Latencies::default();
    for question in questions.iter().cycle().take(usize::try_from(arguments.calls)?) {
        history.add(hydrate(bench, &question.message, TOKENS).await?.0);
    }
    bench.tell("hydrate_history_questions_warm", history);
    let mut first_of_commit = Latencies::default();
    for round in 0..arguments.calls.min(50) {
        bench.playground.touch_others(round)?;
        first_of_commit.add(hydrate(bench, &about(round), TOKENS).await?.0);
    }
    bench.tell(&format!("hydrate_{}_cited_first_of_commit", arguments.facts), first_of_commit);
    Ok(())
}

/// Returns the ids of all retrieved records: shown, dropped or withheld.
fn ids(found: &Value) -> BTreeSet<String> {
    let lists = ["/knowledge", "/budget/dropped", "/withheld"];
    let of = |list: &str| found.pointer(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let all = lists.into_iter().flat_map(of);
    all.filter_map(|one| one.get("id").and_then(Value::as_str).map(bare)).collect()
}

/// Returns an id as the tools write it, without the prefix of record ids.
fn bare(id: &str) -> String {
    id.strip_prefix("mem-").unwrap_or(id).to_owned()
}

/// Measures by budget how many of a commit's files the rendered block names.
async fn recall(bench: &Bench, questions: &[&Commit]) -> Result<()> {
    let (mut kept, mut whole, mut files) = (0, 0, 0);
    let (mut used, mut shown_kept, mut shown_whole) = (0, 0, 0);
    for question in questions {
        let (_, few) = hydrate(bench, &question.message, TOKENS).await?;
        let (_, all) = hydrate(bench, &question.message, UNLIMITED).await?;
        let named = |found: &Value| -> Result<usize> {
            let block = text_at(found, "/rendered")?;
            Ok(question.touched.iter().filter(|path| block.contains(path.as_str())).count())
        };
        kept += named(&few)?;
        whole += named(&all)?;
        files += question.touched.len();
        used += few.pointer("/budget/used").and_then(Value::as_u64).context("tokens used")?;
        shown_kept += shown(&few);
        shown_whole += shown(&all);
    }
    let share = kept as f64 / (whole.max(1)) as f64 * 100.0;
    let mean = |sum: usize| sum as f64 / questions.len() as f64;
    let text = format!(
        "{share:.1} % of an unlimited budget's ({kept} of {whole} of {files} files in {} questions; {:.1} of {:.1} records, {} of \
         {TOKENS} tokens)",
        questions.len(),
        mean(shown_kept),
        mean(shown_whole),
        used / u64::try_from(questions.len())?
    );
    let value = json!({"percent": share, "kept": kept, "unlimited": whole, "files": files});
    bench.report.figure(&format!("recall_at_{TOKENS}_tokens"), &text, &value);
    Ok(())
}

/// Returns the number of shown records.
fn shown(found: &Value) -> usize {
    let of = |list: &str| found.get(list).and_then(Value::as_array).map_or(0, Vec::len);
    of("knowledge") + of("episodes")
}
