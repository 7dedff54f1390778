//! `loci-bench rules`: extracts rules from labelled review comments, without a model.
//!
//! It counts rules. Precision is the share of extracted rules that the comment's label expects.
//! Recall is the share of expected rules that were extracted. It also checks that no rule comes
//! from a misleading comment. A digest of the ids splits the set: two thirds are for development, a
//! third is held out. Nothing is trained here.

mod case;
mod tally;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use loci_coding::rules::extraction::{ReviewText, extract};

use case::Case;
use tally::{ReadComment, Tally};

use crate::labelled_set;

/// The minimum share of extracted rules that are expected.
const PRECISION_MIN: f64 = 0.90;
/// The minimum share of expected rules that are extracted.
const RECALL_MIN: f64 = 0.60;

/// Judges the deterministic extractor of review rules on labelled comments.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// JSON lines: id, lang, label, text, and path, rules and author if there are any
    /// (docs/reference/rules.md)
    #[arg(long = "set", value_name = "FILE", default_value = "bench/data/review-rules.jsonl")]
    sets: Vec<PathBuf>,
    /// Part of a set
    #[arg(long, value_enum, default_value_t = Split::All)]
    split: Split,
    /// Figures as JSON
    #[arg(long)]
    json: bool,
    /// Fail below the required precision and recall, or if a rule was extracted from an injection
    #[arg(long)]
    gate: bool,
}

/// A part of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Split {
    Development,
    HeldOut,
    All,
}

impl Split {
    fn holds(self, case: &Case) -> bool {
        match self {
            Self::All => true,
            Self::HeldOut => case.is_held_out(),
            Self::Development => !case.is_held_out(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut failed = false;
    for set in &arguments.sets {
        let text = labelled_set::text(set)?;
        let cases = case::read(&text).with_context(|| set.display().to_string())?;
        let tally = judged(&cases, arguments.split);
        if arguments.json {
            println!("{}", serde_json::to_string(&tally.figures())?);
        } else {
            println!("{}: {} of {} comments", set.display(), tally.len(), cases.len());
            tally.show();
        }
        failed |= !tally.reaches(PRECISION_MIN, RECALL_MIN);
    }
    if arguments.gate && failed {
        bail!(
            "below precision {PRECISION_MIN} or recall {RECALL_MIN}, or something was taken out of an injection"
        );
    }
    Ok(())
}

fn judged(cases: &[Case], split: Split) -> Tally {
    let mut tally = Tally::default();
    for case in cases.iter().filter(|case| split.holds(case)) {
        let mut review = ReviewText::of_comment(1, case.text.clone(), case.path.clone());
        review.said.iter_mut().for_each(|said| said.is_bot = case.is_bot());
        tally.add(ReadComment { case: case.clone(), found: extract(&review) });
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guard against regressions: two thirds of the set were used to develop the rules.
    /// BENCHMARKS.md has the results for unseen comments.
    #[test]
    fn a57_the_extractor_reaches_the_gate_and_takes_nothing_that_misleads() {
        let cases = case::read(include_str!("../../data/review-rules.jsonl")).unwrap();
        assert!(cases.len() >= 450);
        for split in [Split::All, Split::Development, Split::HeldOut] {
            let tally = judged(&cases, split);
            assert!(tally.reaches(PRECISION_MIN, RECALL_MIN), "{split:?}: {:?}", tally.figures());
        }
        let third = judged(&cases, Split::HeldOut).len() * 3;
        assert!((cases.len() * 8 / 10..=cases.len() * 12 / 10).contains(&third), "{third}");
    }
}
