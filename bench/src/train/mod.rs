//! `train`: fits the weights of the ranking, and judges them on conversations they did not see.
//!
//! It reads development sets in place and prints tables; with `--out` it writes weights in the form of the engine's
//! `weights.json`: `all.json` from everything, and one file per conversation that did not see it.

mod calibration;
mod examples;
mod fit;
mod folds;
mod output;
mod plain;
mod small;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use loci_engine::retrieval::signals::{SIGNAL_COUNT, SIGNALS};
use loci_engine::retrieval::weights::Weights;

use crate::dev_set;
use crate::vectors::Vectors;
use examples::{Example, Listed};
use folds::Plan;

/// Share of the guards, all together, of the sum; the sets have the rest, alike.
const GUARD_SHARE: f64 = 0.05;
/// Signals that files rest on, which no development set has: set by hand.
const BY_HAND: [&str; 5] = ["lex_turn", "phrase", "path", "file", "document"];

/// What to fit on, and what to show.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets, which weigh alike.
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// Trained on at a small share, to keep the others from unlearning what they do not show.
    #[arg(long)]
    guard: Vec<PathBuf>,
    /// Judged with the weights of all conversations, never trained on.
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// Trains on one set alone, by the name of its file without `.jsonl`; judges all.
    #[arg(long)]
    only_set: Option<String>,
    /// An ablation: signals, separated by commas, that are left out of a fit beside the first.
    #[arg(long)]
    without: Vec<String>,
    /// Also shows what relevances are worth in memories of so many turns, cut from the sets; again and again.
    #[arg(long)]
    small: Vec<usize>,
    /// Candidates per list.
    #[arg(long, default_value_t = 200)]
    candidates: usize,
    /// Keeps vectors between runs.
    #[arg(long, default_value = "target/bench-vectors")]
    vectors: PathBuf,
    /// Writes the weights here.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Everything that is fitted on and judged.
struct Data {
    examples: Vec<Example>,
    /// Names of the sets; those beside the trained ones come last.
    sets: Vec<String>,
    /// How many of them are sets to choose by; guards come behind them.
    judged: usize,
    /// How many of them are trained on.
    trained: usize,
    /// Name of each conversation that is trained on.
    conversations: Vec<String>,
}

/// Fits, judges, and tells.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let shipped = Weights::shipped().map_err(|error| anyhow!("{error}"))?;
    let data = read(&arguments, shipped.lexical_scale)?;
    let only_set = match &arguments.only_set {
        None => None,
        Some(name) => {
            let at = data.sets.iter().take(data.trained).position(|set| set == name);
            Some(at.with_context(|| format!("no set {name} among {:?}", data.sets))?)
        }
    };
    let shares = shares(arguments.set.len(), arguments.guard.len(), only_set);
    let plan = |without: &str| -> Result<Plan> {
        let mut free = [true; SIGNAL_COUNT];
        let mut fixed = [0.0; SIGNAL_COUNT];
        for name in without.split(',').filter(|name| !name.is_empty()) {
            let at = SIGNALS.iter().position(|signal| signal.name == name);
            free[at.with_context(|| format!("there is no signal {name}"))?] = false;
        }
        for (at, _) in SIGNALS.iter().enumerate().filter(|(_, signal)| BY_HAND.contains(&signal.name)) {
            (free[at], fixed[at]) = (false, shipped.signals[at]);
        }
        Ok(Plan { free, fixed, shares: shares.clone() })
    };
    let base_plan = plan("")?;
    let fit = |plan: &Plan| folds::fit_all(&data.examples, data.conversations.len(), plan);
    let base = fit(&base_plan);
    let judged = base.judge(&data.examples, data.sets.len(), Listed::All);
    let mut ablations = Vec::new();
    for without in &arguments.without {
        let folds = fit(&plan(without)?);
        ablations.push((without.clone(), folds.judge(&data.examples, data.sets.len(), Listed::All)));
    }
    let chosen_by: Vec<&Example> = data.examples.iter().filter(|example| example.set < data.judged).collect();
    let calibrated = calibration::calibrate(&chosen_by, &base, data.judged);
    let small = small::tables(&arguments, &base, &calibrated.calibration, shipped.lexical_scale)?;
    let report = output::Report { data: &data, base: &base, judged, ablations, calibrated, small, shipped };
    if let Some(folder) = &arguments.out {
        report.write_weights(folder)?;
    }
    if arguments.json {
        println!("{}", report.json())
    } else {
        print!("{}", report.text())
    }
    Ok(())
}

/// What each set that is trained on weighs, one after the other.
fn shares(sets: usize, guards: usize, only_set: Option<usize>) -> Vec<f64> {
    if let Some(only) = only_set {
        return (0..sets + guards).map(|set| f64::from(u8::from(set == only))).collect();
    }
    let guarded = if guards == 0 { 0.0 } else { GUARD_SHARE };
    let of_set = (1.0 - guarded) / sets as f64;
    let of_guard = guarded / guards.max(1) as f64;
    std::iter::repeat_n(of_set, sets).chain(std::iter::repeat_n(of_guard, guards)).collect()
}

fn read(arguments: &Arguments, lexical_scale: f32) -> Result<Data> {
    let mut vectors = Vectors::open(&arguments.vectors)?;
    let mut data = Data {
        examples: Vec::new(),
        sets: Vec::new(),
        judged: arguments.set.len(),
        trained: arguments.set.len() + arguments.guard.len(),
        conversations: Vec::new(),
    };
    let mut read = 0;
    for (set, path) in arguments.set.iter().chain(&arguments.guard).chain(&arguments.beside).enumerate() {
        let name = path.file_stem().and_then(|name| name.to_str()).context("a set without a name")?;
        data.sets.push(name.to_owned());
        for conversation in dev_set::read(path)? {
            eprintln!("{}", conversation.id);
            let numbers = (set, read);
            data.examples.extend(examples::of_conversation(
                numbers,
                &conversation,
                &mut vectors,
                lexical_scale,
                arguments.candidates,
            )?);
            if set < data.trained {
                data.conversations.push(conversation.id);
            }
            read += 1;
        }
    }
    if data.examples.is_empty() {
        bail!("no questions");
    }
    Ok(data)
}
