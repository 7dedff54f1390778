//! Makes records from turns (messages or parts of messages): by a language model if the memory
//! uses one, otherwise by rules. `mod.rs` handles questions without an answer.
//!
//! The run handles missing answers (`mod.rs`).

use std::borrow::Cow;

use loci_model::job::Job;
use loci_model::ports::observe::StepObservation;
use loci_model::record::Record;
use loci_model::record::derivation::{MakingMode, RecordDerivation};
use loci_model::{EventId, Result};
use loci_text::tokens::estimate_tokens;

use super::round::{Group, Round};
use crate::Engine;
use crate::language_models::{QuestionOutcome, Unanswered, ask};
use crate::strategies::earlier_records::{self, EarlierRecord};
use crate::strategies::{Ask, Batch, Candidate, DecisionMethod, JoinMode, Turn};

/// The number of turns at the end of one part that the next part repeats as context.
const TURNS_CARRIED: usize = 2;

/// The records proposed for one group of turns, and how they were made.
#[derive(Debug)]
pub(super) struct GroupRead {
    /// The index of the group in the round.
    pub(super) group: usize,
    pub(super) candidates: Vec<Candidate>,
    /// The model and prompt, or the rules in place of a model; `None` if the memory uses no
    /// model.
    pub(super) making: Option<RecordDerivation>,
}

/// The result of asking a model to extract a round.
#[derive(Debug)]
pub(super) enum ModelExtraction {
    /// The model proposed these records.
    Made(Vec<GroupRead>),
    /// A question waits for the client's own model.
    Waits,
    /// A question got no answer, for this reason.
    Unanswered(Unanswered),
}

/// Extracts a round without a model. `instead` is true if a model was asked and gave no answer.
pub(super) fn deterministic(round: &Round, instead: bool) -> Vec<GroupRead> {
    let making =
        instead.then(|| RecordDerivation { mode: MakingMode::Fallback, ..RecordDerivation::default() });
    let read = |(group, of): (usize, &Group)| {
        let standing = earlier_records::of_records(of.standing.iter());
        let turns = not_told_before(round, of);
        let candidates = if turns.is_empty() {
            Vec::new()
        } else {
            round.extractor.extract(&batch(round, &turns, &standing))
        };
        GroupRead { group, candidates, making: making.clone() }
    };
    round.groups.iter().enumerate().map(read).collect()
}

/// Returns the turns of a group. When turns are read again, those that the session's record already
/// contains are omitted.
fn not_told_before<'a>(round: &Round, group: &'a Group) -> Cow<'a, [Turn]> {
    let again = |event: &EventId| round.told.again.contains(event);
    let mut sources = group.standing.iter().flat_map(|record| &record.provenance.sources);
    let told_before =
        round.extractor.decides() == DecisionMethod::Own && sources.any(|source| again(&source.event));
    if !told_before {
        return Cow::Borrowed(&group.turns);
    }
    group.turns.iter().filter(|turn| !again(&turn.source.event)).cloned().collect()
}

/// Extracts a round by a model. Each group is one question, or several if its turns exceed
/// `tokens_max`.
pub(super) async fn by_model(
    engine: &Engine,
    job: &Job,
    round: &Round,
    tokens_max: usize,
) -> Result<ModelExtraction> {
    let started = engine.clock.monotonic_us();
    let reading = asked(engine, job, round, tokens_max).await;
    let outcome = match &reading {
        Ok(ModelExtraction::Made(_)) => "ok",
        Ok(ModelExtraction::Waits) => "waits",
        Ok(ModelExtraction::Unanswered(_)) => "unanswered",
        Err(_) => "error",
    };
    engine.observe.step(&StepObservation {
        step: "extract",
        strategy: Some(round.strategy.base),
        outcome,
        elapsed_us: engine.clock.monotonic_us().saturating_sub(started),
    });
    reading
}

async fn asked(engine: &Engine, job: &Job, round: &Round, tokens_max: usize) -> Result<ModelExtraction> {
    let mut reads = Vec::new();
    let mut waits = false;
    for at in 0..round.groups.len() {
        match asked_of(engine, job, round, (at, tokens_max)).await? {
            ModelExtraction::Made(made) => reads.extend(made),
            // The other questions are asked as well, so that the client can fetch them together.
            ModelExtraction::Waits => waits = true,
            ModelExtraction::Unanswered(unanswered) => return Ok(ModelExtraction::Unanswered(unanswered)),
        }
    }
    Ok(if waits { ModelExtraction::Waits } else { ModelExtraction::Made(reads) })
}

/// Asks the questions of one group in sequence.
async fn asked_of(
    engine: &Engine,
    job: &Job,
    round: &Round,
    (at, tokens_max): (usize, usize),
) -> Result<ModelExtraction> {
    let mut reads = Vec::new();
    let Some(group) = round.groups.get(at) else { return Ok(ModelExtraction::Made(reads)) };
    let mut waits = false;
    let mut context = group.context.clone();
    let mut standing =
        earlier_records::of_records(group.standing.iter().filter(|record| tells_more(round, record)));
    for part in parts(&group.turns, tokens_max) {
        let ask_of = Ask {
            batch: batch(round, part, &standing),
            context: &context,
            strategy: &round.strategy,
            input_tokens_max: tokens_max,
        };
        let read = |reply: &str| round.extractor.read_extraction(reply, &ask_of);
        let asked = match round.extractor.extraction(&ask_of) {
            None => QuestionOutcome::Off,
            Some(question) => {
                ask(engine, job, round.told.mode, round.extractor.step(&ask_of), &question, &read).await?
            }
        };
        let (candidates, making) = match asked {
            QuestionOutcome::Off => (round.extractor.extract(&ask_of.batch), None),
            QuestionOutcome::Read(candidates, by) => (candidates, Some(by.making())),
            QuestionOutcome::Waits => {
                waits = true;
                if round.extractor.decides() == DecisionMethod::Own {
                    // The next question builds on this answer.
                    break;
                }
                (Vec::new(), None)
            }
            QuestionOutcome::Unanswered(unanswered) => return Ok(ModelExtraction::Unanswered(unanswered)),
        };
        earlier_records::take_in(&mut standing, &candidates);
        reads.push(GroupRead { group: at, candidates, making });
        let carried = part.len().saturating_sub(TURNS_CARRIED);
        context = part.get(carried..).unwrap_or_default().to_vec();
    }
    last_in_place(&mut reads);
    Ok(if waits { ModelExtraction::Waits } else { ModelExtraction::Made(reads) })
}

/// Returns false for a record of the deterministic extraction that only covers messages that are
/// read again.
fn tells_more(round: &Round, record: &Record) -> bool {
    let read_again = |event: &EventId| round.told.messages.iter().any(|message| message.event == *event);
    !round.told.replaces.contains(&record.id)
        || record.provenance.sources.iter().any(|source| !read_again(&source.event))
}

/// Keeps the last of several candidates that continue one record, because it contains the others.
fn last_in_place(reads: &mut [GroupRead]) {
    let mut seen = Vec::new();
    for read in reads.iter_mut().rev() {
        read.candidates.retain(|candidate| {
            let what = (candidate.kind, candidate.subtype.clone());
            let is_later = seen.contains(&what);
            if candidate.joining == JoinMode::InPlace && !is_later {
                seen.push(what);
            }
            candidate.joining != JoinMode::InPlace || !is_later
        });
    }
}

fn batch<'a>(round: &'a Round, turns: &'a [Turn], standing: &'a [EarlierRecord]) -> Batch<'a> {
    Batch { session: &round.place.session, turns, standing }
}

/// Splits turns into parts of at most `tokens_max` tokens and at least one turn.
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
    use crate::strategies::turns::turn::tests::talk;
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
