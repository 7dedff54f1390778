//! An extractive summary of a session: topics with their most informative sentences, quoted, and in
//! addition every command and number that these sentences lack. Pure and without a model. It does
//! not state the status of the investigation.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loci_engine::safety::code_spans::regions;
use loci_engine::strategies::summaries::summary_topics::topics;
use loci_engine::strategies::summaries::topic_markup::{TopicText, write};
use loci_engine::strategies::turns::turn::Turn;
use loci_model::limits;
use loci_model::record::provenance::Source;
use regex::Regex;

/// The maximum length of the topics, and of the copied commands and numbers, in characters of
/// output.
const TOPICS_CHARS_MAX: usize = 8_000;
const COPIED_CHARS_MAX: usize = 7_000;
/// The maximum length of a piece of code, in characters. For longer code only the sources are
/// listed.
const CODE_CHARS_MAX: usize = 1_000;
const COPIED_NAME: &str = "numbers and commands";
const LEFT_NAME: &str = "left out";

/// A word with a digit in it: a number with its unit, a version, a name with a number.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"[+-]?(?:[\p{L}0-9_][\p{L}0-9_.,:%/+-]*)?[0-9](?:[\p{L}0-9_.,:%/+-]*[\p{L}0-9_%])?")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// The summary of a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SessionText {
    /// `<summary><topic name="…">…</topic></summary>`.
    pub(super) text: String,
    /// The text for the search index.
    pub(super) index_text: String,
    /// The source events, each by its first message.
    pub(super) sources: Vec<Source>,
}

/// Returns the summary of the turns of a session. `events_left_out` states that earlier events were
/// not read. `None` for an empty session.
pub(super) fn session_text(turns: &[Turn], events_left_out: bool) -> Option<SessionText> {
    let found = topics(turns);
    if found.is_empty() {
        return None;
    }
    let told: usize = found.len();
    let mut kept: Vec<TopicText> = Vec::new();
    // The latest topics are the most relevant for the outcome.
    for topic in found.into_iter().rev() {
        kept.push(topic.text);
        if written_chars(&kept) > TOPICS_CHARS_MAX {
            kept.pop();
            break;
        }
    }
    kept.reverse();
    let left_topics = told - kept.len();
    let (copied, left_copies) = copied(turns, &kept);
    let mut left = Vec::new();
    if events_left_out {
        left.push("earlier events of the session".to_owned());
    }
    if left_topics > 0 {
        left.push(format!("{left_topics} earlier topics"));
    }
    if left_copies > 0 {
        left.push(format!("{left_copies} numbers and commands"));
    }
    let mut all = kept;
    let named = |name: &str, content: String| TopicText { name: name.to_owned(), content };
    if !copied.is_empty() {
        all.push(named(COPIED_NAME, copied.join("\n")));
    }
    let contents: Vec<&str> = all.iter().map(|topic| topic.content.as_str()).collect();
    let index_text = contents.join("\n");
    if !left.is_empty() {
        all.push(named(LEFT_NAME, format!("{}, which the sources may have", left.join(", "))));
    }
    let mut sources: Vec<Source> = Vec::new();
    for turn in turns {
        if !sources.iter().any(|one| one.event == turn.source.event) {
            sources.push(turn.source.clone());
        }
    }
    sources.truncate(limits::RECORD_SOURCES_MAX);
    Some(SessionText { text: format!("<summary>\n{}\n</summary>", write(&all)), index_text, sources })
}

/// Returns each command and number of the turns that no topic contains whole, once and in order,
/// and the number of those left out.
fn copied(turns: &[Turn], kept: &[TopicText]) -> (Vec<String>, usize) {
    let mut known: BTreeSet<String> = kept.iter().flat_map(|topic| verbatim(&topic.content)).collect();
    let (mut copied, mut chars, mut left) = (Vec::new(), 0, 0);
    for piece in turns.iter().flat_map(|turn| verbatim(&turn.text)) {
        if !known.insert(piece.clone()) {
            continue;
        }
        let more = content_chars(&piece);
        if piece.chars().count() > CODE_CHARS_MAX || chars + more > COPIED_CHARS_MAX {
            left += 1;
            continue;
        }
        chars += more;
        copied.push(piece);
    }
    (copied, left)
}

/// Returns the code of a text with its fences, and the words with digits outside code.
fn verbatim(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for region in regions(text) {
        pieces.extend(numbers(text.get(from..region.range.start)));
        from = region.range.end;
        pieces.extend(text.get(region.range).map(|code| code.trim().to_owned()));
    }
    pieces.extend(numbers(text.get(from..)));
    pieces
}

fn numbers(talk: Option<&str>) -> impl Iterator<Item = String> {
    NUMBER.find_iter(talk.unwrap_or_default()).map(|found| found.as_str().to_owned())
}

/// Returns the number of characters of a content line in the output.
fn content_chars(content: &str) -> usize {
    let topic = |content: &str| TopicText { name: String::new(), content: content.to_owned() };
    written_chars(&[topic(content)]) - written_chars(&[topic("")]) + 1
}

fn written_chars(topics: &[TopicText]) -> usize {
    write(topics).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_engine::strategies::summaries::topic_markup::read;
    use loci_engine::strategies::turns::turn::turns_of_message;
    use loci_model::MemoryId;
    use loci_model::event::Role::{self, Assistant, Tool, User};
    use loci_model::event::{Event, PayloadItem};
    use loci_testkit_ports::samples;

    /// Returns turns in sequence, one event each.
    fn talk(said: &[(Role, &str)]) -> Vec<Turn> {
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        let mut turns = Vec::new();
        for (place, (role, text)) in (1..).zip(said) {
            let payload = vec![PayloadItem::Conversational { role: *role, text: (*text).to_owned() }];
            let event = samples::event(&memory, "alice", "s1", place).unwrap();
            turns.extend(turns_of_message(&Event { payload, ..event }, 0));
        }
        turns
    }

    #[test]
    fn words_with_digits_and_code() {
        let check = |text: &str, expect: &[&str]| assert_eq!(verbatim(text), expect, "{text}");
        check("restarted 12 times, exit code 137.", &["12", "137"]);
        check("usage is 400-500Mi (95%) at 14:30, v1.2.3", &["400-500Mi", "95%", "14:30", "v1.2.3"]);
        check("run `kubectl top pod -n prod2` 3 times", &["`kubectl top pod -n prod2`", "3"]);
        check("```sh\nhelm rollback api 7\n```\nthen -5 C", &["```sh\nhelm rollback api 7\n```", "-5"]);
        check("nothing to copy", &[]);
    }

    /// Every number and code span of the sources is in the text.
    #[test]
    fn every_number_and_command_is_in_it() {
        let long = format!("It was {} slow at 99.5 ms.", "very ".repeat(80));
        let said = [
            (User, "Why does the api-server restart? It did 17 times since 14:30.".to_owned()),
            (Assistant, "The limit is 512Mi. Run `kubectl set resources deploy/api --limits=memory=1Gi && echo <ok>`.".to_owned()),
            (Tool, (0..40).map(|at| format!("pod-{at} used {at}.{at} cores.")).collect::<Vec<_>>().join(" ")),
            (Assistant, long),
        ];
        let said: Vec<_> = said.iter().map(|(role, text)| (*role, text.as_str())).collect();
        let turns = talk(&said);
        let summary = session_text(&turns, false).unwrap();
        assert!(
            summary.text.starts_with("<summary>\n<topic name=\"") && summary.text.ends_with("</summary>")
        );
        let topics = read(&summary.text);
        let has: BTreeSet<String> = topics.iter().flat_map(|topic| verbatim(&topic.content)).collect();
        for piece in said.iter().flat_map(|(_, text)| verbatim(text)) {
            assert!(has.contains(&piece), "{piece} is not in\n{}", summary.text);
        }
        assert!(topics.iter().all(|topic| topic.name != LEFT_NAME), "{}", summary.text);
        let events: BTreeSet<_> = turns.iter().map(|turn| turn.source.event.clone()).collect();
        assert_eq!(summary.sources.len(), events.len());
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let many = (0..3_000).map(|at| format!("value{at}")).collect::<Vec<_>>().join(" ");
        let code = format!("Use `{}`.", "x".repeat(CODE_CHARS_MAX));
        let summary = session_text(&talk(&[(User, &many), (User, &code)]), true).unwrap();
        assert!(summary.text.chars().count() <= loci_model::limits::RECORD_TEXT_CHARS_MAX);
        let topics = read(&summary.text);
        let left = topics.iter().find(|topic| topic.name == LEFT_NAME).unwrap();
        assert!(left.content.contains("earlier events of the session, "), "{}", left.content);
        assert!(
            left.content.ends_with(" numbers and commands, which the sources may have"),
            "{}",
            left.content
        );
    }

    #[test]
    fn nothing_said_is_no_summary() {
        assert_eq!(session_text(&[], true), None);
        assert_eq!(session_text(&talk(&[(User, "!!!")]), false), None);
    }
}
