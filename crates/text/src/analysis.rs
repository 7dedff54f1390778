//! Text analysis into terms: one function for turns and for questions.
//!
//! Terms keep their order and their repetitions. The module ignores the framing words of questions
//! (`question`) and speakers (`turn`).

use crate::stems::push_term;

/// Returns the terms of `text` in order, with repetitions. It cuts words at `'`, returns the parts
/// of an identifier before the whole identifier, lowers the case, drops stop words and applies
/// Porter2 stemming. Scripts without spaces between words yield overlapping character bigrams.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::with_capacity(text.len() / 10 + 1);
    let mut lower = String::new();
    let runs = Runs { rest: text };
    for run in runs {
        match run {
            Run::Spaced(word) => push_word(word, &mut lower, &mut terms),
            Run::Spaceless(word) => push_bigrams(word, &mut terms),
        }
    }
    terms
}

/// Returns the terms of a file's path in order: those of its folders, its name and its extension.
#[must_use]
pub fn path_terms(path: &str) -> Vec<String> {
    terms(path)
}

/// Returns true for letters, digits and `_`, the characters of a word.
pub(crate) fn is_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() || is_spaceless(c) }
}

/// Returns true for letters and marks of scripts that put no spaces between words: Han, kana, Thai,
/// Lao, Burmese, Khmer.
pub(crate) fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}' // Thai
        | '\u{0E81}'..='\u{0EBD}' | '\u{0EC0}'..='\u{0ECE}' // Lao
        | '\u{1000}'..='\u{103F}' // Burmese
        | '\u{1780}'..='\u{17D3}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' // kana and marks
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' // Han
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFD}')
}

enum Run<'a> {
    Spaced(&'a str),
    Spaceless(&'a str),
}

/// An iterator over the runs of word characters, each with its `'tail` already cut off.
struct Runs<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let start = self.rest.find(is_word)?;
        let from = self.rest.get(start..)?;
        let spaceless = from.chars().next().is_some_and(is_spaceless);
        let end = from.find(|c| !is_word(c) || (!c.is_ascii() && is_spaceless(c)) != spaceless);
        let (word, after) = from.split_at(end.unwrap_or(from.len()));
        if spaceless {
            self.rest = after;
            return Some(Run::Spaceless(word));
        }
        self.rest = after.get(tail_bytes(after)..).unwrap_or_default();
        Some(Run::Spaced(word))
    }
}

/// Returns the bytes of an apostrophe and the lower-case letters after it, which belong to the word
/// before: `'s`, `’t`. Returns zero if a letter of another script follows them, so that `l'été`
/// keeps its noun.
fn tail_bytes(after: &str) -> usize {
    let Some(letters) = after.strip_prefix(['\'', '’']) else { return 0 };
    let length = letters.bytes().take_while(u8::is_ascii_lowercase).count();
    let next = letters.get(length..).and_then(|rest| rest.chars().next());
    if length == 0 || next.is_some_and(|c| !c.is_ascii() && is_word(c)) {
        return 0;
    }
    after.len() - letters.len() + length
}

/// Appends the terms of one run: its parts, then the whole identifier if it has several parts.
fn push_word(word: &str, lower: &mut String, terms: &mut Vec<String>) {
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        push_term(word, terms);
        return;
    }
    let mut parts = Parts { rest: word };
    let Some(first) = parts.next() else { return };
    push_lower(first, lower, terms);
    let mut more = false;
    for part in parts {
        push_lower(part, lower, terms);
        more = true;
    }
    if more && word.contains('_') {
        push_lower(&word.replace('_', ""), lower, terms);
    } else if more {
        push_lower(word, lower, terms);
    }
}

fn push_lower(part: &str, lower: &mut String, terms: &mut Vec<String>) {
    lower.clear();
    if part.is_ascii() {
        lower.push_str(part);
        lower.make_ascii_lowercase();
    } else {
        lower.push_str(&part.to_lowercase());
    }
    push_term(lower, terms);
}

fn push_bigrams(word: &str, terms: &mut Vec<String>) {
    let seconds = word.char_indices().skip(1);
    let mut previous = 0;
    let mut pairs = 0;
    for (start, c) in seconds {
        let end = start + c.len_utf8();
        terms.extend(word.get(previous..end).map(str::to_owned));
        previous = start;
        pairs += 1;
    }
    if pairs == 0 {
        terms.push(word.to_owned());
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// A letter without case.
    Letter,
    Underscore,
}

fn class(c: char) -> Class {
    if c == '_' {
        Class::Underscore
    } else if c.is_lowercase() {
        Class::Lower
    } else if c.is_uppercase() {
        Class::Upper
    } else if c.is_numeric() {
        Class::Digit
    } else {
        Class::Letter
    }
}

/// An iterator over the parts of an identifier, without `_`.
struct Parts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let word = self.rest.trim_start_matches('_');
        let (part, rest) = word.split_at(part_bytes(word));
        self.rest = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// Returns the bytes of the first part of `word`, which does not start with `_`.
fn part_bytes(word: &str) -> usize {
    let mut before = None;
    // The start of the last character, and true if the one before it was upper case too.
    let (mut last, mut run) = (0, false);
    for (at, c) in word.char_indices() {
        let now = class(c);
        if let Some(before) = before {
            match (before, now) {
                (_, Class::Underscore) | (Class::Lower | Class::Digit, Class::Upper) => return at,
                (Class::Upper, Class::Lower) if run => return last,
                (Class::Digit, Class::Digit) => {}
                (Class::Digit, _) | (_, Class::Digit) => return at,
                _ => {}
            }
            run = before == Class::Upper && now == Class::Upper;
        }
        before = Some(now);
        last = at;
    }
    word.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(terms(text).join(" "), expect, "{text:?}");
    }

    #[test]
    fn words_stop_words_and_stems() {
        check("", "");
        check("The cat is on the mat.", "cat mat");
        check("She was running and ran, running!", "run ran run");
        check("Cities of the world", "citi world");
        check("What would you say?", "say");
    }

    #[test]
    fn apostrophes() {
        check("don't", "don");
        check("don’t", "don");
        check("Anna's dog", "anna dog");
        check("Anna’s dog", "anna dog");
        check("I'm I've we'll", "");
        check("the dogs' bowls", "dog bowl");
        check("O'Brien", "o brien");
        check("rock'n'roll", "rock roll");
        // A tail is lower case. `'S` is therefore a run of its own, and a stop word.
        check("ANNA'S", "anna");
        check("ask 'why' twice", "ask twice");
        check("l'été", "l été");
        check("'quoted'", "quot");
    }

    #[test]
    fn identifiers_give_parts_then_the_whole() {
        check("fooBar", "foo bar foobar");
        check("HTTPServer", "http server httpserver");
        check("x_y", "x y xy");
        check("snake_case_name", "snake case name snakecasenam");
        check("parseHTTPRequest2", "pars http request 2 parsehttprequest2");
        check("utf8", "utf 8 utf8");
        check("7th", "7 th 7th");
        check("3D", "3 3d");
        check("A1B2", "1 b 2 a1b2");
        check("McDonald", "mc donald mcdonald");
        check("TVs", "vs tvs");
        check("FOO_BAR", "foo bar foobar");
        check("getX", "get x getx");
        check("ABC", "abc");
        check("Abc", "abc");
    }

    #[test]
    fn one_part_is_no_compound() {
        check("_private", "privat");
        check("trailing_", "trail");
        check("__", "");
        check("_", "");
        check("2023", "2023");
    }

    #[test]
    fn stop_words_inside_identifiers_are_dropped_and_the_whole_stays() {
        check("is_open", "open isopen");
        check("iPhone", "phone iphon");
        check("to_do", "todo");
    }

    #[test]
    fn punctuation_separates() {
        check("src/main.rs", "src main rs");
        check("std::io-error", "std io error");
        check("3.14", "3 14");
        check("10:30am", "10 30 30am");
    }

    #[test]
    fn other_scripts() {
        check("café Ünïcode", "café ünïcode");
        check("Привет мир", "привет мир");
        check("日本語", "日本 本語");
        check("中", "中");
        check("я люблю日本", "я люблю 日本");
        check("iPhone手机壳", "phone iphon 手机 机壳");
        check("ที่นี่", "ที ี่ ่น นี ี่");
        check("한국어 단어", "한국어 단어");
        check("ÉtéChaud", "été chaud étéchaud");
    }

    #[test]
    fn paths() {
        assert_eq!(
            path_terms("crates/text/src/turn_flags.rs"),
            ["crate", "text", "src", "turn", "flag", "turnflag", "rs"]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_analysed_alike_twice(text in any::<String>()) {
            prop_assert_eq!(terms(&text), terms(&text));
        }

        #[test]
        fn terms_are_never_empty_nor_stop_words_before_stemming(text in "[a-zA-Z0-9_'’ éßЖ日ั่]{0,80}") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty());
                prop_assert!(!term.contains(['_', '\'', ' ']));
            }
        }

        #[test]
        fn terms_do_not_reach_across_white_space(a in any::<String>(), b in any::<String>()) {
            let mut both = terms(&a);
            both.extend(terms(&b));
            prop_assert_eq!(terms(&format!("{a} {b}")), both);
        }
    }
}
