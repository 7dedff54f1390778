//! Passwords in URLs, found in one pass. A single regular expression would read to the end of the
//! text for every URL without an `@`. Many of them would cost the square of the text's length.
//! [`super::secrets`] decides which of the matches is a secret.

use std::ops::Range;

use super::match_cache::MatchCache;

/// Minimum length of a password without a slash, in characters.
const CHARS_MIN: usize = 3;

/// Returns the ranges of passwords. A password begins after the colon that follows the user and
/// ends at the last `@` before the path. If there is none, it ends at the last `@` before a host,
/// and the slash belongs to the password.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut ends = MatchCache::new(text, next_end);
    let mut hosts: Option<(usize, Option<usize>)> = None;
    let mut at = 0;
    while let Some(colon) = text.get(at..).and_then(|rest| rest.find("://")).map(|place| at + place) {
        let start = at;
        at = colon + 3;
        if !has_scheme(text, start..colon) {
            continue;
        }
        let Some(from) = password_start(text, at) else { continue };
        let slash = from + length(text, from, |c| !ends_run(c) && c != '/');
        if let Some(sign) = sign_before_path(text, from..slash) {
            found.push(from..sign);
            at = sign + 1;
            continue;
        }
        if slash == from || !text.get(slash..).is_some_and(|rest| rest.starts_with('/')) {
            continue;
        }
        let end = ends.first(slash).map_or(text.len(), |end| end.start);
        let sign = match hosts {
            Some((known, sign)) if known == end => sign,
            _ => host_sign(text, slash..end),
        };
        hosts = Some((end, sign));
        if let Some(sign) = sign.filter(|sign| *sign > slash) {
            found.push(from..sign);
            at = sign + 1;
        }
    }
    found
}

/// True if a scheme ends the range: a letter at the beginning of a word, and characters of schemes.
fn has_scheme(text: &str, range: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-');
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let run = bytes.get(range.clone()).unwrap_or_default();
    let run = run.iter().rev().take_while(|b| is_scheme(b)).count();
    (range.end - run..range.end).any(|place| {
        let before = place.checked_sub(1).and_then(|before| bytes.get(before));
        bytes.get(place).is_some_and(u8::is_ascii_alphabetic) && !before.is_some_and(is_word)
    })
}

/// Returns the position after the colon that ends the user's name.
fn password_start(text: &str, at: usize) -> Option<usize> {
    let colon = at + length(text, at, |c| !c.is_whitespace() && !matches!(c, ':' | '/' | '@'));
    text.get(colon..)?.starts_with(':').then_some(colon + 1)
}

/// Returns the last `@` of a range, with at least [`CHARS_MIN`] characters before it.
fn sign_before_path(text: &str, range: Range<usize>) -> Option<usize> {
    let run = text.get(range.clone())?;
    let sign = run.rfind('@')?;
    run.get(..sign)?.chars().nth(CHARS_MIN - 1).map(|_| range.start + sign)
}

/// Returns the last `@` of a range that precedes a letter or digit.
fn host_sign(text: &str, range: Range<usize>) -> Option<usize> {
    let run = text.as_bytes().get(range.clone())?;
    let sign = run.windows(2).rposition(|pair| pair[0] == b'@' && pair[1].is_ascii_alphanumeric())?;
    Some(range.start + sign)
}

/// Returns the first character that ends a run, at or after `at`.
fn next_end(text: &str, at: usize) -> Option<Range<usize>> {
    let place = text.get(at..)?.find(ends_run)?;
    Some(at + place..at + place + 1)
}

/// True for characters that no password in a URL has.
fn ends_run(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`')
}

/// Returns the length in bytes, from `at` on, of the characters for which `holds` is true.
fn length(text: &str, at: usize, holds: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find(|c: char| !holds(c)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_stand_between_colon_and_sign() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<_> = places(text).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("postgres://loci:hunter2@db/x and a://b:ccc@d", &["hunter2", "ccc"]);
        check("a://:p@ss@w@rd@host/path@x", &["p@ss@w@rd"]);
        check("a://u:p/a/ss@host and a://u:p/a@/", &["p/a/ss"]);
        check("a://u:p/a@x/b@y", &["p/a@x/b"]);
        check("a://u:x@h a://u:xyz @h a://u:/x@h ://u:xyz@h 1a://u:xyz@h a://u@h:xyz", &[]);
        check("x+a://u:xyz@h 1+a://u:xyz@h éa://u:xyz@h", &["xyz", "xyz", "xyz"]);
        check("a://u:é€ß@h", &["é€ß"]);
        check("a://b:/a://b:ccc@/a://b:x/y@z", &["ccc", "x/y"]);
    }
}
