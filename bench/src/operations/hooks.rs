//! `sre-hooks`: measures the latency of the hooks of an investigation in a memory of many records:
//! the start, an agent's response, a single save, the end. The job after a response is measured
//! separately. Every other start runs while jobs of the previous investigation are running.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::cases::{CASES, planted};
use super::facts::{distractor, fact};
use super::{BATCH, Memory};
use crate::figures::Latencies;
use crate::load::Report;
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::{self, Server};
use crate::wire::text_at;

/// Agents of the profile.
const AGENTS: [&str; 4] = ["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"];
/// The number of records per investigation.
const OF_INVESTIGATIONS: u64 = 10;
/// Investigations that run before the measurement.
const WARM_UP: u64 = 10;
/// The user of all requests. The server has no credentials, and takes the name of the machine's
/// user.
const USER: &str = "operator";

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Records of the memory; one in ten is an investigation.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    records: u64,
    /// Investigations that are measured.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    investigations: u64,
    /// Seed of the records.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON per figure.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let binary = server::binary(arguments.binary.as_deref())?;
    let server = Server::start_with(&binary, &folder.path().join("data"), &[("USER", USER)])?;
    let memory = Memory::new(&server.url).await?;
    fill(&memory, &arguments).await?;
    let report = Report::new(arguments.json);
    let first = first_question(&memory).await?;
    report.figure("first_retrieve", &format!("{:.0} ms", first.mean_ms()), &json!(first.mean_ms()));
    let mut figures = Figures::default();
    for number in 0..WARM_UP {
        Figures::default().investigation(&memory, number).await?;
    }
    let progress = Progress::new(1);
    progress.step("investigations");
    for number in 0..arguments.investigations {
        figures.investigation(&memory, WARM_UP + number).await?;
        progress.within(number + 1, arguments.investigations);
    }
    figures.told(report);
    server.stop()
}

/// Creates preferences, facts of all agents, and investigations.
async fn fill(memory: &Memory, arguments: &Arguments) -> Result<()> {
    let progress = Progress::new(3);
    let preference = json!({"preference_type": "style", "preference_value": {
        "communication_style": "technical", "report_format": "short", "time_limit_minutes": 30, "severity_filter": ["P1"]}});
    memory.save(&json!({"memory_type": "preferences", "actor_id": USER, "data": preference})).await?;
    let past = arguments.records / OF_INVESTIGATIONS;
    progress.step("saving facts");
    let facts = arguments.records - past;
    let mut random = Seeded::new(arguments.seed);
    let mut waiting = planted();
    for number in 0..facts {
        waiting.push(distractor(number, &mut random));
        if waiting.len() >= BATCH || number + 1 == facts {
            for some in waiting.chunks(BATCH) {
                memory.learn(random.pick(&AGENTS).context("no agent")?, some).await?;
            }
            waiting.clear();
            progress.within(number + 1, facts);
        }
    }
    progress.step("saving investigations");
    for number in 0..past {
        memory.save(&past_investigation(number, &mut random)).await?;
        progress.within(number + 1, past);
    }
    progress.step("embedding");
    memory.wire.settle(&memory.id).await
}

/// Measures the first search of a process, which loads the memory. It has no deadline.
async fn first_question(memory: &Memory) -> Result<Latencies> {
    let body = json!({"types": ["infrastructure", "investigations"], "query": "pods"});
    let mut took = Latencies::default();
    let began = Instant::now();
    memory.wire.ask("POST", &format!("/v1/memories/{}/retrieve", memory.id), Some(&body)).await?;
    took.add(began.elapsed());
    Ok(took)
}

fn past_investigation(number: u64, random: &mut Seeded) -> Value {
    let asked = random.pick(CASES).map_or("", |case| case.question);
    let service = format!("service-{}", random.below(300));
    json!({
        "memory_type": "investigations", "actor_id": USER, "session_id": format!("past-{number}"),
        "data": {
            "incident_id": format!("past-{number}"), "query": format!("{asked} ({service})"), "services": [service],
            "timeline": [], "actions_taken": [format!("restarted {service}")], "resolution_status": "completed",
            "key_findings": [format!("{service} had {} errors within an hour", random.below(900))],
        },
    })
}

#[derive(Default)]
struct Figures {
    /// Starts without pending work.
    start: Latencies,
    /// Starts while jobs embed and summarise earlier data.
    start_beside_jobs: Latencies,
    answer: Latencies,
    read: Latencies,
    save: Latencies,
    complete: Latencies,
}

impl Figures {
    /// Measures one investigation from its start to its end.
    async fn investigation(&mut self, memory: &Memory, number: u64) -> Result<()> {
        let case = usize::try_from(number)?.checked_rem(CASES.len()).and_then(|place| CASES.get(place));
        let question = format!("{} {number}", case.context("no question")?.question);
        let service = format!("service-{}", number % 300);
        let is_settled = number.is_multiple_of(2);
        if is_settled {
            memory.wire.settle(&memory.id).await?;
        }
        let began = Instant::now();
        let body = json!({"memory": memory.id, "query": question, "services": [service], "environment": "prod",
            "alert": {"source": "bench", "fingerprint": format!("alert-{}", number % 50), "labels": {}}});
        let started = memory.wire.ask("POST", "/v1/investigations", Some(&body)).await?;
        let start = if is_settled { &mut self.start } else { &mut self.start_beside_jobs };
        start.add(began.elapsed());
        ensure!(started["degraded"] == json!(false), "a start was degraded: {}", started["warnings"]);
        ensure!(started["rendered"].as_str().is_some_and(|text| !text.is_empty()), "nothing was rendered");
        let path = format!("/v1/investigations/{}", text_at(&started, "/incident_id")?);
        for agent in AGENTS {
            self.agent(memory, &path, agent, &service, number).await?;
        }
        let learned = fact(&service, "config", "prod", json!({"replicas": number}));
        let body = json!({"memory_type": "infrastructure", "actor_id": "metrics-agent",
            "session_id": text_at(&started, "/session_id")?, "data": learned});
        let began = Instant::now();
        memory.save(&body).await?;
        self.save.add(began.elapsed());
        let body = json!({"memory": memory.id, "status": "completed", "root_cause": "the memory limit was too low",
            "findings": [{"text": format!("{service} was killed {number} times"), "category": "root_cause", "evidence": []}],
            "actions": ["raised the limit"], "services": [service]});
        let began = Instant::now();
        let done = memory.wire.ask("POST", &format!("{path}/complete"), Some(&body)).await?;
        self.complete.add(began.elapsed());
        ensure!(done["saved"] == json!(true), "not completed: {done}");
        Ok(())
    }

    /// Sends an agent's response with a block of knowledge, and waits for the job that extracts it.
    async fn agent(
        &mut self,
        memory: &Memory,
        path: &str,
        agent: &str,
        service: &str,
        number: u64,
    ) -> Result<()> {
        let learned =
            fact(service, "baseline", "prod", json!({"memory_usage": format!("{}Mi", 300 + number)}));
        let block = json!({"infrastructure_knowledge": [learned]});
        let text =
            format!("I looked at {service}: its memory rose until it was killed.\n\n```json\n{block}\n```\n");
        let body = json!({"memory": memory.id, "agent": agent, "text": text, "tool_calls": []});
        let began = Instant::now();
        let taken = memory.wire.ask("POST", &format!("{path}/agent-response"), Some(&body)).await?;
        self.answer.add(began.elapsed());
        let job = text_at(&taken, "/job_id")?;
        let read = format!("{path}/agent-response/{job}?memory={}&wait_ms=10000", memory.id);
        let read = memory.wire.ask("GET", &read, None).await?;
        self.read.add(began.elapsed());
        ensure!(read["state"] == json!("done"), "an answer was not read: {read}");
        Ok(())
    }

    fn told(self, report: Report) {
        let parts = [
            ("start", self.start),
            ("start_beside_jobs", self.start_beside_jobs),
            ("agent_response", self.answer),
            ("agent_response_read", self.read),
            ("save", self.save),
            ("complete", self.complete),
        ];
        for (name, mut latencies) in parts {
            let quantiles = latencies.quantiles();
            report.figure(name, &quantiles.to_string(), &json!(quantiles));
        }
    }
}
