//! Our own suites with foreign clients: boto3, the AWS SDK for JavaScript with the npm memory
//! store, LangGraph, Strands. A suite ends with a line `N passed, M failed`. A suite that ends
//! without this line, or with fewer passes than it has tests, fails.

use super::server::{self, Options};
use super::{environment, packages};
use crate::{checkout::Checkout, clients, process};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs every operation with boto3. The suite starts further servers if it needs keys or a restart.
///
/// A binary without products runs the suite without the files in `ignored`.
pub(super) fn boto3(checkout: &Checkout, options: &Options, ignored: &[&str]) -> Result<()> {
    let python = packages::python(checkout, "agentcore")?.python;
    let mut command = pytest(&python, checkout, "boto3");
    let folder = checkout.root.join("compat").join("boto3");
    command.args(ignored.iter().map(|file| format!("--ignore={}", folder.join(file).display())));
    with_server(&mut command, options)
}

/// Runs every operation with the AWS SDK for JavaScript.
pub(super) fn js(checkout: &Checkout, options: &Options) -> Result<()> {
    let folder = packages::npm(checkout, "js")?;
    let mut command = Command::new("node");
    command.arg(folder.join("run.mjs")).current_dir(&folder);
    with_server(&mut command, options)
}

/// Runs the checkpoints and the store of LangGraph.
pub(super) fn langgraph(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = packages::python(checkout, "langgraph")?.python;
    let mut command = pytest(&python, checkout, "langgraph");
    with_server(&mut command, options)
}

/// Runs random commands of the memory tool and compares them with the reference of its SDK.
pub(super) fn memory_tool(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = packages::python(checkout, "memory-tool")?.python;
    let mut command = Command::new(&python);
    let script = checkout.root.join("compat").join("memory-tool").join("fuzz.py");
    command.arg(script).args(["--seconds", "45", "--sequences", "400"]).current_dir(&checkout.root);
    with_server(&mut command, options)
}

/// Tests a mirror in a bucket. The suite starts the bucket, and a server whose configuration names
/// it.
pub(super) fn bucket(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = packages::python(checkout, "bucket")?.python;
    let mut command = Command::new(&python);
    command.arg(checkout.root.join("compat").join("bucket").join("run.py")).current_dir(&checkout.root);
    with_server(&mut command, options)
}

/// Tests the S3 API with boto3 and stock stores. The suite starts a server whose configuration
/// names a bucket.
pub(super) fn strands_s3(checkout: &Checkout, options: &Options) -> Result<()> {
    // The npm packages come first, because their installation clears the folder that contains the
    // Python environment.
    let modules = packages::npm(checkout, "strands-s3")?;
    let python = packages::python(checkout, "strands-s3")?.python;
    let mut command = Command::new(&python);
    let script = checkout.root.join("compat").join("strands-s3").join("run.py");
    command.arg(script).arg(modules).current_dir(&checkout.root);
    with_server(&mut command, options)
}

/// Runs stock agents of Strands in Python and TypeScript. The suite starts the stub for models, and
/// further servers.
pub(super) fn strands(checkout: &Checkout, options: &Options) -> Result<()> {
    // The same Python packages as the public tests, at the same versions.
    let python = packages::python(checkout, "agentcore")?.python;
    let modules = packages::npm(checkout, "strands")?;
    let sources = packages::source_distribution(checkout, "strands", "strands_agents-1.62.0", "agentcore")?;
    let typescript = clients::built_typescript(checkout)?;
    let mut command = Command::new(&python);
    command.arg(checkout.root.join("compat").join("strands").join("run.py")).current_dir(&checkout.root);
    command.arg("--node-folder").arg(modules).arg("--sources").arg(sources);
    command.arg("--typescript").arg(typescript);
    with_server(&mut command, options)
}

/// Runs the rows of the source designs. Each starts its own server.
pub(super) fn designs(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = packages::python(checkout, "agentcore")?.python;
    let mut command = Command::new(&python);
    command.arg(checkout.root.join("compat").join("designs").join("run.py")).current_dir(&checkout.root);
    command.env("LOCI_TYPESCRIPT", clients::built_typescript(checkout)?);
    command.env("LOCI_PYTHON", checkout.root.join("clients").join("python"));
    with_server(&mut command, options)
}

fn pytest(python: &std::path::Path, checkout: &Checkout, name: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "-q", "--durations=5", "--disable-warnings", "-p", "no:cacheprovider"]);
    command.arg(format!("--rootdir={}", checkout.root.join("compat").join(name).display()));
    command.arg(checkout.root.join("compat").join(name)).current_dir(&checkout.root);
    command
}

/// Runs a suite against a fresh server and reads its last line.
pub(super) fn with_server(command: &mut Command, options: &Options) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let loci = server::loci(options, folder.path())?;
    environment::set(command, folder.path(), &loci.url, None);
    command.env("LOCI_BIN", &options.loci).stdout(Stdio::piped());
    println!("$ {}", process::line(command));
    let mut child = command.spawn().with_context(|| process::line(command))?;
    let mut totals = None;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            totals = self::totals(&line).or(totals);
        }
    }
    let status = child.wait()?;
    if !status.success() {
        println!("the server said:\n{}", loci.log_tail());
    }
    ensure!(status.success(), "`{}` failed ({status})", process::line(command));
    if let Some(rows) = loci.rows_written()? {
        ensure!(rows > 0, "nothing was written to PostgreSQL: the tests say nothing of it");
    }
    let (passed, failed) = totals.context("the suite printed no totals")?;
    ensure!(passed > 0 && failed == 0, "the suite ended with {passed} passed, {failed} failed");
    Ok(())
}

/// Reads a line that is exactly `N passed, M failed`.
fn totals(line: &str) -> Option<(u32, u32)> {
    let (passed, failed) = line.trim().split_once(" passed, ")?;
    Some((passed.parse().ok()?, failed.strip_suffix(" failed")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_closing_line_is_read() {
        let check = |line: &str, expect: Option<(u32, u32)>| assert_eq!(totals(line), expect, "{line}");
        check("12 passed, 0 failed", Some((12, 0)));
        check("12 passed, 3 failed\n", Some((12, 3)));
        check("12 passed in 3.1s", None);
        check("ok: 12 passed, 0 failed", None);
        check("", None);
    }
}
