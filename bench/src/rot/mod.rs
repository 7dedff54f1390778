//! `rot`: measures how well verified memory distinguishes existing code from missing code, on any
//! git history. The labels come from a tracer that shares no code with the verifier. It reads only,
//! and needs no network.

mod audit;
mod gates;
mod git;
mod item;
mod manifest;
mod outcome;
mod rate;
mod report;
mod sample;
mod score;
mod suites;
mod synthetic_history;
mod tracer;
mod variants;
mod verifier_under_test;
mod window;
mod words;

use std::path::PathBuf;

use anyhow::{Context, Result};

use manifest::Entry;
pub(crate) use outcome::{Stop, exit_code};
use report::Whole;
use suites::Suite;
pub(crate) use synthetic_history::{Commit, import};
use window::ExtraChecks;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A clone, a bare repository or a worktree.
    repository: Option<PathBuf>,
    /// The repository, as an option.
    #[arg(long, conflicts_with = "repository")]
    repo: Option<PathBuf>,
    /// Revision at which blocks are cited.
    #[arg(long, requires = "to")]
    from: Option<String>,
    /// Revision at which they are verified: later, on the same first-parent history.
    #[arg(long, requires = "from")]
    to: Option<String>,
    /// Number of blocks.
    #[arg(long, default_value_t = manifest::usual_items())]
    n: usize,
    /// Seed of the sample.
    #[arg(long, default_value_t = manifest::usual_seed())]
    rng: u64,
    /// Many windows, from a file.
    #[arg(long, conflicts_with_all = ["repository", "repo", "from"])]
    manifest: Option<PathBuf>,
    /// A generated history from the seed, with every class of change.
    #[arg(long, conflicts_with_all = ["repository", "repo", "from", "manifest"])]
    generated: bool,
    /// Another suite than the blocks of a history. `facts` needs a history, the others generate
    /// their own.
    #[arg(long)]
    suite: Option<Suite>,
    /// Score simple verifiers too.
    #[arg(long)]
    variants: bool,
    /// Write this many edited and split items for human readers.
    #[arg(long, num_args = 2, value_names = ["N", "FILE"])]
    audit_sample: Option<Vec<String>>,
    /// Write the windows with full ids and the hash of their labels.
    #[arg(long)]
    freeze: Option<PathBuf>,
    /// Write all printed figures, and every wrong item.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Fail if a gate is missed.
    #[arg(long)]
    gate: bool,
}

/// Runs the measurement.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let suite = arguments.suite.unwrap_or(Suite::Trace);
    let windows = match (arguments.generated, suite) {
        (true, _) => synthetic_history::history(folder.path(), arguments.rng)?,
        (false, Suite::Mutate | Suite::Adversarial | Suite::Branches) => Vec::new(),
        (false, Suite::Trace | Suite::Facts) => windows(&arguments)?,
    };
    if suite != Suite::Trace {
        return other_suite(suite, &windows, folder.path(), &arguments).await;
    }
    let beside = ExtraChecks { variants: arguments.variants, audit: audit(&arguments)? };
    let mut reports = Vec::with_capacity(windows.len());
    for entry in &windows {
        let report = window::run(entry, &beside).await.with_context(|| entry.repo.display().to_string())?;
        report::print_window(&report);
        reports.push(report);
    }
    let whole = Whole::new(reports);
    report::print_whole(&whole);
    if let Some(file) = &arguments.json {
        whole.write(file)?;
    }
    if let Some(file) = &arguments.freeze {
        manifest::freeze(file, whole.windows.iter().map(|report| report.frozen.clone()).collect())?;
    }
    let missed: Vec<&str> =
        whole.gates.iter().filter(|gate| !gate.passed).map(|gate| gate.name.as_str()).collect();
    if arguments.gate && !missed.is_empty() {
        return Err(Stop::Missed(format!("missed: {}", missed.join("; "))).into());
    }
    Ok(())
}

async fn other_suite(
    suite: Suite,
    windows: &[Entry],
    folder: &std::path::Path,
    arguments: &Arguments,
) -> Result<()> {
    let outcome = suites::run(suite, windows, folder, arguments.rng).await?;
    suites::print(&outcome);
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_string_pretty(&outcome)?)?;
    }
    if arguments.gate && !outcome.missed.is_empty() {
        return Err(Stop::Missed(format!("missed: {}", outcome.missed.join("; "))).into());
    }
    Ok(())
}

fn windows(arguments: &Arguments) -> Result<Vec<Entry>> {
    if let Some(file) = &arguments.manifest {
        return Ok(manifest::read(file).map_err(|error| Stop::Usage(format!("{error:#}")))?);
    }
    let repo = arguments.repository.clone().or_else(|| arguments.repo.clone());
    let (Some(repo), Some(from), Some(to)) = (repo, arguments.from.clone(), arguments.to.clone()) else {
        let why = "say a repository with --from and --to, --manifest, --generated or --suite";
        return Err(Stop::Usage(why.to_owned()).into());
    };
    Ok(vec![Entry { name: None, repo, from, to, n: arguments.n, rng: arguments.rng, labels: None }])
}

fn audit(arguments: &Arguments) -> Result<Option<(usize, PathBuf)>> {
    let Some([wanted, file]) = arguments.audit_sample.as_deref() else { return Ok(None) };
    let wanted =
        wanted.parse().map_err(|_| Stop::Usage("--audit-sample takes a number and a file".to_owned()))?;
    Ok(Some((wanted, PathBuf::from(file))))
}
