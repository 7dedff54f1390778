//! Figures of the study by arm, with the assumptions of the simulation.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::ARMS;
use super::agent::{Costs, Habits, TaskFigures};

/// The first line of every report.
const HONEST: &str = "SIMULATED: a scripted agent, scripted tasks and reviewers. The probabilities below are assumptions; \
                      measured is what Loci learned from reports and reviews and showed again. It says nothing of a model.";

/// Sums over the tasks of one run.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures {
    tasks: f64,
    mistakes: f64,
    repeated: f64,
    rounds: f64,
    tokens: f64,
    block_tokens: f64,
    known: f64,
    shown: f64,
    pub(super) rules_in_force: f64,
    pub(super) preferences: f64,
}

impl Figures {
    pub(super) fn add(&mut self, worked: &TaskFigures) {
        self.tasks += 1.0;
        self.mistakes += f64::from(worked.mistakes);
        self.repeated += f64::from(worked.repeated);
        self.rounds += f64::from(worked.rounds);
        self.tokens += worked.tokens as f64;
        self.block_tokens += f64::from(worked.block_tokens);
        self.known += f64::from(worked.known);
        self.shown += f64::from(worked.shown);
    }
}

/// A column: its name, and its figure of a run.
type Column = (&'static str, fn(&Figures) -> f64);

const COLUMNS: &[Column] = &[
    ("mistakes_per_task", |of| of.mistakes / of.tasks),
    ("repeated_mistakes_per_task", |of| of.repeated / of.tasks),
    ("rounds_per_task", |of| of.rounds / of.tasks),
    ("tokens_per_task", |of| of.tokens / of.tasks),
    ("block_tokens_per_task", |of| of.block_tokens / of.tasks),
    ("shown_of_known", |of| if of.known > 0.0 { of.shown / of.known } else { 0.0 }),
    ("rules_in_force", |of| of.rules_in_force),
    ("preferences", |of| of.preferences),
];
const REPEATED: &str = "repeated_mistakes_per_task";

/// The figures of all arms.
pub(super) struct Report {
    assumed: Value,
    arms: BTreeMap<&'static str, Vec<Figures>>,
}

impl Report {
    pub(super) fn new(habits: &Habits, costs: &Costs, tasks: u32) -> Self {
        Self { assumed: json!({ "habits": habits, "costs": costs, "tasks": tasks }), arms: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, arm: &'static str, figures: Figures) {
        self.arms.entry(arm).or_default().push(figures);
    }

    /// Returns the mean over runs, with the range of the runs.
    fn figure(&self, arm: &str, column: &Column) -> Option<(f64, f64, f64)> {
        let values: Vec<f64> = self.arms.get(arm)?.iter().map(column.1).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        Some((mean, least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)))
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!("{HONEST}\nassumed: {}\n\n| arm |", self.assumed);
        for (name, _) in COLUMNS {
            let _ = write!(text, " {} |", name.replace('_', " "));
        }
        let _ = writeln!(text, "\n|---|{}", "---|".repeat(COLUMNS.len()));
        for arm in ARMS {
            let _ = write!(text, "| {arm} |");
            for column in COLUMNS {
                if let Some((mean, least, most)) = self.figure(arm, column) {
                    let digits = if mean >= 100.0 { 0 } else { 2 };
                    let _ = write!(text, " {mean:.digits$} ({least:.digits$}–{most:.digits$}) |");
                }
            }
            text.push('\n');
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let of = |arm: &str| -> Value {
            let figures = COLUMNS.iter().filter_map(|column| {
                let (mean, least, most) = self.figure(arm, column)?;
                Some((column.0.to_owned(), json!({ "mean": mean, "min": least, "max": most })))
            });
            Value::Object(figures.collect())
        };
        let arms: serde_json::Map<String, Value> =
            ARMS.iter().map(|arm| ((*arm).to_owned(), of(arm))).collect();
        json!({ "simulated": true, "note": HONEST, "assumed": self.assumed, "arms": arms })
    }

    /// Fails if a tier has more repeated mistakes than the one below it.
    pub(super) fn gate(&self) -> Result<()> {
        let repeated = COLUMNS.iter().find(|(name, _)| *name == REPEATED);
        let of = |arm: &str| repeated.and_then(|column| self.figure(arm, column)).map(|figure| figure.0);
        for pair in ARMS.windows(2) {
            let [below, above] = pair else { continue };
            let (Some(less), Some(more)) = (of(below), of(above)) else { continue };
            ensure!(more <= less, "{above} has {more:.3} repeated mistakes a task, {below} {less:.3}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(repeated: u32) -> Figures {
        let mut figures = Figures::default();
        figures.add(&TaskFigures {
            mistakes: 4,
            repeated,
            rounds: 2,
            tokens: 40_000,
            known: 2,
            shown: 1,
            ..TaskFigures::default()
        });
        figures
    }

    #[test]
    fn a_tier_that_repeats_more_does_not_pass() {
        let of = |counts: [u32; 4]| {
            let habits = Habits { wrong_unaware: 0.7, wrong_aware: 0.1, reports: 0.8, notices: 0.9 };
            let mut report = Report::new(&habits, &Costs { round_tokens: 1 }, 1);
            ARMS.iter().zip(counts).for_each(|(arm, count)| report.add(arm, run(count)));
            report
        };
        assert!(of([4, 3, 3, 1]).gate().is_ok());
        let error = of([4, 1, 2, 1]).gate().unwrap_err().to_string();
        assert!(error.starts_with("tier2 has 2.000"), "{error}");
        let report = of([4, 3, 2, 1]);
        assert!(report.table().starts_with("SIMULATED"), "{}", report.table());
        assert!(
            report.table().contains("| off | 4.00 (4.00–4.00) | 4.00 (4.00–4.00) | 2.00"),
            "{}",
            report.table()
        );
        assert_eq!(report.json()["arms"]["tier3"]["shown_of_known"]["mean"], json!(0.5));
    }
}
