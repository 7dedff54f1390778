//! Splits text into sentences, and cuts a text that exceeds the size of a record.
//!
//! Both are lossless: the pieces, concatenated, equal the text byte for byte. `sections` cuts
//! documents.

use crate::analysis::is_word;

/// Abbreviations before a full stop that do not end a sentence, in lower case.
const ABBREVIATIONS: [&str; 24] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "eg", "ie", "jr", "sr", "inc", "ltd",
    "approx", "fig", "cf", "al", "dept", "est", "gen", "gov", "rev",
];

/// Returns the sentences of `text`, each with the white space after it.
///
/// A sentence ends after `.`, `!`, `?` or `…` (and closing quotes) before white space, and after
/// `。`, `！` or `？`. It also ends at the end of a line unless the next line continues in lower case.
/// Marks before the first word do not end a sentence, and neither does an abbreviation, an initial
/// or a number that opens a line.
#[must_use]
pub fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    // White space before the text belongs to its first sentence.
    let mut from = past_white_space(text, 0);
    while let Some(end) = sentence_end(text, from) {
        from = past_white_space(text, end);
        sentences.extend(text.get(start..from).filter(|sentence| !sentence.is_empty()));
        start = from;
    }
    sentences.extend(text.get(start..).filter(|sentence| !sentence.is_empty()));
    sentences
}

fn past_white_space(text: &str, at: usize) -> usize {
    text.len() - text.get(at..).unwrap_or_default().trim_start().len()
}

/// Returns the end of the sentence that opens at `start`, before its white space; `None` if it
/// reaches the end of the text.
fn sentence_end(text: &str, start: usize) -> Option<usize> {
    let mut has_word = false;
    for (offset, c) in text.get(start..)?.char_indices() {
        let at = start + offset;
        let sentence = text.get(start..at).unwrap_or_default();
        has_word = has_word || is_word(c);
        // Marks before the first word belong to the text after them and form no sentence of their
        // own.
        if matches!(c, '。' | '！' | '？' | '.' | '!' | '?' | '…') && !has_word {
            continue;
        }
        match c {
            '。' | '！' | '？' => {
                let rest = text.get(at..)?;
                let marks = rest.len() - rest.trim_start_matches(['。', '！', '？', '!', '?', '…']).len();
                return Some(closed(text, at + marks));
            }
            '.' | '!' | '?' | '…' => {
                let end = closed(text, at + c.len_utf8());
                let after = text.get(end..)?.chars().next()?;
                if after.is_whitespace() && !(c == '.' && goes_on(sentence)) {
                    return Some(end);
                }
            }
            '\n' if line_ends(text.get(at..)?) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the position after the closing quotes and brackets at `end`.
fn closed(text: &str, end: usize) -> usize {
    let after = text.get(end..).unwrap_or_default();
    let rest = after.trim_start_matches(['"', '\'', '”', '’', ')', ']', '»', '」', '』', '*', '_']);
    end + (after.len() - rest.len())
}

/// Returns true if the full stop after `sentence` belongs to an abbreviation, an initial or the
/// number of a list item.
fn goes_on(sentence: &str) -> bool {
    let word = sentence
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“'))
        .next()
        .unwrap_or_default();
    let mut characters = word.chars();
    let initial =
        matches!((characters.next(), characters.next()), (Some(c), None) if c.is_uppercase() && c != 'I');
    let item = !word.is_empty() && word.len() == sentence.len() && word.bytes().all(|b| b.is_ascii_digit());
    initial || item || ABBREVIATIONS.iter().any(|short| short.eq_ignore_ascii_case(word))
}

/// Returns false if the line after the break at the start of `rest` continues in lower case or is
/// missing.
fn line_ends(rest: &str) -> bool {
    let mut breaks = 0;
    for c in rest.chars() {
        if c == '\n' {
            breaks += 1;
        } else if !c.is_whitespace() {
            return !c.is_lowercase();
        }
        if breaks > 1 {
            return true;
        }
    }
    false
}

/// Cuts `text` in order into as few pieces as possible of at most `chars_max` Unicode scalar
/// values. It cuts at sentence ends, inside long sentences at white space, and inside long words
/// anywhere. A limit of 0 counts as 1.
#[must_use]
pub fn split_at_sentences(text: &str, chars_max: usize) -> Vec<String> {
    let mut pieces =
        Pieces { chars_max: chars_max.max(1), done: Vec::new(), open: String::new(), open_chars: 0 };
    for sentence in sentences(text) {
        if pieces.add(sentence) {
            continue;
        }
        for word in sentence.split_inclusive(char::is_whitespace) {
            if !pieces.add(word) {
                pieces.add_characters(word);
            }
        }
    }
    pieces.close();
    pieces.done
}

struct Pieces {
    chars_max: usize,
    done: Vec<String>,
    open: String,
    open_chars: usize,
}

impl Pieces {
    /// Adds `part` to the open piece or to a new one. Returns false if no piece can hold it.
    fn add(&mut self, part: &str) -> bool {
        let chars = part.chars().count();
        if chars > self.chars_max {
            return false;
        }
        if self.open_chars + chars > self.chars_max {
            self.close();
        }
        self.open.push_str(part);
        self.open_chars += chars;
        true
    }

    fn add_characters(&mut self, word: &str) {
        for c in word.chars() {
            if self.open_chars == self.chars_max {
                self.close();
            }
            self.open.push(c);
            self.open_chars += 1;
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.done.push(std::mem::take(&mut self.open));
        }
        self.open_chars = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(sentences(text), expect, "{text:?}");
    }

    #[test]
    fn sentence_ends() {
        check("", &[]);
        check("One", &["One"]);
        check("One. Two! Three? Four", &["One. ", "Two! ", "Three? ", "Four"]);
        check("hello. how are you? fine.", &["hello. ", "how are you? ", "fine."]);
        check("Really?! Yes...  No… ok", &["Really?! ", "Yes...  ", "No… ", "ok"]);
        check("He said \"go.\" She went.", &["He said \"go.\" ", "She went."]);
        check("それは本です。これも！はい", &["それは本です。", "これも！", "はい"]);
        check("真的！？是的……好。", &["真的！？", "是的……好。"]);
        check("。我是素食者。你呢？", &["。我是素食者。", "你呢？"]);
        check("… and then. ?! What", &["… and then. ", "?! What"]);
    }

    #[test]
    fn no_sentence_ends() {
        check("Mr. Smith met Dr. J. Doe.", &["Mr. Smith met Dr. J. Doe."]);
        check("Pi is 3.14, see e.g. a.b.c for it.", &["Pi is 3.14, see e.g. a.b.c for it."]);
        check("It was I. You know.", &["It was I. ", "You know."]);
        check("1. First item", &["1. First item"]);
        check("It was in 2023. Then", &["It was in 2023. ", "Then"]);
    }

    #[test]
    fn lines() {
        check(
            "# Title\nText goes\non here\n\nand there",
            &["# Title\n", "Text goes\non here\n\n", "and there"],
        );
        check("- a\n- b\n", &["- a\n", "- b\n"]);
        check("\n\nA. B\n", &["\n\nA. B\n"]);
        check("1. x\n2. y", &["1. x\n", "2. y"]);
    }

    #[test]
    fn pieces() {
        let check = |text: &str, max, expect: &[&str]| {
            assert_eq!(split_at_sentences(text, max), expect, "{text:?} {max}")
        };
        check("", 5, &[]);
        check("One. Two. Three.", 100, &["One. Two. Three."]);
        check("One. Two. Three.", 10, &["One. Two. ", "Three."]);
        check("one two three", 8, &["one two ", "three"]);
        check("abcdefgh ij", 3, &["abc", "def", "gh ", "ij"]);
        check("ééé", 0, &["é", "é", "é"]);
    }

    #[test]
    fn long_runs_take_linear_time() {
        let count = 400_000;
        for text in ["\n", " ", ".", "Mr. ", "x\n", "1. ", "?'", "\n x"].map(|part| part.repeat(count)) {
            assert_eq!(sentences(&text).concat(), text);
        }
        let text = format!("{}{}", " ".repeat(count), "Mr. ".repeat(count));
        assert_eq!(sentences(&text), [text.as_str()]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-zA-Z0-9 .!?\n\"'。é😀]{0,200}|\\PC{0,80}", max in 0usize..40) {
            prop_assert_eq!(sentences(&text).concat(), text.as_str());
            let pieces = split_at_sentences(&text, max);
            prop_assert_eq!(pieces.concat(), text.as_str());
            prop_assert!(pieces.iter().all(|piece| (1..=max.max(1)).contains(&piece.chars().count())));
        }

        #[test]
        fn any_text(text in any::<String>()) {
            prop_assert_eq!(sentences(&text).concat(), text);
        }
    }
}
