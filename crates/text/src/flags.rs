//! Flags for time, quantity and people in a turn: one byte, computed at write.
//!
//! The patterns run at write only, never per candidate. The caller decides if a flag *counts*: it
//! does not for file chunks and code.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::analysis::is_word;
use crate::pattern::{compiled, pattern};

/// The maximum number of entities that are counted.
pub const ENTITIES_MAX: u8 = 5;
/// The number of white-space words from which a turn does not count as a question.
const QUESTION_WORDS_LIMIT: usize = 25;

const TIME: u16 = 1;
const DURATION: u16 = 1 << 1;
const QUESTION: u16 = 1 << 2;
const NUMBER: u16 = 1 << 3;
const FIRST_PERSON: u16 = 1 << 4;
const ENTITIES_SHIFT: u32 = 5;

/// The flags of one turn as stored. Bit 0 is a time expression, bit 1 a duration, bit 2 a question,
/// bit 3 a number, bit 4 the first person, and bits 5–7 hold the entities (0–5). The default has no
/// flag set, which is also the value for file chunks and code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TurnFlags(pub u16);

impl TurnFlags {
    /// Returns true if the turn names a time: "yesterday", "last week", a weekday, a year, "7 May",
    /// "3 pm".
    #[must_use]
    pub fn time_expression(self) -> bool {
        self.0 & TIME != 0
    }

    /// Returns true if the turn names a length of time: "two weeks", "for a while".
    #[must_use]
    pub fn duration(self) -> bool {
        self.0 & DURATION != 0
    }

    /// Returns true if the turn ends in `?` and has fewer than 25 words.
    #[must_use]
    pub fn question(self) -> bool {
        self.0 & QUESTION != 0
    }

    /// Returns true if the turn contains a digit.
    #[must_use]
    pub fn number(self) -> bool {
        self.0 & NUMBER != 0
    }

    /// Returns true if the turn refers to its speaker: i, my, we, …
    #[must_use]
    pub fn first_person(self) -> bool {
        self.0 & FIRST_PERSON != 0
    }

    /// Returns the number of distinct capitalised words inside sentences, 0 to 5.
    #[must_use]
    pub fn entities(self) -> u8 {
        let count = (self.0 >> ENTITIES_SHIFT) & 0b111;
        u8::try_from(count).unwrap_or(ENTITIES_MAX).min(ENTITIES_MAX)
    }

    /// Returns these flags with the time expression set or cleared.
    #[must_use]
    pub fn with_time_expression(self, on: bool) -> Self {
        self.with(TIME, on)
    }

    /// Returns these flags with the duration set or cleared.
    #[must_use]
    pub fn with_duration(self, on: bool) -> Self {
        self.with(DURATION, on)
    }

    /// Returns these flags with the question set or cleared.
    #[must_use]
    pub fn with_question(self, on: bool) -> Self {
        self.with(QUESTION, on)
    }

    /// Returns these flags with the number set or cleared.
    #[must_use]
    pub fn with_number(self, on: bool) -> Self {
        self.with(NUMBER, on)
    }

    /// Returns these flags with the first person set or cleared.
    #[must_use]
    pub fn with_first_person(self, on: bool) -> Self {
        self.with(FIRST_PERSON, on)
    }

    /// Returns these flags with `count` entities, of which at most 5 count.
    #[must_use]
    pub fn with_entities(self, count: usize) -> Self {
        let count = u16::try_from(count).unwrap_or(u16::MAX).min(u16::from(ENTITIES_MAX));
        Self(self.0 & !(0b111 << ENTITIES_SHIFT) | count << ENTITIES_SHIFT)
    }

    fn with(self, bit: u16, on: bool) -> Self {
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }
}

/// Returns the flags of `text` in full. Remove a speaker's prefix first.
#[must_use]
pub fn turn_flags(text: &str) -> TurnFlags {
    TurnFlags::default()
        .with_time_expression(TIME_EXPRESSION.is_match(text))
        .with_duration(DURATION_EXPRESSION.is_match(text))
        .with_question(is_question(text))
        .with_number(has_digit(text))
        .with_first_person(speaks_of_self(text))
        .with_entities(entities(text))
}

static TIME_EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since",
        r"|(?:last|next|this|past|few|couple|each|every)\s+(?:of\s+)?",
        r"(?:night|week|weekend|month|year|season|morning|WEEKDAY|days|weeks|months|years)",
        r"|WEEKDAY|(?:19|20)[0-9]{2}",
        r"|january|february|april|june|july|august|september|october|november|december|in\s+(?:march|may)",
        r"|MONTH_ANY\.?\s+DAY|DAY\s+(?:of\s+)?MONTH_ANY",
        r"|[0-9]{1,2}(?::[0-9]{2})?\s*[ap]\.?m)\b",
    ))
});

static DURATION_EXPRESSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|a\s+few|several|couple\s+of)\s+",
        r"(?:minute|hour|day|week|month|year|decade)s?",
        r"|since|for\s+(?:ages|years|months|weeks)|for\s+(?:a\s+)?(?:while|long))\b",
    ))
});

static DIGIT: LazyLock<Regex> = LazyLock::new(|| compiled(r"\d"));

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) || (!text.is_ascii() && DIGIT.is_match(text))
}

fn is_question(text: &str) -> bool {
    text.trim().ends_with('?')
        && text.split_whitespace().take(QUESTION_WORDS_LIMIT).count() < QUESTION_WORDS_LIMIT
}

/// Returns true for the first person. `i'm`, `i've`, `i'd` and `i'll` are the word `i` before an
/// apostrophe.
fn speaks_of_self(text: &str) -> bool {
    words(text).any(|(_, word)| {
        word.len() <= 6
            && ["i", "my", "me", "mine", "myself", "we", "our", "us"]
                .iter()
                .any(|own| own.eq_ignore_ascii_case(word))
    })
}

/// Counts the distinct words `[A-Z][a-z]+` that do not open the text or a sentence.
fn entities(text: &str) -> usize {
    let start = text.len() - text.trim_start().len();
    let mut distinct = BTreeSet::new();
    for (at, word) in words(text) {
        let before = text.get(..at).unwrap_or_default();
        let opens = at == start || [". ", "! ", "? ", ": "].iter().any(|end| before.ends_with(end));
        if !opens && is_capitalised(word) {
            distinct.insert(word);
            if distinct.len() == usize::from(ENTITIES_MAX) {
                break;
            }
        }
    }
    distinct.len()
}

fn is_capitalised(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_uppercase())
        && bytes.len() > 0
        && bytes.all(|b| b.is_ascii_lowercase())
}

/// Returns the runs of word characters with their byte offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_word)?;
        let word = text.get(start..)?;
        let word = word.get(..word.find(|c| !is_word(c)).unwrap_or(word.len()))?;
        at = start + word.len();
        Some((start, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(of: fn(TurnFlags) -> bool, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(of(turn_flags(text)), "should match: {text:?}");
        }
        for text in no {
            assert!(!of(turn_flags(text)), "should not match: {text:?}");
        }
    }

    #[test]
    fn time_expressions() {
        let yes = [
            "Yesterday I ran",
            "see you TODAY",
            "tonight?",
            "tomorrow!",
            "two days ago",
            "recently",
            "since then",
            "last night",
            "next week",
            "this weekend",
            "past month",
            "few years",
            "couple of days",
            "couple weeks",
            "each morning",
            "every year",
            "last season",
            "this Friday",
            "on sunday",
            "back in 1999",
            "2023",
            "January was cold",
            "in May",
            "in march",
            "May 7",
            "7 May",
            "7th of May",
            "may 7th",
            "Mar 3",
            "3rd March",
            "Jan. 5",
            "5 sept",
            "Sep 21st",
            "at 5pm",
            "5 PM",
            "10:30 am",
            "11 a.m. sharp",
            "we met 😀 last week",
        ];
        let no = [
            "",
            "I may go",
            "May I?",
            "They march on",
            "the day after",
            "every day",
            "lastly weeks",
            "the next day",
            "1850",
            "12023",
            "room 205",
            "May 32",
            "32 May",
            "mayor 7",
            "at 5",
            "10:30",
            "mondays",
            "ages",
            "5 pmx",
            "Januaryish",
            "sat 5",
            "weekend",
        ];
        check(TurnFlags::time_expression, &yes, &no);
    }

    #[test]
    fn durations() {
        let yes = [
            "2 weeks",
            "took ten minutes",
            "a few hours",
            "several years",
            "couple of decades",
            "one day",
            "SIX months",
            "since 2020",
            "for ages",
            "for years",
            "for months",
            "for weeks",
            "for a while",
            "for a long time",
            "12 Hours",
        ];
        let no = [
            "",
            "weeks",
            "a week",
            "eleven days",
            "few days",
            "for",
            "ages ago",
            "while",
            "for days",
            "2 weekends",
            "a couple days",
            "2-week",
        ];
        check(TurnFlags::duration, &yes, &no);
    }

    #[test]
    fn questions() {
        let longest = format!("{}w?", "w ".repeat(23));
        let too_long = format!("{}w?", "w ".repeat(24));
        check(
            TurnFlags::question,
            &["Why?", " How are you?  \n", "?", &longest],
            &["Why? Because.", "", "No.", &too_long],
        );
    }

    #[test]
    fn numbers() {
        check(TurnFlags::number, &["I have 3", "utf8", "٣"], &["three", "", "²x", "½"]);
    }

    #[test]
    fn first_person() {
        let yes = [
            "I ran", "i'm", "I’ve", "I'd", "I'll", "my dog", "give ME", "mine", "myself", "We", "our", "us",
            "US",
        ];
        let no = ["", "you", "in", "mines", "music", "it's his", "bus", "x_my", "émy"];
        check(TurnFlags::first_person, &yes, &no);
    }

    #[test]
    fn entities_are_distinct_capitalised_words_inside_sentences() {
        for (text, expect) in [
            ("", 0),
            ("Anna met Bob", 1),
            ("met Bob and Bob and Carol", 2),
            ("Hi. Bob! Carol? Dora: Emil", 0),
            ("Hi.  Bob", 1),
            ("Hi.\nBob", 1),
            ("(Bob)", 1),
            ("I saw NASA, iPhone, McDonald, X, B2b and Don't", 1),
            ("the Éva, Evaé", 0),
            ("a Bob Carol Dora Emil Fritz Gustav", 5),
            ("  Bob", 0),
        ] {
            assert_eq!(turn_flags(text).entities(), expect, "{text:?}");
        }
    }

    #[test]
    fn flags_fit_one_byte_and_are_independent() {
        let all = turn_flags("did I meet Bob Carol Dora Emil Fritz for 2 weeks last year?");
        assert_eq!(all, TurnFlags(0b1011_1111));
        assert_eq!(all.with_question(false).with_entities(2), TurnFlags(0b0101_1011));
        assert_eq!(turn_flags("hello"), TurnFlags::default());
        assert_eq!(TurnFlags::default().with_entities(77).entities(), 5);
    }

    proptest! {
        #[test]
        fn any_text_has_flags_that_survive_storage(text in any::<String>()) {
            let flags = turn_flags(&text);
            prop_assert!(flags.0 <= u16::from(u8::MAX));
            let stored = u8::try_from(flags.0).unwrap();
            prop_assert_eq!(TurnFlags(u16::from(stored)), flags);
            prop_assert!(flags.entities() <= ENTITIES_MAX);
        }
    }
}
