//! `processes`: a server, two long-lived processes that embed the engine, and one-shot commands on
//! one folder under mixed load, optionally without the server. Nothing is lost or duplicated, and
//! each process reads the data that the others acknowledged.

mod check;
mod ledger;
mod one_shot;
mod worker;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::figures::Quantiles;
use crate::server::{self, Server};
use crate::wire::{MemoryShape, Wire};

pub(crate) use worker::Arguments as WorkerArguments;
pub(crate) use worker::run as run_worker;

/// The maximum p95 latency of commits of the long-lived processes, in milliseconds.
const COMMIT_P95_MS_MAX: f64 = 20.0;

/// Options of the load.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Seconds of load.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Run without the server.
    #[arg(long)]
    without_server: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Runs the load, then checks everything with a fresh server.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let memory = make_memory(&binary, &folder).await?;
    let running = if arguments.without_server { None } else { Some(Server::start(&binary, &folder)?) };
    let workers = (1..=2u32)
        .map(|number| start_worker(&folder, &memory, number, arguments.seconds))
        .collect::<Result<Vec<_>>>()?;
    let served = running.as_ref().map(|server| {
        let wire = Wire::new(&server.url);
        tokio::spawn(worker::load(wire, folder.clone(), memory.clone(), 0, arguments.seconds))
    });
    let commands = one_shot::run(&binary, &folder, &memory, Duration::from_secs(arguments.seconds)).await?;
    let mut commits = Vec::new();
    for worker in workers {
        commits.push(finish(worker)?);
    }
    if let Some(served) = served {
        let quantiles = served.await??;
        println!("server, over HTTP: CreateEvent {quantiles}");
    }
    if let Some(server) = running {
        server.stop()?;
    }
    for (number, quantiles) in (1..).zip(&commits) {
        println!("process {number}, embedded: CreateEvent {quantiles}");
    }
    let server = Server::start(&binary, &folder)?;
    let found = check::whole(&Wire::new(&server.url), &memory, &folder).await?;
    server.stop()?;
    println!(
        "processes: {} s{}, {} events of {} writers acknowledged and found once, extracted once; {commands} one-shot \
         commands; index equals a rebuild",
        arguments.seconds,
        if arguments.without_server { " without a server" } else { " with a server" },
        found.events,
        found.writers
    );
    for quantiles in &commits {
        ensure!(
            quantiles.p95_ms <= COMMIT_P95_MS_MAX,
            "commit p95 of a process that is not the server is {:.1} ms, over {COMMIT_P95_MS_MAX} ms",
            quantiles.p95_ms
        );
    }
    Ok(())
}

async fn make_memory(binary: &Path, folder: &Path) -> Result<String> {
    let server = Server::start(binary, folder)?;
    let shape = MemoryShape { name: "shared", semantic: Some(("facts", "/facts/{actorId}/")) };
    let memory = Wire::new(&server.url).create_memory(&shape).await?;
    server.stop()?;
    Ok(memory)
}

fn start_worker(folder: &Path, memory: &str, number: u32, seconds: u64) -> Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["worker", "--memory", memory, "--number", &number.to_string()])
        .args(["--seconds", &seconds.to_string(), "--data-dir"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("starting a process that embeds the engine")
}

fn finish(worker: Child) -> Result<Quantiles> {
    let output = worker.wait_with_output()?;
    ensure!(output.status.success(), "a process that embeds the engine failed: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).with_context(|| format!("reading {}", json!(text)))
}
