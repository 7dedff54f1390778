//! `retrieval`: measures the recall of the ranking alone, in this process: index, model and signals
//! without a server. It serves work on the ranking. `wire-retrieval` gives the authoritative
//! figures.
//!
//! The shipped weights were fitted on these sets, so the figures are in-sample.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use loci_engine::retrieval::ranking;
use loci_engine::retrieval::signals::SIGNALS;
use loci_engine::retrieval::weights::Weights;

use crate::conversation_index::Indexed;
use crate::dev_set::{self, Conversation};
use crate::figures::Latencies;
use crate::recall::{self, Outcome};
use crate::vectors::Vectors;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Conversations with questions, one JSON line each; several files are several sets.
    #[arg(long, required = true)]
    set: Vec<PathBuf>,
    /// Other weights, in the format of the engine's `weights.json`.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Rank by one signal alone.
    #[arg(long)]
    by: Option<String>,
    /// Use words alone.
    #[arg(long)]
    no_vectors: bool,
    /// Candidates per list.
    #[arg(long, default_value_t = 200)]
    candidates: usize,
    /// All conversations of all sets in one scope.
    #[arg(long)]
    merged: bool,
    /// Cache of vectors between runs.
    #[arg(long, default_value = "target/bench-vectors")]
    vectors: PathBuf,
}

/// Measures each set.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let weights = weights(&arguments)?;
    let mut vectors = if arguments.no_vectors { None } else { Some(Vectors::open(&arguments.vectors)?) };
    let sets: Vec<_> = arguments.set.iter().map(|set| dev_set::read(set)).collect::<Result<_>>()?;
    let everything: Vec<&Conversation> = sets.iter().flatten().collect();
    let merged = if arguments.merged { Some(Indexed::new(&everything, vectors.as_mut())?) } else { None };
    for (set, conversations) in arguments.set.iter().zip(&sets) {
        println!("{} (IN-SAMPLE: the weights were fitted on such sets)", set.display());
        let mut measured = Measured::default();
        for (number, conversation) in conversations.iter().enumerate() {
            let own;
            let indexed = match &merged {
                Some(merged) => merged,
                None => {
                    own = Indexed::new(&[conversation], vectors.as_mut())?;
                    &own
                }
            };
            eprintln!("{}", conversation.id);
            measured.ask(number, conversation, indexed, vectors.as_mut(), &weights, arguments.candidates)?;
        }
        print!("{}", recall::table(&recall::rows(&measured.outcomes)));
        let candidates = measured.candidates as f64 / measured.outcomes.len().max(1) as f64;
        println!(
            "{candidates:.0} candidates a question; candidates and ranking: {}",
            measured.latency.quantiles()
        );
    }
    Ok(())
}

fn weights(arguments: &Arguments) -> Result<Weights> {
    let mut weights = match &arguments.weights {
        Some(path) => Weights::parse(&std::fs::read_to_string(path)?).map_err(|error| anyhow!("{error}"))?,
        None => Weights::shipped().map_err(|error| anyhow!("{error}"))?.clone(),
    };
    if let Some(wanted) = &arguments.by {
        let at =
            SIGNALS.iter().position(|signal| signal.name == wanted).context("there is no such signal")?;
        for (place, weight) in weights.signals.iter_mut().enumerate() {
            *weight = if place == at { 1.0 } else { 0.0 };
        }
    }
    Ok(weights)
}

#[derive(Default)]
struct Measured {
    outcomes: Vec<Outcome>,
    candidates: usize,
    latency: Latencies,
}

impl Measured {
    fn ask(
        &mut self,
        number: usize,
        conversation: &Conversation,
        indexed: &Indexed<'_>,
        mut vectors: Option<&mut Vectors>,
        weights: &Weights,
        length: usize,
    ) -> Result<()> {
        for wanted in &conversation.questions {
            let asked = indexed.ask(&wanted.text, vectors.as_deref_mut())?;
            let began = Instant::now();
            let set = indexed.candidates(&asked, length);
            let ranked = ranking::rank(&asked.question, &asked.terms, &set, weights);
            self.latency.add(began.elapsed());
            self.candidates += set.candidates.len();
            let mut listed = Vec::new();
            for ranked in &ranked {
                let (of, turn) = indexed.turn(ranked.candidate)?;
                // Turns of other conversations occupy ranks and are never the gold.
                let own = of.id == conversation.id;
                listed.push(if own {
                    (turn.id.clone(), turn.session.clone())
                } else {
                    (format!("{}/{}", of.id, turn.id), format!("{}/{}", of.id, turn.session))
                });
            }
            let listed: Vec<_> =
                listed.iter().map(|(turn, session)| (turn.as_str(), session.as_str())).collect();
            self.outcomes.push(Outcome {
                conversation: number,
                category: wanted.category.clone(),
                found: recall::found(&listed, &wanted.gold_turns, &wanted.gold_sessions),
            });
        }
        Ok(())
    }
}
