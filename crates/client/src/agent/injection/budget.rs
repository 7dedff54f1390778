//! The budget of tokens: whole entries, best first, each where it still fits.

use super::CallbackError;
use super::format::InjectionFormat;
use crate::agent::entry::Entry;
use crate::agent::tokens::Estimator;

/// Stands where an entry was cut.
const CUT_MARK: &str = " […]";

/// A text within the budget.
pub(super) struct Rendered {
    /// Empty where nothing fits.
    pub(super) text: String,
    pub(super) tokens: usize,
    /// What the text shows.
    pub(super) entries: Vec<Entry>,
    /// How many entries found no room.
    pub(super) skipped: usize,
}

pub(super) fn rendered(
    format: &InjectionFormat,
    entries: Vec<Entry>,
    max_tokens: usize,
    estimator: &Estimator,
) -> Result<Rendered, CallbackError> {
    let mut kept: Vec<Entry> = Vec::new();
    let mut out = Rendered { text: String::new(), tokens: 0, entries: Vec::new(), skipped: 0 };
    for (at, entry) in entries.into_iter().enumerate() {
        let endings = if at == 0 { sentence_ends(&entry.content) } else { Vec::new() };
        let whole = entry.content.clone();
        kept.push(entry);
        let mut fits = try_fit(format, &kept, max_tokens, estimator)?;
        for end in endings.into_iter().rev() {
            if fits.is_some() {
                break;
            }
            if let (Some(first), Some(part)) = (kept.last_mut(), whole.get(..end)) {
                first.content = format!("{part}{CUT_MARK}");
            }
            fits = try_fit(format, &kept, max_tokens, estimator)?;
        }
        match fits {
            Some((text, tokens)) => (out.text, out.tokens) = (text, tokens),
            None => {
                kept.pop();
                out.skipped += 1;
            }
        }
    }
    out.entries = kept;
    Ok(out)
}

fn try_fit(
    format: &InjectionFormat,
    entries: &[Entry],
    max_tokens: usize,
    estimator: &Estimator,
) -> Result<Option<(String, usize)>, CallbackError> {
    let text = format.render(entries)?;
    let tokens = estimator.tokens(&text);
    Ok((tokens <= max_tokens).then_some((text, tokens)))
}

/// Where sentences end before the end of the text, in bytes, ascending.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let ends_here = match character {
            '.' | '!' | '?' => characters.peek().is_some_and(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' => characters.peek().is_some(),
            '\n' => {
                ends.push(at);
                false
            }
            _ => false,
        };
        if ends_here {
            ends.push(end);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_sentences() {
        let check = |text: &str, expect: &[&str]| {
            let got: Vec<&str> = sentence_ends(text).into_iter().map(|end| &text[..end]).collect();
            assert_eq!(got, expect, "{text}");
        };
        check("One. Two 1.5 three! Four", &["One.", "One. Two 1.5 three!"]);
        check("一。二", &["一。"]);
        check("a\nb", &["a"]);
        check("no end.", &[]);
    }
}
