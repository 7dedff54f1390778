//! `co-change`: measures reading the history of a repository, and queries of files that change
//! together. Repositories are only read. `--made` generates one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use loci_products::Loci;
use serde_json::{Value, json};

use crate::embedded_engine;
use crate::figures::Latencies;
use crate::git::{command, git, git_text};
use crate::seeded_random::Seeded;
use crate::wire::{Wire, text_at};

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Clones, bare or not.
    #[arg(long)]
    repo: Vec<PathBuf>,
    /// Also measure a generated history of this many commits.
    #[arg(long)]
    made: Option<u64>,
    /// Maximum number of commits to read.
    #[arg(long, default_value_t = 200_000)]
    commits: u32,
    /// Queries of each kind.
    #[arg(long, default_value_t = 300)]
    calls: u64,
    /// Seed that selects the queried files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const REPO: &str = "bench/measured";
/// The maximum time of reading a history.
const WAIT: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_millis(20);
/// Files of a generated history, and the files per part of the work.
const FILES: u64 = 4_000;
const PART: u64 = 40;
/// Generated commits per hundred that move a file.
const MOVES: u64 = 2;

/// Measures each repository.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    println!(
        "| repository | commits | files | read in s | first question ms | co-change p50 / p95 | missing (10 files) | missing (a directory) | impact (depth 2) | sets | store MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for repo in &arguments.repo {
        measure(repo, &arguments).await.with_context(|| repo.display().to_string())?;
    }
    if let Some(commits) = arguments.made {
        let folder = tempfile::tempdir()?;
        make(folder.path(), commits, &mut Seeded::new(arguments.seed))?;
        measure(folder.path(), &arguments).await?;
    }
    Ok(())
}

async fn measure(repo: &Path, arguments: &Arguments) -> Result<()> {
    let data = tempfile::tempdir()?;
    let (engine, wire) = embedded_engine::open(data.path())?;
    let repo = std::fs::canonicalize(repo)?;
    let add = json!({ "name": REPO, "directory": repo });
    wire.ask("POST", "/v1/repos", Some(&add)).await?;
    let began = Instant::now();
    let path = format!("/v1/repos/{REPO}/graph/rebuild");
    let asked = wire.ask("POST", &path, Some(&json!({ "commits": arguments.commits, "months": 0 }))).await?;
    read(&engine, &wire, &asked).await?;
    let read_s = began.elapsed().as_secs_f64();

    let mut random = Seeded::new(arguments.seed);
    let listed = git(&repo, &["ls-tree", "-r", "-z", "--name-only", "HEAD"])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let files: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    let mut pick = || random.pick(&files).map(|path| (*path).to_owned()).unwrap_or_default();
    let began = Instant::now();
    let first = co_change(&wire, &pick()).await?;
    let first_ms = began.elapsed().as_secs_f64() * 1_000.0;
    ensure!(first.pointer("/graph/history") == Some(&json!("read")), "the history was not read: {first}");

    let (mut of_one, mut of_ten, mut of_directory, mut of_impact) =
        (Latencies::default(), Latencies::default(), Latencies::default(), Latencies::default());
    for _ in 0..arguments.calls {
        let began = Instant::now();
        co_change(&wire, &pick()).await?;
        of_one.add(began.elapsed());
        let ten: Vec<String> = (0..10).map(|_| pick()).collect();
        let began = Instant::now();
        let path = format!("/v1/repos/{REPO}/graph/missing");
        wire.ask("POST", &path, Some(&json!({ "paths": ten }))).await?;
        of_ten.add(began.elapsed());
        let file = pick();
        let directory = file.rsplit_once('/').map_or("docs", |(directory, _)| directory);
        let paths = json!({ "paths": [format!("{directory}/**"), "no/such/file.rs"] });
        let began = Instant::now();
        wire.ask("POST", &path, Some(&paths)).await?;
        of_directory.add(began.elapsed());
        let path = format!("/v1/repos/{REPO}/graph/impact?depth=2&path={}", escaped(&pick()));
        let began = Instant::now();
        wire.ask("GET", &path, None).await?;
        of_impact.add(began.elapsed());
    }
    let began = Instant::now();
    let sets = wire.ask("GET", &format!("/v1/repos/{REPO}/graph/sets"), None).await?;
    let sets_ms = began.elapsed().as_secs_f64() * 1_000.0;
    let count = sets.pointer("/sets").and_then(Value::as_array).map_or(0, Vec::len);
    let commits = first.pointer("/graph/commits").and_then(Value::as_u64).unwrap_or(0);
    let quantiles = |latencies: &mut Latencies| {
        let found = latencies.quantiles();
        format!("{:.2} / {:.2}", found.p50_ms, found.p95_ms)
    };
    let name = repo.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    println!(
        "| {name} | {commits} | {} | {read_s:.1} | {first_ms:.0} | {} | {} | {} | {} | {sets_ms:.0} ({count}) | {:.1} |",
        files.len(),
        quantiles(&mut of_one),
        quantiles(&mut of_ten),
        quantiles(&mut of_directory),
        quantiles(&mut of_impact),
        megabytes(data.path())?,
    );
    Ok(())
}

/// Runs due jobs until the history is read.
async fn read(engine: &Loci, wire: &Wire, asked: &Value) -> Result<()> {
    let path = format!("/v1/memories/{}/jobs/{}", text_at(asked, "/memory")?, text_at(asked, "/job")?);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let jobs = engine.run_jobs(Box::pin(async {
        stopped.await.ok();
    }));
    let waited = async {
        let began = Instant::now();
        let ended = loop {
            let job = wire.ask("GET", &path, None).await?;
            match job.pointer("/state").and_then(Value::as_str) {
                Some("done") => break Ok(()),
                Some("failed") => break Err(anyhow!("the history was not read: {job}")),
                _ if began.elapsed() > WAIT => break Err(anyhow!("the history was not read in time: {job}")),
                _ => tokio::time::sleep(LOOK).await,
            }
        };
        stop.send(()).ok();
        ended
    };
    futures::join!(jobs, waited).1
}

async fn co_change(wire: &Wire, file: &str) -> Result<Value> {
    wire.ask("GET", &format!("/v1/repos/{REPO}/graph/co-change?path={}", escaped(file)), None).await
}

/// Escapes a path for use in a query string.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

fn megabytes(folder: &Path) -> Result<f64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let data = entry?.metadata()?;
        bytes += if data.is_file() { data.len() } else { 0 };
    }
    Ok(bytes as f64 / 1e6)
}

/// Generates a history in which files of one part change together, and some move.
fn make(folder: &Path, commits: u64, random: &mut Seeded) -> Result<()> {
    git_text(folder, &["init", "--quiet", "--bare", "--initial-branch=main"])?;
    let mut import = command(folder).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
    let mut to = std::io::BufWriter::new(import.stdin.take().context("git takes nothing")?);
    let mut moved = vec![0_u64; usize::try_from(FILES)?];
    let path = |file: u64, moved: &[u64]| {
        let times = usize::try_from(file).ok().and_then(|file| moved.get(file)).copied().unwrap_or(0);
        format!("src/part{}/file{file}_{times}.rs", file / PART)
    };
    let body: String = (0..60).fold(String::new(), |mut body, line| {
        let _ = writeln!(body, "    let value_{line} = compute({line});");
        body
    });
    for number in 0..commits {
        let message = format!("change {number}");
        let at = 1_600_000_000 + number * 600;
        write!(
            to,
            "commit refs/heads/main\ncommitter a <a@b> {at} +0000\ndata {}\n{message}\n",
            message.len()
        )?;
        let part = random.below(FILES / PART);
        if number > 100 && random.below(100) < MOVES {
            let file = part * PART + random.below(PART);
            let from = path(file, &moved);
            if let Some(times) = moved.get_mut(usize::try_from(file)?).filter(|times| **times > 0) {
                *times += 1;
                writeln!(to, "R {from} {}", path(file, &moved))?;
            }
        }
        for _ in 0..=random.below(6) {
            let file = part * PART + random.below(PART);
            if let Some(times) = moved.get_mut(usize::try_from(file)?) {
                *times = (*times).max(1);
            }
            let text = format!("// {file} {number}\n{body}");
            write!(to, "M 100644 inline {}\ndata {}\n{text}\n", path(file, &moved), text.len())?;
        }
        writeln!(to)?;
    }
    to.flush()?;
    drop(to);
    ensure!(import.wait()?.success(), "git could not make the history");
    Ok(())
}
