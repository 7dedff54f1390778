//! `loci-bench rules`: labelled review comments, read by the extractor that needs no model.
//!
//! Counted are rules: of those that were taken, how many a comment's label expects (precision); of those that labels expect, how many
//! were taken (recall). Beside that, whether anything was taken out of what is meant to mislead. The set is split by a digest of its
//! ids: two thirds are for development, a third is held out. Nothing is trained here.

mod case;
mod tally;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use loci_coding::rules::extracting::{ReviewText, extract};

use case::Case;
use tally::{Read, Tally};

use crate::labelled_set;

/// Of the rules that are taken, so many are expected.
const PRECISION_MIN: f64 = 0.90;
/// Of the rules that are expected, so many are taken.
const RECALL_MIN: f64 = 0.60;

/// Judges the deterministic extractor of review rules on labelled comments.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// JSON lines: id, lang, label, text, and path, rules and author where there are any (docs/guides/reviews.md)
    #[arg(long = "set", value_name = "FILE", default_value = "bench/data/review-rules.jsonl")]
    sets: Vec<PathBuf>,
    /// Which part of a set
    #[arg(long, value_enum, default_value_t = Split::All)]
    split: Split,
    /// Figures as JSON
    #[arg(long)]
    json: bool,
    /// Fail below the precision and recall that are asked for, or if anything was taken out of an injection
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
        tally.add(Read { case: case.clone(), found: extract(&review) });
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guard against steps back: the rules have seen two thirds of the set. How they do on comments that nobody looked at is in
    /// BENCHMARKS.md.
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
