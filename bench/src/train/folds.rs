//! Leave-one-out over conversations: weights are judged on the conversation that they did not see.

use std::thread::ScopedJoinHandle;

use loci_engine::retrieval::signals::SIGNAL_COUNT;

use super::examples::{Example, ListedRows};
use super::fit::{self, Point};
use crate::recall::Outcome;

/// The signals to fit, and their data.
pub(super) struct Plan {
    /// The fitted signals. The others keep the value of `fixed`.
    pub(super) free: [bool; SIGNAL_COUNT],
    /// The values of the signals that are not fitted.
    pub(super) fixed: Point,
    /// The weight of each training set.
    pub(super) shares: Vec<f64>,
}

/// A fit on all conversations, and one without each conversation.
pub(super) struct Folds {
    /// The weights fitted on all conversations.
    pub(super) full: Point,
    /// By conversation: the weights fitted on the others.
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
            // If a share were left out, every later conversation would get the weights of another.
            share.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
        };
        shares.into_iter().flat_map(joined).collect::<Vec<Point>>()
    });
    let full = points.remove(0);
    Folds { full, without: points }
}

/// The results of held-out weights.
pub(super) struct Judged {
    /// By set: the mean loss of the questions that count.
    pub(super) losses: Vec<f64>,
    /// By set: the outcomes of all questions.
    pub(super) outcomes: Vec<Vec<Outcome>>,
}

impl Folds {
    /// Returns the weights that judge a question: those that did not see its conversation.
    pub(super) fn weights(&self, example: &Example) -> &Point {
        self.without.get(example.conversation).unwrap_or(&self.full)
    }

    /// Judges every question.
    pub(super) fn judge(&self, examples: &[Example], sets: usize, listed: ListedRows) -> Judged {
        judge(examples, sets, listed, |example| {
            let weights = self.weights(example);
            (example.scores(weights), fit::loss(example, weights))
        })
    }
}

/// Judges every question by the scores of its rows and a loss.
pub(super) fn judge(
    examples: &[Example],
    sets: usize,
    listed: ListedRows,
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
