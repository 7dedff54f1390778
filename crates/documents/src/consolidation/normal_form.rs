//! The normal form in which texts are compared: NFKC, case folded, without Markdown markup, and
//! with single spaces.

use loci_engine::document_text::case_folding::folded;
use loci_text::normalise_exact;
use unicode_normalization::UnicodeNormalization;

/// Returns the normal form of the body of a document.
pub(crate) fn body(text: &str) -> String {
    let lines = text.lines().map(without_marks).collect::<Vec<_>>().join(" ");
    one_form(&lines)
}

/// Returns the normal form of one line.
pub(super) fn line(text: &str) -> String {
    one_form(&without_marks(text))
}

fn one_form(text: &str) -> String {
    let compatible: String = text.nfkc().collect();
    normalise_exact(&folded(&compatible))
}

/// Returns a line without the markup of a heading, a list item, a quotation or emphasis. Text
/// between backticks stays.
fn without_marks(line: &str) -> String {
    let mut rest = line.trim();
    loop {
        let heading = rest.trim_start_matches('#');
        let bare = match rest.strip_prefix(['-', '*', '+', '>']) {
            Some(item) if item.starts_with([' ', '\t']) => item,
            _ if heading.len() < rest.len() && heading.starts_with([' ', '\t']) => heading,
            _ => break,
        };
        rest = bare.trim_start();
    }
    let mut plain = String::with_capacity(rest.len());
    for (at, part) in rest.split('`').enumerate() {
        if at % 2 == 0 {
            plain.push_str(&part.replace("**", "").replace("__", ""));
        } else {
            plain.push_str(part);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same() {
        let check = |a: &str, b: &str, same: bool| assert_eq!(body(a) == body(b), same, "{a:?} {b:?}");
        check("# Topic\n\n- One **thing**.\n", "topic\n* one thing.", true);
        check("> said", "Said", true);
        check("ＡＢＣ  straße", "abc STRASSE", true);
        check("a * b", "a b", false);
        check("-5 degrees", "5 degrees", false);
        check("`__init__` runs", "`init` runs", false);
        check("#tag", "tag", false);
        assert_eq!(line("  - Uses `make`"), "uses make");
    }
}
