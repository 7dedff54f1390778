//! Runs the public acceptance tests: the 49 integration tests of the Python SDK's source
//! distribution, unmodified. They run against a memory prepared through the API and a stub for
//! models. Fewer than 49 passes is always a failure.

use super::server::{self, Options, Running};
use super::{environment, packages};
use crate::{checkout::Checkout, process};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

const PACKAGE: &str = "bedrock_agentcore-1.25.0";
/// The test files and their numbers of tests. Each file runs in its own process, because the
/// teardown of one class deletes resources that another class still uses.
const FILES: [(&str, u32); 4] = [
    ("test_memory_client", 25),
    ("test_controlplane", 6),
    ("integrations/test_session_manager", 12),
    ("integrations/test_memory_store", 6),
];

/// Totals of a JUnit report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    passed: u32,
    failed: u32,
    skipped: u32,
}

/// Runs the four files and requires that every test passes.
///
/// # Errors
/// Errors if a test fails, is skipped or is missing.
pub(super) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let python = packages::python(checkout, "agentcore")?.python;
    let tests = packages::source_distribution(checkout, "agentcore", PACKAGE, "agentcore")?;
    let compat = checkout.root.join("compat");
    let folder = tempfile::tempdir()?;
    let loci = server::loci(options, folder.path())?;
    let stub = server::stub(&python, &compat.join("stub").join("bedrock_stub.py"), folder.path())?;
    let mut prepare = Command::new(&python);
    environment::set(&mut prepare, folder.path(), &loci.url, None);
    let prepared = process::output(prepare.arg(compat.join("agentcore").join("prepare.py")))
        .with_context(|| format!("preparing the memory; the server said:\n{}", loci.log_tail()))?;
    let memory = prepared.lines().last().unwrap_or_default().trim().to_owned();
    ensure!(!memory.is_empty(), "prepare.py printed no memory id");
    let mut sum = Totals::default();
    for (file, expected) in FILES {
        let report = folder.path().join("report.xml");
        let mut pytest = Command::new(&python);
        environment::set(&mut pytest, folder.path(), &loci.url, Some(&stub.url));
        pytest
            .env("MEMORY_KINESIS_ARN", "arn:aws:kinesis:us-west-2:123456789012:stream/s")
            .env("MEMORY_ROLE_ARN", "arn:aws:iam::123456789012:role/r")
            .env("MEMORY_PREPOPULATED_ID", &memory)
            .args([
                "-m",
                "pytest",
                "-q",
                "--order-scope=module",
                "--durations=5",
                "--disable-warnings",
                "-p",
                "no:cacheprovider",
            ])
            .arg(format!("tests_integ/memory/{file}.py"))
            .arg(format!("--junitxml={}", report.display()))
            .current_dir(&tests);
        let totals = one_file(&mut pytest, &report, &loci)?;
        println!("{file}: {} passed, {} failed, {} skipped", totals.passed, totals.failed, totals.skipped);
        ensure!(totals.passed == expected, "{file}: {} of {expected} tests passed", totals.passed);
        sum.passed += totals.passed;
    }
    if let Some(questions) = loci.questions() {
        println!("the model was asked {questions} times");
        ensure!(questions > 0, "nobody asked the model: the tests say nothing of it");
    }
    if let Some(rows) = loci.rows_written()? {
        println!("{rows} rows were written to PostgreSQL");
        ensure!(rows > 0, "nothing was written to PostgreSQL: the tests say nothing of it");
    }
    println!("agentcore acceptance: {} passed, {} failed", sum.passed, sum.failed);
    Ok(())
}

/// Runs one file. If a test fails, prints the end of the server's log.
fn one_file(pytest: &mut Command, report: &Path, loci: &Running) -> Result<Totals> {
    let outcome = process::run(pytest);
    if outcome.is_err() {
        println!("the server said:\n{}", loci.log_tail());
    }
    outcome?;
    totals(&std::fs::read_to_string(report)?).context("pytest wrote no totals")
}

/// Reads the totals from the attributes of the first test suite.
fn totals(report: &str) -> Option<Totals> {
    let (_, suite) = report.split_once("<testsuite ")?;
    let suite = suite.split_once('>')?.0;
    let number = |name: &str| -> Option<u32> {
        let (_, value) = suite.split_once(&format!("{name}=\""))?;
        value.split_once('"')?.0.parse().ok()
    };
    let (failed, skipped) = (number("failures")? + number("errors")?, number("skipped")?);
    Some(Totals { passed: number("tests")?.checked_sub(failed + skipped)?, failed, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_from_a_report() {
        let of = |errors: u32, failures: u32, skipped: u32, tests: u32| {
            format!(
                "<?xml?><testsuites name=\"pytest tests\"><testsuite name=\"pytest\" errors=\"{errors}\" \
                 failures=\"{failures}\" skipped=\"{skipped}\" tests=\"{tests}\" time=\"1\"><testcase/></testsuite>"
            )
        };
        assert_eq!(totals(&of(0, 0, 0, 25)), Some(Totals { passed: 25, failed: 0, skipped: 0 }));
        assert_eq!(totals(&of(1, 2, 3, 25)), Some(Totals { passed: 19, failed: 3, skipped: 3 }));
        assert_eq!(totals("<x>"), None);
        assert_eq!(totals(&of(9, 9, 9, 5)), None);
    }

    #[test]
    fn the_files_hold_49_tests() {
        assert_eq!(FILES.iter().map(|(_, tests)| tests).sum::<u32>(), 49);
    }
}
