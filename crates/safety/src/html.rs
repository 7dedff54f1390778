//! The byte ranges of HTML to remove from a text: dangerous elements with their content, comments,
//! and tags of real elements. Angle brackets that are not HTML (generics, comparisons, addresses)
//! stay.
//!
//! The module reads a copy in which code is masked, so it finds nothing there. It only returns
//! ranges and does not change the text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::html_names::{self, BARE_ATTRIBUTES, DANGEROUS, VOID};
use super::match_cache::MatchCache;

/// Maximum length of a tag, in bytes; a longer one is text.
const TAG_BYTES_MAX: usize = 4_096;

/// A tag as it is written in the text.
struct Tag<'a> {
    name: &'a str,
    closing: bool,
    /// True if the tag has only its name and no attributes.
    plain: bool,
    end: usize,
}

/// Returns the ranges to remove, in order, without overlaps.
pub(super) fn removals(masked: &str) -> Vec<Range<usize>> {
    let closers = last_closers(masked);
    let mut ends = MatchCache::new(masked, next_end);
    let mut found = Vec::new();
    let mut no_comment_end = false;
    let mut at = 0;
    while let Some(next) = masked.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + next;
        at = start + 1;
        let rest = masked.get(start..).unwrap_or_default();
        let end = if rest.starts_with("<!--") {
            let end = if no_comment_end { None } else { rest.get(4..).and_then(|inner| inner.find("-->")) };
            no_comment_end |= end.is_none();
            Some(start + end.map_or(4, |end| end + 7))
        } else {
            tag_removal(masked, start, (&closers, &mut ends))
        };
        if let Some(end) = end {
            found.push(start..end);
            at = end;
        }
    }
    found
}

/// Returns the end of the range to remove for the tag at `start`. `None` if the tag stays in the
/// text.
fn tag_removal(
    masked: &str,
    start: usize,
    (closers, ends): (&BTreeMap<String, usize>, &mut MatchCache<'_>),
) -> Option<usize> {
    let tag = tag_at(masked, start, ends)?;
    let name = tag.name.to_ascii_lowercase();
    if !html_names::is_element(&name) {
        return None;
    }
    let dangerous = DANGEROUS.binary_search(&name.as_str()).is_ok();
    let closed = closers.get(&name).is_some_and(|last| *last >= tag.end);
    let written = tag.name;
    let before = masked.get(..start).and_then(|text| text.chars().next_back());
    let after_word = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    let component = is_component(written);
    if component && after_word && tag.plain && !tag.closing {
        return None;
    }
    if dangerous && !tag.closing && closed && !component {
        return closer(masked, tag.end, &name, ends);
    }
    // `<Form>` and `Map<Object>` are components and types; a single capital is a type parameter.
    let spelled = written == name || (written.len() > 1 && written == name.to_ascii_uppercase());
    let always = matches!(name.as_str(), "script" | "style" | "iframe" | "embed");
    if !spelled && !always {
        return None;
    }
    let generic = after_word
        && !always
        && tag.plain
        && !tag.closing
        && !closed
        && VOID.binary_search(&written).is_err();
    (!generic).then_some(tag.end)
}

/// Returns the first `>` or other end of a tag at or after `at`.
fn next_end(masked: &str, at: usize) -> Option<Range<usize>> {
    let rest = masked.get(at..)?;
    rest.find('>').map(|place| at + place..at + place + 1)
}

/// Returns true for a name written like a component or a type: `Style`, `IFrame`. Any other
/// mixed-case name is an HTML element in disguise.
fn is_component(written: &str) -> bool {
    let (first, rest) = written.split_at_checked(1).unwrap_or_default();
    let capital = first.bytes().all(|b| b.is_ascii_uppercase());
    written == "IFrame" || (capital && !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Returns the last position at which each element is closed.
fn last_closers(masked: &str) -> BTreeMap<String, usize> {
    let mut last = BTreeMap::new();
    for (at, _) in masked.match_indices("</") {
        let name: String = masked
            .get(at + 2..)
            .unwrap_or_default()
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        if html_names::is_element(&name) {
            last.insert(name, at);
        }
    }
    last
}

/// Returns the end of the first end tag of an element after `from`.
fn closer(masked: &str, from: usize, name: &str, ends: &mut MatchCache<'_>) -> Option<usize> {
    let rest = masked.get(from..)?;
    for (at, _) in rest.match_indices("</") {
        let after = rest.get(at + 2..)?;
        let Some(written) = after.get(..name.len()) else { continue };
        let tail = after.get(name.len()..).unwrap_or_default();
        if written.eq_ignore_ascii_case(name) && !tail.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            let end = from + at + 2 + name.len();
            let close = ends.first(end).filter(|close| close.end <= end + TAG_BYTES_MAX);
            return Some(close.map_or(end, |close| close.end));
        }
    }
    None
}

/// Returns the tag that begins here, if there is one.
fn tag_at<'t>(masked: &'t str, start: usize, ends: &mut MatchCache<'_>) -> Option<Tag<'t>> {
    let bytes = masked.as_bytes();
    let closing = bytes.get(start + 1) == Some(&b'/');
    let from = start + 1 + usize::from(closing);
    let letters = bytes.get(from..)?.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let name = masked.get(from..from + letters)?;
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let limit = bytes.len().min(start + TAG_BYTES_MAX);
    let after = from + letters;
    if bytes.get(after) == Some(&b'>') {
        return Some(Tag { name, closing, plain: true, end: after + 1 });
    }
    if !bytes.get(after).is_some_and(|b| b.is_ascii_whitespace() || *b == b'/') {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    // Browsers also parse a broken tag of these elements.
    if DANGEROUS.binary_search(&lower.as_str()).is_ok() {
        let end = ends.first(after).filter(|end| end.end <= limit)?;
        return Some(Tag { name, closing, plain: false, end: end.end });
    }
    let end = attributes_end(bytes.get(..limit)?, after)?;
    Some(Tag { name, closing, plain: false, end })
}

/// Returns the position after the `>` of a tag whose attributes begin at `at`; `None` if they are
/// no attributes.
fn attributes_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let skip = |at: usize| at + bytes.iter().skip(at).take_while(|b| b.is_ascii_whitespace()).count();
    loop {
        at = skip(at);
        match bytes.get(at)? {
            b'>' => return Some(at + 1),
            b'/' => at += 1,
            b if b.is_ascii_alphabetic() || matches!(b, b':' | b'@' | b'_') => {
                let legal =
                    |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'-' | b'.' | b'@');
                let length = bytes.iter().skip(at).take_while(legal).count();
                let name = bytes.get(at..at + length)?.to_ascii_lowercase();
                at = skip(at + length);
                if bytes.get(at) == Some(&b'=') {
                    at = value_end(bytes, skip(at + 1))?;
                } else if !BARE_ATTRIBUTES.iter().any(|bare| bare.as_bytes() == name) {
                    return None;
                }
            }
            _ => return None,
        }
    }
}

fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        quote @ (b'"' | b'\'') => {
            let length = bytes.get(at + 1..)?.iter().position(|b| b == quote)?;
            Some(at + length + 2)
        }
        _ => {
            let plain = |b: &&u8| !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`');
            let length = bytes.get(at..)?.iter().take_while(plain).count();
            (length > 0).then_some(at + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_html() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<_> = removals(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        for kept in [
            "Promise<void>",
            "Vec<String>",
            "Array<any>",
            "<Layout>",
            "a <b and c> d",
            "<jo@example.org>",
            "Map<String, Object>",
            "List<a>",
            "foo::<i>()",
            "fn f<A, B>()",
            "if a < b && c > d",
            "<T>",
            "<A>",
            "<https://example.org>",
            "x <- y",
            "Option<Box<dyn Form>>",
            "<Form>",
            "1 <i",
            "Vec<Style>",
            "Promise<Embed>",
            "FC<Script>",
            "React::FC<IFrame>",
            "Map<Object> m; Map<Object> n",
        ] {
            check(kept, &[]);
        }
        check("<b>bold</b>", &["<b>", "</b>"]);
        check("H<sub>2</sub>O", &["<sub>", "</sub>"]);
        check("a<br>b<br/>", &["<br>", "<br/>"]);
        check("<a href='x>y' hidden>z</a >", &["<a href='x>y' hidden>", "</a >"]);
        check("x<script>alert(1)</script>y", &["<script>alert(1)</script>"]);
        check("<ScRiPt src=x>a</sCript foo>y", &["<ScRiPt src=x>a</sCript foo>"]);
        check("<!-- hidden -->shown<!-- open", &["<!-- hidden -->", "<!--"]);
        check("<FORM action=x><input></FORM>", &["<FORM action=x><input></FORM>"]);
        check("<iframe src=x>", &["<iframe src=x>"]);
        check("FC<Style> of <b>x</b> </style>", &["<b>", "</b>", "</style>"]);
        check("<Form onSubmit={send}>x</form>", &["</form>"]);
        check("<Script>x</Script>", &["<Script>", "</Script>"]);
        check("x<Script src=y>z</script>", &["<Script src=y>", "</script>"]);
        check("x<SCRIPT>y</SCRIPT>", &["<SCRIPT>y</SCRIPT>"]);
        check("</div>", &["</div>"]);
    }
}
