//! `stores`: compares the results of searches between stores. Conversations with known evidence are
//! written to a folder and moved into PostgreSQL. Each mode of search there is compared with the
//! folder.
//!
//! The shipped weights were fitted on the development sets, so recall is in-sample there. Only the
//! differences are meaningful.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use loci_app::adapters::SystemClock;
use loci_app::config::Config;
use loci_app::wiring::store::StorePlan;
use loci_engine::admin::Transfer;
use loci_pgserver::PostgresServer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::dev_set::{self, Conversation};
use crate::embedded_engine;
use crate::figures::{Latencies, Quantiles};
use crate::great_tables;
use crate::progress::Progress;
use crate::recall::{self, CUTS, Outcome};
use crate::wire::{Wire, text_at};
use crate::wire_retrieval;

/// The number of results that are compared.
const BEST: usize = 10;
/// The minimum overlap of equal lists.
const OVERLAP_MIN: f64 = 0.95;
/// The maximum difference of equal recall.
const DIFFERENCE_MAX: f64 = 0.01;
/// Rows per step of the move.
const PAGE_ROWS: usize = 1_000;
/// The maximum wait until the database holds the passages of all memories.
const TAKE_IN_MAX: Duration = Duration::from_secs(300);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Options of the comparison.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets.
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// All conversations of a set in one memory.
    #[arg(long)]
    merged: bool,
    /// Use only each nth question.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// An empty database of a PostgreSQL with pgvector, `postgres://…`; one is started for the run
    /// if absent.
    #[arg(long)]
    store: Option<String>,
    /// Folder that keeps the embedded conversations for later runs.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A mode of search in PostgreSQL.
struct SearchMethod {
    name: &'static str,
    /// Parameters of the address.
    members: &'static str,
    /// True if searches use vector indexes.
    walks: bool,
}

const WAYS: [SearchMethod; 3] = [
    SearchMethod { name: "PostgreSQL, held by the process", members: "", walks: false },
    SearchMethod { name: "PostgreSQL, in the database", members: "scan_passages_max=0", walks: false },
    SearchMethod {
        name: "PostgreSQL, in the database, by graph",
        members: "scan_passages_max=0&exact_passages_max=0",
        walks: true,
    },
];

/// The conversations of a set, and the memory of each.
struct Set {
    name: String,
    conversations: Vec<Conversation>,
    memories: Vec<String>,
}

/// The contents of a folder.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FolderContents {
    merged: bool,
    sets: Vec<(PathBuf, Vec<String>)>,
}

/// Runs the comparison.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = arguments.folder.clone().unwrap_or_else(|| temporary.path().join("kept"));
    let progress = Progress::new(3 + WAYS.len());
    progress.step("writing the conversations");
    let sets = sets(&arguments, &folder, &progress).await?;
    let source = StorePlan::folder_at(folder.join("data"));

    progress.step("into the database");
    let (server, address) = database(&arguments)?;
    let machine = temporary.path().join("machine");
    let at = |members: &str| {
        StorePlan::at(&great_tables::with_members(&address, members), &Config::default(), machine.clone())
    };
    moved(source.clone(), at("")?).await?;

    progress.step("asking: a folder");
    let before = asked(source, &sets).await?;
    let mut reports = Vec::new();
    for way in &WAYS {
        progress.step(&format!("asking: {}", way.name));
        if !way.members.is_empty() {
            take_in(at(way.members)?, way, &sets, &address).await?;
        }
        let after = asked(at(way.members)?, &sets).await?;
        for ((set, before), after) in sets.iter().zip(&before).zip(&after) {
            reports.push(Report::new(set, way, before, after));
        }
    }
    drop(server);
    show(&arguments, &sets, before, &reports);
    let failed = reports.iter().filter(|report| !report.is_same()).count();
    ensure!(failed == 0, "{failed} of {} comparisons are not the same", reports.len());
    Ok(())
}

/// Reads the sets and writes their conversations to the folder, unless it contains them.
async fn sets(arguments: &Arguments, folder: &Path, progress: &Progress) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    for path in &arguments.set {
        let read = dev_set::read(path)?;
        let mut conversations = if arguments.merged { vec![Conversation::merged(&read)] } else { read };
        for conversation in &mut conversations {
            let questions = std::mem::take(&mut conversation.questions);
            conversation.questions = questions.into_iter().step_by(arguments.every.max(1)).collect();
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        sets.push(Set { name, conversations, memories: Vec::new() });
    }
    let list = folder.join("memories.json");
    let held = if list.exists() {
        serde_json::from_str(&std::fs::read_to_string(&list)?)?
    } else {
        let kept = filled(arguments, &sets, &folder.join("data"), progress).await?;
        std::fs::write(&list, serde_json::to_string(&kept)?)?;
        kept
    };
    let of_others = || format!("{} holds other sets: remove it", folder.display());
    let FolderContents { merged, sets: held } = held;
    ensure!(merged == arguments.merged && held.len() == sets.len(), of_others());
    for ((set, (path, memories)), wanted) in sets.iter_mut().zip(held).zip(&arguments.set) {
        ensure!(path == *wanted && memories.len() == set.conversations.len(), of_others());
        set.memories = memories;
    }
    Ok(sets)
}

/// Writes every conversation into its own memory.
async fn filled(
    arguments: &Arguments,
    sets: &[Set],
    data: &Path,
    progress: &Progress,
) -> Result<FolderContents> {
    ensure!(!data.exists(), "{} was not filled to its end: remove it", data.display());
    let (engine, wire, store) = embedded_engine::open_store(StorePlan::folder_at(data))?;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let jobs = tokio::spawn(async move {
        // A dropped sender is a signal too.
        engine.run_jobs(Box::pin(async move { ended.await.unwrap_or(()) })).await;
    });
    let all = sets.iter().map(|set| set.conversations.len()).sum::<usize>() as u64;
    let mut kept = FolderContents { merged: arguments.merged, sets: Vec::new() };
    let mut number = 0;
    for (path, set) in arguments.set.iter().zip(sets) {
        let mut memories = Vec::new();
        for conversation in &set.conversations {
            progress.within(number as u64, all);
            memories.push(wire_retrieval::fill(&wire, number, conversation, None).await?);
            number += 1;
        }
        kept.sets.push((path.clone(), memories));
    }
    drop(end);
    jobs.await?;
    store.close();
    Ok(kept)
}

/// Returns the address of the database, and its server if this run started it.
fn database(arguments: &Arguments) -> Result<(Option<PostgresServer>, String)> {
    if let Some(address) = &arguments.store {
        return Ok((None, address.clone()));
    }
    let server = PostgresServer::start(&loci_pgserver::Settings::default())?;
    let address = server.fresh_database()?;
    Ok((Some(server), address))
}

/// Moves all data.
async fn moved(from: StorePlan, to: StorePlan) -> Result<()> {
    let (from, to) = (from.open()?, to.open()?);
    let transfer = Transfer {
        from: Arc::clone(&from),
        to: Arc::clone(&to),
        clock: Arc::new(SystemClock::new()),
        page_rows: PAGE_ROWS,
        replace: std::collections::BTreeSet::new(),
        replace_keys: false,
        on_progress: Arc::new(|_| ()),
    };
    let report = transfer.run().await?;
    from.close();
    to.close();
    ensure!(report.is_same(), "the stores differ after the move");
    Ok(())
}

/// Searches every memory until the database holds all of them in the form that the mode needs.
async fn take_in(plan: StorePlan, way: &SearchMethod, sets: &[Set], address: &str) -> Result<()> {
    let (_engine, wire, store) = embedded_engine::open_store(plan)?;
    let began = Instant::now();
    let wanted: usize = sets.iter().map(|set| set.memories.len()).sum();
    loop {
        for (memory, conversation) in sets.iter().flat_map(|set| set.memories.iter().zip(&set.conversations))
        {
            let question = conversation.questions.first().context("a conversation without questions")?;
            wire_retrieval::retrieve(&wire, memory, question).await?;
        }
        let taken = great_tables::taken_in(address)?;
        let drawn = if way.walks { great_tables::drawn(address)? } else { wanted };
        if taken == wanted && drawn == wanted {
            break;
        }
        if began.elapsed() > TAKE_IN_MAX {
            bail!("{taken} of {wanted} memories are in the database, {drawn} have a graph");
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    store.close();
    Ok(())
}

/// The results of a store for the questions of a set.
#[derive(Default)]
struct Answers {
    /// The best records of each question.
    best: Vec<Vec<String>>,
    outcomes: Vec<Outcome>,
    latencies: Latencies,
}

/// Searches for every question of every set.
async fn asked(plan: StorePlan, sets: &[Set]) -> Result<Vec<Answers>> {
    let (_engine, wire, store) = embedded_engine::open_store(plan)?;
    let mut all = Vec::new();
    for set in sets {
        let mut answers = Answers::default();
        for (number, (conversation, memory)) in set.conversations.iter().zip(&set.memories).enumerate() {
            ask(&wire, memory, (number, conversation), &mut answers).await?;
        }
        all.push(answers);
    }
    store.close();
    Ok(all)
}

async fn ask(
    wire: &Wire,
    memory: &str,
    (number, conversation): (usize, &Conversation),
    answers: &mut Answers,
) -> Result<()> {
    for question in &conversation.questions {
        let began = Instant::now();
        let answer = wire_retrieval::retrieve(wire, memory, question).await?;
        answers.latencies.add(began.elapsed());
        let listed = wire_retrieval::ranked(&answer)?;
        let listed: Vec<_> = listed.iter().map(|(turn, session)| (turn.as_str(), session.as_str())).collect();
        answers.outcomes.push(Outcome {
            conversation: number,
            category: question.category.clone(),
            found: recall::found(&listed, &question.gold_turns, &question.gold_sessions),
        });
        let records = answer.get("memoryRecordSummaries").and_then(Value::as_array).context("no records")?;
        let best = records.iter().take(BEST).map(|record| text_at(record, "/memoryRecordId"));
        answers.best.push(best.collect::<Result<_>>()?);
    }
    Ok(())
}

/// One mode compared with the folder, for one set.
#[derive(Debug, Serialize)]
struct Report {
    set: String,
    way: &'static str,
    questions: usize,
    /// The mean share of the folder's best ten that are among these.
    overlap_at_10: f64,
    /// The share of questions whose best ten are the same in the same order.
    identical_at_10: f64,
    /// Recall of turns at 1, 5 and 10 in this mode. The next field is the difference from the
    /// folder.
    recall: [f64; 3],
    difference: [f64; 3],
    latency: Quantiles,
}

impl Report {
    fn new(set: &Set, way: &SearchMethod, before: &Answers, after: &Answers) -> Self {
        let pairs = || before.best.iter().zip(&after.best);
        let share = |sum: f64| sum / before.best.len().max(1) as f64;
        let recall = recall::means(&after.outcomes);
        let of_folder = recall::means(&before.outcomes);
        Self {
            set: set.name.clone(),
            way: way.name,
            questions: before.best.len(),
            overlap_at_10: share(pairs().map(|(before, after)| overlap(before, after)).sum()),
            identical_at_10: share(pairs().filter(|(before, after)| before == after).count() as f64),
            difference: std::array::from_fn(|at| recall[at] - of_folder[at]),
            recall,
            latency: after.latencies.clone().quantiles(),
        }
    }

    fn is_same(&self) -> bool {
        let within = self.difference.iter().all(|difference| difference.abs() <= DIFFERENCE_MAX);
        self.overlap_at_10 >= OVERLAP_MIN && within
    }
}

/// Returns the share of a list that another list contains too.
fn overlap(list: &[String], other: &[String]) -> f64 {
    if list.is_empty() {
        return if other.is_empty() { 1.0 } else { 0.0 };
    }
    let other: BTreeSet<&String> = other.iter().collect();
    list.iter().filter(|id| other.contains(id)).count() as f64 / list.len() as f64
}

fn show(arguments: &Arguments, sets: &[Set], before: Vec<Answers>, reports: &[Report]) {
    let mut folders = Vec::new();
    for (set, mut answers) in sets.iter().zip(before) {
        folders.push((set, recall::means(&answers.outcomes), answers.latencies.quantiles()));
    }
    if arguments.json {
        let folders = folders.iter().map(|(set, recall, latency)| {
            json!({"set": set.name, "memories": set.memories.len(), "recall": recall, "latency": latency})
        });
        let report = json!({"merged": arguments.merged, "cuts": CUTS, "folder": folders.collect::<Vec<_>>(),
                            "ways": reports});
        println!("{report}");
        return;
    }
    for (set, recall, latency) in folders {
        let turns: usize = set.conversations.iter().map(|conversation| conversation.turns.len()).sum();
        println!("{}: {turns} turns in {} memories", set.name, set.memories.len());
        println!(
            "  {:<38} {}  p50 {:.1} ms, p95 {:.1} ms",
            "folder",
            percents(&recall),
            latency.p50_ms,
            latency.p95_ms
        );
        for report in reports.iter().filter(|report| report.set == set.name) {
            println!(
                "  {:<38} {}  p50 {:.1} ms, p95 {:.1} ms\n    overlap@10 {:.4}, the same ten {:.1} % of {} questions; {}{}",
                report.way,
                percents(&report.recall),
                report.latency.p50_ms,
                report.latency.p95_ms,
                report.overlap_at_10,
                report.identical_at_10 * 100.0,
                report.questions,
                points(&report.difference),
                if report.is_same() { "" } else { "  NOT THE SAME" },
            );
        }
    }
}

fn percents(recall: &[f64; 3]) -> String {
    let cell = |(cut, value): (&usize, &f64)| format!("R@{cut} {:.1}", value * 100.0);
    CUTS.iter().zip(recall).map(cell).collect::<Vec<_>>().join("  ")
}

fn points(differences: &[f64; 3]) -> String {
    let cell = |(cut, value): (&usize, &f64)| format!("R@{cut} {:+.2}", value * 100.0);
    CUTS.iter().zip(differences).map(cell).collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_lists() {
        let check = |list: &str, other: &str, expect: f64| {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(overlap(&words(list), &words(other)), expect, "{list} / {other}");
        };
        check("a b c d", "d c b a", 1.0);
        check("a b c d", "a b x y", 0.5);
        check("a", "", 0.0);
        check("", "", 1.0);
        check("", "a", 0.0);
    }
}
