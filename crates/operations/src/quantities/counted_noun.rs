//! The noun that an amount counts: `active connections`, `mails a day`. Pure.

use super::tokens::Tokens;
use super::units::{measure, whole_span};
use super::vocabulary::{
    ends_phrase, is_adverb, is_auxiliary, is_counted, is_link, is_measure_noun, is_preposition, is_span,
    is_state, is_use, plural,
};

/// The maximum number of words between an amount and the counted noun.
const MODIFIERS_MAX: usize = 3;

/// The counted noun phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CountedNoun {
    pub(super) words: Vec<String>,
    /// The unit of time of a rate.
    pub(super) span: Option<String>,
    /// The phrase as it is written.
    pub(super) text: String,
    /// True if the unit of time is joined to the noun: `connections/s`.
    pub(super) is_joined: bool,
    /// The index of the first token after it.
    pub(super) end: usize,
}

impl CountedNoun {
    /// Reads the noun phrase that begins at a token, after a number without a unit.
    pub(super) fn read(tokens: &Tokens<'_>, from: usize) -> Option<Self> {
        let (mut words, mut named) = (Vec::new(), None);
        for at in from..=from.saturating_add(MODIFIERS_MAX) {
            let word = tokens.word(at);
            let is_stop = word.is_empty() || ends_phrase(word) || is_auxiliary(word) || is_preposition(word);
            let is_verb = (is_link(word) || is_use(word)) && !(is_counted(word) || is_state(word));
            if is_stop || is_verb || word.contains('_') || (words.is_empty() && measure(word).is_some()) {
                break;
            }
            if is_adverb(word) && !(is_counted(word) || word == "open") {
                break;
            }
            if named.is_some() && !is_counted(word) {
                break;
            }
            // `new connections/s`
            if let Some((noun, span)) = word.split_once('/').filter(|(_, span)| is_span(span)) {
                words.push(noun.to_owned());
                let end = at.saturating_add(1);
                let span = Some(whole_span(span).to_owned());
                return Some(Self { words, span, text: tokens.text(from, end), is_joined: true, end });
            }
            words.push(word.to_owned());
            let is_noun = is_counted(word) || (plural(word) && !is_measure_noun(word));
            if is_noun {
                named = Some((words.len(), at.saturating_add(1)));
            }
        }
        let (count, noun_end) = named?;
        words.truncate(count);
        let over = over_span(tokens, noun_end);
        let end = over.as_ref().map_or(noun_end, |(end, _)| *end);
        Some(Self {
            words,
            span: over.map(|(_, span)| span),
            text: tokens.text(from, end),
            is_joined: false,
            end,
        })
    }

    /// Returns the words of a name: `requests per second`.
    pub(super) fn name(&self) -> Vec<String> {
        let over = self.span.iter().flat_map(|span| ["per".to_owned(), span.clone()]);
        self.words.iter().cloned().chain(over).collect()
    }
}

/// Returns the end of `per second`, `a day` or `/min` starting at a token, and the unit of time.
pub(super) fn over_span(tokens: &Tokens<'_>, at: usize) -> Option<(usize, String)> {
    let joins = matches!(tokens.word(at), "per" | "a" | "an" | "each" | "every") || tokens.sign(at) == "/";
    let span = tokens.word(at.saturating_add(1));
    (joins && is_span(span)).then(|| (at.saturating_add(2), whole_span(span).to_owned()))
}
