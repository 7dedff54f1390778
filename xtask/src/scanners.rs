//! `cargo xtask scanners`: the cost of parsers of foreign text on worst-case texts. Each parser is
//! counted at three sizes, each ten times the previous one, in instructions under callgrind. The
//! load of the machine does not change the counts. The parsers and texts are part of `loci-bench`.

use crate::{checkout::Checkout, counted_program, process};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::Command;

/// The maximum growth of instructions for a text ten times as long. A parser that compares
/// everything with everything needs a hundred times as many; one that sorts needs twelve.
const GROWTH_MAX: f64 = 13.0;
/// Parsers that may grow faster, with their allowed growth. Each stops at its own budget, beyond
/// the sizes that are counted here.
const BOUNDED_OTHERWISE: [(&str, f64); 1] = [("a diff of documents", 45.0)];
/// The function of `loci-bench` whose calls callgrind counts.
const MEASURED: &str = "loci_bench::scanners::measured";
/// The number of sizes of each case.
const SIZES: usize = 3;

/// A parser with a text, and its instructions at each size.
struct Case {
    name: String,
    instructions: [f64; SIZES],
}

impl Case {
    /// Returns the greater of two values: the growth to the largest size, and the mean growth of
    /// both steps. Work that is done once, as soon as a text is long enough, counts only in the
    /// mean.
    fn growth(&self) -> f64 {
        let [small, middle, large] = self.instructions;
        (large / middle).max((large / small).sqrt())
    }

    fn growth_max(&self) -> f64 {
        let own = BOUNDED_OTHERWISE.iter().find(|(reader, _)| self.name.starts_with(reader));
        own.map_or(GROWTH_MAX, |(_, growth_max)| *growth_max)
    }
}

/// Counts every case and checks its growth.
///
/// # Errors
/// Errors with the parser's name if its instructions grow faster than its text, or if nothing was
/// counted.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = counted_program::copy(checkout, folder.path())?;
    let lanes = std::thread::available_parallelism().map_or(1, usize::from);
    let counted = |lane: usize| lane_of(&program, folder.path(), (lane, lanes));
    let counted = &counted;
    let found: Vec<Result<Vec<Case>>> = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|lane| scope.spawn(move || counted(lane))).collect();
        lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|_| bail!("a lane panicked"))).collect()
    });
    let mut cases: Vec<Case> = found.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    judge(&cases)
}

fn lane_of(program: &Path, folder: &Path, (lane, lanes): (usize, usize)) -> Result<Vec<Case>> {
    let report = folder.join(format!("lane-{lane}"));
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=callgrind", "--collect-atstart=no", "--dump-line=no"]);
    // Callgrind dumps each call of `measured` separately.
    command.arg(format!("--toggle-collect={MEASURED}")).arg(format!("--dump-after={MEASURED}"));
    command.arg(format!("--callgrind-out-file={}", report.display()));
    command.arg(program).args(["scanners", "--lane", &format!("{lane}/{lanes}")]);
    let names = process::output(&mut command)?;
    let part = |number: usize| -> Result<f64> {
        let path = report.with_extension((number + 1).to_string());
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        total(&text).with_context(|| format!("part {number}"))
    };
    let case = |(place, name): (usize, &str)| {
        let first = place * SIZES;
        Ok(Case { name: name.to_owned(), instructions: [part(first)?, part(first + 1)?, part(first + 2)?] })
    };
    names.lines().enumerate().map(case).collect()
}

/// Reads the total of a part.
fn total(report: &str) -> Result<f64> {
    let total = report.lines().find_map(|line| line.strip_prefix("totals: ")).context("no total")?;
    let total: f64 = total.trim().parse().context("a total that is no number")?;
    ensure!(total > 0.0, "callgrind counted nothing: is `measured` still its name?");
    Ok(total)
}

/// Prints a row for each case and fails with the names of all that grow too fast.
fn judge(cases: &[Case]) -> Result<()> {
    ensure!(!cases.is_empty(), "no reader was counted");
    println!(
        "{:>12} {:>12} {:>12} {:>7}  reader and text",
        "instructions", "10 times", "100 times", "growth"
    );
    let mut wrong = Vec::new();
    for case in cases {
        let ([small, middle, large], growth) = (case.instructions, case.growth());
        let is_wrong = growth > case.growth_max();
        let mark = if is_wrong { "  too fast" } else { "" };
        println!("{small:>12.0} {middle:>12.0} {large:>12.0} {growth:>7.1}  {}{mark}", case.name);
        if is_wrong {
            wrong.push(format!("{}: {growth:.1} times", case.name));
        }
    }
    if !wrong.is_empty() {
        bail!(
            "instructions of a text ten times as long may be {GROWTH_MAX} times as many: {}",
            wrong.join("; ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_faster_than_its_text_is_named() {
        let check = |instructions: [f64; SIZES], is_right: bool| {
            let cases = [Case { name: "a".to_owned(), instructions }];
            let outcome = judge(&cases);
            assert_eq!(outcome.is_ok(), is_right, "{instructions:?}: {outcome:?}");
        };
        check([100.0, 1_000.0, 10_000.0], true);
        check([100.0, 1_290.0, 13_000.0], true);
        check([100.0, 500.0, 6_600.0], false);
        check([100.0, 1_400.0, 19_000.0], false);
        // Some work is done once, when a text is long enough, and never again.
        check([65.0, 6_829.0, 7_479.0], true);
        check([65.0, 6_829.0, 12_000.0], false);
        check([1.0, 100.0, 10_000.0], false);
        assert!(judge(&[]).is_err());
        assert!(total("events: Ir\ntotals: 0\n").is_err());
        assert_eq!(total("events: Ir\ntotals: 12\n").ok(), Some(12.0));
    }
}
