//! From turns to candidates: by a model where the memory has one, else, or in its place, by the half that needs none.
//!
//! What follows from an answer that does not come is the run's matter (`mod.rs`).

use loci_model::Result;
use loci_model::job::Job;
use loci_model::making::{Making, MakingMode};
use loci_model::ports::observe::StepSeen;
use loci_text::tokens::estimate_tokens;

use super::round::{Group, Round};
use crate::Engine;
use crate::asking::{Asked, Unanswered, ask};
use crate::strategies::{Ask, Batch, Candidate, Turn};

/// Turns of one part that are told along with the next.
const TURNS_CARRIED: usize = 2;

/// The candidates of a group, and how they were made.
#[derive(Debug)]
pub(super) struct GroupRead {
    /// Index of the group.
    pub(super) group: usize,
    pub(super) candidates: Vec<Candidate>,
    /// `None` where no model was meant to read.
    pub(super) making: Option<Making>,
}

/// What a model made of a round.
#[derive(Debug)]
pub(super) enum Reading {
    /// Candidates.
    Made(Vec<GroupRead>),
    /// A question waits for the caller's own model.
    Waits,
    /// A question has no answer.
    Unanswered(Unanswered),
}

/// Without a model. `instead`: one was asked, and gave no answer.
pub(super) fn deterministic(round: &Round, instead: bool) -> Vec<GroupRead> {
    let making = instead.then(|| Making { mode: MakingMode::Fallback, ..Making::default() });
    let read = |(group, of): (usize, &Group)| {
        let candidates = round.extractor.extract(&batch(round, of, &of.turns));
        GroupRead { group, candidates, making: making.clone() }
    };
    round.groups.iter().enumerate().map(read).collect()
}

/// By the model: one question per group, more where it has more turns than `tokens_max` allows.
pub(super) async fn by_model(
    engine: &Engine,
    job: &Job,
    round: &Round,
    tokens_max: usize,
) -> Result<Reading> {
    let started = engine.clock.monotonic_us();
    let reading = asked(engine, job, round, tokens_max).await;
    let outcome = match &reading {
        Ok(Reading::Made(_)) => "ok",
        Ok(Reading::Waits) => "waits",
        Ok(Reading::Unanswered(_)) => "unanswered",
        Err(_) => "error",
    };
    engine.observe.step(&StepSeen {
        step: "extract",
        strategy: Some(round.strategy.base),
        outcome,
        elapsed_us: engine.clock.monotonic_us().saturating_sub(started),
    });
    reading
}

async fn asked(engine: &Engine, job: &Job, round: &Round, tokens_max: usize) -> Result<Reading> {
    let mut reads = Vec::new();
    let mut waits = false;
    for (at, group) in round.groups.iter().enumerate() {
        let mut context = group.context.clone();
        for part in parts(&group.turns, tokens_max) {
            let ask_of = Ask {
                batch: batch(round, group, part),
                context: &context,
                strategy: &round.strategy,
                input_tokens_max: tokens_max,
            };
            let Some(question) = round.extractor.extraction(&ask_of) else {
                let candidates = round.extractor.extract(&ask_of.batch);
                reads.push(GroupRead { group: at, candidates, making: None });
                continue;
            };
            let read = |reply: &str| round.extractor.read_extraction(reply, &ask_of);
            let (mode, step) = (round.told.mode, round.extractor.step());
            match ask(engine, job, mode, step, &question, &read).await? {
                Asked::Off => {
                    let candidates = round.extractor.extract(&ask_of.batch);
                    reads.push(GroupRead { group: at, candidates, making: None });
                }
                Asked::Read(candidates, by) => {
                    reads.push(GroupRead { group: at, candidates, making: Some(by.making()) });
                }
                // The other questions are put where they can be come for as well.
                Asked::Waits => waits = true,
                Asked::Unanswered(unanswered) => return Ok(Reading::Unanswered(unanswered)),
            }
            let carried = part.len().saturating_sub(TURNS_CARRIED);
            context = part.get(carried..).unwrap_or_default().to_vec();
        }
    }
    Ok(if waits { Reading::Waits } else { Reading::Made(reads) })
}

fn batch<'a>(round: &'a Round, group: &'a Group, turns: &'a [Turn]) -> Batch<'a> {
    Batch { session: &round.place.session, turns, standing: &group.standing }
}

/// Runs of turns of at most so many tokens each; at least one turn.
fn parts(turns: &[Turn], tokens_max: usize) -> Vec<&[Turn]> {
    let mut parts = Vec::new();
    let (mut from, mut tokens) = (0, 0_usize);
    for (at, turn) in turns.iter().enumerate() {
        let more = estimate_tokens(&turn.text) as usize;
        if at > from && tokens.saturating_add(more) > tokens_max {
            parts.extend(turns.get(from..at));
            (from, tokens) = (at, 0);
        }
        tokens = tokens.saturating_add(more);
    }
    parts.extend(turns.get(from..).filter(|rest| !rest.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;
    use crate::strategies::turn::tests::talk;
    use loci_model::event::Role::User;

    #[test]
    fn turns_that_fit_one_question() {
        let four = "abcdefghijklmnop";
        let turns = talk(&[(User, four), (User, four), (User, four)]);
        let check = |tokens_max, expect: &[usize]| {
            let found: Vec<usize> = parts(&turns, tokens_max).into_iter().map(<[_]>::len).collect();
            assert_eq!(found, expect, "{tokens_max}");
        };
        check(100, &[3]);
        check(8, &[2, 1]);
        check(7, &[1, 1, 1]);
        check(1, &[1, 1, 1]);
        assert!(parts(&[], 10).is_empty());
    }
}
