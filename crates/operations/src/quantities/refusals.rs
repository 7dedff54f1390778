//! Amounts without a name: conditions, identifiers, persons, and counts of something that the
//! clause does not name. Pure.

use super::amount::Amount;
use super::amount_name::{AmountSentence, Site};
use super::units::Measure;
use super::vocabulary::{
    is_accident, is_auxiliary, is_general, is_measure_noun, is_person, is_statistic, is_taking, is_weekday,
    plural,
};

/// The minimum number of digits of an identifier.
const IDENTIFIER_MIN: usize = 5;

impl AmountSentence<'_> {
    /// True for an amount that is a condition or an identifier, or refers to nothing in the clause.
    pub(super) fn names_nothing(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, phrase } = site;
        let is_timed = matches!(
            link.preposition.as_deref(),
            Some("since" | "until" | "than" | "before" | "during" | "against" | "per")
        );
        is_timed
            || self.is_vague(site)
            || self.is_open_bound(site)
            || self.is_of_persons(site)
            || phrase.words.last().is_some_and(|word| is_accident(word))
            || self.is_order(site)
            || self.is_embedded(site)
            || self.is_adjunct(site)
            || (amount.measure == Measure::PLAIN && self.is_identifier(site))
    }

    /// True if the clause does not name the measured thing: `anything above 5 s`.
    fn is_vague(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, phrase } = site;
        let before = link.from.checked_sub(1).map_or("", |at| self.tokens.word(at));
        let is_ones =
            amount.counted.as_ref().is_some_and(|noun| noun.words.last().is_some_and(|one| one == "ones"));
        let is_pronoun = phrase.words.is_empty() && phrase.is_conditional;
        let is_general = !phrase.words.is_empty() && phrase.words.iter().all(|word| is_general(word));
        is_pronoun
            || is_ones
            || is_general
            || matches!(before, "anything" | "everything" | "something" | "nothing")
    }

    /// True for a threshold: `above 40 % please repack`, `a gap of more than 2 s`.
    fn is_open_bound(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, phrase } = site;
        let is_above = |word: &str| matches!(word, "above" | "over" | "beyond");
        let at = |more: usize| self.tokens.word(link.from.saturating_add(more));
        let is_compared = at(0) == "of" && (is_above(at(1)) || at(1) == "more");
        let is_bare = is_above(at(0)) && phrase.words.is_empty() && amount.counted.is_none();
        !link.has_verb && (is_compared || (is_bare && self.tokens.word(amount.end) != "of"))
    }

    /// True for a number of persons: `team of 5`.
    fn is_of_persons(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, phrase } = site;
        let noun = amount.counted.as_ref().and_then(|noun| noun.words.last());
        let is_number = matches!(amount.measure, Measure::COUNT | Measure::PLAIN);
        let mut words = phrase.words.iter().chain(&link.predicate);
        noun.is_some_and(|noun| is_person(noun)) || (is_number && words.any(|word| is_person(word)))
    }

    /// True for an instruction: `restart 3 pods`.
    fn is_order(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, phrase } = site;
        let is_verb = |word: &String| !word.ends_with('s') && !is_measure_noun(word);
        amount.measure == Measure::COUNT
            && link.is_adjacent()
            && !link.is_approximate
            && phrase.from == self.sentence
            && phrase.words.len() == 1
            && phrase.words.iter().all(is_verb)
    }

    /// True for an amount within the name of another: `a batch of 400 orders takes 8 s`.
    fn is_embedded(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, .. } = site;
        let next = self.tokens.word(amount.end);
        let is_subject = match amount.measure {
            Measure::TIME => is_taking(next),
            Measure::SHARE => false,
            _ => amount.counted.is_some() && (is_auxiliary(next) || is_taking(next)),
        };
        // `a queue depth of 200 jobs is fine` states the depth.
        let is_measured = site.phrase.words.last().is_some_and(|last| is_measure_noun(last));
        if amount.is_joined
            && link.from <= self.floor.saturating_add(1)
            && self.is_attribute_of_subject(amount)
        {
            return true;
        }
        is_subject && !is_measured && link.preposition.as_deref() == Some("of") && !link.has_verb
    }

    /// True for `a 10-minute clip takes`: the words after the amount have another amount.
    fn is_attribute_of_subject(&self, amount: &Amount) -> bool {
        let (noun, verb) = (self.tokens.word(amount.end), self.tokens.word(amount.end.saturating_add(1)));
        !is_measure_noun(noun) && is_taking(verb)
    }

    /// True for a time that limits another amount: `5% in 10 minutes`.
    fn is_adjunct(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, .. } = site;
        let is_time = amount.measure.meets(Measure::TIME) && amount.measure != Measure::PLAIN;
        let is_directly_behind = link.from == self.floor && self.floor > self.sentence;
        let limits = ["for", "over", "in", "within", "after", "per", "every", "by"];
        let is_limit = link.preposition.as_deref().is_some_and(|word| limits.contains(&word));
        is_time && is_directly_behind && is_limit
    }

    /// True for a number without a unit that identifies something: `broker 3`, `on 8443`,
    /// `is shard 4`, `localhost:8080`, `to 3.2`, `every Monday at 9`.
    fn is_identifier(&self, site: &Site<'_>) -> bool {
        const PLACES: &[&str] =
            &["on", "by", "in", "after", "for", "with", "from", "via", "as", "per", "every", "within"];
        let Site { amount, link, phrase } = site;
        if phrase.words.is_empty() {
            let is_part = self.of_part(site).is_some() || self.of_share_of_previous(site).is_some();
            return link.statistic.is_none() && !link.is_peak && !is_part;
        }
        let preposition = link.preposition.as_deref().unwrap_or_default();
        let before = amount.start.saturating_sub(1);
        let is_attached = self.tokens.is_attached(before) && self.tokens.is_attached(amount.start);
        let is_free = !link.has_verb && !link.is_cap;
        let names_unmeasured = link.is_adjacent()
            || (link.sign == Some(":") && is_attached)
            || (is_free && matches!(preposition, "to" | "at"));
        let is_clock =
            preposition == "at" && phrase.words.iter().any(|word| is_weekday(word.trim_end_matches('s')));
        is_clock
            || link.predicate.as_deref() == Some(self.tokens.word(before))
            || (link.uses.is_some() && phrase.measure.is_none())
            || (!link.has_verb && PLACES.contains(&preposition))
            || (names_unmeasured && !self.is_measured(site))
    }

    /// True if the word before the link is measured by a number without a unit.
    fn is_measured(&self, site: &Site<'_>) -> bool {
        let last = site.link.from.checked_sub(1).map_or("", |at| self.tokens.word(at));
        let is_version = last.contains(|sign: char| sign.is_ascii_digit());
        is_measure_noun(last)
            || is_statistic(last)
            || plural(last)
            || last.contains('_')
            || last.starts_with("max")
            || (last.contains('.') && !is_version)
            || site.link.is_approximate
            || self.is_listed(site)
    }

    /// True for an entry of a list with only a name and its number: `memory 2 GB, MAXDOP 8`.
    fn is_listed(&self, site: &Site<'_>) -> bool {
        let before = site.phrase.from.checked_sub(1).map_or("", |at| self.tokens.sign(at));
        let after = self.tokens.sign(site.amount.end);
        let ends = matches!(after, "," | ";" | "." | ")") || self.tokens.get(site.amount.end).is_none();
        let is_whole = site.amount.value.len() < IDENTIFIER_MIN && !site.amount.value.contains('.');
        self.previous.is_some() && before == "," && ends && is_whole && site.phrase.words.len() <= 2
    }
}
