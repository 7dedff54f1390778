//! Measures the memory of processes next to a server: four that embed the engine on the server's
//! folder, each after a search, all open at once. The measure is PSS, which divides shared pages
//! among their processes.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{Report, fill};
use crate::embedded_engine;
use crate::server::Server;
use crate::wire::Wire;

const RECORDS: u64 = 10_000;
const MEMBERS: u64 = 4;
const READY: &str = "ready";

/// A process next to the server.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shared folder.
    #[arg(long)]
    data_dir: PathBuf,
    /// The memory.
    #[arg(long)]
    memory: String,
    /// Number of its query.
    #[arg(long)]
    number: u64,
}

/// Embeds the engine, searches once, prints that it is ready, and stays until its input ends.
pub(crate) async fn member(arguments: Arguments) -> Result<()> {
    let (_engine, transport) = embedded_engine::open(&arguments.data_dir)?;
    fill::ask(&transport, &arguments.memory, arguments.number).await?;
    println!("{READY}");
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

/// Fills a folder, starts all processes, and measures each.
pub(super) async fn run(binary: &Path, report: Report) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let (server, wire, memory) = fill::server(binary, &folder, RECORDS).await?;
    fill::ask(&wire, &memory, 0).await?;
    server.stop()?;
    let server = Server::start(binary, &folder)?;
    fill::ask(&Wire::new(&server.url), &memory, 0).await?;
    let mut members = Vec::new();
    for number in 1..=MEMBERS {
        members.push(Member::start(&folder, &memory, number)?);
    }
    let first = proportional_bytes(server.id())?;
    let others =
        members.iter().map(|member| proportional_bytes(member.0.id())).collect::<Result<Vec<_>>>()?;
    let mib = |bytes: &u64| format!("{:.1}", *bytes as f64 / 1_048_576.0);
    let text = format!(
        "{} MiB the server, {} MiB the {MEMBERS} processes beside it (PSS, {RECORDS} records, each after a search)",
        mib(&first),
        others.iter().map(mib).collect::<Vec<_>>().join(", ")
    );
    report.figure("shared_pss", &text, &json!({"server_bytes": first, "others_bytes": others}));
    server.stop()
}

/// A process that ends when this is dropped.
struct Member(Child);

impl Member {
    fn start(folder: &Path, memory: &str, number: u64) -> Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .args(["load-member", "--memory", memory, "--number", &number.to_string(), "--data-dir"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting a process that embeds the engine")?;
        let mut member = Self(child);
        let output = member.0.stdout.take().context("a process without output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        ensure!(line.trim() == READY, "a process that embeds the engine did not get ready: {line}");
        Ok(member)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // The process may have ended already. The result does not depend on it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the proportional set size (PSS) of a process, in bytes.
fn proportional_bytes(process: u32) -> Result<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().context("reading Pss")?;
    Ok(kib * 1024)
}
