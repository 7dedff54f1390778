//! Runs the demo: creates a memory, stores each turn as an event, waits for extraction, and asks
//! each question. It does not print. The result is a [`DemoReport`].

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use loci_api::memory::MemoryCreate;
use loci_api::search::{Hit, Search};
use loci_model::ports::clock::Clock;
use serde::Serialize;

use super::script::{self, ACTOR, Question, Turn};
use crate::adapters::SystemClock;
use crate::commands::memory::{StrategyKind, strategy};
use crate::session::Session;

/// Hits per question. The answer must be among them.
pub(super) const TOP_K: u32 = 5;
/// Days of retention, enough for the dates of the conversation.
const EVENT_EXPIRY_DAYS: u32 = 365;
/// The interval of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The results of the demo, for output as JSON.
#[derive(Debug, Serialize)]
pub(super) struct DemoReport {
    /// Id of the memory.
    pub(super) memory: String,
    pub(super) sessions: usize,
    pub(super) turns: usize,
    /// Number of facts extracted from the turns.
    pub(super) facts: u64,
    pub(super) store_ms: f64,
    pub(super) extract_ms: f64,
    pub(super) search_ms_median: f64,
    pub(super) total_ms: f64,
    /// Number of questions whose answer is among the hits.
    pub(super) answered: usize,
    pub(super) questions: Vec<DemoAnswer>,
    /// The second part, about a fact that cites code.
    #[cfg(feature = "verified")]
    pub(super) code: Option<super::code_act::CodeAct>,
}

/// A question of the demo with the hits of its search.
#[derive(Debug, Serialize)]
pub(super) struct DemoAnswer {
    pub(super) question: String,
    pub(super) note: String,
    /// Text that occurs in the answering turn.
    pub(super) expect: String,
    /// Rank of the answering hit, from 1.
    pub(super) place: Option<usize>,
    pub(super) ms: f64,
    pub(super) hits: Vec<Hit>,
}

/// Runs the whole demo.
pub(super) async fn play(session: &Session) -> Result<DemoReport> {
    let clock = SystemClock::new();
    let turns = script::turns()?;
    let questions = script::questions()?;
    let begin = clock.monotonic_us();
    let memory = session.client.memory_create(&new_memory()).await?.id;
    store(session, &memory, &turns).await?;
    let stored = clock.monotonic_us();
    extract(session, &memory).await?;
    let extracted = clock.monotonic_us();
    let mut asked = Vec::new();
    let mut facts = 0;
    for question in &questions {
        let (answer, in_scope) = ask(session, &clock, &memory, question).await?;
        facts = facts.max(in_scope);
        asked.push(answer);
    }
    Ok(DemoReport {
        memory,
        sessions: turns.iter().map(|turn| turn.session.as_str()).collect::<BTreeSet<_>>().len(),
        turns: turns.len(),
        facts,
        store_ms: millis(begin, stored),
        extract_ms: millis(stored, extracted),
        search_ms_median: median(asked.iter().map(|asked| asked.ms).collect()),
        total_ms: millis(begin, clock.monotonic_us()),
        answered: asked.iter().filter(|asked| asked.place.is_some()).count(),
        questions: asked,
        #[cfg(feature = "verified")]
        code: None,
    })
}

fn new_memory() -> MemoryCreate {
    let kinds = [StrategyKind::Semantic, StrategyKind::UserPreference, StrategyKind::Summary];
    MemoryCreate {
        name: "demo".to_owned(),
        description: Some("Three weeks of talk, bundled with Loci".to_owned()),
        event_expiry_days: Some(EVENT_EXPIRY_DAYS),
        strategies: kinds.into_iter().map(strategy).collect(),
        indexed_keys: Vec::new(),
        namespace_keys: Vec::new(),
        tags: std::collections::BTreeMap::new(),
        settings: None,
    }
}

/// Stores the turns one after the other, as an agent would.
async fn store(session: &Session, memory: &str, turns: &[Turn]) -> Result<()> {
    let bar = ProgressBar::new(turns.len() as u64).with_message("storing turns");
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    for turn in turns {
        session.client.event_create(memory, &turn.event()).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

async fn extract(session: &Session, memory: &str) -> Result<()> {
    let waiting = ProgressBar::new_spinner().with_message("extracting records, and a vector for each");
    waiting.enable_steady_tick(TICK);
    let state = session.settle(memory).await?;
    waiting.finish_and_clear();
    ensure!(
        state.complete && state.failed == 0,
        "extraction did not end in {} ms: {} jobs are pending, {} failed; give it longer with --wait-ms",
        session.wait_ms(),
        state.pending,
        state.failed
    );
    Ok(())
}

/// Asks the questions, and returns the number of searched passages with the answers.
async fn ask(
    session: &Session,
    clock: &SystemClock,
    memory: &str,
    question: &Question,
) -> Result<(DemoAnswer, u64)> {
    let search = Search {
        memory: memory.to_owned(),
        query: question.question.clone(),
        namespace_paths: vec![format!("/facts/{ACTOR}/")],
        top_k: Some(TOP_K),
        explain: true,
        ..Search::default()
    };
    let begin = clock.monotonic_us();
    let answer = session.client.search(&search).await?;
    let ms = millis(begin, clock.monotonic_us());
    let asked = DemoAnswer {
        question: question.question.clone(),
        note: question.note.clone(),
        expect: question.expect.clone(),
        place: answer.hits.iter().position(|hit| hit.record.text.contains(&question.expect)).map(|at| at + 1),
        ms,
        hits: answer.hits,
    };
    Ok((asked, answer.statistics.map_or(0, |statistics| statistics.passages_in_scope)))
}

fn millis(from_us: u64, to_us: u64) -> f64 {
    Duration::from_micros(to_us.saturating_sub(from_us)).as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
