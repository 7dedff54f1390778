//! The analysis of a question: q⁻, its terms Q, the known names in it, its type and the date that
//! it names.
//!
//! The module reads words only; vectors, statistics and scores are elsewhere. The caller cuts the
//! terms to its limit, because the cut needs their idf.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::DateTime;
use regex::Regex;

pub use crate::question_date::QuestionDate;

use crate::analysis::{is_word, terms};
use crate::normalise::normalise_exact;
use crate::pattern::pattern;
use crate::question_date::written_date;
use crate::relative_date::relative_day;

/// Words that describe the act of asking.
#[rustfmt::skip]
const FRAME: [&str; 42] = [
    "mention", "mentioned", "mentioning", "list", "listed", "order", "walk", "through", "throughout", "conversation",
    "conversations", "conversational", "chat", "chats", "session", "sessions", "discuss", "discussed", "brought",
    "bring", "tell", "told", "say", "said", "remind", "recommend", "recommended", "suggest", "suggested", "ask",
    "asked", "only", "different", "aspect", "aspects", "item", "items", "ever", "across", "during", "many", "much",
];

/// A question in the form that the engine ranks by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// q⁻: the question without the known names, white space collapsed. It is the whole question if
    /// it contains nothing but names.
    pub text: String,
    /// Q: the terms of q⁻ in order, with repetitions, without the framing words of the question.
    pub terms: Vec<String>,
    /// The known names in the question in order of appearance, in the spelling of the known list.
    pub named: Vec<String>,
    /// True if the question asks *when*.
    pub asks_when: bool,
    /// True if the question asks *how long*, how old, how often or how soon. Then `asks_when` is
    /// false.
    pub asks_how_long: bool,
    /// True if the question addresses the assistant: "did you recommend …", "your advice".
    pub speaks_to_assistant: bool,
    /// The date that the question names. An absolute date precedes a relative one.
    pub date: Option<QuestionDate>,
}

/// Analyses `question` for a memory whose known names are `known_names`. `now`, the request's civil
/// time, resolves relative expressions; without it they remain unresolved.
#[must_use]
pub fn parse(question: &str, known_names: &[String], now: Option<DateTime>) -> Question {
    let (named, rest) = without_names(question, known_names);
    let text = if rest.contains(is_word) { normalise_exact(&rest) } else { question.to_owned() };
    let asks_how_long = HOW_LONG.is_match(question);
    let relative = || now.and_then(|now| relative_day(question, now)).map(QuestionDate::of_day);
    Question {
        terms: without_frame(terms(&text)),
        named,
        asks_when: !asks_how_long && WHEN.is_match(question),
        asks_how_long,
        speaks_to_assistant: SPEAKS_TO_ASSISTANT.is_match(question),
        date: written_date(question).or_else(relative),
        text,
    }
}

static WHEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:when|what\s+(?:date|day|month|year|time)|which\s+(?:date|day|month|year|week))\b")
});

static HOW_LONG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\bhow\s+(?:long|old|often|soon|many\s+(?:minute|hour|day|week|month|year)s?)\b")
});

static SPEAKS_TO_ASSISTANT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?:did|have|had|do|were|are|would|could)\s+you\b",
        r"|you\s+(?:recommend|suggest|advise|propose|explain|say|said|tell|told|give|gave|mention|provide|help)",
        r"|your\s+(?:advice|suggestion|recommendation|explanation|answer)\b)",
    ))
});

/// The stems of the words that describe the act of asking.
static FRAME_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| FRAME.iter().flat_map(|word| terms(word)).collect());

/// Drops the framing terms, or none if no other term would remain.
fn without_frame(all: Vec<String>) -> Vec<String> {
    let asked: Vec<String> = all.iter().filter(|term| !FRAME_TERMS.contains(*term)).cloned().collect();
    if asked.is_empty() { all } else { asked }
}

/// Returns the names found, and the question without their occurrences (and without a possessive
/// after each).
fn without_names(question: &str, known_names: &[String]) -> (Vec<String>, String) {
    let mut named: Vec<String> = Vec::new();
    let mut rest = String::with_capacity(question.len());
    let mut from = 0;
    let mut in_word = false;
    for (at, c) in question.char_indices() {
        let opens = is_word(c) && !in_word;
        in_word = is_word(c);
        if at < from {
            continue;
        }
        let here = question.get(at..).unwrap_or_default();
        let length = if opens { longest_name(here, known_names) } else { 0 };
        if length == 0 {
            rest.push(c);
            continue;
        }
        for name in known_names {
            if name_bytes(here, name) == Some(length) && !named.contains(name) {
                named.push(name.clone());
            }
        }
        // A space replaces the name, so that the words on its two sides stay apart.
        rest.push(' ');
        from = at + length + possessive_bytes(here.get(length..).unwrap_or_default());
    }
    (named, rest)
}

/// Returns the bytes of the longest known name that `text` starts with, as whole words; 0 if none.
fn longest_name(text: &str, known_names: &[String]) -> usize {
    known_names.iter().filter_map(|name| name_bytes(text, name)).max().unwrap_or(0)
}

/// Returns the bytes of `name` at the start of `text`, ignoring case and the amount of white space,
/// if a word ends there.
fn name_bytes(text: &str, name: &str) -> Option<usize> {
    let mut rest = text;
    for (place, word) in name.split_whitespace().enumerate() {
        if place > 0 {
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
        }
        rest = strip_ignoring_case(rest, word)?;
    }
    let ends = rest.len() < text.len() && !rest.starts_with(is_word);
    ends.then_some(text.len() - rest.len())
}

fn strip_ignoring_case<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in word.chars() {
        let found = rest.next()?;
        let alike = found == expected
            || found.to_lowercase().eq(expected.to_lowercase())
            || matches!((found, expected), ('\'' | '’', '\'' | '’'));
        if !alike {
            return None;
        }
    }
    Some(rest.as_str())
}

fn possessive_bytes(after: &str) -> usize {
    let Some(rest) = after.strip_prefix(['\'', '’']).and_then(|rest| rest.strip_prefix(['s', 'S'])) else {
        return 0;
    };
    if rest.starts_with(is_word) { 0 } else { after.len() - rest.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_are_taken_out() {
        let known = ["Anna", "Anna Maria", "Bob", "O'Brien", "Zoë"];
        for (question, named, text) in [
            ("What did Anna buy?", &["Anna"][..], "What did buy?"),
            ("What is anna's dog?", &["Anna"], "What is dog?"),
            ("What is ANNA’S dog?", &["Anna"], "What is dog?"),
            ("Bob and Anna, and bob again", &["Bob", "Anna"], "and , and again"),
            ("Where is anna  maria's hat", &["Anna Maria"], "Where is hat"),
            ("Where is Annabel, Bobby or my_Bob?", &[], "Where is Annabel, Bobby or my_Bob?"),
            ("Did o’brien call?", &["O'Brien"], "Did call?"),
            ("ZOË's cat", &["Zoë"], "cat"),
            ("Bob-Anna", &["Bob", "Anna"], "-"),
            ("  two   spaces ", &[], "two spaces"),
        ] {
            let parsed = parse(question, &names(&known), None);
            assert_eq!(parsed.named, names(named), "{question:?}");
            let expect = if text == "-" { question } else { text };
            assert_eq!(parsed.text, expect, "{question:?}");
        }
    }

    #[test]
    fn a_question_of_names_alone_keeps_them() {
        for question in ["Anna?", "Anna's", "anna Anna", ""] {
            let parsed = parse(question, &names(&["Anna"]), None);
            assert_eq!(parsed.text, question);
        }
        assert_eq!(parse("Anna?", &names(&["Anna"]), None).terms, ["anna"]);
        assert_eq!(parse("Anna", &names(&["", " "]), None).named, Vec::<String>::new());
    }

    #[test]
    fn terms_without_the_frame() {
        for (question, expect) in [
            ("What did Anna mention about her dogs?", "dog"),
            ("How many different books, only books?", "book book"),
            ("Walk me through the order of our conversations", "walk through order convers"),
            ("List the recommendations you suggested across sessions on fooBar", "foo bar foobar"),
            ("", ""),
        ] {
            assert_eq!(parse(question, &names(&["Anna"]), None).terms.join(" "), expect, "{question:?}");
        }
        assert_eq!(FRAME_TERMS.len(), 29);
    }

    #[test]
    fn kinds() {
        let kinds = |question: &str| {
            let parsed = parse(question, &[], None);
            (parsed.asks_when, parsed.asks_how_long, parsed.speaks_to_assistant)
        };
        for question in [
            "When did I go?",
            "what date was it",
            "On what day",
            "What time is it",
            "which week",
            "WHICH YEAR",
        ] {
            assert_eq!(kinds(question), (true, false, false), "{question}");
        }
        for question in [
            "How long was it?",
            "How long, and when?",
            "how many weeks",
            "how many Hour",
            "How old is she?",
            "how often",
            "how soon",
        ] {
            assert_eq!(kinds(question), (false, true, false), "{question}");
        }
        for question in [
            "What did you say?",
            "what have you heard",
            "Could you list",
            "the book you recommended",
            "you helped me",
            "advice you gave",
            "your suggestion was",
            "YOUR answer",
            "are you there",
        ] {
            assert_eq!(kinds(question), (false, false, true), "{question}");
        }
        for question in [
            "",
            "whenever",
            "which day-trip",
            "what week",
            "how many books",
            "how longing",
            "you and I",
            "can you",
            "young help",
            "your answers",
        ] {
            let expect = (question.starts_with("which day"), false, false);
            assert_eq!(kinds(question), expect, "{question}");
        }
    }

    #[test]
    fn dates_absolute_before_relative() {
        let now = Some(date(2023, 6, 14).at(12, 0, 0, 0));
        let day = |question, now| {
            let found = parse(question, &[], now).date?;
            Some((found.year, found.month, found.day))
        };
        assert_eq!(day("yesterday", now), Some((Some(2023), Some(6), Some(13))));
        assert_eq!(day("yesterday", None), None);
        assert_eq!(day("last week in May", now), Some((None, Some(5), None)));
        assert_eq!(day("what is her dog", now), None);
    }

    proptest! {
        #[test]
        fn any_question(
            question in any::<String>(), known in proptest::collection::vec(any::<String>(), 0..4)
        ) {
            let parsed = parse(&question, &known, None);
            prop_assert_eq!(&parsed, &parse(&question, &known, None));
            prop_assert!(!(parsed.asks_when && parsed.asks_how_long));
        }

        #[test]
        fn a_name_never_stays(before in "[a-z ,]{0,20}", after in "[ ,?][a-z ,]{1,20}") {
            let parsed = parse(&format!("why {before} Zed{after}"), &names(&["Zed"]), None);
            prop_assert_eq!(parsed.named, names(&["Zed"]));
            prop_assert!(!parsed.text.contains("Zed"));
        }
    }
}
