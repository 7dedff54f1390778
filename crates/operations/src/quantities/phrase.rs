//! The noun phrase before an amount: the measured thing in the words of the sentence. Pure.

use super::tokens::Tokens;
use super::units::{Measure, measure};
use super::vocabulary::{
    head, is_adverb, is_auxiliary, is_bound_noun, is_clause, is_condition, is_determiner, is_general,
    is_magnitude, is_preposition, is_qualifier, is_setting, is_span, is_statistic, is_subordinate,
};

/// The maximum number of words of a noun phrase, including prepositional phrases.
const WORDS_MAX: usize = 14;

/// A part of the noun phrase, with its preposition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Chunk {
    preposition: Option<String>,
    words: Vec<String>,
}

/// The noun phrase before an amount.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Phrase {
    /// The words of the name. Empty if there is none.
    pub(super) words: Vec<String>,
    /// The measures of its head. `None` if it is not measured.
    pub(super) measure: Option<Measure>,
    /// The first token of the phrase.
    pub(super) from: usize,
    /// True if a condition introduces it: the amount is a threshold.
    pub(super) is_conditional: bool,
    /// True if it is the second of two coordinated phrases.
    pub(super) is_coordinated: bool,
    /// True if the phrase belongs to a number: `95% of requests`.
    pub(super) is_of_number: bool,
}

impl Phrase {
    /// Reads the noun phrase that ends before a token. It begins at `floor` at the earliest.
    pub(super) fn before(tokens: &Tokens<'_>, end: usize, floor: usize) -> Self {
        Self::of(tokens, end, floor, false)
    }

    /// Reads the same phrase. `is_of`: the word `of` follows it, so that its last part is the
    /// measured one.
    pub(super) fn of(tokens: &Tokens<'_>, end: usize, floor: usize, is_of: bool) -> Self {
        let mut from = end;
        while from > floor && end.saturating_sub(from) < WORDS_MAX && goes_on(tokens, from, end) {
            from = from.saturating_sub(1);
        }
        let boundary = if from > 0 { tokens.word(from.saturating_sub(1)) } else { "" };
        let chunks = chunks(tokens, from, end);
        let cut_by_number = from > 0 && (tokens.is_number(from.saturating_sub(1)) || from == floor);
        // `95% of requests` and `3 of the pods` are no names.
        let is_of_number =
            cut_by_number && chunks.first().is_some_and(|one| one.preposition.as_deref() == Some("of"));
        let words = chosen(&chunks, is_of);
        Self {
            is_of_number,
            measure: measure_of(&words),
            words,
            from,
            is_conditional: is_condition(boundary),
            // `CPU and memory usage`
            is_coordinated: matches!(boundary, "and" | "or" | "&")
                && from.checked_sub(2).is_some_and(|at| at >= floor && head(tokens.word(at)).is_some()),
        }
    }
}

/// True if the token before a position belongs to the phrase that ends at `end`.
fn goes_on(tokens: &Tokens<'_>, from: usize, end: usize) -> bool {
    let at = from.saturating_sub(1);
    let (word, sign) = (tokens.word(at), tokens.sign(at));
    let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
    let is_colon = |place: usize| tokens.sign(place) == ":" && tokens.is_attached(place);
    if tokens.is_number(at) {
        return !is_colon(from) && !is_colon(at.saturating_sub(1));
    }
    if word.is_empty() {
        let is_owner = matches!(sign, "'" | "\u{2019}") && tokens.is_attached(at);
        return is_owner || matches!(sign, "→" | "->") || (sign == "/" && tokens.is_attached(from));
    }
    // `the records it writes`
    if from < end && is_auxiliary(tokens.word(end)) && matches!(word, "it" | "they" | "we" | "you") {
        let noun = before(1);
        return !(noun.is_empty() || is_clause(noun) || is_adverb(noun));
    }
    // `a tenant may store`
    if is_auxiliary(word) {
        return !word.contains(['\'', '\u{2019}']) && from < end && !is_determiner(tokens.word(from));
    }
    // The unit of another amount ends the phrase, except in `a backfill of 90 days`.
    let number = at.saturating_sub(1);
    if (measure(word).is_some() || is_magnitude(word)) && at > 0 && tokens.is_number(number) {
        return before(2) == "of" || is_colon(number.saturating_sub(1));
    }
    // `once a quarter`
    let is_often = word == "once" && (is_determiner(tokens.word(from)) || tokens.word(from) == "per");
    !is_clause(word) || is_often || (is_subordinate(word) && is_preposition(word))
}

/// Returns the measures of a name, which are those of its last noun.
pub(super) fn measure_of(words: &[String]) -> Option<Measure> {
    let (last, before) = (words.last()?, words.iter().rev().nth(1));
    if before.is_some_and(|before| before == "per") && is_span(last) {
        return Some(Measure::RATE.or(Measure::COUNT).or(Measure::PLAIN));
    }
    head(last)
}

fn chunks(tokens: &Tokens<'_>, from: usize, end: usize) -> Vec<Chunk> {
    let mut all: Vec<Chunk> = Vec::new();
    let mut open = Chunk::default();
    for at in from..end {
        let word = tokens.word(at);
        let is_rate = word == "per" && is_span(tokens.word(at.saturating_add(1))) && !open.words.is_empty();
        let is_last = at.saturating_add(1) == end;
        if is_rate {
            open.words.push(word.to_owned());
        } else if word == "state" && at.checked_sub(1).is_some_and(|one| tokens.word(one) == "steady") {
            // The state is not part of the name.
        } else if word == "set" && open.words.is_empty() && !is_last {
            // An imperative: its object is the measured thing.
        } else if matches!(word, "once" | "twice") {
            // The word states a frequency.
        } else if word.is_empty() {
            // A path separator.
        } else if is_preposition(word) {
            close(&mut all, &mut open);
            open.preposition = Some(word.to_owned());
        } else if is_auxiliary(word) {
            // The verb after it names the event.
        } else if is_determiner(word) {
            let preposition = if open.words.is_empty() { open.preposition.clone() } else { None };
            close(&mut all, &mut open);
            open.preposition = preposition;
        } else if !(is_setting(word) && is_last && !open.words.is_empty())
            && (!is_adverb(word) || (is_statistic(word) && !is_last))
        {
            let owned = word.trim_end_matches("'s").trim_end_matches("\u{2019}s");
            open.words.push(owned.to_owned());
        }
    }
    close(&mut all, &mut open);
    all
}

fn close(all: &mut Vec<Chunk>, open: &mut Chunk) {
    let chunk = std::mem::take(open);
    if !chunk.words.is_empty() {
        all.push(chunk);
    }
}

/// Returns the words of the measured chunk: the first one that is not a complement of time or
/// place, with its complements.
fn chosen(chunks: &[Chunk], is_of: bool) -> Vec<String> {
    // `the baseline for latency` refers to the latency.
    let is_general = |chunk: &Chunk| chunk.words.iter().all(|word| is_general(word) || is_qualifier(word));
    let is_main = |chunk: &&Chunk| chunk.preposition.is_none() && !(is_general(chunk) && chunks.len() > 1);
    let is_measured = |chunk: &Chunk| measure_of(&chunk.words).is_some();
    let is_part = |chunk: &Chunk| chunk.preposition.as_deref() == Some("of");
    let is_with = |chunk: &Chunk| chunk.preposition.as_deref() == Some("with");
    let last = chunks.iter().rposition(|chunk| !is_part(chunk)).unwrap_or_default();
    let at = match is_of {
        true => chunks.iter().rposition(is_measured).or(Some(last)),
        false => chunks
            .iter()
            .position(|chunk| is_main(&chunk) && is_measured(chunk))
            .or_else(|| chunks.iter().position(|chunk| is_with(chunk) && is_measured(chunk)))
            .or_else(|| chunks.iter().position(|chunk| is_main(&chunk)))
            .or_else(|| chunks.iter().rposition(|chunk| is_measured(chunk) && !is_part(chunk))),
    };
    let at = at.unwrap_or(last);
    let Some(chunk) = chunks.get(at) else { return Vec::new() };
    let next = chunks.get(at.saturating_add(1));
    next.and_then(|next| combined(chunk, next)).unwrap_or_else(|| chunk.words.clone())
}

/// Returns the name of `number of connections`, `p99 of the latency`, `latency at p99`.
fn combined(first: &Chunk, next: &Chunk) -> Option<Vec<String>> {
    let preposition = next.preposition.as_deref()?;
    let are_statistics = |words: &[String]| words.iter().all(|word| is_statistic(word));
    if are_statistics(&next.words) && matches!(preposition, "at" | "for" | "in") {
        return Some(next.words.iter().chain(&first.words).cloned().collect());
    }
    if are_statistics(&first.words) {
        return Some(first.words.iter().chain(&next.words).cloned().collect());
    }
    let last = first.words.last()?.as_str();
    if preposition == "of" && matches!(last, "number" | "amount" | "numbers" | "amounts") {
        let qualifiers = first.words.iter().take(first.words.len().saturating_sub(1));
        return Some(qualifiers.filter(|word| is_statistic(word)).chain(&next.words).cloned().collect());
    }
    let is_part = matches!(preposition, "of" | "to" | "for" | "from" | "between" | "until")
        && is_bound_noun(last)
        && first.words.len() <= 2;
    is_part.then(|| next.words.iter().chain(&first.words).cloned().collect())
}
