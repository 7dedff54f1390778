//! The particulars of a text: numbers, identifiers, quotations, names and negations. Two
//! documents must contain the same ones, equally often, before they are merged. In doubt a word
//! counts, so that both documents stay.

use std::sync::LazyLock;

use loci_text::marks::{Marks, marks};
use loci_text::quotation::{Quotation, quotations};
use regex::Regex;

use super::negations;

/// The pairs of quotation marks, and the backticks around code.
const QUOTED: &[Quotation] = &[
    Quotation::any('`', &['`']).filled(),
    Quotation::any('"', &['"']).filled(),
    Quotation::any('“', &['”']).filled(),
    Quotation::any('„', &['“', '”']).filled(),
    Quotation::any('«', &['»']).filled(),
    Quotation::any('「', &['」']).filled(),
    Quotation::any('『', &['』']).filled(),
];
/// The maximum number of bytes of a word in which identifiers are searched. The pattern restarts
/// after each match, so a longer word counts as one identifier.
const WORD_BYTES_MAX: usize = 256;
/// A pattern of a word from code: an address, a path, a flag, or a word with special characters,
/// digits or inner capitals.
static IDENTIFIER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = r"[\w.+-]+://\S+|[\w.+-]+@[\w.-]+|--?[A-Za-z][\w-]*|[\w.-]*[/\\][\w./\\-]*|\w+(?:(?:::|->|[._:#-])\w+)+|\w*\p{Ll}\p{Lu}\w*|\w*\d\w*|\w*_\w*|\p{Lu}{2,}\w*";
    Regex::new(forms).ok()
});

/// The particulars of a text. If those of two nearly equal texts are the same, one may replace the
/// other without loss.
#[derive(Debug, PartialEq)]
pub(crate) struct Particulars {
    marks: Marks,
    digits: Vec<String>,
    negations: Vec<String>,
    quoted: Vec<String>,
    identifiers: Vec<String>,
    names: Vec<String>,
}

/// Returns the particulars of a text.
pub(crate) fn of(text: &str) -> Particulars {
    Particulars {
        marks: marks(text),
        digits: sorted(digits(text)),
        negations: negations::of(text),
        quoted: quoted(text),
        identifiers: identifiers(text),
        names: sorted(names(text)),
    }
}

fn quoted(text: &str) -> Vec<String> {
    let quoted = quotations(text, QUOTED).into_iter().filter_map(|place| text.get(place));
    sorted(quoted.map(trimmed).collect())
}

fn identifiers(text: &str) -> Vec<String> {
    let Some(pattern) = IDENTIFIER.as_ref() else { return Vec::new() };
    let (short, long): (Vec<&str>, Vec<&str>) =
        text.split_whitespace().partition(|word| word.len() <= WORD_BYTES_MAX);
    let parts = short.into_iter().flat_map(|word| pattern.find_iter(word)).map(|found| found.as_str());
    sorted(parts.chain(long).map(trimmed).collect())
}

fn trimmed(part: &str) -> String {
    part.trim_end_matches(['.', ',', ':', ';', ')']).to_owned()
}

/// Returns the numbers in a text: digits of any script, with their sign and inner dots.
fn digits(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !(c.is_numeric() || matches!(c, '.' | ',' | '-' | '−' | '%' | '°')));
    parts
        .filter(|part| part.chars().any(char::is_numeric))
        .map(|part| part.trim_matches([',', '.']).to_owned())
        .collect()
}

/// Returns the capitalised words that do not begin a sentence. Scripts without capitals have none.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let mut opens = true;
        for token in line.split_whitespace() {
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() {
                continue;
            }
            if !opens && word.starts_with(char::is_uppercase) {
                names.push(
                    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word).to_owned(),
                );
            }
            opens = token.ends_with(['.', '!', '?', ':', '…']);
        }
    }
    names
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_two_texts_apart() {
        let check = |a: &str, b: &str, same: bool| assert_eq!(of(a) == of(b), same, "{a} / {b}");
        check("The build is quick.", "The build is fast!", true);
        check("It runs on port 80.", "It runs on port 8080.", false);
        check("It costs 1,000 euros.", "It costs 1,500 euros.", false);
        check("It is -5 degrees.", "It is 5 degrees.", false);
        check("Call `a_b`.", "Call `a_c`.", false);
        check("Call a_b here.", "Call a_c here.", false);
        check("See https://a.example/x.", "See https://a.example/y.", false);
        check("Run it with --fast.", "Run it with --slow.", false);
        check("Reads src/main.rs first.", "Reads src/lib.rs first.", false);
        check("Say \"yes\" to it.", "Say \"no way\" to it.", false);
        check("We met Anna there.", "We met Bea there.", false);
        check("Anna sings.", "Bea sings.", true);
        check("He does eat it.", "He does not eat it.", false);
        check("On Mondays they rest.", "On Fridays they rest.", false);
        check("It needs ٣ keys.", "It needs ٤ keys.", false);
        check("Uses camelCase names.", "Uses snakeCase names.", false);
        check("Er trinkt Milch.", "Er trinkt keine Milch.", false);
    }
}
