//! Preferences without a model: sentences in which a person states one, keyed by their subject, so
//! that a changed preference supersedes the older one.
//!
//! It reads turns of the USER and data under keys such as `preferences`. Statements of an assistant
//! about itself, momentary wishes and guesses do not count. `preference_statement` contains the
//! patterns.

use loci_model::event::Role;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::RecordKind;
use loci_model::{SessionId, limits};
use loci_text::normalise_exact;
use loci_text::split::sentences;
use loci_text::turn::speaker_prefix;
use serde_json::json;

use super::preference_category::categories;
use super::preference_model;
use super::preference_statement::{Statement, statements};
use crate::strategies::{
    Ask, BadReply, Batch, Candidate, DecisionMethod, JoinMode, Question, Strategy, Turn,
};

/// Maximum length of a turn that is used completely as context; of a longer one, the sentences
/// around the preference are used.
const CONTEXT_CHARS_MAX: usize = 500;
/// Maximum length of a sentence that can state a preference.
const SENTENCE_CHARS_MAX: usize = 600;
/// Turns per round: many, because few texts per turn reach the embedder.
const TURNS_PER_ROUND: usize = limits::EXTRACTION_TURNS_MAX;

/// The strategy that makes preferences.
#[derive(Debug)]
pub struct UserPreference;

impl Strategy for UserPreference {
    fn base(&self) -> StrategyBase {
        StrategyBase::UserPreference
    }

    fn builds_on(&self, _: &SessionId) -> Vec<String> {
        Vec::new()
    }

    fn turns_per_round(&self) -> usize {
        TURNS_PER_ROUND
    }

    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for turn in batch.turns {
            match turn.role {
                Some(Role::User) => said(turn, &mut candidates),
                None => data(turn, &mut candidates),
                Some(Role::Assistant | Role::Tool | Role::Other) => {}
            }
        }
        candidates
    }

    fn asks(&self) -> bool {
        true
    }

    fn extraction(&self, ask: &Ask<'_>) -> Option<Question> {
        preference_model::question(ask)
    }

    fn read_extraction(&self, reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        preference_model::read(reply, ask)
    }

    fn decides(&self) -> DecisionMethod {
        DecisionMethod::Preferences
    }
}

/// Returns the preference in the text of a candidate or a record, with normalized white space in
/// lower case, for the detection of repetitions.
pub fn stated(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let preference = value.get("preference")?.as_str()?;
    Some(normalise_exact(preference).to_lowercase().trim_end_matches(['.', '!']).to_owned())
}

fn said(turn: &Turn, candidates: &mut Vec<Candidate>) {
    let (speaker, text) = match speaker_prefix(&turn.text) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, turn.text.as_str()),
    };
    let all = sentences(text);
    for (at, sentence) in all.iter().enumerate() {
        if sentence.len() > SENTENCE_CHARS_MAX {
            continue;
        }
        for statement in statements(sentence) {
            let around = at.saturating_sub(1)..(at + 2).min(all.len());
            let context = if text.chars().count() <= CONTEXT_CHARS_MAX {
                text.trim().to_owned()
            } else {
                all.get(around).unwrap_or_default().concat().trim().to_owned()
            };
            let part =
                turn.source.part.saturating_add(u32::try_from(candidates_of(turn, candidates)).unwrap_or(0));
            let mut candidate = candidate(turn, speaker, statement, &context);
            for source in &mut candidate.sources {
                source.part = part;
            }
            candidates.push(candidate);
        }
    }
}

/// Returns the number of existing candidates of this message. Each gets its own part number, so
/// that a second run recognizes it.
fn candidates_of(turn: &Turn, candidates: &[Candidate]) -> usize {
    let same = |candidate: &&Candidate| {
        candidate
            .sources
            .first()
            .is_some_and(|source| source.event == turn.source.event && source.message == turn.source.message)
    };
    candidates.iter().filter(same).count()
}

fn candidate(turn: &Turn, speaker: Option<&str>, statement: Statement, context: &str) -> Candidate {
    let categories = categories(&statement.said);
    let (preference, key) = match speaker {
        None => (statement.said, statement.key),
        Some(name) => {
            (format!("{name}: {}", statement.said), format!("{}/{}", name.to_lowercase(), statement.key))
        }
    };
    let text = json!({"context": context, "preference": preference, "categories": categories}).to_string();
    let mut index_text = preference.clone();
    if normalise_exact(context) != normalise_exact(&preference) {
        index_text = format!("{index_text}\n{context}");
    }
    index_text = format!("{index_text}\n{}", categories.join(", "));
    Candidate {
        subtype: Some(key),
        index_text: Some(index_text),
        ..Candidate::of_turn(turn, RecordKind::Preference, text, JoinMode::Key { changed: statement.changed })
    }
}

/// Reads data lines whose key names preferences: `preferences.editor: vim`.
fn data(turn: &Turn, candidates: &mut Vec<Candidate>) {
    for line in turn.text.lines() {
        let Some((key, value)) = line.split_once(": ") else { continue };
        let mut segments = key.split('.').skip_while(|segment| !speaks_of_preference(segment));
        let Some(family) = segments.next() else { continue };
        let topic: Vec<&str> = segments.collect();
        let words = loci_text::terms(&format!("{family} {}", topic.join(" ")));
        let statement = Statement {
            said: format!("{}: {value}", if topic.is_empty() { family.to_owned() } else { topic.join(" ") }),
            key: format!("data/{}", words.join("-")),
            changed: false,
        };
        let part =
            turn.source.part.saturating_add(u32::try_from(candidates_of(turn, candidates)).unwrap_or(0));
        let mut candidate = candidate(turn, None, statement, line);
        for source in &mut candidate.sources {
            source.part = part;
        }
        candidates.push(candidate);
    }
}

fn speaks_of_preference(segment: &str) -> bool {
    let lower = segment.to_lowercase();
    ["prefer", "favorite", "favourite", "likes", "dislikes"].iter().any(|word| lower.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::{event, talk};
    use crate::strategies::turns::turn::turns_of_message;
    use loci_model::Document;
    use loci_model::event::PayloadItem;

    fn extract(turns: &[Turn]) -> Vec<Candidate> {
        let session = SessionId::parse("s1").unwrap();
        UserPreference.extract(&Batch { session: &session, turns, standing: &[] })
    }

    #[test]
    fn the_wires_form() {
        let found = extract(&talk(&[
            (Role::User, "I like sushi with tuna"),
            (Role::Assistant, "I like that too. I prefer trains."),
            (Role::Tool, "I hate mondays"),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].text,
            r#"{"context":"I like sushi with tuna","preference":"I like sushi with tuna","categories":["food and eating"]}"#
        );
        assert_eq!(found[0].indexed(), "I like sushi with tuna\nfood and eating");
        assert_eq!(found[0].subtype.as_deref(), Some("taste/sushi-tuna"));
        assert_eq!((found[0].kind, found[0].verbatim), (RecordKind::Preference, false));
        assert_eq!(stated(&found[0].text).as_deref(), Some("i like sushi with tuna"));
    }

    #[test]
    fn context_speaker_and_parts() {
        let story = "It rained all day long in the valley. ".repeat(20);
        let text = format!("Anna: {story}I love tea. I hate rain! It was cold.");
        let found = extract(&talk(&[(Role::User, &text)]));
        let seen: Vec<_> =
            found.iter().map(|one| (one.subtype.as_deref().unwrap(), one.sources[0].part)).collect();
        assert_eq!(seen, [("anna/taste/tea", 0), ("anna/taste/rain", 1)]);
        let value: serde_json::Value = serde_json::from_str(&found[1].text).unwrap();
        assert_eq!(value["preference"], "Anna: I hate rain!");
        assert_eq!(value["context"], "I love tea. I hate rain! It was cold.");
    }

    #[test]
    fn data_with_keys_of_preference() {
        let json =
            Document::parse(r#"{"user":{"preferences":{"editor":"vim","tabs":false}},"age":7}"#).unwrap();
        let turns = turns_of_message(&event(1, vec![PayloadItem::Json(json)]), 0);
        let found = extract(&turns);
        let seen: Vec<_> =
            found.iter().map(|one| (one.subtype.as_deref().unwrap(), stated(&one.text).unwrap())).collect();
        assert_eq!(
            seen,
            [("data/prefer-editor", "editor: vim".to_owned()), ("data/prefer-tab", "tabs: false".to_owned())]
        );
    }
}
