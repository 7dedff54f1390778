//! `cargo xtask bench smoke`: compares the cost of a few fixed workloads with the record in
//! `bench/smoke.json`. The cost is the number of instructions under callgrind, which does not
//! depend on the load of the machine. Callgrind's processor has AVX2 and no later extension. The
//! gain of the other kernels over AVX2 is a ratio of times, measured with `--ratios` on an idle
//! machine. The workloads are part of `loci-bench`.

use crate::{checkout::Checkout, counted_program, process};
use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The file with the recorded costs.
const RECORD: &str = "bench/smoke.json";
/// The factor over the record above which a cost is too high.
const ALLOWED: f64 = 1.15;

/// Cost of fixed workloads against the record.
#[derive(Debug, Default, Parser)]
#[command(name = "cargo xtask bench smoke")]
struct Arguments {
    /// Write the measured costs instead of comparing.
    #[arg(long)]
    record: bool,
    /// Measure how many times faster the processor's kernels are than AVX2, instead of
    /// instructions.
    #[arg(long)]
    ratios: bool,
}

/// The contents of `bench/smoke.json`, by the names of the workloads.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Numbers of instructions: less is better.
    instructions: BTreeMap<String, f64>,
    /// Ratios of times: more is better.
    ratios: BTreeMap<String, f64>,
}

/// Measures the workloads and compares them with the record, or writes the record.
///
/// # Errors
/// Errors if a cost is over 15 % higher than recorded, or if the measured and the recorded
/// workloads differ.
pub(crate) fn run(checkout: &Checkout, arguments: &[String]) -> Result<()> {
    let words = std::iter::once("smoke").chain(arguments.iter().map(String::as_str));
    let arguments = Arguments::try_parse_from(words)?;
    let path = checkout.root.join(RECORD);
    let mut record: Record = match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).context(RECORD)?,
        Err(_) if arguments.record => Record::default(),
        Err(error) => return Err(error).context(RECORD),
    };
    let found = if arguments.ratios { ratios(checkout)? } else { instructions(checkout)? };
    if !arguments.record {
        let (recorded, more_is_worse) =
            if arguments.ratios { (&record.ratios, false) } else { (&record.instructions, true) };
        return compare(recorded, &found, more_is_worse);
    }
    *(if arguments.ratios { &mut record.ratios } else { &mut record.instructions }) = found;
    std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&record)?)).context(RECORD)?;
    println!("recorded in {RECORD}");
    Ok(())
}

/// Counts the instructions of each workload in the test profile, which is already built. Each
/// workload is its own process, and as many run at once as there are processors. Parallel processes
/// do not change the counts.
fn instructions(checkout: &Checkout) -> Result<BTreeMap<String, f64>> {
    ensure!(cfg!(target_arch = "x86_64"), "the record is of x86-64: run this on such a machine");
    let folder = tempfile::tempdir()?;
    let program = counted_program::copy(checkout, folder.path())?;
    let names = process::output(Command::new(&program).arg("smoke"))?;
    let names: Vec<&str> = names.lines().collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let lane = || {
        let mut found = Vec::new();
        while let Some(name) = names.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            found.push((
                (*name).to_owned(),
                count(&program, name, &folder.path().join(name.replace(' ', "-")))?,
            ));
        }
        Ok(found)
    };
    let lanes = std::thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<Result<Vec<(String, f64)>>> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        lanes.into_iter().filter_map(|lane| lane.join().ok()).collect()
    });
    Ok(found.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn count(program: &Path, name: &str, report: &Path) -> Result<f64> {
    let mut command = Command::new("valgrind");
    command.args([
        "--quiet",
        "--tool=callgrind",
        "--collect-atstart=no",
        "--toggle-collect=*smoke*measured*",
    ]);
    command.arg(format!("--callgrind-out-file={}", report.display())).arg(program).args(["smoke", name]);
    process::output(&mut command)?;
    total(&std::fs::read_to_string(report).context("callgrind's report")?).with_context(|| name.to_owned())
}

/// Reads the total of a report.
fn total(report: &str) -> Result<f64> {
    let total = report.lines().find_map(|line| line.strip_prefix("totals: ")).context("no total")?;
    let total: f64 = total.trim().parse().context("a total that is no number")?;
    ensure!(total > 0.0, "callgrind counted nothing: is `measured` still its name?");
    Ok(total)
}

fn ratios(checkout: &Checkout) -> Result<BTreeMap<String, f64>> {
    let program = checkout.loci()?.with_file_name("loci-bench");
    let text = process::output(Command::new(program).args(["smoke", "--ratios"]))?;
    let one = |line: &str| {
        let (name, ratio) = line.rsplit_once(": ").with_context(|| format!("unreadable: {line}"))?;
        Ok((name.to_owned(), ratio.parse()?))
    };
    text.lines().map(one).collect()
}

/// Prints a row for each workload and fails with the names of all bad ones.
fn compare(
    recorded: &BTreeMap<String, f64>,
    found: &BTreeMap<String, f64>,
    more_is_worse: bool,
) -> Result<()> {
    let mut wrong = Vec::new();
    println!("{:<36} {:>14} {:>14} {:>8}", "", "recorded", "now", "change");
    for (name, now) in found {
        let Some(before) = recorded.get(name) else {
            wrong.push(format!("{name}: not recorded"));
            continue;
        };
        let cost = if more_is_worse { now / before } else { before / now };
        let mark = if cost > ALLOWED { "  too much" } else { "" };
        println!("{name:<36} {before:>14.2} {now:>14.2} {:>+7.1} %{mark}", (now / before - 1.0) * 100.0);
        if cost > ALLOWED {
            wrong.push(format!("{name}: {before:.2} was recorded, now {now:.2}"));
        }
    }
    let gone = recorded.keys().filter(|name| !found.contains_key(*name));
    wrong.extend(gone.map(|name| format!("{name}: recorded but not measured")));
    if !wrong.is_empty() {
        bail!("{}; `cargo xtask bench smoke --record` accepts what is now", wrong.join("; "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(values: &[(&str, f64)]) -> BTreeMap<String, f64> {
        values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn what_costs_over_15_percent_more_is_named() {
        let check = |recorded: &[(&str, f64)], found: &[(&str, f64)], more_is_worse: bool, wrong: &[&str]| {
            let outcome = compare(&costs(recorded), &costs(found), more_is_worse);
            let text = outcome.err().map_or(String::new(), |error| error.to_string());
            let named: Vec<&str> =
                ["a", "b"].into_iter().filter(|n| text.contains(&format!("{n}: "))).collect();
            assert_eq!(named, wrong, "{text}");
        };
        let recorded = [("a", 100.0), ("b", 2.0)];
        check(&recorded, &[("a", 114.9), ("b", 2.29)], true, &[]);
        check(&recorded, &[("a", 115.1), ("b", 1.0)], true, &["a"]);
        check(&recorded, &[("a", 50.0), ("b", 2.5)], true, &["b"]);
        check(&recorded, &[("a", 200.0), ("b", 1.7)], false, &["b"]);
        check(&recorded, &[("a", 87.0), ("b", 1.75)], false, &[]);
        check(&recorded, &[("a", 100.0)], true, &["b"]);
        check(&recorded[..1], &[("a", 100.0), ("b", 2.0)], true, &["b"]);
    }

    #[test]
    fn a_report_without_a_count_is_an_error() {
        assert_eq!(total("events: Ir\nfn=x\n1 5\ntotals: 1234\n").ok(), Some(1234.0));
        assert!(total("events: Ir\ntotals: 0\n").is_err_and(|error| error.to_string().contains("nothing")));
        assert!(total("events: Ir\n").is_err());
    }
}
