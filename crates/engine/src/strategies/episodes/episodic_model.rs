//! Episodes by a model: the questions (`prompts/episodic.extract.v1.md` for the first window of a
//! session, `prompts/episodic.consolidate.v1.md` for the following ones), and the conversion of an
//! answer to the session's continued episode.
//!
//! `episodic.rs` works without a model; both write the form of `episode_form.rs`. Steps of earlier
//! windows stay unchanged: a model returns the new ones, and the fields of the whole episode.

use loci_model::job::exchange::Step;
use loci_model::limits;
use loci_model::record::RecordKind;
use serde_json::{Value, json};

use super::episode_form::{Episode, EpisodeTurn};
use super::episodic::{sources, subtype, turn_id};
use crate::safety;
use crate::strategies::metadata::inferred_values;
use crate::strategies::model_questions::prompt::{Filling, Prompt};
use crate::strategies::model_questions::prompt_input;
use crate::strategies::model_questions::question::{
    Ask, BadReply, Question, consolidation_step, extraction_step,
};
use crate::strategies::model_questions::reply_json::{ReplyObject, object};
use crate::strategies::{Candidate, JoinMode, Turn};

/// The maximum number of steps in an answer of the model.
const STEPS_MAX: usize = limits::PAYLOAD_ITEMS_MAX;
/// The maximum number of earlier steps that a question shows; the latest are shown.
const STEPS_TOLD: usize = 6;
/// The assessments that an answer may contain.
const WORDS: [&str; 3] = ["success", "failure", "unknown"];
const GRAMMAR: &str = r#"{"situation": string of 1 to 1000 characters, "intent": likewise, "assessment": "success" | "failure" | "unknown", "justification": string of at most 1000 characters, "reflection": likewise, "turns": [{"turn_id": number, "situation": string of at most 400 characters, "intent": likewise, "action": likewise, "thought": likewise, "assessment_assistant": "success" | "failure" | "unknown", "assessment_user": likewise}], "metadata"?: [{"key": string, "value": string}]}"#;

/// The prompt for the first window of a session.
pub static EXTRACT: Prompt = Prompt {
    name: "episodic.extract",
    version: 1,
    text: include_str!("../prompts/episodic.extract.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| said(reply).map(|_| 1),
};

/// The prompt for the windows that follow.
pub static CONSOLIDATE: Prompt = Prompt {
    name: "episodic.consolidate",
    version: 1,
    text: include_str!("../prompts/episodic.consolidate.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| said(reply).map(|_| 1),
};

/// A parsed answer.
struct EpisodicReply {
    /// The episode; its steps have no ids yet.
    episode: Episode,
    /// The numbers of the messages that begin the steps.
    begins: Vec<u64>,
    metadata: Vec<(String, String)>,
}

/// Returns the step name of the question in pull mode.
pub fn step(ask: &Ask<'_>) -> Step {
    if standing(ask).is_some() { Step::Consolidate } else { Step::Extract }
}

/// Returns the question on how the new turns continue the session's episode.
pub fn question(ask: &Ask<'_>) -> Option<Question> {
    let mut entry = form();
    let more = ask.add_metadata(&mut entry);
    let conversation = prompt_input::conversation(ask.context, ask.batch.turns);
    let (prompt, replaced, input) = match standing(ask) {
        None => (&EXTRACT, extraction_step(ask.strategy), conversation),
        Some(episode) => {
            let told = prompt_input::block("episode", &[told(&without(episode, ask.batch.turns).0)]);
            (&CONSOLIDATE, consolidation_step(ask.strategy), told + &conversation)
        }
    };
    prompt.object_question("episode", Filling { replaced, more, input, entry })
}

fn form() -> Value {
    let (text, word, number) =
        (json!({"type": "string"}), json!({"type": "string", "enum": WORDS}), json!({"type": "integer"}));
    let object = |members: &[(&str, &Value)]| {
        let properties: serde_json::Map<String, Value> =
            members.iter().map(|(name, form)| ((*name).to_owned(), (*form).clone())).collect();
        let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let step = object(&[
        ("turn_id", &number),
        ("situation", &text),
        ("intent", &text),
        ("action", &text),
        ("thought", &text),
        ("assessment_assistant", &word),
        ("assessment_user", &word),
    ]);
    object(&[
        ("situation", &text),
        ("intent", &text),
        ("assessment", &word),
        ("justification", &text),
        ("reflection", &text),
        ("turns", &json!({"type": "array", "items": step})),
    ])
}

/// Returns the existing episode.
fn standing(ask: &Ask<'_>) -> Option<Episode> {
    ask.batch.standing.last().and_then(|standing| Episode::read(&standing.text))
}

/// Returns the episode without the steps that these turns began at an earlier extraction, and the
/// position of those steps.
fn without(mut episode: Episode, turns: &[Turn]) -> (Episode, usize) {
    let read_again = |step: &EpisodeTurn| {
        turns.iter().any(|turn| {
            step.turn_id.strip_prefix(turn.source.event.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let at = episode.turns.iter().position(read_again).unwrap_or(episode.turns.len());
    episode.turns.retain(|step| !read_again(step));
    (episode, at)
}

/// Returns the existing episode as part of a question.
fn told(episode: &Episode) -> Value {
    let safe = |text: &str| safety::for_model(text);
    let step = |step: &EpisodeTurn| {
        json!({
            "situation": safe(&step.situation),
            "intent": safe(&step.intent),
            "action": safe(&step.action),
            "assessment_assistant": step.assessment_assistant,
            "assessment_user": step.assessment_user,
        })
    };
    let from = episode.turns.len().saturating_sub(STEPS_TOLD);
    json!({
        "situation": safe(&episode.situation),
        "intent": safe(&episode.intent),
        "assessment": episode.assessment,
        "justification": safe(&episode.justification),
        "reflection": safe(&episode.reflection),
        "latest_turns": episode.turns.iter().skip(from).map(step).collect::<Vec<_>>(),
    })
}

/// Converts an answer to the session's episode.
///
/// # Errors
/// All defects of the answer.
pub fn read(reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
    let EpisodicReply { episode: said, begins, metadata } = said(reply)?;
    let turns = ask.batch.turns;
    let Some(first) = turns.first() else { return Ok(Vec::new()) };
    let steps = placed(said.turns, &begins, turns)?;
    let (old, at) = without(standing(ask).unwrap_or_default(), turns);
    let Episode { turns: old_turns, turns_omitted, task, .. } = old;
    let mut episode = Episode { turns: old_turns, turns_omitted, task, ..said };
    episode.turns.splice(at..at, steps);
    if episode.turns.is_empty() {
        return Ok(Vec::new());
    }
    let text = episode.write();
    if text.chars().count() > limits::RECORD_TEXT_CHARS_MAX {
        return Err(BadReply::of("the answer: it is too long for a record, shorten its texts"));
    }
    let old = ask.batch.standing.last();
    let newest = turns.iter().map(|turn| turn.time).max().unwrap_or(first.time);
    Ok(vec![Candidate {
        subtype: Some(subtype(ask.batch.session)),
        title: Some(episode.intent.clone()),
        index_text: Some(episode.values()),
        sources: sources(old.map_or(&[][..], |old| &old.sources), turns),
        time: old.map_or(newest, |old| old.time.max(newest)),
        inferred: inferred_values::values(ask.schema(), &metadata),
        ..Candidate::of_turn(first, RecordKind::Episode, text, JoinMode::InPlace)
    }])
}

/// Returns the steps with the ids of the messages that begin them.
fn placed(steps: Vec<EpisodeTurn>, begins: &[u64], turns: &[Turn]) -> Result<Vec<EpisodeTurn>, BadReply> {
    let mut found = Vec::with_capacity(steps.len());
    let mut violations = Vec::new();
    for ((number, step), begins) in (1..).zip(steps).zip(begins) {
        let at = usize::try_from(*begins).ok().and_then(|begins| begins.checked_sub(1));
        match at.and_then(|at| turns.get(at)) {
            Some(turn) => found.push(EpisodeTurn { turn_id: turn_id(&turn.source), ..step }),
            None => violations.push(format!(
                "`turns` {number}: `turn_id` must be the number of a message in <current_conversation>, 1 to {}",
                turns.len()
            )),
        }
    }
    if violations.is_empty() { Ok(found) } else { Err(BadReply { violations }) }
}

fn said(reply: &str) -> Result<EpisodicReply, BadReply> {
    object(reply, |entry| {
        entry.only(&[
            "situation",
            "intent",
            "assessment",
            "justification",
            "reflection",
            "turns",
            "metadata",
        ]);
        let long = limits::EPISODE_TEXT_CHARS_MAX;
        let (situation, intent) = (entry.text("situation", long), entry.text("intent", long));
        let assessment = entry.word("assessment", &WORDS);
        let justification = entry.maybe_text("justification", long).unwrap_or_default();
        let reflection = entry.maybe_text("reflection", long).unwrap_or_default();
        let steps = entry.objects("turns", STEPS_MAX, step_said);
        let metadata = entry.pairs("metadata");
        let (begins, turns) = steps.into_iter().unzip();
        let episode = Episode {
            situation: situation?,
            intent: intent?,
            assessment: assessment?.to_owned(),
            justification,
            reflection,
            turns_omitted: 0,
            turns,
            task: None,
        };
        Some(EpisodicReply { episode, begins, metadata })
    })
}

fn step_said(entry: &mut ReplyObject<'_>) -> Option<(u64, EpisodeTurn)> {
    let names =
        ["turn_id", "situation", "intent", "action", "thought", "assessment_assistant", "assessment_user"];
    entry.only(&names);
    let begins = entry.number("turn_id");
    let mut text = |name| entry.maybe_text(name, limits::EPISODE_STEP_CHARS_MAX).unwrap_or_default();
    let (situation, intent) = (text("situation"), text("intent"));
    let (action, thought) = (text("action"), text("thought"));
    let mut judged = |name| entry.word(name, &WORDS).map(|word| if word == "unknown" { "" } else { word });
    let (assistant, user) = (judged("assessment_assistant"), judged("assessment_user"));
    let step = EpisodeTurn {
        turn_id: String::new(),
        situation,
        intent,
        action,
        thought,
        assessment_assistant: assistant?.to_owned(),
        assessment_user: user?.to_owned(),
    };
    Some((begins?, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::earlier_records::take_in;
    use crate::strategies::model_questions::question::tests::{asking, strategy};
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::{Tool, User};
    use loci_model::memory::strategy::StrategyBase;

    fn step(begins: Value, action: &str) -> Value {
        json!({"turn_id": begins, "situation": "", "intent": "Fix it", "action": action, "thought": "",
               "assessment_assistant": "unknown", "assessment_user": "success"})
    }

    fn answer(assessment: &str, steps: &[Value]) -> String {
        json!({"situation": "the repository shop", "intent": "Fix the cart", "assessment": assessment,
               "justification": "", "reflection": "Round before comparing.", "turns": steps})
        .to_string()
    }

    #[test]
    fn one_episode_per_session_goes_on() {
        let turns = talk(&[(User, "Fix the cart"), (Tool, "error"), (User, "Round it"), (Tool, "12 passed")]);
        let strategy = strategy(StrategyBase::Episodic);
        let mut ask = asking(&strategy, &turns[..2], &[]);
        assert_eq!(question(&ask).unwrap().prompt.as_str(), "episodic.extract@1");
        assert_eq!(super::step(&ask), Step::Extract);
        let found = read(&answer("failure", &[step(json!(1), "pytest")]), &ask).unwrap();
        assert_eq!((found.len(), found[0].subtype.as_deref()), (1, Some("session/s1")));
        let mut standing = Vec::new();
        take_in(&mut standing, &found);
        ask.batch.standing = &standing;
        ask.batch.turns = &turns[2..];
        let second = question(&ask).unwrap();
        assert_eq!(
            (second.prompt.as_str(), super::step(&ask)),
            ("episodic.consolidate@1", Step::Consolidate)
        );
        assert!(
            second.input.contains("\"action\":\"pytest\"") && !second.input.contains("turn_id"),
            "{}",
            second.input
        );
        let found = read(&answer("Success", &[step(json!("1"), "rounded")]), &ask).unwrap();
        let episode = Episode::read(&found[0].text).unwrap();
        assert_eq!((episode.assessment.as_str(), episode.turns.len()), ("success", 2));
        assert_eq!(episode.turns[1].turn_id, turn_id(&turns[2].source));
        assert_eq!((found[0].sources.len(), found[0].time), (4, turns[3].time));
        assert_eq!(episode.turns[0].assessment_assistant, "");
        // Turns that are extracted again replace their earlier steps.
        let mut longer = standing.clone();
        take_in(&mut longer, &found);
        ask.batch.standing = &longer;
        ask.batch.turns = &turns[..2];
        assert!(!question(&ask).unwrap().input.contains("\"action\":\"pytest\""));
        let found = read(&answer("success", &[step(json!(2), "pytest cart")]), &ask).unwrap();
        let actions: Vec<String> =
            Episode::read(&found[0].text).unwrap().turns.into_iter().map(|step| step.action).collect();
        assert_eq!(actions, ["pytest cart", "rounded"]);
    }

    #[test]
    fn nothing_done_is_no_episode() {
        let turns = talk(&[(User, "Hello")]);
        let strategy = strategy(StrategyBase::Episodic);
        assert_eq!(read(&answer("unknown", &[]), &asking(&strategy, &turns, &[])), Ok(Vec::new()));
    }

    #[test]
    fn bad_answers() {
        let turns = talk(&[(User, "Fix the cart")]);
        let strategy = strategy(StrategyBase::Episodic);
        let check = |reply: String, parts: &[&str]| {
            let found = read(&reply, &asking(&strategy, &turns, &[])).unwrap_err().violations;
            assert_eq!(found.len(), parts.len(), "{reply}: {found:?}");
            for (line, part) in found.iter().zip(parts) {
                assert!(line.contains(part), "{reply}: {found:?}");
            }
        };
        check("[]".into(), &["one object"]);
        check(answer("well", &[]), &["`assessment` must be one of"]);
        check(
            answer("success", &[step(json!(2), ""), step(json!(0), "")]),
            &["`turns` 1: `turn_id`", "`turns` 2"],
        );
        check(answer("success", &[step(json!(1.5), "")]), &["`turn_id` must be a number"]);
        check(
            r#"{"fact":"a"}"#.into(),
            &["no member `fact`", "`situation` is missing", "`intent`", "`assessment`"],
        );
        let of = |chars: usize| answer("success", &[step(json!(1), &"ä".repeat(chars))]);
        assert!(said(&of(loci_model::limits::EPISODE_STEP_CHARS_MAX)).is_ok());
        check(
            of(loci_model::limits::EPISODE_STEP_CHARS_MAX + 1),
            &["`turns` 1: `action` must have 1 to 400"],
        );
        let of = |chars: usize| answer("success", &[]).replace("Round before comparing.", &"ä".repeat(chars));
        assert!(said(&of(loci_model::limits::EPISODE_TEXT_CHARS_MAX)).is_ok());
        check(of(loci_model::limits::EPISODE_TEXT_CHARS_MAX + 1), &["`reflection` must have"]);
    }
}
