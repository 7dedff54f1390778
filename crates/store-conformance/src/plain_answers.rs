//! The replies of a stand-in for a language model: sentences of the conversation itself, in the
//! requested form. The form is read from the question's schema, or without a schema from the words
//! of its form.

use loci_text::split::sentences;
use serde_json::{Value, json};

/// The maximum length of texts in the forms, in characters, with a margin.
const FACT_CHARS_MAX: usize = 1_900;
const PREFERENCE_CHARS_MAX: usize = 480;
const SUMMARY_WORDS_MAX: usize = 300;
const SUMMARY_CHARS_MAX: usize = 3_500;
/// The maximum number of entries in a list.
const ENTRIES_MAX: usize = 64;
/// Words that mark a sentence as a preference.
const PREFERRING: [&str; 9] =
    ["prefer", "like", "love", "enjoy", "hate", "avoid", "favorite", "favourite", "vegetarian"];

/// The form of reply that a question requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Facts of a conversation.
    Facts,
    /// Preferences of a user.
    Preferences,
    /// The summary of a session.
    Summary,
    /// An episode of work.
    Episode,
    /// Lessons of several episodes.
    Reflections,
    /// Decisions about new records.
    Decisions,
    /// Any other question, such as a health check.
    Plain,
}

/// The signs of each form in a question. A custom strategy's own words may mention anything: the
/// schema decides if present, and the words of the form otherwise. The first matching sign decides.
const SIGNS: [(&str, Form); 6] = [
    ("\"operation\"", Form::Decisions),
    ("<global_summary>", Form::Summary),
    ("\"use_cases\"", Form::Reflections),
    ("\"situation\"", Form::Episode),
    ("\"preference\"", Form::Preferences),
    ("\"fact\"", Form::Facts),
];

impl Form {
    /// Returns the form of a question.
    pub fn of(system: &str, schema: Option<&Value>) -> Self {
        let words = schema.map_or_else(|| system.to_owned(), Value::to_string);
        SIGNS.iter().find(|(sign, _)| words.contains(sign)).map_or(Self::Plain, |(_, form)| *form)
    }
}

/// Returns the reply to a question.
pub fn answer(form: Form, input: &str) -> String {
    match form {
        Form::Facts => items(facts(input)),
        Form::Preferences => items(preferences(input)),
        Form::Summary => summary(input),
        Form::Episode => episode(input).to_string(),
        Form::Reflections => items(reflections(input)),
        Form::Decisions => items(decisions(input)),
        Form::Plain => "ok".to_owned(),
    }
}

fn items(mut items: Vec<Value>) -> String {
    items.truncate(ENTRIES_MAX);
    json!({ "items": items }).to_string()
}

/// A line of the conversation.
struct ConversationLine {
    turn: u64,
    role: String,
    text: String,
}

/// Returns the new turns of a question.
fn turns(input: &str) -> Vec<ConversationLine> {
    let new = input.rsplit_once("<current_conversation>").map_or(input, |(_, new)| new);
    lines(new.split_once("</current_conversation>").map_or(new, |(new, _)| new))
        .filter_map(|line| {
            let word = |name: &str| line.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(ConversationLine {
                turn: line.get("turn")?.as_u64()?,
                role: word("role").unwrap_or_default(),
                text: word("text").or_else(|| word("data"))?,
            })
        })
        .collect()
}

/// Returns the JSON objects among the lines of a text.
fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object)
}

/// Returns sentences of users, and of data without a speaker, each with the number of its turn.
fn statements(input: &str, chars_max: usize) -> Vec<(u64, String)> {
    turns(input)
        .iter()
        .filter(|said| matches!(said.role.as_str(), "USER" | ""))
        .flat_map(|said| sentences(&said.text).into_iter().map(|sentence| (said.turn, sentence.trim())))
        .filter(|(_, sentence)| sentence.chars().any(char::is_alphabetic))
        .map(|(turn, sentence)| (turn, sentence.chars().take(chars_max).collect()))
        .collect()
}

fn facts(input: &str) -> Vec<Value> {
    let fact = |(turn, sentence)| json!({"fact": sentence, "sources": [turn], "scope": null});
    statements(input, FACT_CHARS_MAX).into_iter().map(fact).collect()
}

fn preferences(input: &str) -> Vec<Value> {
    statements(input, PREFERENCE_CHARS_MAX)
        .into_iter()
        .filter(|(_, sentence)| {
            let lower = sentence.to_lowercase();
            PREFERRING.iter().any(|word| lower.contains(word))
        })
        .map(|(turn, sentence)| {
            json!({"context": sentence, "preference": sentence, "categories": ["general"], "sources": [turn],
                   "about": null})
        })
        .collect()
}

/// Returns the previous summary and the new content, as far as space permits, with the new turns as
/// one topic.
fn summary(input: &str) -> String {
    let said: Vec<String> = statements(input, FACT_CHARS_MAX).into_iter().map(|(_, text)| text).collect();
    let words: Vec<&str> = said.iter().flat_map(|text| text.split_whitespace()).collect();
    let plain = |words: &[&str]| -> String {
        words.join(" ").replace(['<', '>', '&'], " ").chars().take(SUMMARY_CHARS_MAX).collect()
    };
    let whole = plain(words.get(..SUMMARY_WORDS_MAX).unwrap_or(&words));
    let whole = if whole.trim().is_empty() { "Nothing was said.".to_owned() } else { whole };
    format!(
        "<global_summary>{whole}</global_summary><delta_detailed_summary><topic name=\"Talk\">{whole}</topic>\
         </delta_detailed_summary>"
    )
}

fn episode(input: &str) -> Value {
    let turns = turns(input);
    let first = turns.first().map_or_else(|| "a conversation".to_owned(), |said| short(&said.text));
    let shown: Vec<Value> = turns
        .iter()
        .map(|said| {
            let text = short(&said.text);
            json!({"turn_id": said.turn, "situation": text, "intent": text, "action": text, "thought": text,
                   "assessment_assistant": "success", "assessment_user": "unknown"})
        })
        .collect();
    json!({"situation": first, "intent": first, "assessment": "success", "justification": first,
           "reflection": first, "turns": shown})
}

/// Returns one lesson of all the given episodes.
fn reflections(input: &str) -> Vec<Value> {
    let number = |line: &Value| {
        ["episode", "number", "n"].iter().find_map(|name| line.get(name).and_then(Value::as_u64))
    };
    let numbers: Vec<u64> = lines(input).filter_map(|line| number(&line)).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    vec![
        json!({"title": "What the episodes have in common", "use_cases": "The same kind of conversation again",
        "hints": "Do as the episodes did", "confidence": 0.9, "episodes": numbers, "predicate": "same kind"}),
    ]
}

/// Returns the decision to add every new record.
fn decisions(input: &str) -> Vec<Value> {
    lines(input)
        .filter(|line| line.get("new").is_some())
        .filter_map(|line| line.get("text").and_then(Value::as_str).map(str::to_owned))
        .map(|text| {
            json!({"memory": {"fact": text}, "operation": "AddMemory", "update_id": null,
                           "updated_memory": null})
        })
        .collect()
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: &str = "<past_conversation>\n{\"role\":\"USER\",\"text\":\"Old news.\"}\n</past_conversation>\n\
        <current_conversation>\n\
        {\"turn\":1,\"role\":\"USER\",\"time\":\"2026-01-01T00:00:00Z\",\"text\":\"I live in Bern. I prefer tabs \\u003c 4.\"}\n\
        {\"turn\":2,\"role\":\"ASSISTANT\",\"text\":\"I like that.\"}\n\
        {\"turn\":3,\"data\":\"city: Bern\"}\n</current_conversation>";

    #[test]
    fn forms_are_known_by_schema_or_words() {
        let check = |system: &str, schema: Option<Value>, form| {
            assert_eq!(Form::of(system, schema.as_ref()), form, "{system}");
        };
        let entry =
            |members: Value| Some(json!({"properties": {"items": {"items": {"properties": members}}}}));
        check("", entry(json!({"fact": {}, "sources": {}})), Form::Facts);
        check("the \"operation\" of a \"preference\"", entry(json!({"fact": {}})), Form::Facts);
        check("", entry(json!({"memory": {"properties": {"fact": {}}}, "operation": {}})), Form::Decisions);
        check("", entry(json!({"preference": {}})), Form::Preferences);
        check("", Some(json!({"properties": {"situation": {}}})), Form::Episode);
        check("", entry(json!({"title": {}, "use_cases": {}})), Form::Reflections);
        check("Answer with <global_summary>…</global_summary>", None, Form::Summary);
        check("{\"items\": [{\"fact\": \"…\"}]}", None, Form::Facts);
        check("Answer with the word ok.", None, Form::Plain);
    }

    #[test]
    fn what_users_said_becomes_the_answer() {
        let read = |form| serde_json::from_str::<Value>(&answer(form, TALK)).unwrap()["items"].clone();
        let facts = read(Form::Facts);
        assert_eq!(facts[0], json!({"fact": "I live in Bern.", "sources": [1], "scope": null}));
        assert_eq!(
            (facts[1]["fact"].as_str(), facts.as_array().unwrap().len()),
            (Some("I prefer tabs < 4."), 3)
        );
        assert_eq!((&facts[2]["fact"], &facts[2]["sources"]), (&json!("city: Bern"), &json!([3])));
        let preferences = read(Form::Preferences);
        assert_eq!(preferences.as_array().unwrap().len(), 1);
        assert_eq!(preferences[0]["preference"], json!("I prefer tabs < 4."));
        let summary = answer(Form::Summary, TALK);
        assert!(summary.starts_with("<global_summary>I live in Bern. I prefer tabs   4."), "{summary}");
        assert_eq!(summary.matches('<').count(), 6);
    }

    #[test]
    fn episodes_lessons_and_decisions() {
        let episode: Value = serde_json::from_str(&answer(Form::Episode, TALK)).unwrap();
        assert_eq!(
            (episode["turns"].as_array().unwrap().len(), &episode["assessment"]),
            (3, &json!("success"))
        );
        let asked = "<episodes>\n{\"episode\":1}\n{\"episode\":2}\n</episodes>";
        let lessons: Value = serde_json::from_str(&answer(Form::Reflections, asked)).unwrap();
        assert_eq!(lessons["items"][0]["episodes"], json!([1, 2]));
        let asked =
            "<memories>\n{\"new\":1,\"text\":\"a\",\"kept\":[{\"id\":\"m\",\"text\":\"b\"}]}\n</memories>";
        let decided: Value = serde_json::from_str(&answer(Form::Decisions, asked)).unwrap();
        assert_eq!(decided["items"][0]["operation"], json!("AddMemory"));
        assert_eq!(decided["items"].as_array().unwrap().len(), 1);
        assert_eq!(answer(Form::Plain, ""), "ok");
    }
}
