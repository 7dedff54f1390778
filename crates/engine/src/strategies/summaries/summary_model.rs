//! Summaries by a model: the question (`prompts/summary.consolidate.v1.md`), and its answer as the
//! running summary of the session and a part for each topic of the new turns.
//!
//! `summary.rs` works without a model. The context of a question comes from this session only.

use loci_model::record::RecordKind;
use loci_model::{Timestamp, limits};
use serde_json::json;

use super::summary::{PART, SESSION};
use super::topic_markup::{TopicText, read as topics_of, unescape, write};
use crate::safety;
use crate::strategies::episodes::episodic::sources;
use crate::strategies::model_questions::prompt::{Filling, Prompt};
use crate::strategies::model_questions::prompt_input;
use crate::strategies::model_questions::question::{Ask, BadReply, Question, consolidation_step};
use crate::strategies::model_questions::reply_json::bare;
use crate::strategies::{Candidate, EarlierRecord, JoinMode, Turn};

/// Name of the single topic of a running summary.
const WHOLE: &str = "Session";
/// Maximum number of violations to report.
const VIOLATIONS_MAX: usize = 20;
/// Tags that no text of an answer may contain.
const MARKS: [&str; 5] =
    ["<global_summary", "<delta_detailed_summary", "</delta_detailed_summary", "<topic", "</topic"];
const GRAMMAR: &str = r#"<global_summary>text of at most 400 words</global_summary><delta_detailed_summary>(<topic name="name of 1 to 100 characters">text of 1 to 4000 characters</topic>) at most 16 times</delta_detailed_summary>; both empty where there is nothing to tell"#;

/// The prompt that asks for summaries.
pub static CONSOLIDATE: Prompt = Prompt {
    name: "summary.consolidate",
    version: 1,
    text: include_str!("../prompts/summary.consolidate.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| said(reply).map(|said| said.topics.len()),
};

/// A parsed answer of the model with summaries.
#[derive(Debug, PartialEq, Eq)]
struct SummaryReply {
    /// The short summary of the whole session; empty if there is none.
    whole: String,
    /// The new topics.
    topics: Vec<TopicText>,
}

/// Returns the question on the state of the session after the new turns.
pub fn question(ask: &Ask<'_>) -> Option<Question> {
    let mut input = prompt_input::block("global_summary", &running(ask.batch.standing));
    input.push_str(&prompt_input::block("previous_detailed_summary", &latest(ask.batch.standing)));
    input.push_str(&prompt_input::conversation(ask.context, ask.batch.turns));
    let replaced = consolidation_step(ask.strategy);
    CONSOLIDATE.text_question(Filling { replaced, input, ..Filling::default() })
}

fn is_a(standing: &EarlierRecord, subtype: &str) -> bool {
    standing.subtype.as_deref() == Some(subtype)
}

/// Returns the running summary.
fn running(standing: &[EarlierRecord]) -> Vec<serde_json::Value> {
    let running = standing.iter().rfind(|standing| is_a(standing, SESSION));
    let texts: Vec<String> =
        running
            .map(|running| topics_of(&running.text))
            .unwrap_or_default()
            .into_iter()
            .map(|topic| {
                if topic.name == WHOLE { topic.content } else { format!("{}: {}", topic.name, topic.content) }
            })
            .collect();
    let text = texts.join("\n");
    if text.is_empty() { Vec::new() } else { vec![json!({ "text": safety::for_model(&text) })] }
}

/// Returns the parts of the previous window.
fn latest(standing: &[EarlierRecord]) -> Vec<serde_json::Value> {
    let parts = || standing.iter().filter(|standing| is_a(standing, PART));
    let newest = parts().map(|part| part.time).max();
    parts()
        .filter(|part| Some(part.time) == newest)
        .flat_map(|part| topics_of(&part.text))
        .map(|topic| {
            json!({ "topic": safety::for_model(&topic.name), "text": safety::for_model(&topic.content) })
        })
        .collect()
}

/// Parses the running summary and the parts of an answer.
///
/// # Errors
/// All defects of the answer.
pub fn read(reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
    let said = said(reply)?;
    let turns = ask.batch.turns;
    let (Some(first), Some(newest)) = (turns.first(), turns.iter().map(|turn| turn.time).max()) else {
        return Ok(Vec::new());
    };
    let mut candidates: Vec<Candidate> =
        said.topics.iter().map(|topic| part(first, topic, turns, newest)).collect();
    if !said.whole.is_empty() {
        candidates.push(whole(first, said.whole, ask, newest));
    }
    Ok(candidates)
}

fn part(first: &Turn, topic: &TopicText, turns: &[Turn], newest: Timestamp) -> Candidate {
    let text = write(std::slice::from_ref(topic));
    Candidate {
        subtype: Some(PART.to_owned()),
        title: Some(topic.name.clone()),
        index_text: Some(topic.content.clone()),
        sources: sources(&[], turns),
        time: newest,
        ..Candidate::of_turn(first, RecordKind::Summary, text, JoinMode::Add)
    }
}

fn whole(first: &Turn, content: String, ask: &Ask<'_>, newest: Timestamp) -> Candidate {
    let running = ask.batch.standing.iter().rfind(|standing| is_a(standing, SESSION));
    let text = write(&[TopicText { name: WHOLE.to_owned(), content: content.clone() }]);
    Candidate {
        subtype: Some(SESSION.to_owned()),
        description: Some("the whole session".to_owned()),
        index_text: Some(content),
        sources: sources(running.map_or(&[][..], |running| &running.sources), ask.batch.turns),
        time: running.map_or(newest, |running| running.time.max(newest)),
        ..Candidate::of_turn(first, RecordKind::Summary, text, JoinMode::InPlace)
    }
}

/// Parses an answer; reports all its defects at once.
fn said(reply: &str) -> Result<SummaryReply, BadReply> {
    let text = bare(reply);
    if text.is_empty() {
        return Err(BadReply::of("the answer is empty: answer with both parts"));
    }
    let mut wrong = Vec::new();
    for part in ["global_summary", "delta_detailed_summary"] {
        for mark in [format!("<{part}>"), format!("</{part}>")] {
            match text.matches(&mark).count() {
                1 => {}
                0 => wrong.push(format!("`{mark}` is missing")),
                count => wrong.push(format!("`{mark}` must stand there once, it stands there {count} times")),
            }
        }
    }
    if !wrong.is_empty() {
        return Err(BadReply { violations: wrong });
    }
    let (whole, behind) = inner(text, "global_summary", &mut wrong);
    let (delta, end) = inner(behind, "delta_detailed_summary", &mut wrong);
    if !end.trim().is_empty() {
        wrong.push("there is text behind `</delta_detailed_summary>`".to_owned());
    }
    let whole = checked_whole(whole, &mut wrong);
    let topics = checked_topics(delta, &mut wrong);
    if whole.is_empty() && !topics.is_empty() {
        wrong.push("`<global_summary>` is empty although there are topics".to_owned());
    }
    if wrong.is_empty() {
        return Ok(SummaryReply { whole, topics });
    }
    wrong.truncate(VIOLATIONS_MAX);
    Err(BadReply { violations: wrong })
}

/// Returns the text inside a part and the text after it; nothing may precede it.
fn inner<'a>(text: &'a str, part: &str, wrong: &mut Vec<String>) -> (&'a str, &'a str) {
    let (open, close) = (format!("<{part}>"), format!("</{part}>"));
    let Some((before, behind)) = text.split_once(&open) else {
        wrong.push(format!("`{open}` stands in the wrong place"));
        return ("", "");
    };
    if !before.trim().is_empty() {
        wrong.push(format!("there is text before `{open}`"));
    }
    let Some(found) = behind.split_once(&close) else {
        wrong.push(format!("`{close}` stands in the wrong place"));
        return ("", "");
    };
    found
}

fn checked_whole(text: &str, wrong: &mut Vec<String>) -> String {
    let text = plain("`<global_summary>`", text, wrong);
    let (words, chars) = (text.split_whitespace().count(), text.chars().count());
    if words > limits::SUMMARY_WORDS_MAX {
        let most = limits::SUMMARY_WORDS_MAX;
        wrong.push(format!("`<global_summary>` must have at most {most} words, it has {words}"));
    }
    if chars > limits::SUMMARY_CHARS_MAX {
        let most = limits::SUMMARY_CHARS_MAX;
        wrong.push(format!("`<global_summary>` must have at most {most} characters, it has {chars}"));
    }
    fits("`<global_summary>`", WHOLE, &text, wrong);
    text
}

fn checked_topics(delta: &str, wrong: &mut Vec<String>) -> Vec<TopicText> {
    let mut topics = Vec::new();
    let mut rest = delta.trim();
    while !rest.is_empty() {
        let place = format!("topic {}", topics.len() + 1);
        let found = rest.strip_prefix("<topic name=\"").and_then(|behind| behind.split_once("\">"));
        let Some((name, behind)) = found else {
            wrong.push(format!("{place} must begin with <topic name=\"…\">"));
            break;
        };
        let Some((content, behind)) = behind.split_once("</topic>") else {
            wrong.push(format!("{place} has no </topic>"));
            break;
        };
        let (name, content) = (plain(&place, name, wrong), plain(&place, content, wrong));
        within(&format!("the name of {place}"), &name, limits::TOPIC_NAME_CHARS_MAX, wrong);
        within(&place, &content, limits::TOPIC_CHARS_MAX, wrong);
        fits(&place, &name, &content, wrong);
        topics.push(TopicText { name, content });
        rest = behind.trim();
    }
    if topics.len() > limits::TOPICS_PER_WINDOW_MAX {
        let most = limits::TOPICS_PER_WINDOW_MAX;
        wrong.push(format!("there are {} topics: at most {most} are allowed", topics.len()));
    }
    topics
}

/// Returns the unescaped text, which must not contain tags.
fn plain(place: &str, text: &str, wrong: &mut Vec<String>) -> String {
    if MARKS.iter().any(|mark| text.contains(mark)) {
        wrong.push(format!("{place} holds a mark of the form: topics stand one behind the other"));
    }
    unescape(text.trim())
}

fn within(place: &str, text: &str, chars_max: usize, wrong: &mut Vec<String>) {
    let chars = text.chars().count();
    if !(1..=chars_max).contains(&chars) {
        wrong.push(format!("{place} must have 1 to {chars_max} characters, it has {chars}"));
    }
}

/// A record contains its topics with their tags escaped.
fn fits(place: &str, name: &str, content: &str, wrong: &mut Vec<String>) {
    let topic = TopicText { name: name.to_owned(), content: content.to_owned() };
    if write(&[topic]).chars().count() > limits::RECORD_TEXT_CHARS_MAX {
        wrong.push(format!("{place} is too long for a record: shorten it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::earlier_records::take_in;
    use crate::strategies::model_questions::question::tests::{asking, strategy};
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::{Assistant, User};
    use loci_model::memory::strategy::StrategyBase;

    fn answer(whole: &str, topics: &[(&str, &str)]) -> String {
        let topics: String = topics
            .iter()
            .map(|(name, text)| format!("<topic name=\"{name}\">\n{text}\n</topic>\n"))
            .collect();
        format!(
            "<global_summary>\n{whole}\n</global_summary>\n<delta_detailed_summary>\n{topics}</delta_detailed_summary>"
        )
    }

    #[test]
    fn a_running_summary_and_parts() {
        let turns = talk(&[(User, "I live in Bern"), (Assistant, "Noted."), (User, "The rent is a < b & c")]);
        let strategy = strategy(StrategyBase::Summary);
        let mut ask = asking(&strategy, &turns[..2], &[]);
        let first = question(&ask).unwrap();
        assert_eq!(first.prompt.as_str(), "summary.consolidate@1");
        assert!(
            first
                .input
                .starts_with("<global_summary>\n</global_summary>\n<previous_detailed_summary>\n</previous")
        );
        let found = read(&answer("Alice lives in Bern.", &[("home", "Alice lives in Bern.")]), &ask).unwrap();
        assert_eq!(found[0].text, "<topic name=\"home\">\nAlice lives in Bern.\n</topic>");
        assert_eq!(found[1].text, "<topic name=\"Session\">\nAlice lives in Bern.\n</topic>");
        assert_eq!((&found[0].joining, &found[1].joining), (&JoinMode::Add, &JoinMode::InPlace));
        assert_eq!((found[0].sources.len(), found[1].sources.len()), (2, 2));
        let mut standing = Vec::new();
        take_in(&mut standing, &found);
        ask.batch.standing = &standing;
        ask.batch.turns = &turns[2..];
        let second = question(&ask).unwrap();
        assert!(
            second.input.contains("<global_summary>\n{\"text\":\"Alice lives in Bern.\"}\n</global_summary>")
        );
        assert!(second.input.contains("\"topic\":\"home\""), "{}", second.input);
        let found = read(&answer("Alice lives in Bern.", &[("rent", "It is a &lt; b & c.")]), &ask).unwrap();
        assert_eq!(found[0].text, "<topic name=\"rent\">\nIt is a &lt; b &amp; c.\n</topic>");
        assert_eq!(found[0].indexed(), "It is a < b & c.");
        assert_eq!((found[0].sources.len(), found[1].sources.len()), (1, 3));
        assert_eq!(read(&answer("", &[]), &ask), Ok(Vec::new()));
    }

    #[test]
    fn bad_answers_name_what_is_wrong() {
        let check = |reply: &str, parts: &[&str]| {
            let found = said(reply).unwrap_err().violations;
            assert_eq!(found.len(), parts.len(), "{reply}: {found:?}");
            for (line, part) in found.iter().zip(parts) {
                assert!(line.contains(part), "{reply}: {found:?}");
            }
        };
        check("", &["empty"]);
        check(
            "I'm sorry, I can't help with that.",
            &["`<global_summary>` is missing", "</global", "<delta", "</delta"],
        );
        check("<global_summary>a</global_summary><delta_detailed_summary><topic", &["</delta"]);
        check(r#"[{"fact":"a"}]"#, &["missing", "missing", "missing", "missing"]);
        check(&format!("Sure! {}\nDone.", answer("a", &[])), &["before", "behind"]);
        check(&answer("a", &[("", "b"), ("c", "")]), &["the name of topic 1", "topic 2 must have 1 to"]);
        check(&answer("", &[("a", "b")]), &["is empty although"]);
        check(&answer("a", &[("b", "<topic name=\"c\">d")]), &["topic 1 holds a mark"]);
        check(&answer("a <topic", &[]), &["`<global_summary>` holds a mark"]);
        check(&answer("a", &[]).replace("ary>\n</delta", "ary>b\n</delta"), &["topic 1 must begin"]);
        check(
            "<delta_detailed_summary></delta_detailed_summary><global_summary>a</global_summary>",
            &["before `<global_summary>`", "in the wrong place"],
        );
    }

    #[test]
    fn at_the_limits_and_one_over() {
        let check = |reply: String, over: String| {
            assert!(said(&reply).is_ok(), "{:?}", said(&reply));
            assert_eq!(said(&over).unwrap_err().violations.len(), 1);
        };
        let words = |count: usize| answer(&vec!["a"; count].join(" "), &[]);
        check(words(loci_model::limits::SUMMARY_WORDS_MAX), words(loci_model::limits::SUMMARY_WORDS_MAX + 1));
        let chars = |count: usize| answer(&"ä".repeat(count), &[]);
        check(chars(loci_model::limits::SUMMARY_CHARS_MAX), chars(loci_model::limits::SUMMARY_CHARS_MAX + 1));
        let name = |count: usize| answer("a", &[(&"ä".repeat(count), "b")]);
        check(
            name(loci_model::limits::TOPIC_NAME_CHARS_MAX),
            name(loci_model::limits::TOPIC_NAME_CHARS_MAX + 1),
        );
        let topic = |count: usize| answer("a", &[("b", &"ä".repeat(count))]);
        check(topic(loci_model::limits::TOPIC_CHARS_MAX), topic(loci_model::limits::TOPIC_CHARS_MAX + 1));
        let topics = |count: usize| answer("a", &vec![("b", "c"); count]);
        check(
            topics(loci_model::limits::TOPICS_PER_WINDOW_MAX),
            topics(loci_model::limits::TOPICS_PER_WINDOW_MAX + 1),
        );
        assert!(
            said(&answer("a", &[("b", &"&".repeat(loci_model::limits::TOPIC_CHARS_MAX))])).is_err(),
            "too long once escaped"
        );
    }
}
