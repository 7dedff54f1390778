//! The spelling of a sentence in which cues are searched: lower case, one form of apostrophes and
//! wide characters, no emphasis, and one character in place of each code span, so that no cue
//! matches in code.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// The placeholder of a code span. It is removed from input texts first, so no text contains it.
pub(super) const CODE: char = '\u{e000}';

static SPAN: LazyLock<Regex> = LazyLock::new(|| compiled(r"```[^`\n]+```|``[^\n]+?``|`[^`\n]+`"));

/// Compiles a pattern that is part of the program.
#[expect(
    clippy::expect_used,
    reason = "every pattern is a constant of this folder and compiled by its tests"
)]
pub(super) fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern")
}

/// Replaces the code spans of a text by placeholders. Returns the text, and the spans in order.
pub(super) fn masked(text: &str) -> (String, Vec<String>) {
    let spans = SPAN.find_iter(text).map(|span| span.as_str().to_owned()).collect();
    (SPAN.replace_all(text, CODE.to_string()).into_owned(), spans)
}

/// Restores the code spans of a part of a masked text. The spans come in order.
pub(super) fn restored(part: &str, spans: &mut impl Iterator<Item = String>) -> String {
    let mut text = String::with_capacity(part.len());
    for c in part.chars() {
        if c == CODE {
            text.push_str(&spans.next().unwrap_or_default());
        } else {
            text.push(c);
        }
    }
    text
}

/// Returns the spelling for cues.
pub(super) fn copy(statement: &str) -> String {
    let (masked, _) = masked(statement);
    let folded: String = masked.nfkc().map(straight).flat_map(char::to_lowercase).collect();
    let plain = folded.replace("**", "").replace("__", "").replace(['*', '"'], "");
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    // An emoji after the last mark does not change a question.
    words.trim_end_matches(|c: char| is_face(c) || c == ' ').to_owned()
}

/// Returns the plain form of a typographic mark.
fn straight(c: char) -> char {
    match c {
        '‘' | '’' | 'ʼ' | '´' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‐' | '‑' | '‒' => '-',
        c => c,
    }
}

fn is_face(c: char) -> bool {
    matches!(u32::from(c), 0x1f300..=0x1faff | 0x2600..=0x27bf | 0xfe0f | 0x200d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_one_character() {
        assert_eq!(copy("Don’t use `A. b?` **ever** 🙂"), "don't use \u{e000} ever");
        assert_eq!(copy("為什麼？"), "為什麼?");
        let (text, spans) = masked("use `a` not ``b ` c``");
        assert_eq!(
            (text.as_str(), spans.as_slice()),
            ("use \u{e000} not \u{e000}", &["`a`".to_owned(), "``b ` c``".to_owned()][..])
        );
        assert_eq!(restored(&text, &mut spans.into_iter()), "use `a` not ``b ` c``");
    }
}
