//! `cargo xtask docs`: the code blocks of README and of the pages under `docs/`, run as a reader
//! pastes them: in order, in one shell for each page, in an empty folder with a home of its own,
//! and compared with the outputs that the pages show. `blocks` reads a page, `script` makes a shell
//! script of it, `output` compares.

mod blocks;
mod output;
mod script;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::acceptance::packages;
use crate::checkout::Checkout;
use crate::process;
use blocks::Block;

/// Folders under `docs/` whose pages are records of decisions and of measurements, not
/// instructions.
const RECORDS: [&str; 2] = ["docs/decisions/", "docs/benchmarks/"];
/// Stands for builds and runs of a checkout: `loci` is built already.
const CARGO: &str = "#!/bin/sh\ncase \"$1\" in\nbuild) exit 0 ;;\nrun) while [ \"$1\" != -- ]; do shift; done; shift; exec loci \"$@\" ;;\nesac\nexit 64\n";

/// Options of the command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Pages to run, by their paths [default: README.md and all under docs/]
    pages: Vec<String>,
    /// This binary, instead of one that is built first
    #[arg(long, value_name = "FILE")]
    loci: Option<PathBuf>,
}

/// Counts of blocks.
#[derive(Debug, Default)]
struct Counts {
    run: usize,
    compared: usize,
    skipped: Vec<String>,
}

/// Runs the pages.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    // Blocks run in folders of their own.
    let given = arguments.loci.as_deref().map(std::path::absolute).transpose()?;
    let loci = given.map_or_else(|| checkout.loci(), Ok)?;
    let python = packages::python(checkout, "agentcore")?;
    let pages = if arguments.pages.is_empty() { pages(checkout)? } else { arguments.pages.clone() };
    let (began, mut counts, mut failed) = (Instant::now(), Counts::default(), Vec::new());
    for (at, page) in pages.iter().enumerate() {
        let began = Instant::now();
        let place = format!("[{}/{}] {page}", at + 1, pages.len());
        match run_page(checkout, page, &loci, &python.python, &mut counts) {
            Ok(0) => {}
            Ok(blocks) => println!("{place}: {blocks} blocks in {:.1} s", began.elapsed().as_secs_f64()),
            Err(error) => {
                println!("{place}: FAILED: {error:#}");
                failed.push(page.as_str());
            }
        }
    }
    counts.skipped.iter().for_each(|skipped| println!("not run: {skipped}"));
    println!(
        "docs: {} blocks of {} pages run, {} outputs compared, {} blocks not run, {:.0} s",
        counts.run,
        pages.len(),
        counts.compared,
        counts.skipped.len(),
        began.elapsed().as_secs_f64()
    );
    ensure!(failed.is_empty(), "the blocks of {} pages fail: {}", failed.len(), failed.join(", "));
    Ok(())
}

/// Returns the pages of the checkout: README first, then by path.
fn pages(checkout: &Checkout) -> Result<Vec<String>> {
    let mut listing = Command::new("git");
    listing.args(["ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"]);
    let listed = listing.current_dir(&checkout.root).output().context("listing the pages")?;
    ensure!(listed.status.success(), "git lists no pages: {}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).context("names of pages")?;
    let guides = listed.lines().filter(|page| !RECORDS.iter().any(|folder| page.starts_with(folder)));
    let mut pages = vec!["README.md".to_owned()];
    pages.extend(guides.map(str::to_owned));
    Ok(pages)
}

/// Runs the blocks of a page and returns how many.
fn run_page(
    checkout: &Checkout,
    page: &str,
    loci: &Path,
    python: &Path,
    counts: &mut Counts,
) -> Result<usize> {
    let text =
        std::fs::read_to_string(checkout.root.join(page)).with_context(|| format!("reading {page}"))?;
    let (run, skipped): (Vec<Block>, Vec<Block>) =
        blocks::read(&text)?.into_iter().partition(|block| block.reason.is_none());
    counts.skipped.extend(
        skipped
            .iter()
            .map(|block| format!("{page}:{}: {}", block.line, block.reason.as_deref().unwrap_or_default())),
    );
    if run.is_empty() {
        return Ok(0);
    }
    if std::net::TcpStream::connect(script::ADDRESS).is_ok() {
        bail!("a server listens on {}, which the pages name: stop it", script::ADDRESS);
    }
    let home = tempfile::tempdir().context("a home for the page")?;
    let outputs = home.path().join(".outputs");
    let bin = programs(checkout, home.path(), loci, python)?;
    let folder = home.path().join("work");
    std::fs::create_dir_all(&outputs)?;
    std::fs::create_dir_all(&folder)?;
    let environment = python.parent().context("an interpreter in a folder")?;
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &script::of(&run)]).stdin(Stdio::null());
    bash.current_dir(&folder).env_clear().env("HOME", home.path()).env("USER", "reader");
    bash.env("GIT_CONFIG_NOSYSTEM", "1").env(script::OUTPUTS, &outputs).env("LANG", "C.UTF-8");
    let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", bin.display(), environment.display());
    let ended = bash.env("PATH", path).output().context("starting bash")?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let line = script::last_begun(&outputs, &run).map_or(0, |block| block.line);
        bail!("the block at line {line} failed ({}):\n{}", ended.status, said.trim_end());
    }
    for block in &run {
        if let Some(expected) = &block.output {
            let printed = script::output_of(&outputs, block)?;
            output::compare(expected, &printed)
                .with_context(|| format!("the output of the block at line {}", block.line))?;
            counts.compared += 1;
        }
    }
    counts.run += run.len();
    Ok(run.len())
}

/// Makes a folder of programs that pages call: `loci`, and `cargo` and `pip` as a reader has them.
fn programs(checkout: &Checkout, home: &Path, loci: &Path, python: &Path) -> Result<PathBuf> {
    let bin = home.join(".bin");
    std::fs::create_dir_all(&bin)?;
    std::os::unix::fs::symlink(loci, bin.join("loci"))?;
    std::fs::write(bin.join("cargo"), CARGO)?;
    // The environment has no pip of its own.
    let installer = packages::installer(checkout)?;
    let pip =
        format!("#!/bin/sh\nexec '{}' pip \"$@\" --python '{}'\n", installer.display(), python.display());
    std::fs::write(bin.join("pip"), pip)?;
    process::run(Command::new("chmod").arg("+x").arg(bin.join("cargo")).arg(bin.join("pip")))?;
    Ok(bin)
}
