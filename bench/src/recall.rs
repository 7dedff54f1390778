//! Fractional recall of ranked lists, with bootstrap intervals, and its table.
//!
//! R@k: the share of a question's gold among the first k distinct turns (or sessions), averaged
//! over questions.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::seeded_random::Seeded;

/// Cuts of the list.
pub(crate) const CUTS: [usize; 3] = [1, 5, 10];
const RESAMPLES: usize = 2_000;
const SEED: u64 = 20_261_121;
/// Categories that are shown but not in the total, because their premise is false.
const APART: &str = "adversarial";

/// The share of one question's gold that a list contains, by cut.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct GoldRecall {
    /// Recall of turns.
    pub(crate) turns: [f64; 3],
    /// Recall of sessions, in the order of their first turn in the list.
    pub(crate) sessions: [f64; 3],
}

/// Returns true for a category that is in the total.
pub(crate) fn counts(category: &str) -> bool {
    !category.contains(APART)
}

/// One question's outcome.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// The number of the conversation.
    pub(crate) conversation: usize,
    /// The category of the question.
    pub(crate) category: String,
    /// The recall of the question.
    pub(crate) found: GoldRecall,
}

/// Computes the recall of lists of names, best first. Repetitions count once.
pub(crate) fn found(ranked: &[(&str, &str)], gold_turns: &[String], gold_sessions: &[String]) -> GoldRecall {
    let distinct = |names: Vec<&str>| {
        let mut seen = std::collections::HashSet::new();
        names.into_iter().filter(|name| seen.insert(*name)).map(str::to_owned).collect::<Vec<_>>()
    };
    let turns = distinct(ranked.iter().map(|(turn, _)| *turn).collect());
    let sessions = distinct(ranked.iter().map(|(_, session)| *session).collect());
    GoldRecall { turns: shares(&turns, gold_turns), sessions: shares(&sessions, gold_sessions) }
}

fn shares(names: &[String], gold: &[String]) -> [f64; 3] {
    CUTS.map(|cut| {
        let hits = gold.iter().filter(|wanted| names.iter().take(cut).any(|name| name == *wanted)).count();
        hits as f64 / gold.len().max(1) as f64
    })
}

/// A mean with two 95 % intervals. The first resamples questions; the second resamples
/// conversations, then their questions.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub(crate) struct Figure {
    pub(crate) mean: f64,
    pub(crate) questions: [f64; 2],
    pub(crate) conversations: [f64; 2],
}

/// One line of the table.
#[derive(Debug, Serialize)]
pub(crate) struct RecallRow {
    name: String,
    pub(crate) n: usize,
    pub(crate) turns: BTreeMap<String, Figure>,
    pub(crate) sessions: BTreeMap<String, Figure>,
}

/// Returns the first line of the table: all questions that count.
pub(crate) fn all(outcomes: &[Outcome]) -> RecallRow {
    row("all", outcomes.iter().filter(|outcome| counts(&outcome.category)).collect())
}

/// Returns the lines: all questions that count, then each category.
pub(crate) fn rows(outcomes: &[Outcome]) -> Vec<RecallRow> {
    let mut by_category: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        by_category.entry(&outcome.category).or_default().push(outcome);
    }
    let mut rows = vec![all(outcomes)];
    rows.extend(by_category.into_iter().map(|(name, outcomes)| row(name, outcomes)));
    rows
}

fn row(name: &str, outcomes: Vec<&Outcome>) -> RecallRow {
    let figures = |of: fn(&GoldRecall) -> [f64; 3]| {
        let figure = |(at, cut): (usize, &usize)| {
            let values: Vec<(usize, f64)> = outcomes
                .iter()
                .map(|outcome| (outcome.conversation, of(&outcome.found).get(at).copied().unwrap_or(0.0)))
                .collect();
            (format!("r_at_{cut}"), figure(&values))
        };
        CUTS.iter().enumerate().map(figure).collect()
    };
    RecallRow {
        name: name.to_owned(),
        n: outcomes.len(),
        turns: figures(|found| found.turns),
        sessions: figures(|found| found.sessions),
    }
}

/// Computes a figure from values with their conversations.
fn figure(values: &[(usize, f64)]) -> Figure {
    let mut groups: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (conversation, value) in values {
        groups.entry(*conversation).or_default().push(*value);
    }
    let groups: Vec<Vec<f64>> = groups.into_values().collect();
    let all: Vec<f64> = groups.concat();
    let mut random = Seeded::new(SEED);
    let questions = interval(|| mean(&redraw(&all, &mut random)));
    let mut random = Seeded::new(SEED);
    let conversations = interval(|| {
        let drawn: Vec<f64> = (0..groups.len())
            .flat_map(|_| random.pick(&groups).cloned().map(|group| redraw(&group, &mut random)))
            .flatten()
            .collect();
        mean(&drawn)
    });
    Figure { mean: mean(&all), questions, conversations }
}

/// Returns the mean recall of turns at each cut, over the questions that count.
pub(crate) fn means(outcomes: &[Outcome]) -> [f64; 3] {
    let counted: Vec<_> = outcomes.iter().filter(|outcome| counts(&outcome.category)).collect();
    std::array::from_fn(|at| mean(&counted.iter().map(|outcome| outcome.found.turns[at]).collect::<Vec<_>>()))
}

/// Returns the effect of a change on the recall of turns, paired by question, in points. The 95 %
/// intervals resample questions.
pub(crate) fn differences(before: &[Outcome], after: &[Outcome]) -> String {
    let pairs: Vec<_> = before.iter().zip(after).filter(|(before, _)| counts(&before.category)).collect();
    let cells = CUTS.iter().enumerate().map(|(at, cut)| {
        let values: Vec<(usize, f64)> = pairs
            .iter()
            .map(|(before, after)| (before.conversation, after.found.turns[at] - before.found.turns[at]))
            .collect();
        let figure = figure(&values);
        let [low, high] = figure.questions.map(|value| value * 100.0);
        format!("R@{cut} {:+.1} [{low:+.1}, {high:+.1}]", figure.mean * 100.0)
    });
    cells.collect::<Vec<_>>().join("  ")
}

fn redraw(values: &[f64], random: &mut Seeded) -> Vec<f64> {
    (0..values.len()).filter_map(|_| random.pick(values).copied()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn interval(mut draw: impl FnMut() -> f64) -> [f64; 2] {
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    [0.025, 0.975].map(|share| {
        let at = (share * (RESAMPLES - 1) as f64).round() as usize;
        means.get(at).copied().unwrap_or(0.0)
    })
}

/// Returns the table as text.
pub(crate) fn table(rows: &[RecallRow]) -> String {
    let mut text = String::from(
        "percent; 95 % intervals: questions drawn again [conversations, then questions, drawn again]\n",
    );
    for row in rows {
        text.push_str(&format!("{:<28} n {:>4}\n", row.name, row.n));
        for (what, figures) in [("turns", &row.turns), ("sessions", &row.sessions)] {
            text.push_str(&format!("  {what:<9}"));
            for cut in CUTS {
                if let Some(figure) = figures.get(&format!("r_at_{cut}")) {
                    text.push_str(&format!("  R@{cut} {}", show(figure)));
                }
            }
            text.push('\n');
        }
    }
    text
}

fn show(figure: &Figure) -> String {
    let percent = |value: f64| format!("{:.1}", value * 100.0);
    let [low, high] = figure.questions.map(percent);
    let [outer_low, outer_high] = figure.conversations.map(percent);
    format!("{} {low}–{high} [{outer_low}–{outer_high}]", percent(figure.mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn fractional_recall_of_distinct_names() {
        let ranked = [("a", "1"), ("a", "1"), ("b", "1"), ("c", "2"), ("d", "3")];
        let got = found(&ranked, &names("b d x"), &names("2 3"));
        assert_eq!(got.turns, [0.0, 2.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(got.sessions, [0.0, 1.0, 1.0]);
        assert_eq!(found(&[], &names("a"), &names("1")).turns, [0.0; 3]);
    }

    #[test]
    fn intervals_hold_the_mean_and_are_the_same_every_time() {
        let values: Vec<(usize, f64)> = (0..60).map(|at| (at % 3, f64::from((at % 4 == 0) as u8))).collect();
        let once = figure(&values);
        assert_eq!(once.mean, 0.25);
        assert!(once.questions[0] < 0.25 && once.questions[1] > 0.25);
        assert_eq!(once, figure(&values));
        let certain = figure(&[(0, 1.0), (1, 1.0)]);
        assert_eq!((certain.questions, certain.conversations), ([1.0; 2], [1.0; 2]));
    }

    #[test]
    fn questions_with_a_false_premise_are_apart() {
        let outcome = |category: &str, share| Outcome {
            conversation: 0,
            category: category.to_owned(),
            found: GoldRecall { turns: [share; 3], sessions: [share; 3] },
        };
        let rows = rows(&[outcome("single", 1.0), outcome("adversarial(5)", 0.0)]);
        let shown: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.n, row.turns["r_at_5"].mean)).collect();
        assert_eq!(shown, [("all", 1, 1.0), ("adversarial(5)", 1, 0.0), ("single", 1, 1.0)]);
        assert!(table(&rows).contains("R@5 100.0"));
    }
}
