//! `loci demo`: a bundled conversation of three weeks goes into a fresh folder, is extracted, and ten questions are
//! asked of it. No key, no network, nothing left behind.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use loci_api::event::{EventCreate, Extraction, Message, PayloadItem, Role};
use loci_api::memory::MemoryCreate;
use loci_api::search::{Search, SearchAnswer};
use loci_model::ports::clock::Clock;
use serde::{Deserialize, Serialize};

use super::memory::{StrategyKind, strategy};
use super::search::why;
use crate::adapters::SystemClock;
use crate::cli::Globals;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::exit::Difference;
use crate::output;
use crate::session::Session;

/// The conversation: JSON lines of `session`, `time`, `role`, `text`. Written for this project.
const CONVERSATION: &str = include_str!("../../demo/conversation.jsonl");
/// The questions, with a part of the turn that answers each.
const QUESTIONS: &str = include_str!("../../demo/questions.json");
/// The one who talks in it.
const ACTOR: &str = "ines";
/// Hits per question.
const TOP_K: u32 = 5;
/// Hits of a question that are shown.
const SHOWN: usize = 3;
/// Characters of a hit that are shown.
const TEXT_CHARS: usize = 110;
/// Extraction may take so long, on a slow machine.
const EXTRACTION_MS_MAX: u64 = 120_000;

/// See it work: a conversation of three weeks, ten questions, no key and no network
#[derive(Debug, Args)]
pub(crate) struct Demo {}

#[derive(Deserialize)]
struct Turn {
    session: String,
    time: String,
    role: String,
    text: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    expect: String,
    note: String,
}

/// What came out.
#[derive(Debug, Serialize)]
struct Report {
    turns: usize,
    records: u64,
    store_ms: u64,
    extract_ms: u64,
    questions: Vec<Asked>,
    search_ms_median: f64,
    answered: usize,
}

#[derive(Debug, Serialize)]
struct Asked {
    question: String,
    place: Option<usize>,
    ms: f64,
    hits: Vec<loci_api::search::Hit>,
}

impl Demo {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let folder = tempfile::Builder::new()
            .prefix("loci-demo-")
            .tempdir()
            .context("making a folder for the demo")?;
        let globals = Globals { wait_ms: EXTRACTION_MS_MAX, ..globals.clone() };
        let session = Session::open(&globals, environment, &Config::default(), folder.path().to_owned())?;
        let report = play(&session).await;
        let json = session.json;
        session.end().await?;
        let report = report?;
        output::result(json, &report, shown)?;
        if report.answered < report.questions.len() {
            return Err(
                Difference("not every question found its answer among the best five".to_owned()).into()
            );
        }
        Ok(())
    }
}

async fn play(session: &Session) -> Result<Report> {
    let clock = SystemClock::new();
    let turns = CONVERSATION
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Turn>, _>>()
        .context("the bundled conversation")?;
    let questions: Vec<Question> = serde_json::from_str(QUESTIONS).context("the bundled questions")?;
    let memory = session.client.memory_create(&new_memory()).await?.id;
    let began = clock.monotonic_us();
    for turn in &turns {
        session.client.event_create(&memory, &event(turn)?).await?;
    }
    let stored = clock.monotonic_us();
    if !session.json {
        output::note(format!("stored {} turns; turning them into records with vectors …", turns.len()));
    }
    let state = session.settle(&memory).await?;
    anyhow::ensure!(state.complete && state.failed == 0, "extraction did not end: {state:?}");
    let extracted = clock.monotonic_us();
    let mut asked = Vec::new();
    for question in &questions {
        asked.push(ask(session, &clock, &memory, question).await?);
    }
    let listing =
        Search { memory: memory.clone(), query: "notes".to_owned(), explain: true, ..Search::default() };
    let statistics = session.client.search(&listing).await?.statistics;
    let mut times: Vec<f64> = asked.iter().map(|asked| asked.ms).collect();
    times.sort_by(f64::total_cmp);
    Ok(Report {
        turns: turns.len(),
        records: statistics.map_or(0, |statistics| statistics.passages_in_scope),
        store_ms: millis(stored - began),
        extract_ms: millis(extracted - stored),
        answered: asked.iter().filter(|asked| asked.place.is_some()).count(),
        search_ms_median: times.get(times.len() / 2).copied().unwrap_or(0.0),
        questions: asked,
    })
}

fn millis(micros: u64) -> u64 {
    u64::try_from(Duration::from_micros(micros).as_millis()).unwrap_or(u64::MAX)
}

fn new_memory() -> MemoryCreate {
    MemoryCreate {
        name: "demo".to_owned(),
        description: Some("The bundled conversation".to_owned()),
        event_expiry_days: Some(3650),
        strategies: vec![strategy(StrategyKind::Semantic), strategy(StrategyKind::UserPreference)],
        indexed_keys: Vec::new(),
        namespace_keys: Vec::new(),
        tags: std::collections::BTreeMap::new(),
        settings: None,
    }
}

fn event(turn: &Turn) -> Result<EventCreate> {
    let role = match turn.role.as_str() {
        "USER" => Role::User,
        "ASSISTANT" => Role::Assistant,
        other => anyhow::bail!("the bundled conversation has a role {other}"),
    };
    Ok(EventCreate {
        actor: ACTOR.to_owned(),
        session: Some(turn.session.clone()),
        time: Some(turn.time.clone()),
        payload: vec![PayloadItem::Message(Message { role, text: turn.text.clone() })],
        branch: None,
        metadata: std::collections::BTreeMap::new(),
        extraction: Extraction::Extract,
        namespace_variables: std::collections::BTreeMap::new(),
    })
}

async fn ask(session: &Session, clock: &SystemClock, memory: &str, question: &Question) -> Result<Asked> {
    let search = Search {
        memory: memory.to_owned(),
        query: question.question.clone(),
        namespace_paths: vec![format!("/facts/{ACTOR}/")],
        top_k: Some(TOP_K),
        explain: true,
        ..Search::default()
    };
    let began = clock.monotonic_us();
    let SearchAnswer { hits, .. } = session.client.search(&search).await?;
    let took = Duration::from_micros(clock.monotonic_us() - began);
    let place = hits.iter().position(|hit| hit.record.text.contains(&question.expect)).map(|at| at + 1);
    if !session.json {
        output::line(format!("\n{}", question.question));
        output::line(format!("  ({})", question.note));
        for (at, hit) in hits.iter().enumerate() {
            let is_answer = Some(at + 1) == place;
            if at < SHOWN || is_answer {
                show(at + 1, is_answer.then_some(question.expect.as_str()), hit);
            }
        }
    }
    Ok(Asked { question: question.question.clone(), place, ms: took.as_secs_f64() * 1000.0, hits })
}

fn show(place: usize, answer: Option<&str>, hit: &loci_api::search::Hit) {
    let mark = if answer.is_some() { '*' } else { ' ' };
    let date = hit.time.get(..10).unwrap_or(&hit.time);
    let session = hit.record.provenance.session.as_deref().unwrap_or("-");
    let text = output::around(&hit.record.text, answer.unwrap_or_default(), TEXT_CHARS);
    output::line(format!("  {mark}{place}  {:.2}  {date}  session {session}  {text}", hit.relevance));
    output::line(format!("        why: {}", why(hit)));
}

fn shown(report: &Report) {
    output::line(format!(
        "\n{} of {} questions found their answer (*) among the best {TOP_K}.",
        report.answered,
        report.questions.len()
    ));
    output::line(format!(
        "{} turns stored in {} ms ({:.2} ms each, durable), {} records extracted and embedded in {} ms, a question takes {:.1} ms.",
        report.turns,
        report.store_ms,
        report.store_ms as f64 / report.turns.max(1) as f64,
        report.records,
        report.extract_ms,
        report.search_ms_median
    ));
    output::line(NEXT);
}

/// What to do next; each block can be copied.
const NEXT: &str = r#"
Run a server of your own:

    loci serve

Point any AWS SDK at it, no account needed:

    export AWS_ENDPOINT_URL_BEDROCK_AGENTCORE=http://127.0.0.1:8411
    export AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL=http://127.0.0.1:8411
    export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
    export AWS_REGION=us-west-2 AWS_DEFAULT_REGION=us-west-2

Or use the native API:

    curl -s http://127.0.0.1:8411/v1/memories -H 'content-type: application/json' \
      -d '{"name":"notes","strategies":[{"kind":"semantic","name":"facts","namespace":"/facts/{actorId}/"}]}'
    curl -s http://127.0.0.1:8411/v1/memories/MEMORY_ID/events -H 'content-type: application/json' \
      -d '{"actor":"me","session":"s1","payload":[{"message":{"role":"user","text":"My boat is called Gull."}}]}'
    curl -s http://127.0.0.1:8411/v1/search -H 'content-type: application/json' \
      -d '{"memory":"MEMORY_ID","query":"What is the name of my boat?","explain":true}'
"#;
