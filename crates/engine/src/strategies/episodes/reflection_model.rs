//! Reflections by a model: the question (`prompts/episodic.reflect.v1.md`), its answer as insights,
//! and their counts. A model's numbers are never trusted: the supporting episodes are counted again
//! here.
//!
//! Reflections have no alternative without a model. The job selects the episodes and writes the
//! result.

use loci_model::limits;
use loci_model::memory::strategy::Reflection;
use loci_model::record::Record;
use loci_model::record::derivation::Evidence;
use loci_text::normalise_exact;
use serde_json::{Value, json};

use super::episode_form::{Episode, EpisodeTurn};
use crate::safety;
use crate::strategies::metadata::inferred_values;
use crate::strategies::model_questions::prompt::{Filling, Prompt};
use crate::strategies::model_questions::prompt_input;
use crate::strategies::model_questions::question::{BadReply, Question};
use crate::strategies::model_questions::reply_json::{ReplyObject, list};

const TITLE_CHARS_MAX: usize = 100;
const PREDICATE_CHARS_MAX: usize = 300;
/// The minimum share of the examined episodes that must support an insight, as a fraction: two
/// fifths.
const SHARE_MIN: (u32, u32) = (2, 5);
/// The number of characters that are counted as one token; low enough for every language.
const CHARS_PER_TOKEN: usize = 3;
/// The minimum and maximum number of characters of one episode in a question.
const EPISODE_CHARS: std::ops::RangeInclusive<usize> = 200..=4_000;
/// The maximum number of titles of existing reflections in a question.
const TITLES_TOLD: usize = 50;
const GRAMMAR: &str = r#"{"items": [{"title": string of 1 to 100 characters, "use_cases": string, "hints": string, "confidence"?: number, "episodes": [number], "predicate": string of 1 to 300 characters, "metadata"?: [{"key": string, "value": string}]}]}, or the list alone; title, use_cases and hints together at most 1000 characters; at most 10 items, their titles differ"#;

/// The prompt that asks for reflections.
pub static REFLECT: Prompt = Prompt {
    name: "episodic.reflect",
    version: 1,
    text: include_str!("../prompts/episodic.reflect.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| insights(reply).map(|insights| insights.len()),
};

/// A lesson from several episodes, as a model states it.
#[derive(Debug, Clone, PartialEq)]
pub struct Insight {
    /// The title of the insight.
    pub title: String,
    /// The situations in which it applies.
    pub use_cases: String,
    /// The advice of the insight.
    pub hints: String,
    /// The numbers of the episodes that support the insight according to the model, in order and
    /// without duplicates. The episodes need not exist.
    pub episodes: Vec<u64>,
    /// The condition that the supporting episodes meet, as the model states it.
    pub predicate: String,
    /// Metadata values from the model that are not checked against the schema yet.
    pub metadata: Vec<(String, String)>,
}

/// Returns the question on the common lessons of these episodes, which are numbered from 1.
/// `titles`: those of existing reflections.
pub fn question(
    episodes: &[Record],
    titles: &[String],
    reflection: &Reflection,
    input_tokens_max: usize,
) -> Option<Question> {
    let text = json!({ "type": "string" });
    let mut entry = json!({
        "type": "object",
        "properties": {
            "title": text,
            "use_cases": text,
            "hints": text,
            "confidence": { "type": "number" },
            "episodes": { "type": "array", "items": { "type": "integer" } },
            "predicate": text,
        },
        "required": ["title", "use_cases", "hints", "confidence", "episodes", "predicate"],
        "additionalProperties": false,
    });
    let schema = reflection.schema.as_deref().unwrap_or_default();
    let more = inferred_values::add(schema, &mut entry);
    let titles: Vec<Value> =
        titles.iter().take(TITLES_TOLD).map(|title| json!({ "title": safety::for_model(title) })).collect();
    let room = input_tokens_max.saturating_mul(CHARS_PER_TOKEN) / episodes.len().max(1);
    let room = room.clamp(*EPISODE_CHARS.start(), *EPISODE_CHARS.end());
    let told: Vec<Value> = (1..).zip(episodes).map(|(number, episode)| told(number, episode, room)).collect();
    let input = prompt_input::block("reflections", &titles) + &prompt_input::block("episodes", &told);
    REFLECT.list_question(Filling { replaced: reflection.step.as_ref(), more, input, entry })
}

/// Returns an episode in at most `room` characters: first the fields of the whole, then as many
/// steps as fit.
fn told(number: u64, record: &Record, room: usize) -> Value {
    let time = record.timestamp.to_rfc3339();
    let Some(episode) = Episode::read(&record.text) else {
        return json!({ "episode": number, "time": time, "text": cut(&record.text, room) });
    };
    let share = room / 8;
    let mut steps = Vec::new();
    let mut left = room.saturating_sub(5 * share);
    for step in episode.turns.iter().map(step_told) {
        let chars = step.chars().count();
        if chars > left {
            break;
        }
        left -= chars;
        steps.push(safety::for_model(&step));
    }
    json!({
        "episode": number,
        "time": time,
        "situation": cut(&episode.situation, share),
        "intent": cut(&episode.intent, share),
        "assessment": episode.assessment,
        "justification": cut(&episode.justification, share),
        "reflection": cut(&episode.reflection, 2 * share),
        "steps": steps,
    })
}

fn step_told(step: &EpisodeTurn) -> String {
    let judged =
        [&step.assessment_user, &step.assessment_assistant].into_iter().find(|word| !word.is_empty());
    let judged = judged.map(|word| format!(" ({word})")).unwrap_or_default();
    format!("{}: {}{judged}", step.intent, step.action)
}

fn cut(text: &str, chars_max: usize) -> String {
    let text = safety::for_model(text);
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Parses the insights of an answer.
///
/// # Errors
/// All defects of the answer.
pub fn insights(reply: &str) -> Result<Vec<Insight>, BadReply> {
    let insights = list(reply, limits::REFLECTIONS_PER_RUN_MAX, insight)?;
    let mut keys: Vec<String> = insights.iter().map(|insight| key(&insight.title)).collect();
    keys.sort();
    if keys.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
        return Err(BadReply::of("two items have the same title: make one of them"));
    }
    Ok(insights)
}

fn insight(entry: &mut ReplyObject<'_>) -> Option<Insight> {
    entry.only(&["title", "use_cases", "hints", "confidence", "episodes", "predicate", "metadata"]);
    let title = entry.text("title", TITLE_CHARS_MAX);
    let long = limits::REFLECTION_CHARS_MAX;
    let (use_cases, hints) = (entry.text("use_cases", long), entry.text("hints", long));
    let episodes = entry.numbers("episodes");
    if episodes.is_empty() {
        entry.refuse("`episodes` must name the episodes that bear it out");
    }
    let predicate = entry.text("predicate", PREDICATE_CHARS_MAX);
    let metadata = entry.pairs("metadata");
    let (title, use_cases, hints) = (title?, use_cases?, hints?);
    let chars = [&title, &use_cases, &hints].iter().map(|text| text.chars().count()).sum::<usize>();
    if chars > long {
        entry.refuse(format!(
            "`title`, `use_cases` and `hints` must have at most {long} characters, they have {chars}"
        ));
    }
    Some(Insight { title, use_cases, hints, episodes, predicate: predicate?, metadata })
}

/// Returns the subtype of a reflection's record. Titles that differ only in case and white space
/// are equal.
pub fn key(title: &str) -> String {
    format!("title/{}", normalise_exact(title).to_lowercase())
}

impl Insight {
    /// Returns the indexes of the existing supporting episodes among `of` examined ones.
    pub fn borne_out_by(&self, of: usize) -> Vec<usize> {
        let at = |number: &u64| usize::try_from(*number).ok()?.checked_sub(1).filter(|at| *at < of);
        self.episodes.iter().filter_map(at).collect()
    }

    /// Returns the record's text with the counted confidence.
    pub fn text(&self, evidence: &Evidence) -> String {
        let confidence = (share(evidence) * 1000.0).round() / 1000.0;
        json!({
            "title": self.title,
            "use_cases": self.use_cases,
            "hints": self.hints,
            "confidence": confidence,
        })
        .to_string()
    }

    /// Returns the indexed text.
    pub fn indexed(&self) -> String {
        [self.title.as_str(), &self.use_cases, &self.hints].join("\n")
    }
}

fn share(evidence: &Evidence) -> f64 {
    if evidence.of == 0 { 0.0 } else { f64::from(evidence.hits) / f64::from(evidence.of) }
}

/// Returns true if enough episodes support an insight.
pub fn is_enough(evidence: &Evidence, min_episodes: u32) -> bool {
    let (part, whole) = SHARE_MIN;
    evidence.hits >= min_episodes
        && u64::from(evidence.hits) * u64::from(whole) >= u64::from(evidence.of) * u64::from(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: &str, episodes: &[u64]) -> Value {
        json!({"title": title, "use_cases": "Tests.", "hints": "Round.", "confidence": 0.99,
               "episodes": episodes, "predicate": "failed by a cent"})
    }

    fn evidence(hits: u32, of: u32) -> Evidence {
        Evidence { hits, of, predicate: String::new() }
    }

    #[test]
    fn counts_are_the_engines() {
        let reply = json!([item("Round totals", &[2, 2, 9, 0, 1, 3])]).to_string();
        let found = insights(&reply).unwrap();
        assert_eq!(found[0].borne_out_by(5), [0, 1, 2]);
        assert_eq!(
            found[0].text(&evidence(3, 7)),
            r#"{"title":"Round totals","use_cases":"Tests.","hints":"Round.","confidence":0.429}"#
        );
        assert_eq!(found[0].indexed(), "Round totals\nTests.\nRound.");
        assert_eq!(key(" Round  TOTALS"), key("round totals"));
    }

    #[test]
    fn enough_is_three_and_two_in_five() {
        let check =
            |hits, of, expect| assert_eq!(is_enough(&evidence(hits, of), 3), expect, "{hits} of {of}");
        check(3, 7, true);
        check(3, 8, false);
        check(2, 2, false);
        check(4, 10, true);
        check(0, 0, false);
        check(20, 50, true);
        check(19, 50, false);
    }

    #[test]
    fn bad_answers() {
        let check = |reply: Value, part: &str| {
            let found = insights(&reply.to_string()).unwrap_err().violations;
            assert!(found.len() == 1 && found[0].contains(part), "{found:?}");
        };
        check(json!([item("", &[1])]), "`title` must have");
        check(json!([item("a", &[])]), "`episodes` must name");
        check(json!([item("a", &[1]), item(" A", &[2])]), "the same title");
        check(
            json!([{"title": "a", "use_cases": "b", "hints": "c", "episodes": [1]}]),
            "`predicate` is missing",
        );
        check(json!({"title": "a"}), "one member `items`");
        let of = |chars: usize| json!([item("a", &[1])]).to_string().replace("Round.", &"ä".repeat(chars));
        let rest = "aTests.".len();
        assert!(insights(&of(loci_model::limits::REFLECTION_CHARS_MAX - rest)).is_ok());
        assert!(insights(&of(loci_model::limits::REFLECTION_CHARS_MAX - rest + 1)).is_err());
        let many = |count: usize| {
            Value::Array((0..count).map(|number| item(&number.to_string(), &[1])).collect()).to_string()
        };
        assert!(insights(&many(loci_model::limits::REFLECTIONS_PER_RUN_MAX)).is_ok());
        assert!(insights(&many(loci_model::limits::REFLECTIONS_PER_RUN_MAX + 1)).is_err());
    }
}
