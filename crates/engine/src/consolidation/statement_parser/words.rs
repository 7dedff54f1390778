//! Splits a text into normalized words: lower case, stems, one word for synonyms, numbers as
//! digits, code and names marked.

use loci_text::marks::number_word;

use super::clock;
use super::lists;
use super::synonyms;

/// The class of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Class {
    /// A grammatical word: article, preposition, pronoun, auxiliary.
    Small,
    /// A word without meaning for a comparison: "really", "currently".
    Soft,
    /// Any other word.
    Plain,
    /// A word with a capital inside a sentence, or all in capitals.
    Name,
    /// Code, path, address, identifier, quoted text.
    Code,
    /// A number, in digits.
    Number,
    /// "not", "never", "no longer", "stopped".
    Negation,
    /// Punctuation that may end a clause.
    Break,
}

/// A word of a statement, normalized for comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Word {
    /// The normalized form of the word, which is compared: its stem, or the first of its
    /// synonyms.
    pub(in super::super) form: String,
    /// The word as the text spells it, in lower case.
    pub(in super::super) lower: String,
    /// The class of the word.
    pub(in super::super) class: Class,
    /// True if the word follows an article or a possessive such as "my".
    pub(in super::super) is_noun: bool,
    /// True if that article is "the", or the word follows a possessive.
    pub(in super::super) is_definite: bool,
}

impl Word {
    pub(super) fn new(form: impl Into<String>, class: Class) -> Self {
        let form = form.into();
        Self { lower: form.clone(), form, class, is_noun: false, is_definite: false }
    }

    /// Returns true for a content word.
    pub(in super::super) fn is_content(&self) -> bool {
        match self.class {
            Class::Plain | Class::Name | Class::Code | Class::Number => true,
            Class::Small | Class::Soft | Class::Negation | Class::Break => false,
        }
    }

    /// Returns true if a difference in this word always changes the meaning.
    pub(in super::super) fn is_hard(&self) -> bool {
        matches!(self.class, Class::Name | Class::Code | Class::Number)
    }
}

/// Returns the words of a text.
pub(in super::super) fn words(text: &str) -> Vec<Word> {
    let mut raw = Vec::new();
    let mut rest = text;
    // This avoids a search to the end for each opening quotation mark without a closing one.
    let last_closing = text.rfind('”').unwrap_or(0);
    while !rest.is_empty() {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        if let Some(closing) = closing_of(first)
            && (closing != '”' || text.len() - rest.len() < last_closing)
            && let Some((inside, after)) = quoted(rest, first, closing)
        {
            raw.push(ChunkPart::Code(inside.trim().to_lowercase()));
            rest = after;
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        read_chunk(chunk, &mut raw);
        rest = after;
    }
    let mut words = synonyms::folded(clock::with_clock(classified(raw)));
    for at in 1..words.len() {
        let before = words.get(at - 1);
        let opens = before
            .is_some_and(|before| before.class == Class::Small && matches!(before.form.as_str(), "a" | "'s"));
        let definite = opens && before.is_some_and(|before| matches!(before.lower.as_str(), "the" | "'s"));
        if let Some(word) = words.get_mut(at) {
            word.is_definite = definite;
            word.is_noun = opens;
        }
    }
    words
}

/// Parts of a chunk before classification.
enum ChunkPart {
    Code(String),
    Number(String),
    Word(String),
    Break(char),
}

fn closing_of(opening: char) -> Option<char> {
    match opening {
        '`' => Some('`'),
        '"' => Some('"'),
        '“' => Some('”'),
        _ => None,
    }
}

fn quoted(text: &str, opening: char, closing: char) -> Option<(&str, &str)> {
    let inside = text.get(opening.len_utf8()..)?;
    let end = inside.find(closing)?;
    let (inside, after) = inside.split_at_checked(end)?;
    let after = after.get(closing.len_utf8()..)?;
    (!inside.trim().is_empty()).then_some((inside, after))
}

fn read_chunk(chunk: &str, raw: &mut Vec<ChunkPart>) {
    let start = chunk.trim_start_matches(['(', '[', '{', '*', '#', '\'', '‘', '-', '–', '—', '•']);
    let leading = chunk.len() - start.len();
    if leading > 0 && chunk.starts_with(['-', '–', '—', '(']) && !start.is_empty() {
        raw.push(ChunkPart::Break(','));
    }
    let body =
        start.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '*', '"', '”', '\'', '’', '…']);
    let after = start.get(body.len()..).unwrap_or_default();
    if !body.is_empty() {
        // A minus sign before a number belongs to it: "-5".
        let negative =
            chunk.starts_with('-') && leading == 1 && body.starts_with(|c: char| c.is_ascii_digit());
        let kept = if negative { chunk.get(..1 + body.len()).unwrap_or(body) } else { body };
        read_body(kept, raw);
    }
    if let Some(mark) = after.chars().find(|c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?')) {
        raw.push(ChunkPart::Break(mark));
    }
}

fn read_body(body: &str, raw: &mut Vec<ChunkPart>) {
    if let Some((key, value)) = setting(body) {
        raw.push(ChunkPart::Code(key.to_lowercase()));
        raw.push(ChunkPart::Break(':'));
        return read_body(value, raw);
    }
    if let Some((number, unit)) = number_with_unit(body) {
        raw.push(ChunkPart::Number(number));
        if !unit.is_empty() {
            raw.push(ChunkPart::Word(unit));
        }
    } else if is_code(body) {
        raw.push(ChunkPart::Code(body.trim_matches('`').trim_matches('/').to_lowercase()));
    } else if body.contains(['-', '/', '–', '—']) && body.chars().any(char::is_alphabetic) {
        for part in body.split(['-', '/', '–', '—']).filter(|part| !part.is_empty()) {
            read_body(part, raw);
        }
    } else {
        raw.push(ChunkPart::Word(body.to_owned()));
    }
}

/// Splits `KEY=value`.
fn setting(body: &str) -> Option<(&str, &str)> {
    let (key, value) = body.split_once('=')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    (is_key && !value.is_empty() && !value.starts_with(['=', '>']) && !value.contains('='))
        .then_some((key, value))
}

/// Splits a number with adjacent signs or units: `30s`, `$5`, `25%`, `2nd`, `1,450`, `02:00`,
/// `3.11`.
fn number_with_unit(body: &str) -> Option<(String, String)> {
    let currency = ['$', '€', '£'].into_iter().find(|sign| body.starts_with(*sign));
    let plain = body.trim_start_matches(['$', '€', '£', '~', '≈']);
    let sign = if plain.starts_with('-') { "-" } else { "" };
    let plain = plain.trim_start_matches('-');
    let digits = plain.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = plain.get(digits.len()..)?;
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'));
    if !is_number || unit.chars().count() > 3 || unit.contains(['-', '_', '/']) {
        return None;
    }
    let unit = match (currency, unit) {
        (Some('$'), _) => "dollar".to_owned(),
        (Some('€'), _) => "euro".to_owned(),
        (Some(_), _) => "pound".to_owned(),
        (None, "st" | "nd" | "rd" | "th") => String::new(),
        (None, unit) => unit.to_owned(),
    };
    let number = digits.replace(',', "");
    let number = number.trim_end_matches(['.', ':']);
    Some((format!("{sign}{}", number.strip_suffix(".0").unwrap_or(number)), unit))
}

/// Returns true for paths, addresses and identifiers, which do not occur by accident.
fn is_code(body: &str) -> bool {
    let inner = |mark: char| {
        body.char_indices().any(|(at, c)| {
            c == mark
                && body.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric))
                && body.get(at + c.len_utf8()..).is_some_and(|after| after.starts_with(char::is_alphanumeric))
        })
    };
    let letters = body.chars().any(char::is_alphabetic);
    let digits = body.chars().any(|c| c.is_ascii_digit());
    let camel = body.chars().zip(body.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let slash = body.contains('/')
        && (body.starts_with(['/', '.']) || body.contains('.') || body.matches('/').count() > 1);
    body.contains("://")
        || body.contains("::")
        || body.contains(['_', '\\', '@', '*', '=', '<', '>', '{', '$'])
        || (letters && digits)
        || (digits && body.contains('-'))
        || (letters && inner('.') && !is_abbreviation(body))
        || body.starts_with('.') && letters
        || camel
        || slash
}

/// Returns true for an abbreviation: "e.g", "U.S".
fn is_abbreviation(body: &str) -> bool {
    body.split('.').all(|part| part.chars().count() <= 1)
}

fn classified(raw: Vec<ChunkPart>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at_start = true;
    for part in raw {
        match part {
            ChunkPart::Break(mark) => {
                words.push(Word::new(mark.to_string(), Class::Break));
                at_start = matches!(mark, '.' | '!' | '?' | ':');
                continue;
            }
            ChunkPart::Code(code) => words.push(Word::new(code, Class::Code)),
            ChunkPart::Number(number) => words.push(Word::new(number, Class::Number)),
            ChunkPart::Word(word) => read_word(&word, at_start, &mut words),
        }
        at_start = false;
    }
    words
}

/// Adds one written word: expands contractions, converts number words to digits, recognizes names
/// by their capitals.
fn read_word(written: &str, at_start: bool, words: &mut Vec<Word>) {
    let plain = written.replace('’', "'");
    let lower = plain.to_lowercase();
    if let Some(parts) = lists::contraction(&lower) {
        for part in parts {
            words.push(small(part));
        }
        return;
    }
    let (stem, possessive) = match lower
        .strip_suffix("'s")
        .or_else(|| lower.strip_suffix("s'").map(|_| lower.trim_end_matches('\'')))
    {
        Some(stem) => (stem.to_owned(), true),
        None => (lower.clone(), false),
    };
    // "PRs", "URLs".
    let capital_plural =
        plain.strip_suffix('s').is_some_and(|plain| plain.len() > 1 && plain.chars().all(char::is_uppercase));
    let stem = if capital_plural { stem.trim_end_matches('s').to_owned() } else { stem };
    let capital = plain.starts_with(char::is_uppercase);
    let capitals = plain.chars().filter(|c| c.is_uppercase()).count() > 1;
    let unit =
        matches!(stem.as_str(), "second") && words.last().is_some_and(|before| before.class == Class::Number);
    if let Some(number) = number_word(&stem).filter(|_| !unit) {
        words.push(Word {
            form: number.to_string(),
            lower: stem,
            class: Class::Number,
            is_noun: false,
            is_definite: false,
        });
    } else if lists::is_negation(&stem) {
        words.push(Word {
            form: "not".to_owned(),
            lower: stem,
            class: Class::Negation,
            is_noun: false,
            is_definite: false,
        });
    } else if lists::is_soft(&stem) {
        words.push(Word {
            form: stem.clone(),
            lower: stem,
            class: Class::Soft,
            is_noun: false,
            is_definite: false,
        });
    } else if lists::is_small(&stem) && (!capital || at_start || stem == "i") {
        words.push(small(&stem));
    } else {
        let named = capitals || (capital && !at_start && !lists::is_calendar(&stem));
        let class = if named { Class::Name } else { Class::Plain };
        words.push(Word {
            form: synonyms::one_form(&stem),
            lower: stem,
            class,
            is_noun: false,
            is_definite: false,
        });
    }
    if possessive {
        words.push(Word::new("'s", Class::Small));
    }
}

fn small(lower: &str) -> Word {
    if lists::is_negation(lower) {
        return Word {
            form: "not".to_owned(),
            lower: lower.to_owned(),
            class: Class::Negation,
            is_noun: false,
            is_definite: false,
        };
    }
    let form = match lower {
        "i" | "me" => "user",
        "am" | "are" | "was" | "were" | "been" | "be" => "is",
        "have" | "had" => "has",
        "do" | "did" => "does",
        "an" | "the" => "a",
        _ => lower,
    };
    // First-person words refer to the user.
    let class = if form == "user" { Class::Plain } else { Class::Small };
    Word { form: form.to_owned(), lower: lower.to_owned(), class, is_noun: false, is_definite: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let seen: Vec<String> = words(text).into_iter().map(|word| word.form).collect();
        assert_eq!(seen.join(" "), expect, "{text}");
    }

    #[test]
    fn forms() {
        check("The user lives in Zürich.", "a user live in zürich .");
        check("I don't like it", "user does not like it");
        check("Rent is 1,450 euros", "rent is 1450 euro");
        check("timeout: 30s", "timeout : 30 second");
        check("Run `make test`, now", "execut make test , now");
        check("see https://a.example/x.", "see https://a.example/x .");
        check("the 2nd of June", "a 2 of june");
        check("two kids", "2 child");
    }

    #[test]
    fn classes() {
        let class = |text: &str, at: usize| words(text).get(at).map(|word| word.class);
        assert_eq!(class("Anna uses Vim", 0), Some(Class::Plain));
        assert_eq!(class("Anna uses Vim", 2), Some(Class::Name));
        assert_eq!(class("call parse_date", 1), Some(Class::Code));
        assert_eq!(class("on port 8080", 2), Some(Class::Number));
        assert_eq!(class("it is not", 2), Some(Class::Negation));
    }
}
