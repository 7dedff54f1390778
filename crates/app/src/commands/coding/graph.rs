//! `loci graph`: files that change together. `missing` is a gate: it exits with 5 if a file is
//! missing that usually changes with the named files.

use std::io::Read;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use loci_api::coding::graph::{
    CoChange, CoChangeAsk, FileSetListing, GraphAbout, GraphRebuild, GraphRebuildAsked, ImpactAsk, ImpactRow,
    MissingAsk,
};
use loci_json::without_mark;
use serde::Serialize;

use crate::cli::Globals;
use crate::commands::verified::repository_words::{MeantRepository, OptionalRepository, Surroundings};
use crate::config::environment::Environment;
use crate::exit::{Difference, Usage};
use crate::output;
use crate::session::Session;

/// The maximum number of bytes of file names on standard input.
const INPUT_BYTES_MAX: u64 = 4 << 20;
const INPUT: &str = "-";
/// The default time limit in milliseconds for waiting for a build.
const BUILD_MS_MAX: u64 = 600_000;
/// The interval between two checks of a running build.
const LOOK: Duration = Duration::from_millis(100);
const TELL: Duration = Duration::from_secs(5);

/// Files that change together
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Graph {
    /// Read the history of a repository again, and wait for the result
    Build(Build),
    /// List files that often change together with a file
    #[command(name = "co-change")]
    CoChange(CoChanges),
    /// List files that always change together
    Sets(Sets),
    /// Show the files that a change of a file or a module may affect
    Impact(Impact),
    /// List missing files that usually change with these; exit code 5 if there are any
    Missing(Missing),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Build {
    #[command(flatten)]
    of: OptionalRepository,
    /// Months before the tip, such as 24mo; all: the whole history [default: 24mo]
    #[arg(long, value_name = "MONTHS")]
    history: Option<String>,
    /// The maximum number of commits, newest first [default: 5000]
    #[arg(long)]
    commits: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CoChanges {
    /// The file, from the root of the repository
    path: String,
    #[command(flatten)]
    of: OptionalRepository,
    /// The minimum number of common changes [default: 3]
    #[arg(long)]
    min_support: Option<u32>,
    /// The minimum share of its changes, 0 to 1 [default: 0.6]
    #[arg(long)]
    min_confidence: Option<f64>,
    /// The maximum number of rows [default: 20]
    #[arg(long)]
    limit: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Sets {
    #[command(flatten)]
    of: OptionalRepository,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Impact {
    /// A file, a directory or a pattern
    #[arg(required_unless_present = "module", conflicts_with = "module")]
    path: Option<String>,
    /// A module: a name, a directory, or segments in the notation of a language: auth, src/auth,
    /// crate::auth
    #[arg(long)]
    module: Option<String>,
    #[command(flatten)]
    of: OptionalRepository,
    /// Steps from file to file, 1 to 5 [default: 2]
    #[arg(long)]
    depth: Option<u32>,
    /// The maximum number of rows [default: 50]
    #[arg(long)]
    limit: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Missing {
    /// Files, from the root of the repository; -: one per line on standard input, as `git diff
    /// --name-only` prints them
    #[arg(required = true)]
    paths: Vec<String>,
    #[command(flatten)]
    of: OptionalRepository,
    /// The minimum number of common changes [default: 3]
    #[arg(long)]
    min_support: Option<u32>,
    /// The minimum share of the changes of a named file, 0 to 1 [default: 0.6]
    #[arg(long)]
    min_confidence: Option<f64>,
    /// The maximum number of rows [default: 20]
    #[arg(long)]
    limit: Option<u32>,
}

/// The result of a requested build of the graph.
#[derive(Debug, Serialize)]
struct Built {
    job: String,
    graph: GraphAbout,
    warnings: Vec<String>,
}

impl Graph {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        let ended = match self {
            Self::Build(build) => build.run(around).await,
            Self::CoChange(asked) => asked.run(around).await,
            Self::Sets(asked) => asked.run(around).await,
            Self::Impact(asked) => asked.run(around).await,
            Self::Missing(asked) => asked.run(around).await,
        };
        // The session must end properly even if a file is missing.
        session.end().await?;
        ended
    }
}

impl Build {
    async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let Surroundings { session, globals, .. } = around;
        let meant = self.of.meant(around).await?;
        let (client, repo) = (&meant.client, meant.parts());
        let months = self.history.as_deref().map(months).transpose()?;
        let asked = client.graph_rebuild(repo, &GraphRebuild { commits: self.commits, months }).await?;
        // Without a server this process runs the job. Otherwise it watches the job.
        let meanwhile = session.work_meanwhile();
        let wait = Duration::from_millis(globals.wait_ms.unwrap_or(BUILD_MS_MAX));
        let ended = watch(&meant, &asked, wait, globals.json).await;
        if let Some(meanwhile) = meanwhile {
            meanwhile.end().await?;
        }
        ended?;
        let found = client.file_sets(repo, &FileSetListing::default()).await?;
        let built = Built { job: asked.job, graph: found.graph, warnings: found.warnings };
        output::result(globals.json, &built, |built| {
            let GraphAbout { n, commits, remaining, is_cut, .. } = &built.graph;
            let older = if *is_cut { ", older ones are left out" } else { "" };
            output::line(format!("{commits} commits are read{older}; {n} changes are counted"));
            if *remaining > 0 {
                output::note(format!("{remaining} commits are still to be read, in the background"));
            }
            built.warnings.iter().for_each(output::note);
        })
    }
}

/// Waits for the end of the build job or for the time limit. After the limit the job continues in
/// the background.
#[expect(clippy::disallowed_methods, reason = "a person waits in the machine's time")]
async fn watch(
    meant: &MeantRepository,
    asked: &GraphRebuildAsked,
    wait: Duration,
    is_quiet: bool,
) -> Result<()> {
    let client = &meant.client;
    let (began, mut told) = (Instant::now(), Instant::now());
    while began.elapsed() < wait {
        let job = client.job_get(&asked.memory, &asked.job).await?;
        match job.state.as_str() {
            "done" => return Ok(()),
            "failed" => bail!("the history was not read: {}", job.failure_reason.unwrap_or_default()),
            _ => {}
        }
        if !is_quiet && told.elapsed() >= TELL {
            told = Instant::now();
            let ask = CoChangeAsk { path: "README.md".to_owned(), ..CoChangeAsk::default() };
            let GraphAbout { commits, remaining, .. } = client.co_changes(meant.parts(), &ask).await?.graph;
            output::note(format!("{commits} commits are read, {remaining} are to be read"));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

impl CoChanges {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let (client, repo, as_json) = (&meant.client, meant.parts(), around.globals.json);
        let Self { path, min_support, min_confidence, limit, .. } = &self;
        let ask = CoChangeAsk {
            path: path.clone(),
            min_support: *min_support,
            min_confidence: *min_confidence,
            limit: *limit,
        };
        let found = client.co_changes(repo, &ask).await?;
        output::result(as_json, &found, |found| {
            found.pairs.iter().for_each(|one| pair(one, false));
            if found.pairs.is_empty() {
                let (path, count) = (&found.path, found.n_a);
                output::note(format!("nothing often changes with {path}, which changed {count} times"));
            }
            found.warnings.iter().for_each(output::note);
        })
    }
}

impl Sets {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let (client, repo, as_json) = (&meant.client, meant.parts(), around.globals.json);
        let found = client.file_sets(repo, &FileSetListing::default()).await?;
        output::result(as_json, &found, |found| {
            for set in &found.sets {
                output::line(format!("{} times, {:.0} %", set.support, set.confidence * 100.0));
                set.files.iter().for_each(|file| output::line(format!("      {file}")));
            }
            if found.sets.is_empty() {
                output::note("no files are always modified together");
            }
            found.warnings.iter().for_each(output::note);
        })
    }
}

impl Impact {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let (client, repo, as_json) = (&meant.client, meant.parts(), around.globals.json);
        let Self { path, module, depth, limit, .. } = &self;
        let ask = ImpactAsk { path: path.clone(), module: module.clone(), depth: *depth, limit: *limit };
        let found = client.impact(repo, &ask).await?;
        output::result(as_json, &found, |found| {
            found.rows.iter().for_each(impact);
            if found.rows.is_empty() {
                output::note(format!("nothing depends on or changes with these {} files", found.files));
            }
            if found.more > 0 {
                output::note(format!("{} more files: raise --limit", found.more));
            }
            found.warnings.iter().for_each(output::note);
        })
    }
}

impl Missing {
    async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let (client, repo, as_json) = (&meant.client, meant.parts(), around.globals.json);
        let Self { min_support, min_confidence, limit, .. } = self;
        let paths = paths(&self.paths)?;
        if paths.is_empty() {
            output::note("no files are named, so none is missing");
            return Ok(());
        }
        let ask = MissingAsk { paths, min_support, min_confidence, limit };
        let found = client.missing_files(repo, &ask).await?;
        output::result(as_json, &found, |found| {
            found.files.iter().for_each(|one| pair(one, true));
            found.warnings.iter().for_each(output::note);
        })?;
        match found.files.len() {
            0 => Ok(()),
            count => Err(Difference(format!(
                "{count} files usually change with these and are not among them: change them too, or go on where that is right"
            ))
            .into()),
        }
    }
}

/// Parses a number of months: `24mo` or `24`, or `all` for the whole history.
fn months(text: &str) -> Result<u32> {
    if text == "all" {
        return Ok(0);
    }
    let wrong = || Usage(format!("--history must be a number of months such as 24mo, or all, not {text}"));
    let number: u32 = text.strip_suffix("mo").unwrap_or(text).parse().map_err(|_| wrong())?;
    if number == 0 { Err(wrong().into()) } else { Ok(number) }
}

/// Returns the file names in the arguments, and those on standard input for `-`.
fn paths(named: &[String]) -> Result<Vec<String>> {
    if !named.iter().any(|path| path == INPUT) {
        return Ok(named.to_vec());
    }
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES_MAX + 1).read_to_string(&mut text).context("reading standard input")?;
    if text.len() as u64 > INPUT_BYTES_MAX {
        bail!("standard input must have at most {INPUT_BYTES_MAX} bytes");
    }
    let read = without_mark(&text).lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
    Ok(named.iter().filter(|path| *path != INPUT).cloned().chain(read).collect())
}

fn pair(one: &CoChange, with_because: bool) {
    let CoChange { path, because, support, confidence, lift, .. } = one;
    let because = if with_because { format!("  with {because}") } else { String::new() };
    output::line(format!("{path}  {support} times, {:.0} %, lift {lift:.1}{because}", confidence * 100.0));
}

fn impact(row: &ImpactRow) {
    let ImpactRow { path, distance, confidence, episodes, sites, site_count, .. } = row;
    let together = confidence.map(|confidence| format!("  {:.0} % in {distance} steps", confidence * 100.0));
    let imports = sites.first().map(|site| {
        let more = site_count.saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("  line {} names {} (by {}){more}", site.line, site.of, site.by)
    });
    let together = [imports, together].into_iter().flatten().reduce(|one, other| one + &other);
    let failed = match episodes.len() {
        0 => String::new(),
        count => format!("  {count} tasks that changed both did not work"),
    };
    output::line(format!("{path}{}{failed}", together.unwrap_or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_months() {
        for (text, expect) in
            [("24mo", Some(24)), ("6", Some(6)), ("all", Some(0)), ("0", None), ("2y", None), ("", None)]
        {
            assert_eq!(months(text).ok(), expect, "{text}");
        }
    }
}
