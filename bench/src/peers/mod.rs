//! `peers`: compares Loci with other memory and retrieval engines, in one run on one machine: the
//! same texts, the same model, the same questions, and the same code for recall. It reports recall,
//! latency, load and footprint, including the figures where Loci loses.
//!
//! Loci is measured over HTTP and the peers within their own process, which is a disadvantage for
//! Loci. The peers are development tools: no part of the product depends on them
//! (`docs/decisions/0037-peers.md`).

mod engine_figures;
mod environment;
mod loci_side;
mod python_side;
mod table;
mod workload;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::progress::Progress;
use crate::server;
use engine_figures::EngineFigures;
use loci_side::LociSide;
use python_side::{PROGRAMS, PythonSide};
use workload::{Scales, Set};

const OWN: &str = "loci";
const PAGE: &str = "docs/benchmarks/peers.md";

/// Options of the comparison.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets.
    #[arg(long)]
    set: Vec<PathBuf>,
    /// Weights by conversation, as `train --out` writes them: Loci's recall is measured with them
    /// too.
    #[arg(long)]
    weights_dir: Option<PathBuf>,
    /// Maximum number of conversations of each set.
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    conversations: usize,
    /// Records in one collection.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000])]
    scale: Vec<usize>,
    /// Texts to store, JSON strings one a line, with further ones as questions; generated if
    /// absent.
    #[arg(long)]
    texts: Option<PathBuf>,
    /// Vectors of those texts, rows of 384 little-endian f32; computed by Loci's model if absent.
    #[arg(long, requires = "texts")]
    vectors: Option<PathBuf>,
    /// Distinct questions at each scale.
    #[arg(long, default_value_t = 200)]
    questions: usize,
    /// Minutes after which a phase of a peer is stopped, and its rate and size reported.
    #[arg(long, default_value_t = 1.0)]
    limit_minutes: f64,
    /// Maximum scale at which peers load with the model; beyond it they get vectors.
    #[arg(long, default_value_t = 10_000)]
    embed_up_to: usize,
    /// One engine only; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Folder of environments and the model; by default next to the builds.
    #[arg(long)]
    environments: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the tables between the marks of BENCHMARKS.md.
    #[arg(long)]
    write: bool,
}

/// The settings that apply to every engine.
#[derive(Debug)]
struct Settings {
    questions: usize,
    limit: Duration,
    embed_up_to: usize,
    weights_dir: Option<PathBuf>,
}

enum Engine {
    Loci(LociSide),
    Python(PythonSide),
}

/// Measures every engine and prints the tables.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let settings = Settings {
        questions: arguments.questions,
        limit: Duration::try_from_secs_f64(arguments.limit_minutes * 60.0)?,
        embed_up_to: arguments.embed_up_to,
        weights_dir: arguments.weights_dir.clone(),
    };
    let engines = engines(&arguments)?;
    let folder = tempfile::tempdir()?;
    let sets = arguments.set.iter().enumerate();
    let sets = sets.map(|(number, path)| Set::read(path, number, arguments.conversations, folder.path()));
    let sets: Vec<Set> = sets.collect::<Result<_>>()?;
    let largest = arguments.scale.iter().copied().max().unwrap_or_default();
    let (texts, vectors) = (arguments.texts.as_deref(), arguments.vectors.as_deref());
    let scales = Scales::prepare(texts, vectors, largest, settings.questions, folder.path())?;
    let load = load_average();
    let progress = Progress::new(steps(&engines, &sets, &arguments));
    let mut measured = Vec::new();
    for engine in &engines {
        measured.push(measure(engine, &sets, &arguments.scale, &scales, &settings, &progress).await?);
    }
    let conditions = format!("{}; load average {load} before, {} after", processor(), load_average());
    if arguments.json {
        println!("{}", json!({"conditions": conditions, "engines": measured}));
    } else {
        println!("{conditions}\n{}", table::markdown(&measured));
    }
    if arguments.write {
        let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
        let text = format!("\n{today}; {conditions}.\n{}", table::markdown(&measured));
        table::write(Path::new(PAGE), &text)?;
    }
    Ok(())
}

fn engines(arguments: &Arguments) -> Result<Vec<Engine>> {
    let known: Vec<&str> = std::iter::once(OWN).chain(PROGRAMS.iter().map(|program| program.name)).collect();
    if let Some(unknown) = arguments.only.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no engine {unknown}: {}", known.join(", "));
    }
    let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let target = match &arguments.environments {
        Some(folder) => folder.clone(),
        None => std::env::current_exe()?
            .parent()
            .and_then(Path::parent)
            .context("no target folder")?
            .join("peers"),
    };
    std::fs::create_dir_all(&target)?;
    let target = std::path::absolute(target)?;
    let mut engines = Vec::new();
    if wanted(OWN) {
        engines.push(Engine::Loci(LociSide { binary: server::binary(arguments.binary.as_deref())? }));
    }
    for program in PROGRAMS.into_iter().filter(|program| wanted(program.name)) {
        engines.push(Engine::Python(PythonSide::prepare(program, &target)?));
    }
    ensure!(!engines.is_empty(), "no engine is left");
    Ok(engines)
}

/// Returns the number of steps as `Progress` counts them.
fn steps(engines: &[Engine], sets: &[Set], arguments: &Arguments) -> usize {
    let of_scale = |engine: &Engine, scale: &usize| match engine {
        Engine::Python(_) if *scale <= arguments.embed_up_to => 3,
        Engine::Python(_) | Engine::Loci(_) => 2,
    };
    let of_engine =
        |engine| sets.len() + arguments.scale.iter().map(|scale| of_scale(engine, scale)).sum::<usize>();
    engines.iter().map(of_engine).sum()
}

/// Measures one engine. A failure of a peer is recorded, and a failure of Loci ends the run.
async fn measure(
    engine: &Engine,
    sets: &[Set],
    scale: &[usize],
    scales: &Scales,
    settings: &Settings,
    progress: &Progress,
) -> Result<EngineFigures> {
    let mut figures = described(engine)?;
    for set in sets {
        progress.step(&format!("{}: {}", figures.name, set.name()));
        match engine {
            Engine::Loci(loci) => {
                figures.quality.push(loci.quality(set, None).await?);
                if let Some(folder) = &settings.weights_dir {
                    figures.quality.push(loci.quality(set, Some(folder)).await?);
                }
            }
            Engine::Python(peer) => match peer.quality(set, progress).await {
                Ok(quality) => figures.quality.push(quality),
                Err(error) => figures.failures.push(failed(&set.name(), &error)),
            },
        }
    }
    for records in scale {
        if let Some(cut_short) = figures.scales.last().and_then(|last| last.cut_short(*records)) {
            // The load would stop at the same size again.
            figures.scales.push(cut_short);
            continue;
        }
        match engine {
            Engine::Loci(loci) => {
                figures.scales.push(loci.scale(*records, scales, settings, progress).await?)
            }
            Engine::Python(peer) => match peer.scale(*records, scales, settings, progress).await {
                Ok(measured) => figures.scales.push(measured),
                Err(error) => figures.failures.push(failed(&format!("{records} records"), &error)),
            },
        }
    }
    Ok(figures)
}

fn failed(what: &str, error: &anyhow::Error) -> String {
    let text = format!("{what}: {error:#}");
    eprintln!("    failed: {text}");
    text
}

fn described(engine: &Engine) -> Result<EngineFigures> {
    let (name, version, search, installed_bytes, packages) = match engine {
        Engine::Loci(loci) => {
            (OWN, loci.version()?, "words, vectors and context, one ranking", folder_bytes(&loci.binary)?, 1)
        }
        Engine::Python(peer) => (
            peer.program.name,
            peer.environment.version.clone(),
            peer.program.search,
            peer.installed_bytes()?,
            peer.environment.packages,
        ),
    };
    Ok(EngineFigures {
        name: name.to_owned(),
        version,
        search,
        quality: Vec::new(),
        scales: Vec::new(),
        installed_bytes,
        packages,
        failures: Vec::new(),
    })
}

/// Returns the size of a file, or of all files under a folder, in bytes.
fn folder_bytes(path: &Path) -> Result<u64> {
    let metadata = std::fs::symlink_metadata(path).with_context(|| format!("reading {}", path.display()))?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    std::fs::read_dir(path)?.map(|entry| folder_bytes(&entry?.path())).sum()
}

fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Returns the name and the number of processors, as the machine reports them.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut names = text.lines().filter_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = names.next().map(|(_, name)| name.trim().to_owned()).unwrap_or_default();
    format!("{} × {name}", names.count() + 1)
}
