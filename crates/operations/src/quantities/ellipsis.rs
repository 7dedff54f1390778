//! Names of amounts in an elliptic clause, taken from the previous clause or sentence:
//! `p95 hit 900 ms. Normal is 140 ms.` Pure.

use super::amount_name::{AmountSentence, Site};
use super::phrase::Phrase;
use super::units::Measure;
use super::vocabulary::{
    head, is_adverb, is_attribute, is_auxiliary, is_be, is_clause, is_link, is_past, is_peak, is_preposition,
    is_qualifier, is_resource, is_statistic, is_use, is_usual,
};

/// The maximum number of tokens before an amount in an elliptic clause.
const CLAUSE_MAX: usize = 8;
/// The maximum number of words of a predicate after an amount.
const PREDICATE_MAX: usize = 3;

impl AmountSentence<'_> {
    /// Returns the name of the last amount, if the clause only has words such as "usual".
    pub(super) fn of_ellipsis(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, phrase } = site;
        let mentioned = self.mentioned.filter(|one| one.measure.meets(amount.measure))?;
        let next = self.tokens.word(amount.end);
        let has_noun = !(next.is_empty() || is_clause(next) || is_preposition(next) || is_function(next));
        let is_full = !phrase.words.is_empty() || link.predicate.is_some() || amount.counted.is_some();
        let is_bound = link.is_bound && !mentioned.is_event;
        if has_noun || is_full || is_bound {
            return None;
        }
        let usual = self.usual_before(site)?;
        if mentioned.is_event {
            let is_own = |word: &&String| !is_peak(word) && !matches!(word.as_str(), "max" | "min");
            let mut words: Vec<String> = mentioned.name.iter().filter(is_own).cloned().collect();
            // `shot up to 22%`
            words.pop_if(|last| is_past(last) && last != "hit");
            return (!words.is_empty()).then_some(words);
        }
        if matches!(usual, "otherwise" | "else") {
            return Some(mentioned.name.iter().cloned().chain([usual.to_owned()]).collect());
        }
        let words = unbounded(&mentioned.name);
        (!words.is_empty() && words != mentioned.name).then_some(words)
    }

    /// Returns the word such as "usual" near an amount, if the clause before the amount consists of
    /// such words, pronouns and empty verbs.
    fn usual_before(&self, site: &Site<'_>) -> Option<&str> {
        let start = site.amount.start;
        let behind = self.tokens.word(site.amount.end);
        let mut usual = is_usual(behind).then_some(behind);
        for at in (start.saturating_sub(CLAUSE_MAX).max(self.sentence)..start).rev() {
            let word = self.tokens.word(at);
            if word.is_empty() {
                match self.tokens.sign(at) {
                    ":" | "~" | "<" | "≈" | "=" | "≤" => continue,
                    "" => return None,
                    _ => break,
                }
            }
            if is_usual(word) {
                usual = Some(word);
            } else if matches!(word, "and" | "but" | "while" | "though" | "although") {
                break;
            } else if !(is_function(word) || is_clause(word) || is_preposition(word)) {
                return None;
            }
        }
        usual
    }

    /// Returns the name of a part of the previous amount: `16 GB RAM, of which builds use 9 GB`,
    /// `40 connections, in practice 12-15 are in use`.
    pub(super) fn of_share_of_previous(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let amount = site.amount;
        let is_number = |one: Measure| matches!(one, Measure::COUNT | Measure::PLAIN);
        let is_like = |one: Measure| one == amount.measure || (is_number(one) && is_number(amount.measure));
        let previous = self.previous.filter(|one| is_like(one.measure) && amount.counted.is_none())?;
        let from = amount.start.saturating_sub(CLAUSE_MAX).max(self.floor);
        let which = (from..amount.start).find(|at| {
            self.tokens.word(*at) == "of"
                && matches!(self.tokens.word(at.saturating_add(1)), "which" | "them" | "those")
        });
        let predicate = self.predicate_of(amount.end);
        let is_used = which.is_some_and(|at| (at..amount.start).any(|one| is_use(self.tokens.word(one))));
        let is_plain = amount.measure == Measure::PLAIN && site.phrase.words.is_empty();
        if !(is_plain && previous.measure == Measure::COUNT) && which.is_none() {
            return None;
        }
        let predicate = if is_used { vec!["used".to_owned()] } else { predicate? };
        let base = unbounded(&previous.name).into_iter().filter(|word| word != "capacity");
        Some(base.chain(predicate).collect())
    }

    /// Returns the words after a form of `be` that follows an amount.
    fn predicate_of(&self, end: usize) -> Option<Vec<String>> {
        let at = |more: usize| self.tokens.word(end.saturating_add(more));
        if !is_be(at(0)) {
            return None;
        }
        if at(1) == "in" && at(2) == "use" {
            return Some(vec!["used".to_owned()]);
        }
        let from = end.saturating_add(1);
        let stop = (from..from.saturating_add(PREDICATE_MAX)).find(|one| {
            let word = self.tokens.word(*one);
            word.is_empty() || is_clause(word) || is_preposition(word)
        })?;
        let words = Phrase::before(self.tokens, stop, from).words;
        let is_name = !words.is_empty() && !words.iter().all(|word| is_qualifier(word));
        is_name.then_some(words)
    }
}

/// Returns the words of a name without statistics, attributes and bounds: `memory` for `maxmemory`.
pub(super) fn unbounded(name: &[String]) -> Vec<String> {
    let is_own = |word: &&String| {
        !(is_statistic(word) || is_attribute(word) || matches!(word.as_str(), "slo" | "sla"))
    };
    let without_prefix = |word: &String| {
        let rest = word.strip_prefix("max").map(|rest| rest.trim_start_matches('_'));
        rest.filter(|rest| head(rest).is_some()).unwrap_or(word).to_owned()
    };
    let mut words: Vec<String> = name.iter().filter(is_own).map(without_prefix).collect();
    // A resource has a usage; a size belongs only to the setting.
    if words.first() != name.first() && words.first().is_some_and(|first| is_resource(first)) {
        words.pop_if(|last| last == "size");
    }
    words
}

/// True for a word that is neither a noun nor a full verb.
fn is_function(word: &str) -> bool {
    is_adverb(word)
        || is_qualifier(word)
        || is_auxiliary(word)
        || is_be(word)
        || is_link(word)
        || is_use(word)
}
