//! The other suites: cases whose answer is known by construction or from a real parser. Each case
//! is one citation, or one record with claims, at two revisions of a repository.

mod adversarial;
mod branches;
mod facts;
mod files_at;
mod mutate;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::manifest::Entry;
use super::rate::Rate;

/// The suite to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Suite {
    /// Blocks of a history, labelled by the tracer.
    Trace,
    /// Mechanical facts with claims, judged by real parsers.
    Facts,
    /// Changes that are labelled by construction.
    Mutate,
    /// Malicious or accidental damage to citations.
    Adversarial,
    /// Anchors of branches that are not merged.
    Branches,
}

/// The suffix of the kind of facts that are true although their lines changed.
const EDITED: &str = ", edited and still true";

/// One case and its result.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Case {
    /// The kind, by which cases are counted.
    pub(super) kind: String,
    pub(super) name: String,
    /// True if the cited code or the fact still holds, and `None` if only one specific answer is
    /// right.
    pub(super) holds: Option<bool>,
    pub(super) right: bool,
    /// The answer, as text.
    pub(super) said: String,
}

/// The result of a suite.
#[derive(Debug, Default, Serialize)]
pub(super) struct Outcome {
    pub(super) suite: String,
    pub(super) cases: Vec<Case>,
    pub(super) missed: Vec<String>,
}

/// Runs a suite. `windows` are those of a history, for the suites that need one.
pub(super) async fn run(suite: Suite, windows: &[Entry], folder: &Path, rng: u64) -> Result<Outcome> {
    let (name, cases) = match suite {
        Suite::Trace => return Ok(Outcome::default()),
        Suite::Facts => ("facts", facts::cases(windows, rng).await?),
        Suite::Mutate => ("mutate", mutate::cases(folder, rng).await?),
        Suite::Adversarial => ("adversarial", adversarial::cases(folder).await?),
        Suite::Branches => ("branches", branches::cases(folder, rng).await?),
    };
    let missed = missed(suite, &cases);
    Ok(Outcome { suite: name.to_owned(), cases, missed })
}

/// Returns the missed goals: detection at least 98 %, false alarms at most 0.5 %. All cases with
/// one right answer must have it.
fn missed(suite: Suite, cases: &[Case]) -> Vec<String> {
    let mut missed = Vec::new();
    let (detection, alarms) = rates(cases.iter());
    if detection.share().is_some_and(|share| share < 0.98) {
        missed.push(format!("detection {detection}"));
    }
    if alarms.share().is_some_and(|share| share > 0.005) {
        missed.push(format!("false alarms {alarms}"));
    }
    let wrong =
        cases.iter().filter(|case| !case.right && (case.holds.is_none() || suite == Suite::Adversarial));
    missed.extend(wrong.map(|case| format!("{}: {} gave {}", case.kind, case.name, case.said)));
    if cases.is_empty() {
        missed.push("there was no case".to_owned());
    }
    missed
}

/// Returns the detection rate of cases that do not hold, and the rate of false alarms on those that
/// do.
fn rates<'a>(cases: impl Iterator<Item = &'a Case>) -> (Rate, Rate) {
    let (mut detection, mut alarms) = (Rate::default(), Rate::default());
    for case in cases {
        match case.holds {
            Some(true) => alarms.add(!case.right),
            Some(false) => detection.add(case.right),
            None => {}
        }
    }
    (detection, alarms)
}

/// Prints the verdicts by the truth of the cases. Cases that hold although the cited lines changed
/// are recognised by their kind.
fn print_verdicts(outcome: &Outcome) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in outcome.cases.iter().filter(|case| case.kind.ends_with(EDITED)) {
        let verdict = case.said.split(' ').next().unwrap_or_default();
        *counts.entry(verdict).or_default() += 1;
    }
    for (verdict, count) in counts {
        println!("  edited and still true, found {verdict}: {count}");
    }
}

/// Prints a suite by kind, then the wrong cases.
pub(super) fn print(outcome: &Outcome) {
    println!("\n{}", outcome.suite);
    let mut kinds: Vec<&str> = Vec::new();
    for case in &outcome.cases {
        if !kinds.contains(&case.kind.as_str()) {
            kinds.push(&case.kind);
        }
    }
    for kind in kinds {
        let of_kind = || outcome.cases.iter().filter(move |case| case.kind == kind);
        let right = of_kind().filter(|case| case.right).count();
        let (detection, alarms) = rates(of_kind());
        println!(
            "  {kind:<34} {right:>4} of {:>4}  detection {detection}  false alarms {alarms}",
            of_kind().count()
        );
    }
    print_verdicts(outcome);
    let (detection, alarms) = rates(outcome.cases.iter());
    println!("  {:<34} detection {detection}  false alarms {alarms}", "all");
    for case in outcome.cases.iter().filter(|case| !case.right).take(20) {
        println!("  wrong: {}: {}: {}", case.kind, case.name, case.said);
    }
    for missed in &outcome.missed {
        println!("FAIL  {missed}");
    }
    if outcome.missed.is_empty() {
        println!("PASS  {}", outcome.suite);
    }
}
