//! Leave one conversation out: weights that never saw the conversation they are judged on.

use std::thread::ScopedJoinHandle;

use loci_engine::retrieval::signals::SIGNAL_COUNT;

use super::examples::{Example, Listed};
use super::fit::{self, Point};
use crate::recall::Outcome;

/// Which signals are fitted, and from what.
pub(super) struct Plan {
    /// Signals that are fitted; the others stay as `fixed` says.
    pub(super) free: [bool; SIGNAL_COUNT],
    /// Values of those that are not.
    pub(super) fixed: Point,
    /// What each set that is trained on weighs.
    pub(super) shares: Vec<f64>,
}

/// A fit with everything, and one without each conversation.
pub(super) struct Folds {
    /// Fitted on all conversations.
    pub(super) full: Point,
    /// By conversation: fitted on the others.
    pub(super) without: Vec<Point>,
}

/// Fits all folds, on all cores.
pub(super) fn fit_all(examples: &[Example], conversations: usize, plan: &Plan) -> Folds {
    let used: Vec<&Example> =
        examples.iter().filter(|example| example.conversation < conversations).collect();
    let of = |left_out: Option<usize>| {
        let seen: Vec<&Example> =
            used.iter().filter(|example| Some(example.conversation) != left_out).copied().collect();
        fit::fit(&seen, &plan.shares, &plan.free, &plan.fixed)
    };
    let tasks: Vec<Option<usize>> = std::iter::once(None).chain((0..conversations).map(Some)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut points = std::thread::scope(|scope| {
        let shares: Vec<_> = tasks
            .chunks(tasks.len().div_ceil(threads))
            .map(|share| {
                let of = &of;
                scope.spawn(move || share.iter().map(|left_out| of(*left_out)).collect::<Vec<Point>>())
            })
            .collect();
        let joined = |share: ScopedJoinHandle<'_, Vec<Point>>| {
            // A share left out would give every later conversation the weights of another.
            share.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
        };
        shares.into_iter().flat_map(joined).collect::<Vec<Point>>()
    });
    let full = points.remove(0);
    Folds { full, without: points }
}

/// What held-out weights make of the questions.
pub(super) struct Judged {
    /// By set: mean loss of the questions that count.
    pub(super) losses: Vec<f64>,
    /// By set: outcomes, all questions.
    pub(super) outcomes: Vec<Vec<Outcome>>,
}

impl Folds {
    /// The weights a question is judged with: those that did not see its conversation.
    pub(super) fn weights(&self, example: &Example) -> &Point {
        self.without.get(example.conversation).unwrap_or(&self.full)
    }

    /// Judges every question.
    pub(super) fn judge(&self, examples: &[Example], sets: usize, listed: Listed) -> Judged {
        judge(examples, sets, listed, |example| {
            let weights = self.weights(example);
            (example.scores(weights), fit::loss(example, weights))
        })
    }
}

/// Judges every question by scores of its rows and a loss.
pub(super) fn judge(
    examples: &[Example],
    sets: usize,
    listed: Listed,
    by: impl Fn(&Example) -> (Vec<f64>, Option<f64>),
) -> Judged {
    let mut sums = vec![(0.0, 0usize); sets];
    let mut outcomes: Vec<Vec<Outcome>> = (0..sets).map(|_| Vec::new()).collect();
    for example in examples {
        let (scores, loss) = by(example);
        if let Some((sum, count)) = sums.get_mut(example.set)
            && let Some(loss) = loss
            && example.counts()
        {
            *sum += loss;
            *count += 1;
        }
        if let Some(outcomes) = outcomes.get_mut(example.set) {
            outcomes.push(Outcome {
                conversation: example.conversation,
                category: example.category.clone(),
                found: example.found(&scores, listed),
            });
        }
    }
    Judged { losses: sums.iter().map(|(sum, count)| sum / (*count).max(1) as f64).collect(), outcomes }
}
