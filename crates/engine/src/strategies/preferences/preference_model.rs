//! Preferences by a model: the question (`prompts/user_preference.extract.v1.md`), and its answer
//! as keyed candidates.
//!
//! `preference.rs` works without a model. Statements that its patterns recognize get its keys here
//! too, so that a later statement finds the earlier one in either mode.

use loci_model::limits;
use loci_model::record::RecordKind;
use loci_text::{normalise_exact, terms};
use serde_json::json;

use super::preference_category::categories;
use super::preference_statement::{Statement, statements};
use crate::strategies::metadata::inferred_values;
use crate::strategies::model_questions::prompt::Prompt;
use crate::strategies::model_questions::question::{Ask, BadReply, Question};
use crate::strategies::model_questions::reply_json::list;
use crate::strategies::{Candidate, JoinMode};

const CONTEXT_CHARS_MAX: usize = 2_000;
const CATEGORIES_MAX: usize = 5;
const CATEGORY_CHARS_MAX: usize = 64;
const ABOUT_CHARS_MAX: usize = 80;
/// Maximum number of terms in a key made here.
const KEY_TERMS_MAX: usize = 6;
const GRAMMAR: &str = r#"{"items": [{"context": string of at most 2000 characters, "preference": string of 1 to 500 characters, "categories": [string], "sources"?: [number], "about"?: string or null, "metadata"?: [{"key": string, "value": string}]}]}, or the list alone"#;

/// The prompt that asks for preferences.
pub static EXTRACT: Prompt = Prompt {
    name: "user_preference.extract",
    version: 1,
    text: include_str!("../prompts/user_preference.extract.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| preferences(reply).map(|preferences| preferences.len()),
};

/// A preference in a model's answer.
struct ModelPreference {
    context: String,
    preference: String,
    categories: Vec<String>,
    sources: Vec<u64>,
    about: Option<String>,
    metadata: Vec<(String, String)>,
}

/// Returns the question on the preferences in the new turns.
pub fn question(ask: &Ask<'_>) -> Option<Question> {
    let nothing = json!({ "type": ["string", "null"] });
    let entry = json!({
        "type": "object",
        "properties": {
            "context": { "type": "string" },
            "preference": { "type": "string" },
            "categories": { "type": "array", "items": { "type": "string" } },
            "sources": { "type": "array", "items": { "type": "integer" } },
            "about": nothing,
        },
        "required": ["context", "preference", "categories", "sources", "about"],
        "additionalProperties": false,
    });
    EXTRACT.extraction(ask, entry)
}

/// Parses the preferences of an answer.
///
/// # Errors
/// All defects of the answer.
pub fn read(reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
    Ok(preferences(reply)?.into_iter().filter_map(|said| candidate(said, ask)).collect())
}

fn preferences(reply: &str) -> Result<Vec<ModelPreference>, BadReply> {
    list(reply, limits::FACTS_PER_WINDOW_MAX, |entry| {
        entry.only(&["context", "preference", "categories", "sources", "about", "metadata"]);
        let preference = entry.text("preference", limits::PREFERENCE_CHARS_MAX);
        let context = entry.maybe_text("context", CONTEXT_CHARS_MAX).unwrap_or_default();
        let categories = entry.texts("categories", CATEGORIES_MAX, CATEGORY_CHARS_MAX);
        let (sources, about) = (entry.numbers("sources"), entry.maybe_text("about", ABOUT_CHARS_MAX));
        let metadata = entry.pairs("metadata");
        Some(ModelPreference { context, preference: preference?, categories, sources, about, metadata })
    })
}

fn candidate(said: ModelPreference, ask: &Ask<'_>) -> Option<Candidate> {
    let (sources, time) = ask.named(&said.sources)?;
    let ModelPreference { context, preference, categories: named, about, metadata, .. } = said;
    let named = if named.is_empty() {
        categories(&preference).into_iter().map(str::to_owned).collect()
    } else {
        named
    };
    let known = known(&preference);
    let changed = known.as_ref().is_some_and(|statement| statement.changed);
    let key = known.map_or_else(|| key(about.as_deref().unwrap_or(&preference), &named), |known| known.key);
    let text = json!({"context": context, "preference": preference, "categories": named}).to_string();
    let index_text = [preference.as_str(), context.as_str(), &named.join(", ")].join("\n");
    let first = ask.batch.turns.first()?;
    Some(Candidate {
        subtype: Some(key),
        index_text: Some(index_text),
        sources,
        time,
        inferred: inferred_values::values(ask.schema(), &metadata),
        ..Candidate::of_turn(first, RecordKind::Preference, text, JoinMode::Key { changed })
    })
}

/// Pairs of a model's third-person words and the person's own first-person words.
const PERSONS: [(&str, &str); 22] = [
    ("prefers ", "I prefer "),
    ("likes ", "I like "),
    ("loves ", "I love "),
    ("enjoys ", "I enjoy "),
    ("dislikes ", "I dislike "),
    ("hates ", "I hate "),
    ("avoids ", "I avoid "),
    ("does not like ", "I do not like "),
    ("doesn't like ", "I don't like "),
    ("no longer likes ", "I no longer like "),
    ("no longer eats ", "I no longer eat "),
    ("is allergic to ", "I am allergic to "),
    ("allergic to ", "I am allergic to "),
    ("is a ", "I am a "),
    ("is an ", "I am an "),
    ("is vegetarian", "I am vegetarian"),
    ("is vegan", "I am vegan"),
    ("vegetarian", "I am vegetarian"),
    ("vegan", "I am vegan"),
    ("no longer vegetarian", "I am now an omnivore"),
    ("no longer vegan", "I am now an omnivore"),
    ("wants to be called ", "call me "),
];

/// Returns the single statement that the patterns of `preference.rs` find in a preference.
fn known(preference: &str) -> Option<Statement> {
    let plain = ["The user ", "User ", "The person "].iter().find_map(|who| preference.strip_prefix(who));
    let plain = plain.unwrap_or(preference);
    let lower = plain.to_lowercase();
    let own = PERSONS.iter().find(|(third, _)| lower.starts_with(third)).map(|(third, first)| {
        let rest: String = plain.chars().skip(third.chars().count()).collect();
        format!("{first}{rest}")
    });
    let mut found = statements(own.as_deref().unwrap_or(plain));
    (found.len() == 1).then(|| found.pop()).flatten()
}

/// Returns a key from the subject that the model names, or else from the words themselves.
fn key(about: &str, categories: &[String]) -> String {
    let family =
        categories.first().map(|category| normalise_exact(category).to_lowercase().replace(' ', "-"));
    let mut words = terms(about);
    words.truncate(KEY_TERMS_MAX);
    let words = if words.is_empty() { about.to_lowercase() } else { words.join("-") };
    format!("{}/{words}", family.as_deref().unwrap_or("about"))
}

#[cfg(test)]
mod tests {
    use super::super::preference::stated;
    use super::*;
    use crate::strategies::model_questions::question::tests::{asking, strategy};
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::User;
    use loci_model::memory::strategy::StrategyBase;

    fn of(reply: &str) -> Candidate {
        let turns = talk(&[(User, "I prefer dark mode in my editor")]);
        let strategy = strategy(StrategyBase::UserPreference);
        let ask = asking(&strategy, &turns, &[]);
        assert_eq!(question(&ask).unwrap().prompt.as_str(), "user_preference.extract@1");
        read(reply, &ask).unwrap().remove(0)
    }

    #[test]
    fn the_wires_form() {
        let found = of(
            r#"[{"context":"About the editor.","preference":"Prefers dark mode","categories":["technology"],"sources":[1]}]"#,
        );
        assert_eq!(
            found.text,
            r#"{"context":"About the editor.","preference":"Prefers dark mode","categories":["technology"]}"#
        );
        assert_eq!(stated(&found.text).as_deref(), Some("prefers dark mode"));
        assert_eq!(found.indexed(), "Prefers dark mode\nAbout the editor.\ntechnology");
        assert_eq!((found.kind, found.verbatim), (RecordKind::Preference, false));
    }

    #[test]
    fn keys_are_those_of_the_other_half() {
        let key = |preference: &str, more: &str| {
            let reply = format!(r#"[{{"context":"","preference":"{preference}","categories":[]{more}}}]"#);
            let found = of(&reply);
            let changed = matches!(found.joining, JoinMode::Key { changed: true });
            (found.subtype.unwrap(), changed)
        };
        let said = |sentence: &str| statements(sentence).remove(0).key;
        assert_eq!(key("Prefers dark mode", ""), (said("I prefer dark mode"), false));
        assert_eq!(key("The user likes sushi with tuna", "").0, said("I like sushi with tuna"));
        assert_eq!(key("Is allergic to peanuts", "").0, said("I am allergic to peanuts"));
        assert_eq!(key("Vegetarian", ""), ("diet".to_owned(), false));
        assert_eq!(key("No longer vegetarian", ""), ("diet".to_owned(), true));
        assert_eq!(
            key("Answers in bullet points", r#","about":"form of answers""#).0,
            "communication/form-answer"
        );
        assert_eq!(key("短く答える", "").0.split('/').next(), Some("general"));
    }

    #[test]
    fn bad_answers() {
        let check = |reply: &str| assert!((EXTRACT.entries)(reply).is_err(), "{reply}");
        check(r#"[{"context":"a"}]"#);
        check(r#"[{"preference":"a","categories":"b"}]"#);
        check(r#"[{"preference":"a","operation":"AddMemory"}]"#);
        let of = |chars: usize| format!(r#"[{{"preference":"{}"}}]"#, "a".repeat(chars));
        assert_eq!((EXTRACT.entries)(&of(loci_model::limits::PREFERENCE_CHARS_MAX)), Ok(1));
        check(&of(loci_model::limits::PREFERENCE_CHARS_MAX + 1));
    }
}
