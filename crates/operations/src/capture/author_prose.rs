//! Sentences that the author of a text states: without fences, code, quotations, logs and
//! statements of others. Pure. The callers interpret the sentences.

use loci_engine::safety::code_spans::regions;
use loci_engine::strategies::preferences::requester_words::own_words;
use loci_text::quotation::{Quotation, without_quotations};

/// The maximum length of a code span that is read as a name, in characters.
const NAME_CHARS_MAX: usize = 100;
/// Replaces text that is left out.
const LEFT_OUT: &str = " … ";
/// The pairs of quotation marks.
const QUOTED: &[Quotation] = &[
    Quotation::any('"', &['"']),
    Quotation::any('“', &['”']),
    Quotation::any('„', &['“', '”']),
    Quotation::any('«', &['»']),
    Quotation::any('\'', &['\'']).apart(),
    Quotation::any('‘', &['’']),
];

/// Returns the prose of a text without any code.
pub(super) fn own_prose(text: &str) -> String {
    let prose = without_code(text, |_| None);
    without_quotations(&own_words(&prose), QUOTED, LEFT_OUT)
}

/// Returns the prose of a text, and keeps names written as code, such as `api-server`.
pub(super) fn own_prose_with_names(text: &str) -> String {
    let prose = without_code(text, name);
    without_quotations(&own_words(&prose), QUOTED, LEFT_OUT)
}

/// Returns a text without fences and code spans. A span is replaced with the result of `kept`, if
/// any.
pub(super) fn without_code(text: &str, kept: fn(&str) -> Option<&str>) -> String {
    let mut bare = String::new();
    let mut from = 0;
    for region in regions(text) {
        bare.push_str(text.get(from..region.range.start).unwrap_or_default());
        let span = text.get(region.range.clone()).unwrap_or_default();
        bare.push_str(match (region.fence, kept(span)) {
            (true, _) => "\n\n",
            (false, Some(name)) => name,
            (false, None) => LEFT_OUT,
        });
        from = region.range.end;
    }
    bare.push_str(text.get(from..).unwrap_or_default());
    bare
}

/// Returns the name in a code span. `None` for a command or a value.
fn name(span: &str) -> Option<&str> {
    let name = span.trim_matches('`').trim();
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.' | '/');
    let is_name = name.len() <= NAME_CHARS_MAX && name.starts_with(|sign: char| sign.is_ascii_alphabetic());
    (is_name && name.chars().all(is_sign)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_and_all_else_goes() {
        let check = |text: &str, bare: &str, named: &str| {
            let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(own_prose(text)), bare, "{text}");
            assert_eq!(words(own_prose_with_names(text)), named, "{text}");
        };
        check("The `api-server` is up.", "The … is up.", "The api-server is up.");
        check("Run `kubectl get po`.", "Run … .", "Run … .");
        check("It is \"no\".", "It is … .", "It is … .");
        check("A.\n```\ncode\n```\nB.", "A. B.", "A. B.");
        check("> quoted\nA.", "A.", "A.");
    }
}
