//! Names of amounts that refer to parts of one thing: `96% for images, 71% for answers`. Pure.

use super::amount::Amount;
use super::amount_name::{AmountSentence, Site, ends_behind};
use super::ellipsis::unbounded;
use super::objects::BEHIND_MAX;
use super::phrase::Phrase;
use super::units::Measure;
use super::vocabulary::{is_adverb, is_attribute, is_clause, is_measure_noun, is_preposition, is_statistic};

impl AmountSentence<'_> {
    /// Returns the name of an amount for a part of the previous measurement:
    /// `96% for images, 71% for answers`, or for each counted thing: `1,200 files of 128 MB`.
    pub(super) fn of_part(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, .. } = site;
        let previous = self.previous?;
        let name = previous.whole.iter().cloned();
        let is_of = link.preposition.as_deref() == Some("of") && link.from == self.floor;
        if is_of && previous.measure == Measure::COUNT && amount.measure == Measure::BYTES {
            return Some(name.chain(["size".to_owned()]).collect());
        }
        // `610 GB of 1 TB`
        if is_of && previous.measure == Measure::BYTES && amount.measure == Measure::BYTES {
            let base = unbounded(&previous.name).into_iter();
            return Some(base.chain(["capacity".to_owned()]).collect());
        }
        let is_number =
            amount.measure == Measure::PLAIN && matches!(previous.measure, Measure::COUNT | Measure::RATE);
        let is_same = previous.measure == amount.measure || is_number;
        if !is_same || link.has_verb || amount.counted.is_some() {
            return None;
        }
        let (words, _) = self.part_behind(amount)?;
        // `120 GB RAM, 1.1 TB scratch`
        if previous.is_behind && words.len() == 1 && self.tokens.word(amount.end) == words.concat() {
            return Some(words);
        }
        let is_other = words.iter().all(|word| is_statistic(word));
        let whole = previous.whole.iter().filter(|word| !(is_other && is_statistic(word)));
        Some(whole.cloned().chain(words).collect())
    }

    /// Returns the words of `for images` or of a single `hot` after an amount, and their end.
    fn part_behind(&self, amount: &Amount) -> Option<(Vec<String>, usize)> {
        let word = self.tokens.word(amount.end);
        let end = amount.end.saturating_add(1);
        let is_alone =
            matches!(self.tokens.sign(end), "," | ";" | "." | ")") || self.tokens.get(end).is_none();
        let is_other = ends_behind(word) || is_adverb(word) || is_statistic(word) || is_attribute(word);
        if is_alone && !is_other && !is_preposition(word) && !is_measure_noun(word) {
            return Some((vec![word.to_owned()], end));
        }
        if self.is_in_resource(amount) {
            return None;
        }
        if !matches!(self.tokens.word(amount.end), "for" | "on" | "in" | "at" | "during" | "with" | "from") {
            return None;
        }
        let from = amount.end.saturating_add(1);
        let end = (from..from.saturating_add(BEHIND_MAX)).find(|at| {
            let word = self.tokens.word(*at);
            word.is_empty() || is_clause(word) || is_preposition(word)
        })?;
        let words = Phrase::before(self.tokens, end, from).words;
        (!words.is_empty()).then_some((words, end))
    }

    /// Returns the words after the first of several parts: `96% for images, 71% for answers`.
    pub(super) fn first_part(&self, amount: &Amount) -> Vec<String> {
        let Some((words, end)) = self.part_behind(amount) else { return Vec::new() };
        let joins = self.tokens.sign(end) == "," || matches!(self.tokens.word(end), "and" | "vs" | "versus");
        let from = end.saturating_add(1);
        let next = (from..from.saturating_add(BEHIND_MAX))
            .take_while(|at| {
                self.tokens.is_number(*at) || is_adverb(self.tokens.word(*at)) || self.tokens.sign(*at) == "~"
            })
            .find_map(|at| Amount::read(self.tokens, at));
        let is_part = next.is_some_and(|next| {
            let is_like = next.measure == amount.measure || next.measure == Measure::PLAIN;
            is_like && next.counted.is_none() && self.part_behind(&next).is_some()
        });
        if joins && is_part { words } else { Vec::new() }
    }
}
