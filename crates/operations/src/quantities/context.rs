//! Names of amounts from the rest of the sentence: headings, words after the amount, and names
//! stated before. Pure.

use super::amount::Amount;
use super::amount_name::{AmountSentence, NameWords, Site, ends_behind, suffix};
use super::ellipsis::unbounded;
use super::name::{Marks, canonical};
use super::objects::BEHIND_MAX;
use super::phrase::Phrase;
use super::rates::rate_by_unit;
use super::units::Measure;
use super::vocabulary::{
    head, is_accident, is_adverb, is_attribute, is_auxiliary, is_be, is_clause, is_counted, is_determiner,
    is_general, is_link, is_peak, is_percentile, is_preposition, is_qualifier, is_statistic,
    is_whole_service,
};

/// The maximum number of tokens between a heading or a subject and its amounts.
const HEADING_MAX: usize = 24;
/// The maximum number of tokens of a statement after an amount.
const STATEMENT_MAX: usize = 8;
/// The maximum number of words between an amount and its purpose.
const PURPOSE_MAX: usize = 3;
/// The maximum number of tokens in a parenthesis after an amount that may name it.
const PARENTHESIS_MAX: usize = 5;

impl AmountSentence<'_> {
    /// Returns the statistic or the attribute after an amount, with or without parentheses:
    /// `45ms (p50)`, `1.5 s (that's the SLO)`.
    pub(super) fn statistic_behind(&self, amount: &Amount) -> Option<String> {
        let at = |more: usize| amount.end.saturating_add(more);
        let is_said = |word: &str| is_statistic(word) || matches!(word, "slo" | "sla");
        let behind = self.tokens.word(amount.end);
        let next = self.tokens.word(at(1));
        let is_alone = ends_behind(next) && !self.tokens.is_number(at(1));
        if is_percentile(behind) || (is_alone && is_statistic(behind)) {
            return Some(behind.to_owned());
        }
        let close = (1..=PARENTHESIS_MAX).find(|more| self.tokens.sign(at(*more)) == ")")?;
        let is_open =
            self.tokens.sign(amount.end) == "(" && (1..close).all(|more| !self.tokens.is_number(at(more)));
        let found = (1..close).map(|more| self.tokens.word(at(more))).find(|word| is_said(word));
        found.filter(|_| is_open).map(str::to_owned)
    }

    /// Adds the marks of a heading: `limits: cpu 500m, memory 512Mi`.
    pub(super) fn marked_by_heading(&self, marks: Marks, amount: &Amount) -> Marks {
        let is_heading =
            |at: &usize| self.tokens.sign(*at) == ":" && is_attribute(self.tokens.word(at.saturating_sub(1)));
        let from = amount.start.saturating_sub(HEADING_MAX).max(self.sentence);
        let found = (from..amount.start).rev().find(is_heading);
        let word = found.map_or("", |at| self.tokens.word(at.saturating_sub(1)));
        Marks {
            is_cap: marks.is_cap || word.starts_with("limit"),
            is_reserve: marks.is_reserve || word.starts_with("request"),
            ..marks
        }
    }

    /// Adds the marks of the word after the amount: `64 GiB total`, `2GB limit`.
    pub(super) fn marked_behind(&self, marks: Marks, amount: &Amount) -> Marks {
        let word = self.tokens.word(amount.end);
        Marks {
            is_owned: marks.is_owned || matches!(word, "total" | "available" | "installed" | "capacity"),
            is_cap: marks.is_cap || matches!(word, "limit" | "cap"),
            is_reserve: marks.is_reserve || matches!(word, "request" | "requested" | "reserved"),
            ..marks
        }
    }

    /// Returns the name of an amount that has no phrase before it, from the rest of the sentence.
    pub(super) fn of_context(&self, site: &Site<'_>) -> Option<NameWords> {
        let words = self
            .of_ellipsis(site)
            .or_else(|| self.of_unit(site))
            .or_else(|| self.of_share(site))
            .or_else(|| self.of_part(site))
            .or_else(|| self.of_statement(site))
            .or_else(|| self.of_other(site))
            .or_else(|| self.of_purpose(site))
            .or_else(|| self.of_topic(site))
            .or_else(|| self.of_statistic(site))?;
        Some(NameWords::of(words))
    }

    /// Returns the name from the unit and the words next to it: `takes 5 minutes to sign`,
    /// `2 s per call`, `2 CPU / 2Gi`.
    fn of_unit(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, .. } = site;
        let named = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let at = |more: usize| self.tokens.word(amount.end.saturating_add(more));
        let is_per = at(0) == "per" && !at(1).is_empty();
        match amount.measure {
            Measure::TIME | Measure::MILLI if link.takes => named(&[&self.infinitive(site)?, "time"]),
            Measure::TIME if is_per => named(&[at(1), "time"]),
            Measure::MONEY => named(&["cost"]),
            Measure::BYTES if self.is_memory(site) => named(&["memory"]),
            // `24gb, we use 17gb of it`
            _ if link.uses.is_some() && at(0) == "of" && at(1) == "it" => {
                let name = self.before(site)?;
                Some(name.into_iter().chain(["usage".to_owned()]).collect())
            }
            _ => None,
        }
    }

    /// True for memory that a service uses: `2 CPU / 2Gi`, `2 GB per worker`, `it needs 4 GB`.
    fn is_memory(&self, site: &Site<'_>) -> bool {
        let Site { amount, link, .. } = site;
        let at = |more: usize| self.tokens.word(amount.end.saturating_add(more));
        let is_after = |is: fn(Measure) -> bool| self.previous.is_none_or(|one| is(one.measure));
        if self.goes_on(site) && self.previous.is_some_and(|one| one.measure == Measure::CPU) {
            return true;
        }
        if at(0) == "per" && is_whole_service(at(1)) && is_after(|one| one != Measure::BYTES) {
            return true;
        }
        let subject = link.from.checked_sub(1).map_or("", |at| self.tokens.word(at));
        let is_eaten = matches!(link.uses.as_deref(), Some("uses" | "use" | "consumes" | "eats" | "needs"));
        let is_service = link.from == self.sentence
            || matches!(subject, "it" | "we" | "they")
            || self.is_whole(&[subject.to_owned()], amount);
        link.has_verb && (is_eaten || (is_service && self.previous.is_none()))
    }

    /// Returns the name of the amount before, without its statistic, if both have the same measure.
    fn before(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let previous = self.previous.filter(|one| one.measure.meets(site.amount.measure))?;
        Some(previous.name.iter().filter(|word| !is_statistic(word)).cloned().collect())
    }

    /// Returns the name of a second amount that differs by a statistic: `400Mi, peaking at 800Mi`.
    fn of_statistic(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, .. } = site;
        // `350 req/s with a p95 of 210 ms`
        let percentile = link.statistic.clone().filter(|one| is_percentile(one));
        let Some(name) = self.before(site) else {
            return percentile.filter(|_| amount.measure == Measure::TIME).map(|one| vec![one]);
        };
        let is_highest = |word: &str| {
            (is_peak(word) || is_statistic(word)) && head(word).is_none_or(|one| one == Measure::ANY)
        };
        let is_behind = (0..BEHIND_MAX)
            .map(|more| self.tokens.word(amount.end.saturating_add(more)))
            .take_while(|word| !word.is_empty() && !is_clause(word))
            .any(is_highest);
        let peak = (is_behind && !link.has_verb).then(|| "peak".to_owned());
        let is_other = link.is_peak || link.statistic.is_some() || peak.is_some();
        let is_other = is_other || self.statistic_behind(amount).is_some();
        is_other.then(|| link.statistic.iter().cloned().chain(peak).chain(name).collect())
    }

    /// Returns the name after an amount at the start of its sentence:
    /// `10 min at most for the nightly sync`.
    fn of_purpose(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let end = site.amount.end;
        let at = (end..end.saturating_add(PURPOSE_MAX)).find(|at| self.tokens.word(*at) == "for")?;
        let from = at.saturating_add(1);
        let stop = (from..from.saturating_add(STATEMENT_MAX)).find(|at| {
            let word = self.tokens.word(*at);
            word.is_empty() || is_clause(word) || is_preposition(word)
        })?;
        let mut words = Phrase::before(self.tokens, stop, from).words;
        let is_name = site.link.from == self.sentence && !words.is_empty();
        words.extend((site.amount.measure == Measure::TIME).then(|| "time".to_owned()));
        is_name.then_some(words)
    }

    /// Returns the name of a share: `30% of requests are served from a cache`.
    fn of_share(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let end = site.amount.end;
        if site.amount.measure != Measure::SHARE || self.tokens.word(end) != "of" {
            return None;
        }
        let from = end.saturating_add(1);
        let be = (from..from.saturating_add(BEHIND_MAX)).find(|at| is_be(self.tokens.word(*at)))?;
        let predicate = self.tokens.word(be.saturating_add(1));
        let mut words = Phrase::before(self.tokens, be, from).words;
        let is_name = !(words.is_empty() || ends_behind(predicate) || is_preposition(predicate));
        words.push(predicate.to_owned());
        is_name.then_some(words)
    }

    /// Returns the noun of `80 ms is the target for reads`.
    fn of_statement(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let at = |more: usize| site.amount.end.saturating_add(more);
        if !(is_be(self.tokens.word(at(0))) && is_determiner(self.tokens.word(at(1)))) {
            return None;
        }
        let end =
            (at(2)..at(2).saturating_add(STATEMENT_MAX)).find(|one| ends_behind(self.tokens.word(*one)))?;
        let words = Phrase::before(self.tokens, end, at(2)).words;
        (!words.iter().all(|word| is_qualifier(word))).then_some(words)
    }

    /// Returns the name of a second amount for the previous measurement: its bound, its growth, or
    /// the value after its limit.
    fn of_other(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, .. } = site;
        let last = self.previous.or(self.mentioned).filter(|_| link.has_verb)?;
        if link.grows && amount.measure == Measure::RATE {
            let is_whole = |word: &&String| word.as_str() != "capacity";
            let usage = (!last.name.iter().all(|word| is_whole(&word))).then(|| "usage".to_owned());
            let own = last.name.iter().filter(is_whole).cloned();
            return Some(own.chain(usage).chain(["growth".to_owned()]).collect());
        }
        let previous = self.previous.filter(|one| one.measure.meets(amount.measure))?;
        let words = unbounded(&previous.name);
        if link.is_bound {
            return Some(["max".to_owned()].into_iter().chain(words).collect());
        }
        (words != previous.name && !words.is_empty()).then_some(words)
    }

    /// Returns the subject of the sentence, if it names no other amount:
    /// `the partner is slow, 2 s`.
    fn of_topic(&self, site: &Site<'_>) -> Option<Vec<String>> {
        let Site { amount, link, .. } = site;
        let is_left = self.previous.is_some()
            || amount.measure.meets(Measure::PLAIN)
            || amount.counted.is_some()
            || self.floor > self.sentence;
        if is_left {
            return None;
        }
        let ends = |at: &usize| {
            let word = self.tokens.word(*at);
            let is_noun = is_counted(word) && !is_adverb(self.tokens.word(at.saturating_add(1)));
            let is_verb = is_auxiliary(word) || (is_link(word) && !is_noun);
            (is_verb && *at > self.sentence) || matches!(self.tokens.sign(*at), "," | ":" | "(")
        };
        let until = link.from.min(self.sentence.saturating_add(HEADING_MAX));
        let end = (self.sentence..until).find(ends)?;
        let mut words = Phrase::before(self.tokens, end, self.sentence).words;
        let is_once = words.last().is_some_and(|word| is_accident(word));
        let is_named = !words.is_empty()
            && !is_once
            && ((link.takes && amount.measure == Measure::TIME) || !self.is_whole(&words, amount))
            && !words.iter().all(|word| is_qualifier(word) || is_general(word));
        words.extend(suffix(&words, site).map(str::to_owned));
        is_named.then_some(words)
    }

    /// Completes a name that is only a statistic or an attribute with a name from earlier in the
    /// sentence.
    pub(super) fn completed(&self, name: &[String], amount: &Amount) -> Option<Vec<String>> {
        let last = name.last()?;
        let is_number = amount.measure == Measure::PLAIN;
        let is_like = |one: Measure| one.meets(amount.measure) || (is_number && one == Measure::RATE);
        let base = self.previous.filter(|one| is_like(one.measure)).map(|one| one.name.clone());
        let base = base.or_else(|| self.topic(amount));
        let Some(base) = base else {
            let resource = match amount.measure {
                Measure::CPU => Some("cpu"),
                Measure::BYTES if last.starts_with("limit") || last.starts_with("request") => Some("memory"),
                _ => None,
            };
            if let Some(resource) = resource.filter(|_| is_attribute(last) && name.len() == 1) {
                return Some(vec![resource.to_owned(), singular(last).to_owned()]);
            }
            if let Some(unit) =
                rate_by_unit(&amount.value).filter(|_| name.iter().all(|word| is_statistic(word)))
            {
                return Some(name.iter().cloned().chain(unit).collect());
            }
            let subject = self.previous.map(|one| &one.subject).filter(|subject| !subject.is_empty());
            if let Some(subject) = subject.filter(|_| amount.measure == Measure::BYTES && is_statistic(last))
            {
                let size = ["size".to_owned()];
                return Some(name.iter().chain(subject).chain(&size).cloned().collect());
            }
            let is_latency = amount.measure == Measure::TIME && name.iter().any(|word| is_percentile(word));
            let latency = is_latency.then(|| "latency".to_owned());
            return Some(name.iter().cloned().chain(latency).collect());
        };
        if is_attribute(last) {
            let own = name.iter().filter(|word| is_statistic(word)).cloned();
            let kept = base.iter().filter(|word| !is_statistic(word) && !is_attribute(word)).cloned();
            return Some(own.chain(kept).chain([singular(last).to_owned()]).collect());
        }
        let kept = base.into_iter().filter(|word| !is_statistic(word));
        Some(name.iter().cloned().chain(kept).collect())
    }

    /// Returns the heading of the amount, or the last measured noun phrase a few words before its
    /// own: `latency: p50 20ms`.
    fn topic(&self, amount: &Amount) -> Option<Vec<String>> {
        let from = amount.start.saturating_sub(HEADING_MAX).max(self.sentence);
        let heading = (from..amount.start).rev().find(|at| self.tokens.sign(*at) == ":");
        if let Some(at) = heading {
            let phrase = Phrase::before(self.tokens, at, self.sentence);
            let words = canonical(&phrase.words, self.service, Marks::default());
            if !words.iter().all(|word| is_statistic(word) || is_attribute(word)) {
                return Some(words);
            }
        }
        let is_topic = |at: &usize| {
            let word = self.tokens.word(*at);
            !is_statistic(word)
                && !is_attribute(word)
                && head(word).is_some_and(|one| one.meets(amount.measure))
        };
        let at = (from..amount.start).rev().find(is_topic)?;
        let phrase = Phrase::before(self.tokens, at.saturating_add(1), 0);
        Some(canonical(&phrase.words, self.service, Marks::default()))
    }
}

/// Returns an attribute in the singular.
fn singular(attribute: &str) -> &str {
    match attribute {
        "requests" => "request",
        "limits" => "limit",
        other => other,
    }
}
