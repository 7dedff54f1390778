//! The output of `train`: tables, one JSON object, and weight files for the engine.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use loci_engine::retrieval::signals::SIGNALS;
use loci_engine::retrieval::weights::Weights;
use serde_json::{Map, Value, json};

use super::calibration::Calibrated;
use super::examples::ListedRows;
use super::fit::Point;
use super::folds::{Folds, Judged};
use super::small_memories::SmallMemoryTable;
use super::{BY_HAND, Data, baseline_rankings};
use crate::recall::{self, RecallRow};

/// All results.
pub(super) struct Report<'a> {
    pub(super) data: &'a Data,
    pub(super) base: &'a Folds,
    pub(super) judged: Judged,
    pub(super) ablations: Vec<(String, Judged)>,
    pub(super) calibrated: Calibrated,
    pub(super) small: Vec<SmallMemoryTable>,
    pub(super) shipped: &'a Weights,
}

impl Report<'_> {
    fn rows(&self, judged: &Judged) -> Vec<Vec<RecallRow>> {
        judged.outcomes.iter().map(|outcomes| recall::rows(outcomes)).collect()
    }

    /// Returns the sum of the held-out losses of the sets for the choice of weights.
    fn summed_loss(&self, judged: &Judged) -> f64 {
        judged.losses.iter().take(self.data.judged).sum()
    }

    /// Returns the tables.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let add = |text: &mut String, line: String| {
            let _ = writeln!(text, "{line}");
        };
        for (at, rows) in self.rows(&self.judged).iter().enumerate() {
            let name = self.data.sets.get(at).map_or("", String::as_str);
            let how = if at < self.data.trained {
                "each conversation by weights that did not see it"
            } else {
                "never trained on"
            };
            add(
                &mut text,
                format!("\n== {name}: {how}; loss {:.4}", self.judged.losses.get(at).unwrap_or(&0.0)),
            );
            text.push_str(&recall::table(rows));
            add(
                &mut text,
                format!(
                    "gold among candidates {:.1} %, lexical lists alone {:.1} %",
                    100.0 * self.gold_share(at, ListedRows::All),
                    100.0 * self.gold_share(at, ListedRows::Lexical)
                ),
            );
            if let Some(calibration) = self.calibrated.table.get(at) {
                add(&mut text, format!("relevance {calibration}"));
            }
        }
        add(&mut text, format!("\nsummed held-out loss {:.4}", self.summed_loss(&self.judged)));
        add(&mut text, format!("calibration {:?}", self.calibrated.calibration));
        for small in &self.small {
            let name = self.data.sets.get(small.set).map_or("", String::as_str);
            add(&mut text, format!("memories of {} turns, {name}: relevance {}", small.turns, small.table));
        }
        add(&mut text, "\nweights: all data, shipped, range over the folds".to_owned());
        for (at, signal) in SIGNALS.iter().enumerate() {
            let (low, high) = self.range(at);
            let (full, shipped) = (self.base.full[at], self.shipped.signals[at]);
            add(
                &mut text,
                format!("  {:<16} {full:>7.2} {shipped:>7.2}   {low:.2} … {high:.2}", signal.name),
            );
        }
        add(&mut text, "\nplain rankings: R@5 / R@10 by set".to_owned());
        for (name, judged) in baseline_rankings::rankings(&self.data.examples, self.data.sets.len()) {
            add(&mut text, format!("  {name:<36}{}", self.short(&judged)));
        }
        add(&mut text, format!("  {:<36}{}", "all signals", self.short(&self.judged)));
        let lexical = self.without_vectors();
        add(&mut text, format!("  {:<36}{}", "the same weights without vectors", self.short(&lexical)));
        for (name, judged) in &self.ablations {
            let loss = self.summed_loss(judged) - self.summed_loss(&self.judged);
            add(&mut text, format!("without {name}: loss {loss:+.4}"));
            for (at, (with, without)) in self.judged.outcomes.iter().zip(&judged.outcomes).enumerate() {
                let name = self.data.sets.get(at).map_or("", String::as_str);
                add(&mut text, format!("  {name:<24} {}", recall::differences(with, without)));
            }
        }
        text
    }

    /// Returns the results as one JSON object.
    pub(super) fn json(&self) -> Value {
        let sets = self.rows(&self.judged).into_iter().enumerate().map(|(at, rows)| {
            json!({
                "set": self.data.sets.get(at),
                "trained_on": at < self.data.trained,
                "loss": self.judged.losses.get(at),
                "recall": rows,
                "gold_among_candidates": self.gold_share(at, ListedRows::All),
                "gold_among_lexical_candidates": self.gold_share(at, ListedRows::Lexical),
                "relevance": self.calibrated.table.get(at),
            })
        });
        let weights: Map<String, Value> = SIGNALS
            .iter()
            .enumerate()
            .map(|(at, signal)| {
                let (low, high) = self.range(at);
                (signal.name.to_owned(), json!({"all": self.base.full[at], "folds": [low, high]}))
            })
            .collect();
        let plain: Map<String, Value> =
            baseline_rankings::rankings(&self.data.examples, self.data.sets.len())
                .into_iter()
                .map(|(name, judged)| (name.to_owned(), json!(self.rows(&judged))))
                .collect();
        let ablations: Map<String, Value> = self
            .ablations
            .iter()
            .map(|(name, judged)| {
                (name.clone(), json!({"summed_loss": self.summed_loss(judged), "recall": self.rows(judged)}))
            })
            .collect();
        let small = self.small.iter().map(|small| {
            json!({"turns": small.turns, "set": self.data.sets.get(small.set), "relevance": small.table})
        });
        json!({
            "held_out": true,
            "small_memories": small.collect::<Vec<_>>(),
            "summed_loss": self.summed_loss(&self.judged),
            "sets": sets.collect::<Vec<_>>(),
            "weights": weights,
            "plain": plain,
            "without": ablations,
        })
    }

    /// Writes weights from all conversations and without each conversation, in the format of the
    /// engine's file.
    pub(super) fn write_weights(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        let all = (String::from("all"), &self.base.full, String::from("all conversations"));
        let each = self.data.conversations.iter().zip(&self.base.without);
        let each = each.map(|(name, point)| (name.clone(), point, format!("all conversations but {name}")));
        for (name, point, fitted_on) in std::iter::once(all).chain(each) {
            let file = folder.join(format!("{name}.json"));
            let text = serde_json::to_string_pretty(&self.weights_file(point, &fitted_on))?;
            std::fs::write(&file, text + "\n").with_context(|| format!("writing {}", file.display()))?;
        }
        Ok(())
    }

    fn weights_file(&self, point: &Point, fitted_on: &str) -> Value {
        let round = |value: f64| (value * 100.0).round() / 100.0;
        let weights: Map<String, Value> = SIGNALS
            .iter()
            .zip(point)
            .map(|(signal, value)| (signal.name.to_owned(), json!(round(*value))))
            .collect();
        let calibration = self.calibrated.calibration;
        json!({
            "provenance": format!(
                "Listwise softmax, one gold against all non-gold turns, L2 2e-4, sets weighted equally, guards at a twentieth: {}; {fitted_on}. By hand: {}.",
                self.data.sets.iter().take(self.data.trained).cloned().collect::<Vec<_>>().join(", "),
                BY_HAND.join(", "),
            ),
            "weights": weights,
            "lexical_scale": self.shipped.lexical_scale,
            "calibration": {
                "slope": calibration.slope,
                "intercept": calibration.intercept,
                "offset_without_vectors": calibration.offset_without_vectors,
            },
            "near_duplicate": {
                "jaccard": rounded(self.shipped.near_duplicate.jaccard),
                "cosine": rounded(self.shipped.near_duplicate.cosine),
            },
        })
    }

    fn range(&self, at: usize) -> (f64, f64) {
        let values = self.base.without.iter().map(|point| point[at]);
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }

    fn gold_share(&self, set: usize, listed: ListedRows) -> f64 {
        let counted = || self.data.examples.iter().filter(|example| example.set == set && example.counts());
        let sum: f64 = counted().map(|example| example.gold_share(listed)).sum();
        sum / counted().count().max(1) as f64
    }

    /// Judges the base weights for requests without vectors.
    fn without_vectors(&self) -> Judged {
        super::folds::judge(&self.data.examples, self.data.sets.len(), ListedRows::Lexical, |example| {
            let mut weights = *self.base.weights(example);
            for (weight, signal) in weights.iter_mut().zip(SIGNALS) {
                if super::calibration::OF_VECTORS.contains(&signal.name) {
                    *weight = 0.0;
                }
            }
            (example.scores(&weights), None)
        })
    }

    fn short(&self, judged: &Judged) -> String {
        let cells = judged.outcomes.iter().map(|outcomes| {
            let [_, five, ten] = recall::means(outcomes);
            format!("  {:>5.1} / {:>5.1}", five * 100.0, ten * 100.0)
        });
        cells.collect()
    }
}

/// Returns a number as it was written, not as its nearest `f32`.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}
