//! Blocks of private keys in PEM, found in one pass. An opening marker without a closing marker
//! does not cause another scan of the rest of the text. The module matches the form of blocks only.
//! [`super::secrets`] decides which of them holds a key.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::match_cache::MatchCache;

/// The marker that begins a block.
pub(super) const BEGIN: &str = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----";
const END: &str = r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----";
/// Headers between the marker and the key.
const HEADERS: [&str; 6] = ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: "];
/// Maximum length of a header's text, in characters.
const HEADER_CHARS_MAX: usize = 200;
/// Minimum number of key characters in one run that form a line of a key.
pub(super) const LINE_CHARS_MIN: usize = 32;

static BEGINS: LazyLock<Regex> = LazyLock::new(|| compiled(BEGIN));
static ENDS: LazyLock<Regex> = LazyLock::new(|| compiled(END));

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

/// Returns the blocks. A block extends from its opening marker to its closing marker or, if there
/// is none, to the end of its lines of a key. In strings, a line end may be written as `\n`.
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut end_markers, mut foreigners) =
        (MatchCache::new(text, next_end_marker), MatchCache::new(text, next_foreign));
    let mut at = 0;
    while let Some(begin) = BEGINS.find_at(text, at) {
        let body = headers_end(text, begin.end());
        let marker = end_markers.first(body);
        let stop = foreigners.first(body).map_or(text.len(), |foreign| foreign.start);
        at = match marker.filter(|marker| marker.start <= stop) {
            Some(marker) => marker.end,
            None => lines_end(text, body),
        };
        found.push(begin.start()..at);
    }
    found
}

fn next_end_marker(text: &str, at: usize) -> Option<Range<usize>> {
    ENDS.find_at(text, at).map(|marker| marker.range())
}

/// Finds the next character that never occurs in a block.
fn next_foreign(text: &str, at: usize) -> Option<Range<usize>> {
    let stands_there = |c: char| is_of_key(c) || is_between(c) || c == '-';
    let rest = text.get(at..)?;
    rest.find(|c: char| !stands_there(c)).map(|place| at + place..at + place + 1)
}

fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// True for text that may separate lines of a key: white space, and the characters that strings and
/// quotations add.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '+' | ',' | '>' | '|' | '#' | '*' | '\\')
}

/// Returns the position after the headers that begin at `at`.
fn headers_end(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text.get(between_end(text, at)..).unwrap_or_default();
        let Some(value) = HEADERS.iter().find_map(|name| rest.strip_prefix(name)) else { return at };
        let length = value
            .char_indices()
            .enumerate()
            .find(|(number, (_, c))| *number == HEADER_CHARS_MAX || matches!(c, '\n' | '\\'))
            .map_or(value.len(), |(_, (place, _))| place);
        at = text.len() - value.len() + length;
    }
}

/// Returns the position after the lines of a key that begin at `at`. A shorter last line counts if
/// nothing follows it.
fn lines_end(text: &str, mut at: usize) -> usize {
    loop {
        let start = between_end(text, at);
        let rest = text.get(start..).unwrap_or_default();
        let run = rest.find(|c: char| !is_of_key(c)).unwrap_or(rest.len());
        let between = text.get(at..start).unwrap_or_default();
        if run + lent(between) >= LINE_CHARS_MIN {
            at = start + run;
            continue;
        }
        let is_last = match rest.get(run..) {
            Some(after) if run > 0 => !between.is_empty() && after.chars().all(char::is_whitespace),
            Some("") => lent(between.trim_end()) > 0 && between.trim_end().len() > 1,
            Some(_) | None => false,
        };
        return if is_last { text.len() } else { at };
    }
}

/// Returns the number of characters at the end of a separator that may also belong to the next line
/// of the key: a plus sign, and the letter of an escaped line end.
fn lent(between: &str) -> usize {
    let before = between.trim_end_matches('+');
    between.len() - before.len() + usize::from(before.ends_with(r"\n") || before.ends_with(r"\r"))
}

/// Returns the position after the separator that begins at `at`. A line end may be written as `\n`
/// or `\r`.
fn between_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let mut chars = rest.char_indices().peekable();
    while let Some((place, c)) = chars.next() {
        if !is_between(c) {
            return at + place;
        }
        if c == '\\' {
            chars.next_if(|(_, next)| matches!(next, 'n' | 'r'));
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The regular expression that the scan replaces. It reads the rest of the text again for every
    /// marker that never ends.
    fn form() -> Regex {
        compiled(&[
            BEGIN,
            r#"(?:(?:\\[nr]|[\s"'+,>|#*\\])*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{0,200})*"#,
            r#"(?:[A-Za-z0-9+/=\s\\"',>|#*-]*?"#,
            END,
            r#"|(?:(?:\\[nr]|[\s"'+,>|#*\\])*[A-Za-z0-9+/=]{32,})*"#,
            r#"(?:(?:\\[nr]|[\s"'+,>|#*\\])+[A-Za-z0-9+/=]{1,31}\s*\z)?)"#,
        ]
        .concat())
    }

    /// Parts of texts to combine. The test builds markers from pieces, so that no scanner reports
    /// this file as a leak.
    fn parts() -> Vec<String> {
        let begin = ["-----BEGIN PRIVATE ", "KEY-----"].concat();
        let end = ["-----END PRIVATE ", "KEY-----"].concat();
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let others = ["\n", "\\n", "\\", " ", "+", "n", "Version: 1", "MIIE", ".", "-", "\u{a0}", "é"];
        let rsa = begin.replace("BEGIN", "BEGIN RSA");
        let mut parts = vec![
            begin,
            rsa,
            end,
            line.to_owned(),
            line[1..].to_owned(),
            "Hash: ".to_owned() + &"a ".repeat(120),
        ];
        parts.extend(others.map(str::to_owned));
        parts
    }

    #[test]
    fn blocks_are_those_of_the_form() {
        let (form, parts) = (form(), parts());
        let check = |text: &str| {
            let expect: Vec<_> = form.find_iter(text).map(|found| found.range()).collect();
            assert_eq!(blocks(text), expect, "{text:?}");
        };
        // Every pair of parts after a marker, and long pseudo-random rows.
        for a in &parts {
            for b in &parts {
                check(&[parts[0].as_str(), a, b].concat());
            }
        }
        let mut number = 1_u64;
        for _ in 0..1_000 {
            let row: String = (0..14)
                .map(|_| {
                    number = number
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    parts[usize::try_from(number >> 33).unwrap() % parts.len()].as_str()
                })
                .collect();
            check(&row);
        }
    }
}
