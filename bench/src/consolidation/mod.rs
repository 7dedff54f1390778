//! `loci-bench consolidation`: checks the planner without a model on labelled pairs of statements.
//!
//! It counts actions. Precision is the share of decisions "skip" or "supersede" that have this
//! label. Recall is the share of pairs with this label that get this decision. Nothing is trained
//! here.

mod pair;
pub(crate) mod tally;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use loci_embed::MiniLm;
use loci_engine::consolidation::{Alike, Relation, Statement, Thresholds, relate};
use loci_model::record::TrustTier;
use loci_model::record::statement_time::StatementTime;
use loci_text::similarity::jaccard;
use loci_text::terms;

use pair::{Expect, Pair, Side};
use tally::{DecidedPair, Tally};

use crate::labelled_set;

/// The minimum share of decisions to skip or supersede that have this label.
const PRECISION_MIN: f64 = 0.97;
/// The minimum share of pairs labelled skip or supersede that get this decision.
const RECALL_MIN: f64 = 0.80;

/// Judges the deterministic planner of consolidation on labelled pairs.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// JSON lines: id, kind, old and new {text, time, scope}, expect (add, skip or supersede), why
    #[arg(long = "set", value_name = "FILE", default_value = "bench/data/consolidation/dev.jsonl")]
    sets: Vec<PathBuf>,
    /// Compare by words alone, as without an embedder
    #[arg(long)]
    without_vectors: bool,
    /// Figures as JSON
    #[arg(long)]
    json: bool,
    /// Fail below the required precision and recall, or if one scope supersedes another
    #[arg(long)]
    gate: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = (!arguments.without_vectors).then(MiniLm::new);
    let mut failed = false;
    for set in &arguments.sets {
        let text = labelled_set::text(set)?;
        let pairs = pair::read(&text).with_context(|| set.display().to_string())?;
        let tally = judged(&pairs, model.as_ref());
        if arguments.json {
            println!("{}", serde_json::to_string(&tally.figures())?);
        } else {
            println!("{}: {} pairs", set.display(), pairs.len());
            tally.show();
        }
        failed |= !tally.reaches(PRECISION_MIN, RECALL_MIN);
    }
    if arguments.gate && failed {
        bail!("below precision {PRECISION_MIN} or recall {RECALL_MIN}, or a scope superseded another");
    }
    Ok(())
}

fn judged(pairs: &[Pair], model: Option<&MiniLm>) -> Tally {
    let limits = Thresholds::default();
    let mut tally = Tally::default();
    for pair in pairs {
        let cosine = model.map(|model| {
            let vectors = model.embed(&[&pair.old.text, &pair.new.text]);
            match vectors.as_slice() {
                [old, new] => old.iter().zip(new).map(|(old, new)| old * new).sum(),
                _ => 0.0,
            }
        });
        let alike = Alike { jaccard: jaccard(&terms(&pair.old.text), &terms(&pair.new.text)), cosine };
        let (relation, reason) = {
            let (new, old) = (statement(pair, &pair.new), statement(pair, &pair.old));
            relate(&new, &old, alike, &limits)
        };
        let got = match relation {
            Relation::Duplicate => Expect::Skip,
            Relation::Supersedes => Expect::Supersede,
            // An old fact that arrives late replaces no other.
            Relation::SupersededBy
            | Relation::Coexists
            | Relation::Conflict
            | Relation::Doubtful
            | Relation::Related
            | Relation::Unclear => Expect::Add,
        };
        tally.add(DecidedPair { pair: pair.clone(), got, relation, reason: reason.text(), cosine });
    }
    tally
}

fn statement<'a>(pair: &Pair, side: &'a Side) -> Statement<'a> {
    Statement {
        text: &side.text,
        kind: pair.record_kind(),
        scope: side.scope.as_deref(),
        tier: TrustTier::default(),
        told: StatementTime::at(side.time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `--gate` with the built-in embedder on both sets from which the rules were developed.
    /// It guards against regressions. BENCHMARKS.md has the results for unseen sentences.
    #[test]
    fn the_planner_reaches_the_gate_on_what_it_has_seen() {
        let model = MiniLm::new();
        for (text, least) in [
            (include_str!("../../data/consolidation/dev.jsonl"), 1_000),
            (include_str!("../../data/consolidation/talk.jsonl"), 140),
        ] {
            let pairs = pair::read(text).unwrap();
            assert!(pairs.len() >= least);
            let tally = judged(&pairs, Some(&model));
            assert!(tally.reaches(PRECISION_MIN, RECALL_MIN), "{:?}", tally.figures());
        }
    }
}
