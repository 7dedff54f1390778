//! The analysis of a turn at write: its terms, its flags and its speaker's prefix `Name: `.
//!
//! The module only detects a prefix. The index decides if the name is *known* in the memory. For a
//! known name it drops the first [`SpeakerPrefix::terms`] terms and uses [`SpeakerPrefix::flags`]
//! in place of the turn's.

use crate::analysis::terms;
use crate::flags::{TurnFlags, turn_flags};

/// The maximum number of words in a speaker's name.
const NAME_WORDS_MAX: usize = 3;
/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 96;

/// Words that are never a speaker's name, in lower case.
const NEVER_NAMES: [&str; 13] = [
    "user",
    "assistant",
    "system",
    "tool",
    "human",
    "ai",
    "note",
    "warning",
    "error",
    "todo",
    "summary",
    "question",
    "answer",
];

/// A `Name: ` at the start of a turn, a candidate for a known name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakerPrefix {
    /// The name as written, without the colon.
    pub name: String,
    /// The number of leading terms of the turn that come from the prefix.
    pub terms: usize,
    /// The flags of the text after the prefix.
    pub flags: TurnFlags,
    /// The bytes of the prefix in the turn, including colon and space. The rest of the text starts
    /// there.
    pub byte_len: usize,
}

/// The stored analysis of a turn's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnAnalysis {
    /// The terms of the whole text, prefix included.
    pub terms: Vec<String>,
    /// The flags of the whole text, prefix included.
    pub flags: TurnFlags,
    /// The speaker's prefix, if the text starts with one.
    pub prefix: Option<SpeakerPrefix>,
}

/// Analyses a turn in the form in which it was sent.
#[must_use]
pub fn analyse_turn(text: &str) -> TurnAnalysis {
    let flags = turn_flags(text);
    let Some((name, rest)) = speaker_prefix(text) else {
        return TurnAnalysis { terms: terms(text), flags, prefix: None };
    };
    let mut all = terms(name);
    let prefix = SpeakerPrefix {
        name: name.to_owned(),
        terms: all.len(),
        flags: turn_flags(rest),
        byte_len: text.len() - rest.len(),
    };
    all.append(&mut terms(rest));
    TurnAnalysis { terms: all, flags, prefix: Some(prefix) }
}

/// Returns the name and the text after `Name: `: one to three capitalised words, a colon and a
/// space at the start of the text.
#[must_use]
pub fn speaker_prefix(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(": ")?;
    if name.len() > NAME_BYTES_MAX || !name.starts_with(char::is_uppercase) {
        return None;
    }
    let words = name.split(' ').count();
    let capitalised = words <= NAME_WORDS_MAX && name.split(' ').all(is_capitalised);
    let never = NEVER_NAMES.iter().any(|never| never.eq_ignore_ascii_case(name));
    (capitalised && !never).then_some((name, rest))
}

/// Returns true for an upper-case letter followed by letters, at least one of them lower case.
/// Hyphens, apostrophes and dots may stand inside a name (`Anne-Marie`, `O'Brien`, `Dr.`). `HTTP`
/// and `A` are not names.
fn is_capitalised(word: &str) -> bool {
    let mut rest = word.chars();
    rest.next().is_some_and(char::is_uppercase)
        && word.chars().any(char::is_lowercase)
        && rest.all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prefixes() {
        for (text, expect) in [
            ("Anna: hello", Some(("Anna", "hello"))),
            ("Anna Maria Berg: hello: you", Some(("Anna Maria Berg", "hello: you"))),
            ("O'Brien: x", Some(("O'Brien", "x"))),
            ("Anne-Marie: x", Some(("Anne-Marie", "x"))),
            ("Dr. Smith: x", Some(("Dr. Smith", "x"))),
            ("Zoë: x", Some(("Zoë", "x"))),
            ("Anna: ", Some(("Anna", ""))),
            ("Anna:", None),
            ("Anna:hello", None),
            (" Anna: hello", None),
            ("anna: hello", None),
            ("One Two Three Four: x", None),
            ("Anna  Maria: x", None),
            ("Anna and Bob: x", None),
            ("User: x", None),
            ("ASSISTANT: x", None),
            ("Todo: x", None),
            ("Question: x", None),
            ("URL: x", None),
            ("Q: x", None),
            ("Step 1: x", None),
            ("", None),
            (": x", None),
            ("I said this. Anna: x", None),
        ] {
            assert_eq!(speaker_prefix(text), expect, "{text:?}");
        }
        for never in NEVER_NAMES {
            let capital = format!("{}{}: x", never[..1].to_uppercase(), &never[1..]);
            assert_eq!(speaker_prefix(&capital), None);
        }
    }

    #[test]
    fn a_prefix_gives_its_terms_first_and_the_flags_without_it() {
        let turn = analyse_turn("May Berg: Bob ran?");
        let prefix = turn.prefix.unwrap();
        assert_eq!((prefix.name.as_str(), prefix.terms, prefix.byte_len), ("May Berg", 1, 10));
        assert_eq!(turn.terms, ["berg", "bob", "ran"]);
        // "Berg" is an entity of the whole text. "Bob" opens a sentence in both.
        assert_eq!(turn.flags, TurnFlags::default().with_question(true).with_entities(1));
        assert_eq!(prefix.flags, TurnFlags::default().with_question(true));
    }

    #[test]
    fn without_a_prefix() {
        let turn = analyse_turn("I have 2 cats");
        assert_eq!(turn.terms, ["2", "cat"]);
        assert_eq!(turn.flags, TurnFlags::default().with_number(true).with_first_person(true));
        assert_eq!(turn.prefix, None);
    }

    proptest! {
        #[test]
        fn the_terms_after_the_prefix_are_those_of_the_text_without_it(
            name in "[A-Z][a-z]{1,6}( [A-Z][A-Za-z'’.-]{1,6}){0,2}", rest in any::<String>()
        ) {
            let text = format!("{name}: {rest}");
            let turn = analyse_turn(&text);
            prop_assert_eq!(&turn.terms, &terms(&text));
            if let Some(prefix) = turn.prefix {
                prop_assert_eq!(&text[prefix.byte_len..], &rest);
                prop_assert_eq!(&turn.terms[prefix.terms..], &terms(&rest)[..]);
                prop_assert_eq!(prefix.flags, turn_flags(&rest));
            }
        }

        #[test]
        fn any_turn_has_the_terms_of_its_text(text in any::<String>()) {
            prop_assert_eq!(analyse_turn(&text).terms, terms(&text));
        }
    }
}
