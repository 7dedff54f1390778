//! The token budget of injection: entries are added whole, best first, each if it still fits.

use super::CallbackError;
use super::format::InjectionFormat;
use crate::agent::entry::Entry;
use crate::agent::tokens::Estimator;

/// The text that marks an entry as cut.
const CUT_MARK: &str = " […]";
/// The assumed maximum number of bytes of a token. It limits the text in which the end of a cut is
/// searched.
const TOKEN_BYTES_MAX: usize = 32;

/// A text with entries, within its token budget.
pub(super) struct Rendered {
    /// The text for the model. It is empty if no entry fits.
    pub(super) text: String,
    pub(super) tokens: usize,
    /// The entries that the text contains.
    pub(super) entries: Vec<Entry>,
    /// The number of entries that were left out because they did not fit.
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
        kept.push(entry);
        let mut fits = try_fit(format, &kept, max_tokens, estimator)?;
        if fits.is_none() && at == 0 {
            fits = cut_to_fit(format, &mut kept, max_tokens, estimator)?;
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

/// Cuts the only entry at the last end of a sentence that fits the budget. An estimate never
/// decreases as a text grows, so the search halves the remaining ends with each attempt.
fn cut_to_fit(
    format: &InjectionFormat,
    kept: &mut [Entry],
    max_tokens: usize,
    estimator: &Estimator,
) -> Result<Option<(String, usize)>, CallbackError> {
    let Some(whole) = kept.first().map(|entry| entry.content.clone()) else { return Ok(None) };
    // Every estimate has at least one byte per token, and at most a few dozen.
    let reach = max_tokens.saturating_mul(TOKEN_BYTES_MAX);
    let ends = sentence_ends(&whole, reach);
    let mut best = None;
    let (mut fit, mut too_long) = (0, ends.len());
    while fit < too_long {
        let middle = fit.midpoint(too_long);
        let cut = ends.get(middle).and_then(|end| whole.get(..*end)).map(|part| format!("{part}{CUT_MARK}"));
        if let (Some(entry), Some(cut)) = (kept.first_mut(), cut.clone()) {
            entry.content = cut;
        }
        match try_fit(format, kept, max_tokens, estimator)? {
            Some(fits) => (best, fit) = (Some((fits, cut)), middle + 1),
            None => too_long = middle,
        }
    }
    let Some((fits, cut)) = best else { return Ok(None) };
    if let (Some(entry), Some(cut)) = (kept.first_mut(), cut) {
        entry.content = cut;
    }
    Ok(Some(fits))
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

/// Returns the offsets of the ends of sentences within the first `reach` bytes of a text,
/// ascending. The end of the text itself is left out.
fn sentence_ends(text: &str, reach: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if at > reach {
            break;
        }
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
            let got: Vec<&str> =
                sentence_ends(text, usize::MAX).into_iter().map(|end| &text[..end]).collect();
            assert_eq!(got, expect, "{text}");
        };
        check("One. Two 1.5 three! Four", &["One.", "One. Two 1.5 three!"]);
        check("一。二", &["一。"]);
        check("a\nb", &["a"]);
        check("no end.", &[]);
    }

    #[test]
    fn a_book_is_cut_with_a_few_tries() {
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = std::sync::Arc::clone(&calls);
        let estimator = Estimator::Custom(std::sync::Arc::new(move |text: &str| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            text.len().div_ceil(4)
        }));
        let book = "This is a sentence of a long book. ".repeat(30_000);
        let out =
            rendered(&InjectionFormat::Strands, vec![Entry::new("s", book)], 2_000, &estimator).unwrap();
        assert!((1_980..=2_000).contains(&out.tokens), "{}", out.tokens);
        assert!(out.text.contains("book. […]</entry>"), "cut at the end of a sentence");
        let calls = calls.load(std::sync::atomic::Ordering::Relaxed);
        assert!(calls < 20, "{calls} estimates");
    }
}
