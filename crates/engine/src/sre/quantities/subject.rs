//! The noun phrase before an amount: what is measured, as the sentence calls it. Pure.

use super::tokens::{Kind, Tokens};
use super::units::Measure;
use super::vocabulary::{
    head, is_adverb, is_auxiliary, is_clause, is_condition, is_determiner, is_general, is_preposition,
    is_span, is_statistic,
};

/// Words of a noun phrase with what is attached to it by prepositions, at most.
const WORDS_MAX: usize = 12;

/// A part of the noun phrase, with the preposition before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Chunk {
    preposition: Option<String>,
    words: Vec<String>,
}

/// The noun phrase before an amount.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// Words of the name; empty where there is none.
    pub(super) words: Vec<String>,
    /// The measures of its head; none where nobody measures it.
    pub(super) measure: Option<Measure>,
    /// The last word before the zone, and its measures.
    pub(super) last_measure: Option<Measure>,
    /// A condition introduces it: the amount is a threshold.
    pub(super) is_conditional: bool,
    /// It is the second of two that are named together.
    pub(super) is_coordinated: bool,
}

impl Subject {
    /// Reads the noun phrase that ends before a token, and begins at `floor` at the earliest.
    pub(super) fn before(tokens: &Tokens<'_>, end: usize, floor: usize) -> Self {
        let mut from = end;
        while from > floor && end.saturating_sub(from) < WORDS_MAX {
            let word = tokens.word(from.saturating_sub(1));
            if word.is_empty() || is_clause(word) || is_finite(word) {
                break;
            }
            from = from.saturating_sub(1);
        }
        let boundary = if from > 0 { tokens.word(from.saturating_sub(1)) } else { "" };
        let is_number =
            from > 0 && tokens.get(from.saturating_sub(1)).is_some_and(|one| one.kind == Kind::Number);
        let cut_by_number = is_number || (from > 0 && from == floor);
        // `CPU and memory usage`
        let is_coordinated = matches!(boundary, "and" | "or" | "&")
            && from.checked_sub(2).is_some_and(|at| at >= floor && head(tokens.word(at)).is_some());
        let chunks = chunks(tokens, from, end);
        let last_measure =
            tokens.get(end.saturating_sub(1)).filter(|_| end > from).and_then(|last| head(&last.lower));
        let mut subject = Self {
            last_measure,
            is_coordinated,
            is_conditional: from > 0 && is_condition(boundary),
            ..Self::default()
        };
        // `95% of requests` and `3 of the pods` are no names.
        let is_of_number =
            cut_by_number && chunks.first().is_some_and(|one| one.preposition.as_deref() == Some("of"));
        if !is_of_number {
            subject.words = chosen(&chunks);
            subject.measure = measure_of(&subject.words);
        }
        subject
    }
}

/// The measures of a name: of its last noun that has some, else of the statistic.
pub(super) fn measure_of(words: &[String]) -> Option<Measure> {
    let (last, before) = (words.last()?, words.iter().rev().nth(1));
    if before.is_some_and(|before| before == "per") && is_span(last) {
        return Some(Measure::RATE.or(Measure::COUNT).or(Measure::PLAIN));
    }
    head(last)
}

/// Returns true for a verb that ends a noun phrase before it.
fn is_finite(word: &str) -> bool {
    is_auxiliary(word)
        || matches!(word, "uses" | "consumes" | "requires" | "alert" | "alerts" | "keep" | "ensure")
}

fn chunks(tokens: &Tokens<'_>, from: usize, end: usize) -> Vec<Chunk> {
    let mut all: Vec<Chunk> = Vec::new();
    let mut open = Chunk::default();
    for at in from..end {
        let word = tokens.word(at);
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s"));
        let is_rate = word == "per" && is_span(tokens.word(at.saturating_add(1))) && !open.words.is_empty();
        if is_rate {
            open.words.push(word.to_owned());
        } else if is_preposition(word) {
            close(&mut all, &mut open);
            open.preposition = Some(word.to_owned());
        } else if owner.is_some() {
            open.words.clear();
        } else if is_determiner(word) {
            let preposition = if open.words.is_empty() { open.preposition.clone() } else { None };
            close(&mut all, &mut open);
            open.preposition = preposition;
        } else if !is_adverb(word) || (is_statistic(word) && at.saturating_add(1) < end) {
            open.words.push(word.to_owned());
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

/// The words of the chunk that is measured.
fn chosen(chunks: &[Chunk]) -> Vec<String> {
    // `the baseline for latency` is the latency.
    let is_general = |chunk: &Chunk| chunk.words.iter().all(|word| is_general(word));
    let is_measured =
        |chunk: &Chunk| measure_of(&chunk.words).is_some() && !(is_general(chunk) && chunks.len() > 1);
    let is_main = |chunk: &&Chunk| chunk.preposition.is_none();
    let found = chunks
        .iter()
        .position(|chunk| is_main(&chunk) && is_measured(chunk))
        .or_else(|| chunks.iter().position(is_measured))
        .or_else(|| chunks.iter().position(|chunk| is_main(&chunk)));
    let Some(at) = found else { return Vec::new() };
    let Some(chunk) = chunks.get(at) else { return Vec::new() };
    let next = chunks.get(at.saturating_add(1));
    match next.and_then(|next| combined(chunk, next)) {
        Some(words) => words,
        None => chunk.words.clone(),
    }
}

/// The name of `number of connections`, `p99 of the latency`, `latency at p99`.
fn combined(first: &Chunk, next: &Chunk) -> Option<Vec<String>> {
    let preposition = next.preposition.as_deref()?;
    let only =
        |words: &[String], is: fn(&str) -> bool| !words.is_empty() && words.iter().all(|word| is(word));
    if only(&next.words, is_statistic) && matches!(preposition, "at" | "for" | "in") {
        return Some(next.words.iter().chain(&first.words).cloned().collect());
    }
    if !matches!(preposition, "of" | "for" | "in" | "on") {
        return None;
    }
    if only(&first.words, is_statistic) {
        return Some(first.words.iter().chain(&next.words).cloned().collect());
    }
    let last = first.words.last()?.as_str();
    let is_amount = matches!(last, "number" | "amount" | "numbers" | "amounts");
    let is_part = matches!(
        last,
        "count"
            | "size"
            | "rate"
            | "level"
            | "length"
            | "depth"
            | "percentage"
            | "share"
            | "ratio"
            | "volume"
            | "limit"
            | "usage"
            | "use"
            | "utilization"
            | "consumption"
            | "duration"
            | "frequency"
    );
    if preposition == "of" && is_amount {
        let qualifiers = first.words.iter().take(first.words.len().saturating_sub(1));
        return Some(qualifiers.filter(|word| is_statistic(word)).chain(&next.words).cloned().collect());
    }
    (preposition == "of" && is_part && first.words.len() <= 2)
        .then(|| next.words.iter().chain(&first.words).cloned().collect())
}
