//! `train`: fits the weights of the ranking, and judges them on unseen conversations.
//!
//! It reads development sets in place and prints tables. With `--out` it writes weights in the
//! format of the engine's `weights.json`: `all.json` from all conversations, and one file per
//! conversation that did not see it.

mod baseline_rankings;
mod calibration;
mod examples;
mod fit;
mod folds;
mod output;
mod small_memories;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use loci_engine::retrieval::signals::{SIGNAL_COUNT, SIGNALS};
use loci_engine::retrieval::weights::Weights;

use crate::dev_set;
use crate::vectors::Vectors;
use examples::{Example, ListedRows};
use folds::Plan;

/// The share of all guards together in the sum. The sets share the rest equally.
const GUARD_SHARE: f64 = 0.05;
/// Signals for files, of which no development set has any. They are set by hand.
const BY_HAND: [&str; 5] = ["lex_turn", "phrase", "path", "file", "document"];

/// Options of the training and of its output.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets, with equal
    /// weights.
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// Sets with a small share of the training, which keep the weights from losing abilities that
    /// the other sets do not test.
    #[arg(long)]
    guard: Vec<PathBuf>,
    /// Sets that are judged with the weights of all conversations, but never used for training.
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// Train on one set alone, by the name of its file without `.jsonl`; judge all.
    #[arg(long)]
    only_set: Option<String>,
    /// An ablation: signals, separated by commas, that a further fit leaves out.
    #[arg(long)]
    without: Vec<String>,
    /// Also show the quality of relevances in memories of this many turns, cut from the sets; may
    /// be repeated.
    #[arg(long)]
    small: Vec<usize>,
    /// Candidates per list.
    #[arg(long, default_value_t = 200)]
    candidates: usize,
    /// Cache of vectors between runs.
    #[arg(long, default_value = "target/bench-vectors")]
    vectors: PathBuf,
    /// Write the weights to this folder.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// All data for fitting and judging.
struct Data {
    examples: Vec<Example>,
    /// The names of the sets. Sets that are only judged come last.
    sets: Vec<String>,
    /// The number of sets for the choice of weights. Guards follow them.
    judged: usize,
    /// The number of training sets.
    trained: usize,
    /// The name of each training conversation.
    conversations: Vec<String>,
}

/// Fits, judges, and prints the results.
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
    let judged = base.judge(&data.examples, data.sets.len(), ListedRows::All);
    let mut ablations = Vec::new();
    for without in &arguments.without {
        let folds = fit(&plan(without)?);
        ablations.push((without.clone(), folds.judge(&data.examples, data.sets.len(), ListedRows::All)));
    }
    let chosen_by: Vec<&Example> = data.examples.iter().filter(|example| example.set < data.judged).collect();
    let calibrated = calibration::calibrate(&chosen_by, &base, data.judged);
    let small = small_memories::tables(&arguments, &base, &calibrated.calibration, shipped.lexical_scale)?;
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

/// Returns the weight of each training set, in order.
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
