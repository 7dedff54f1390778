//! `loci-bench quantities`: extracts baselines from labelled sentences about services, without a
//! model.
//!
//! It counts quantities. Precision is the share of extracted quantities that the author's labels
//! expect. Recall is the share of expected quantities that were extracted. A quantity is right if
//! its value has the numbers and the unit of the label, and its key has one of the label's words.

mod amount;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use loci_operations::quantities_of;
use serde::Deserialize;
use serde_json::json;

use amount::Amount;

use crate::consolidation::tally::share;
use crate::labelled_set::{self, json_lines};
use crate::load::Report;

const PRECISION_MIN: f64 = 0.95;
const RECALL_MIN: f64 = 0.80;

/// Judges the extraction of quantities on labelled sentences.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files of JSON lines (bench/data/quantities/README.md), one author each
    #[arg(long = "set", value_name = "FILE", required = true)]
    sets: Vec<PathBuf>,
    /// Print one line of JSON per figure
    #[arg(long)]
    json: bool,
    /// Print each error on standard error
    #[arg(long)]
    errors: bool,
    /// Fail below a precision of 0.95 or a recall of 0.80 over all files
    #[arg(long)]
    gate: bool,
}

/// A sentence about a service, and the quantities that it states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    service: String,
    sentence: String,
    baselines: Vec<Expected>,
}

/// A quantity that a sentence states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    of: String,
    /// Words of which a right key contains at least one.
    words: Vec<String>,
    /// The amount, as written in the sentence.
    value: String,
}

/// Counts of one file, or of all.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    sentences: usize,
    taken: usize,
    expected: usize,
    right: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.taken += other.taken;
        self.expected += other.expected;
        self.right += other.right;
    }

    fn tell(self, report: Report, name: &str) {
        let (precision, recall) = (share(self.right, self.taken), share(self.right, self.expected));
        let text = format!(
            "{} sentences, precision {:.3} ({} of {}), recall {:.3} ({} of {})",
            self.sentences, precision.share, self.right, self.taken, recall.share, self.right, self.expected
        );
        report.figure(
            name,
            &text,
            &json!({"sentences": self.sentences, "precision": precision, "recall": recall}),
        );
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let report = Report::new(arguments.json);
    let mut all = Tally::default();
    for set in &arguments.sets {
        let text = labelled_set::text(set)?;
        let cases = read(&text).with_context(|| set.display().to_string())?;
        let mut tally = Tally::default();
        for case in &cases {
            tally.add(judged(case, arguments.errors));
        }
        tally.tell(report, &format!("quantities_{}", labelled_set::stem(set)?));
        all.add(tally);
    }
    all.tell(report, "quantities");
    let reaches = share(all.right, all.taken).share >= PRECISION_MIN
        && share(all.right, all.expected).share >= RECALL_MIN;
    if arguments.gate && !reaches {
        bail!("below a precision of {PRECISION_MIN} or a recall of {RECALL_MIN}");
    }
    Ok(())
}

fn read(text: &str) -> Result<Vec<Case>> {
    let checked = |line: Result<(usize, Case)>| {
        let (number, case) = line?;
        for Expected { value, words, .. } in &case.baselines {
            let stands = case.sentence.contains(value) && !words.is_empty();
            ensure!(stands, "line {number}: '{value}' is not in the sentence, or has no words");
        }
        Ok(case)
    };
    json_lines(text).map(checked).collect()
}

fn judged(case: &Case, tells_errors: bool) -> Tally {
    let mut taken: BTreeMap<String, String> = quantities_of(&case.service, &case.sentence);
    let count = taken.len();
    let mut right = 0;
    for expected in &case.baselines {
        let found = taken.iter().find(|(key, value)| expected.is(key, value)).map(|(key, _)| key.clone());
        match found {
            Some(key) => {
                taken.remove(&key);
                right += 1;
            }
            None if tells_errors => {
                eprintln!("missed: {} = {} | {}", expected.of, expected.value, case.sentence)
            }
            None => {}
        }
    }
    if tells_errors {
        for (key, value) in &taken {
            eprintln!("not expected: {key} = {value} | {}", case.sentence);
        }
    }
    Tally { sentences: 1, taken: count, expected: case.baselines.len(), right }
}

impl Expected {
    fn is(&self, key: &str, value: &str) -> bool {
        let key = format!("_{}_", in_parts(key));
        let has_word = self.words.iter().any(|word| key.contains(&format!("_{}_", in_parts(word))));
        has_word && Amount::read(value) == Amount::read(&self.value)
    }
}

/// Returns a name with its parts in the singular. Labels are singular, but keys may be plural.
fn in_parts(name: &str) -> String {
    let singular = |part: &str| match part.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if part.len() > 3 && !part.ends_with("ss") => part.trim_end_matches('s').to_owned(),
        None => part.to_owned(),
    };
    let lower = name.to_lowercase();
    let parts = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(singular).collect::<Vec<_>>().join("_")
}
