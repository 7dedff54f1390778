//! Names from the words after an amount: `400Mi of memory`, `a 30s timeout`, `12 replicas`. Pure.

use super::amount::Amount;
use super::amount_name::{AmountSentence, NameWords, Site, ends_behind};
use super::counted_noun::CountedNoun;
use super::name::stem;
use super::phrase::measure_of;
use super::rates::rate_by_unit;
use super::units::{Measure, is_unit};
use super::vocabulary::{
    head, is_adverb, is_attribute, is_auxiliary, is_be, is_determiner, is_link, is_measure_noun, is_person,
    is_preposition, is_qualifier, is_resource, is_statistic, is_use, plural,
};

/// The maximum number of words after an amount that may name it.
pub(super) const BEHIND_MAX: usize = 4;

/// The maximum number of words from the verb of a list to its second amount.
const LIST_MAX: usize = 6;
/// The maximum length of the value of a small incidental count, in characters.
const MANY_MIN: usize = 2;

impl AmountSentence<'_> {
    /// Returns the noun after the amount: `400Mi of memory`, `a 30s timeout`, `2 cores`.
    pub(super) fn of_object(&self, site: &Site<'_>) -> Option<NameWords> {
        let Site { amount, link, phrase } = site;
        let goes_on = self.goes_on(site);
        let is_owned = match goes_on {
            true => self.previous.is_some_and(|one| one.is_owned),
            false => {
                matches!(link.uses.as_deref(), Some("has" | "have"))
                    || link.preposition.as_deref() == Some("with")
                    || self.is_whole_size(amount)
            }
        };
        let fits = phrase.measure.is_some_and(|one| one.meets(amount.measure));
        let is_linked = (link.has_verb && link.uses.is_none()) || matches!(link.sign, Some("=" | "-"));
        // `target 65% CPU`
        let is_attribute_alone =
            !phrase.words.is_empty() && phrase.words.iter().all(|word| is_attribute(word));
        let attribute: &[String] = if is_attribute_alone && link.is_adjacent() { &phrase.words } else { &[] };
        let fits = fits && !(is_attribute_alone && is_resource(self.tokens.word(amount.end)));
        if (fits && (is_linked || link.is_adjacent())) || amount.measure == Measure::PLAIN {
            return None;
        }
        let is_of = self.tokens.word(amount.end) == "of" || self.is_in_resource(amount);
        let from = if is_of { amount.end.saturating_add(1) } else { amount.end };
        if amount.counted.is_none() {
            let mut words = self.behind(from, site, is_of);
            // A share of a limit is a usage.
            words.retain(|word| !(is_of && amount.measure == Measure::SHARE && is_attribute(word)));
            let is_mark = !phrase.words.is_empty() && words.iter().all(|word| is_statistic(word));
            if !words.is_empty() && !is_mark {
                let behind = words.len();
                let words = link.statistic.iter().cloned().chain(words).chain(attribute.to_vec()).collect();
                return Some(NameWords { is_owned, behind, ..NameWords::of(words) });
            }
        }
        let is_usage = goes_on
            || link.from == self.sentence
            || link.uses.is_some()
            || link.is_cap
            || link.preposition.as_deref() == Some("with");
        (amount.measure == Measure::CPU && is_usage && !fits)
            .then(|| NameWords { is_owned, ..NameWords::of(vec!["cpu".to_owned()]) })
    }

    /// True for the second amount of `3 GB of 4 GB`.
    fn is_whole_size(&self, amount: &Amount) -> bool {
        let before = |back: usize| amount.start.checked_sub(back);
        before(1).is_some_and(|at| self.tokens.word(at) == "of")
            && before(2).is_some_and(|at| is_unit(self.tokens.word(at)))
    }

    /// True for `210 GB on disk` and `96 GB in RAM`.
    pub(super) fn is_in_resource(&self, amount: &Amount) -> bool {
        amount.measure == Measure::BYTES
            && matches!(self.tokens.word(amount.end), "on" | "in")
            && is_resource(self.tokens.word(amount.end.saturating_add(1)))
    }

    /// Returns the words after an amount up to the last one that names it.
    fn behind(&self, from: usize, site: &Site<'_>, is_of: bool) -> Vec<String> {
        let measure = site.amount.measure;
        let before = self.tokens.word(site.amount.start.saturating_sub(1));
        let is_thing = measure == Measure::BYTES && plural(self.tokens.word(from));
        let is_bare =
            before != "the" && site.phrase.words.is_empty() && (measure == Measure::SHARE || is_thing);
        let is_open = !is_of
            && (is_bare
                || (site.link.is_attributive && before != "the")
                || site.amount.is_joined
                || site.link.preposition.as_deref() == Some("with"));
        let mut words: Vec<String> = Vec::new();
        let mut named = 0;
        for at in from..from.saturating_add(BEHIND_MAX) {
            let word = self.tokens.word(at);
            if is_determiner(word) && is_of && words.is_empty() {
                continue;
            }
            let is_verb = is_auxiliary(word) || ((is_link(word) || is_use(word)) && head(word).is_none());
            if ends_behind(word) || is_preposition(word) || is_verb {
                break;
            }
            if is_adverb(word) && !is_statistic(word) {
                break;
            }
            // `11% hang up`
            if is_bare && matches!(self.tokens.word(at.saturating_add(1)), "up" | "out" | "off" | "down") {
                break;
            }
            words.push(word.to_owned());
            // `40% of traffic` is a share of something else.
            let is_noun = measure_of(&words).is_some_and(|one| one.meets(measure)) && is_measure_noun(word);
            let is_kept = site.link.uses.is_some() && measure != Measure::SHARE;
            let is_fitting = match is_of {
                true => {
                    is_kept
                        || (measure != Measure::SHARE && is_noun)
                        || words.iter().any(|one| is_resource(one))
                }
                false => is_noun || is_open,
            };
            if is_fitting {
                named = words.len();
            }
        }
        words.truncate(named);
        words
    }

    /// True for an amount that continues a list of amounts:
    /// `200m CPU, 400Mi memory and 3 replicas`.
    pub(super) fn goes_on(&self, site: &Site<'_>) -> bool {
        let Some(at) = site.link.from.checked_sub(1) else { return false };
        let is_bare = site.link.is_adjacent() && site.phrase.words.is_empty();
        let joins = matches!(self.tokens.sign(at), "," | ";" | "+" | "/")
            || matches!(self.tokens.word(at), "and" | "plus");
        self.previous.is_some() && is_bare && joins
    }

    /// Returns the counted noun, with the phrase before it: `each worker holds 20 connections`.
    pub(super) fn of_counted(&self, site: &Site<'_>) -> Option<NameWords> {
        let Site { amount, link, phrase } = site;
        let Some(noun) = &amount.counted else { return self.of_rate(site) };
        let last = noun.words.last()?;
        if is_person(last) {
            return None;
        }
        let is_statistic_alone =
            !phrase.words.is_empty() && phrase.words.iter().all(|word| is_statistic(word));
        let is_measured =
            phrase.words.last().is_some_and(|last| is_measure_noun(last)) && !is_statistic_alone;
        if is_measured && link.uses.is_none() {
            return None;
        }
        if last == "times" {
            let words: Vec<String> =
                self.shared_subject(site).into_iter().chain(phrase.words.clone()).collect();
            return (!phrase.words.is_empty()).then(|| NameWords::of(words));
        }
        if phrase.words.is_empty() && !self.is_governed(site) {
            return None;
        }
        let is_said = phrase.words.iter().any(|word| stem(word) == stem(last));
        let mut words: Vec<String> = link.statistic.iter().cloned().collect();
        let most = link.is_cap && words.is_empty();
        words.extend(most.then(|| "max".to_owned()));
        let is_counted = !is_said || most || noun.span.is_some();
        if !(is_said && most) {
            words.extend(phrase.words.iter().cloned());
        }
        if is_counted {
            words.extend(noun.name());
        }
        words.extend(self.predicate_behind(noun));
        Some(NameWords { is_counted, ..NameWords::of(words) })
    }

    /// True if the clause states a count.
    fn is_governed(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, .. } = site;
        let word = self.tokens.word(amount.end);
        let ends = ends_behind(word) || is_preposition(word) || is_be(word);
        let next = self.tokens.word(amount.end.saturating_add(1));
        let is_usual = is_be(word) && (is_adverb(next) || ends_behind(next) || is_qualifier(next));
        let is_plain = word.is_empty() || matches!(word, "with" | "per" | "each" | "across" | "at" | "in");
        let is_begin =
            link.from == self.sentence && (amount.is_range || link.is_approximate || is_usual || is_plain);
        // `1 primary and 2 secondaries`
        let words = || {
            let from = link.from.saturating_sub(LIST_MAX).max(self.sentence);
            (from..link.from).map(|at| self.tokens.word(at))
        };
        let is_second = words().next_back() == Some("and") && words().any(is_use);
        let is_list = (self.goes_on(site) || is_second) && ends;
        let is_many = amount.value.len() > MANY_MIN && is_be(word);
        let is_definite = self.tokens.word(amount.start.saturating_sub(1)) == "the";
        !is_definite
            && (amount.measure == Measure::RATE
                || link.has_verb
                || link.statistic.is_some()
                || link.is_approximate
                || link.sign.is_some()
                || link.preposition.as_deref().is_some_and(|word| !matches!(word, "after" | "by" | "for"))
                || is_begin
                || (link.from == self.sentence && is_many)
                || is_list)
    }

    /// Returns the adjective of `15 connections are active`.
    fn predicate_behind(&self, noun: &CountedNoun) -> Option<String> {
        let at = |more: usize| self.tokens.word(noun.end.saturating_add(more));
        let word = at(1);
        let is_name = is_be(at(0)) && !(ends_behind(word) || is_preposition(word) || is_adverb(word));
        is_name.then(|| word.to_owned())
    }

    /// Returns the name contained in the unit of a rate.
    fn of_rate(&self, site: &Site<'_>) -> Option<NameWords> {
        let Site { amount, link, phrase } = site;
        let is_measured = phrase.measure.is_some_and(|one| one.meets(Measure::RATE));
        if amount.measure != Measure::RATE || link.grows || (is_measured && link.uses.is_none()) {
            return None;
        }
        let name = rate_by_unit(&amount.value)?;
        let is_said = phrase.measure.is_some() && link.uses.is_none();
        (!is_said).then(|| NameWords::of(phrase.words.iter().cloned().chain(name).collect()))
    }
}
