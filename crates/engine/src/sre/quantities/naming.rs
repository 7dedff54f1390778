//! The name of an amount in its sentence: of the subject before it, of the noun behind it, or of
//! what is counted. Pure.

use super::amount::Amount;
use super::name::{Marks, canonical};
use super::rates::{rate_by_unit, rate_of};
use super::subject::{Subject, measure_of};
use super::tokens::Tokens;
use super::units::Measure;
use super::vocabulary::{
    head, is_attribute, is_auxiliary, is_clause, is_determiner, is_measure_noun, is_numbered, is_percentile,
    is_preposition, is_resource, is_statistic, is_whole_service,
};
use super::zone::Zone;

/// Words behind an amount that may name it, at most.
pub(super) const BEHIND_MAX: usize = 4;
/// Words of a subject that nobody measures by its noun, at most.
pub(super) const UNMEASURED_MAX: usize = 3;

/// An amount under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The words of the name, in one spelling.
    pub(super) name: Vec<String>,
    pub(super) value: String,
    pub(super) measure: Measure,
    /// The subject has so much, whether or not it is used.
    is_owned: bool,
}

/// The sentence in which a name is looked for.
pub(super) struct Naming<'a> {
    pub(super) tokens: &'a Tokens<'a>,
    /// Words of the service.
    pub(super) service: &'a [String],
    /// The end of the amount before this one in the sentence, or the sentence's begin.
    pub(super) floor: usize,
    /// The first token of the sentence.
    pub(super) sentence: usize,
    /// The amount before this one that has a name.
    pub(super) previous: Option<&'a Named>,
}

/// A name before it is spelled.
pub(super) struct Found {
    pub(super) words: Vec<String>,
    pub(super) marks: Marks,
    /// The value already says what is counted.
    pub(super) is_counted: bool,
}

/// The parts of a sentence that name an amount by its subject.
struct Wanted<'a> {
    amount: &'a Amount,
    zone: &'a Zone,
    subject: &'a Subject,
}

impl Naming<'_> {
    /// The amount under its name; none where the sentence does not say what it is of.
    pub(super) fn name(&self, amount: &Amount) -> Option<Named> {
        let zone = Zone::before(self.tokens, amount.start, self.floor);
        let mut subject = self.subject(zone.from);
        // A service is not measured, whatever its name says.
        if self.is_whole(&subject.words) {
            (subject.measure, subject.last_measure) = (None, None);
        }
        // Which of two amounts is of which of two names is told by their order alone.
        let follows = matches!(self.tokens.word(amount.end), "and" | "or")
            && self.tokens.is_number(amount.end.saturating_add(1));
        if subject.is_coordinated && (follows || self.tokens.sign(amount.end) == "/") {
            return None;
        }
        let found = match zone.blocked_by.as_deref() {
            Some(word) => self.of_condition(word, &zone, amount)?,
            None => self
                .of_object(amount, &zone, &subject)
                .or_else(|| self.of_subject(amount, &zone, &subject))
                .or_else(|| self.of_counted(amount, &zone, &subject))
                .or_else(|| self.of_previous(amount, &zone, &subject))?,
        };
        let marks = self.marked_behind(self.marked_by_heading(found.marks, amount), amount);
        let statistic =
            self.statistic_behind(amount).filter(|_| !found.words.iter().any(|word| is_statistic(word)));
        let words: Vec<String> = statistic.into_iter().chain(found.words.iter().cloned()).collect();
        let mut name = canonical(&words, self.service, marks);
        let is_number = matches!(amount.measure, Measure::RATE | Measure::COUNT | Measure::PLAIN);
        let is_part = |word: &String| {
            is_statistic(word) || (is_attribute(word) && !(is_number && word.starts_with("request")))
        };
        if name.iter().all(is_part) {
            name = self.completed(&name, amount)?;
        }
        let is_bare = name.iter().all(|word| is_percentile(word) || !is_measure_noun(word));
        if is_bare && amount.measure == Measure::TIME && name.iter().any(|word| is_percentile(word)) {
            name.push("latency".to_owned());
        }
        if subject.is_conditional && !found.is_counted && name.last().is_some_and(|last| last != "threshold")
        {
            name.push("threshold".to_owned());
        }
        let value = match &amount.counted {
            Some(noun) if !found.is_counted => format!("{} {}", amount.value, noun.replace('_', " ")),
            _ => amount.value.clone(),
        };
        let is_owned = found.marks.is_owned;
        (!name.is_empty()).then_some(Named { name, value, measure: amount.measure, is_owned })
    }

    /// The noun behind the amount: `400Mi of memory`, `a 30s timeout`, `2 cores`.
    fn of_object(&self, amount: &Amount, zone: &Zone, subject: &Subject) -> Option<Found> {
        let goes_on = self.goes_on(zone, subject);
        let is_owned = match goes_on {
            true => self.previous.is_some_and(|one| one.is_owned),
            false => matches!(zone.uses.as_deref(), Some("has" | "have" | "had" | "with")),
        };
        let marks = Marks { is_owned, ..marks_of(zone) };
        let is_measured = subject.measure.is_some_and(|one| one.meets(amount.measure));
        let has_subject = zone.is_strong && zone.uses.is_none() && is_measured && !zone.is_heading;
        let adjacent =
            self.is_adjacent(zone) && subject.last_measure.is_some_and(|one| one.meets(amount.measure));
        if has_subject || adjacent || amount.measure == Measure::PLAIN {
            return None;
        }
        let is_of = self.tokens.word(amount.end) == "of";
        let from = if is_of { amount.end.saturating_add(1) } else { amount.end };
        if amount.counted.is_none() {
            let words = self.behind(from, amount, is_of);
            if !words.is_empty() {
                let mut words = words;
                // A share of a limit is a usage.
                let is_share = is_of && amount.measure == Measure::SHARE;
                words.retain(|word| !(is_share && is_attribute(word)));
                let statistic = zone.statistic.iter().cloned();
                let words = statistic.chain(words).collect();
                return Some(Found { words, marks, is_counted: false });
            }
        }
        if is_of {
            return None;
        }
        if amount.measure == Measure::CPU && goes_on {
            return Some(Found { words: vec!["cpu".to_owned()], marks, is_counted: false });
        }
        let verb = zone.uses.as_deref()?;
        if verb == "with" && subject.measure.is_some() && amount.counted.is_none() {
            return None;
        }
        if amount.measure == Measure::CPU {
            return Some(Found { words: vec!["cpu".to_owned()], marks, is_counted: false });
        }
        if amount.measure == Measure::RATE && amount.counted.is_none() && !zone.is_weak {
            let words = vec![rate_of(verb, &amount.value)];
            return Some(Found { words, marks, is_counted: false });
        }
        None
    }

    /// Returns true for an amount that goes on with a list of amounts: `200m CPU, 400Mi memory and
    /// 3 replicas`.
    fn goes_on(&self, zone: &Zone, subject: &Subject) -> bool {
        let Some(at) = zone.from.checked_sub(1) else { return false };
        let is_bare = zone.uses.is_none() && !zone.is_weak && subject.words.is_empty();
        let joins = matches!(self.tokens.sign(at), "," | ";" | "+" | "/")
            || matches!(self.tokens.word(at), "and" | "plus");
        self.previous.is_some() && is_bare && joins
    }

    /// The subject before the amount.
    fn of_subject(&self, amount: &Amount, zone: &Zone, subject: &Subject) -> Option<Found> {
        let words: Vec<String> = zone.statistic.iter().chain(&subject.words).cloned().collect();
        if words.is_empty() || (subject.words.is_empty() && amount.counted.is_some()) {
            return None;
        }
        let is_time = amount.measure == Measure::TIME;
        let takes = zone.takes && is_time;
        let marks = Marks { takes, ..marks_of(zone) };
        let is_noun = subject.words.last().is_some_and(|last| is_measure_noun(last));
        let is_statistic_alone = words.iter().all(|word| is_statistic(word));
        if amount.counted.is_some() && (is_statistic_alone || (zone.uses.is_some() && !is_noun)) {
            return None;
        }
        let wanted = Wanted { amount, zone, subject };
        let words =
            if zone.is_strong { self.linked(&wanted, words, takes) } else { self.near(&wanted, words) }?;
        Some(Found { words, marks, is_counted: false })
    }

    /// The name before a verb or a colon.
    fn linked(&self, wanted: &Wanted<'_>, words: Vec<String>, takes: bool) -> Option<Vec<String>> {
        let Wanted { amount, zone, subject } = wanted;
        if zone.is_equation {
            return Some(words);
        }
        let action = self.tokens.word(amount.end.saturating_add(1));
        let startup = matches!(action, "start" | "boot" | "initialize" | "warm" | "come");
        if takes && self.tokens.word(amount.end) == "to" && startup && self.is_whole(&subject.words) {
            return Some(vec!["startup".to_owned()]);
        }
        if self.is_whole(&subject.words) {
            return match amount.measure {
                Measure::CPU => Some(vec!["cpu".to_owned()]),
                Measure::RATE if amount.counted.is_none() => Some(vec![rate_of("handles", &amount.value)]),
                _ => None,
            };
        }
        if takes {
            return (words.len() <= UNMEASURED_MAX.saturating_add(1)).then_some(words);
        }
        let measured = subject.measure;
        if measured.is_some_and(|one| one.meets(amount.measure) || amount.measure == Measure::PLAIN) {
            // `connections are capped at 100`.
            let is_most = zone.is_cap && measured == head("connections");
            let most = is_most.then(|| "max".to_owned()).into_iter();
            return Some(most.chain(words).collect());
        }
        if subject.words.is_empty() {
            return zone.statistic.is_some().then_some(words);
        }
        let has_unit = amount.measure != Measure::PLAIN && amount.counted.is_none();
        let is_predicate = zone.uses.is_none() || zone.is_weak;
        let is_named = measured.is_none() && has_unit && is_predicate && words.len() <= UNMEASURED_MAX;
        let rate = (amount.measure == Measure::RATE).then(|| "rate".to_owned());
        is_named.then(|| words.into_iter().chain(rate).collect())
    }

    /// The name before a preposition, or directly before the amount.
    fn near(&self, wanted: &Wanted<'_>, words: Vec<String>) -> Option<Vec<String>> {
        let Wanted { amount, zone, subject } = wanted;
        let measured = subject.measure;
        if subject.words.is_empty() {
            return Some(words);
        }
        let is_rate = zone.is_weak && amount.measure == Measure::RATE && measured.is_none();
        if is_rate && words.len() <= UNMEASURED_MAX {
            return Some(words.into_iter().chain(["rate".to_owned()]).collect());
        }
        let noun = subject.words.last()?;
        // `restart 3 pods` asks for something.
        let is_times = amount.counted.as_deref() == Some("times");
        let is_plural = noun.ends_with('s') && (amount.counted.is_none() || is_times);
        let is_numbered = amount.measure != Measure::PLAIN
            || zone.is_approximate
            || is_numbered(noun)
            || noun.contains('_');
        let is_linked = zone.is_weak || self.is_adjacent(zone);
        let fits = subject.last_measure?.meets(amount.measure)
            || measured.is_some_and(|one| zone.is_weak && one.meets(amount.measure));
        (is_linked && fits && is_numbered && (is_measure_noun(noun) || is_plural)).then_some(words)
    }

    /// The noun of what is counted: `runs 3 replicas`.
    fn of_counted(&self, amount: &Amount, zone: &Zone, subject: &Subject) -> Option<Found> {
        let is_alone =
            subject.words.is_empty() && !zone.is_weak && !zone.is_strong && amount.measure == Measure::RATE;
        let by_unit = || rate_by_unit(&amount.value).filter(|_| is_alone);
        let Some(noun) = amount.counted.clone() else {
            return by_unit().map(|name| Found {
                words: vec![name],
                marks: marks_of(zone),
                is_counted: false,
            });
        };
        let is_only_statistic =
            !subject.words.is_empty() && subject.words.iter().all(|word| is_statistic(word));
        let is_predicate = zone.is_strong && !subject.words.is_empty();
        let ends = self.tokens.word(amount.end).is_empty() || is_clause(self.tokens.word(amount.end));
        let is_governed = is_alone
            || (self.goes_on(zone, subject) && ends)
            || zone.uses.is_some()
            || is_predicate
            || zone.is_cap
            || zone.statistic.is_some();
        if !(is_governed || is_only_statistic) || noun == "times" {
            return None;
        }
        let mut words: Vec<String> = zone.statistic.iter().cloned().collect();
        if is_only_statistic {
            words.extend(subject.words.iter().cloned());
        } else if zone.is_cap && words.is_empty() {
            words.push("max".to_owned());
        }
        words.push(noun);
        let marks = Marks { is_peak: zone.is_peak, ..Marks::default() };
        Some(Found { words, marks, is_counted: true })
    }

    /// A second amount of what was measured before: `400Mi, peaking at 800Mi`.
    fn of_previous(&self, amount: &Amount, zone: &Zone, subject: &Subject) -> Option<Found> {
        let previous = self.previous.filter(|one| one.measure.meets(amount.measure))?;
        let is_behind = (amount.end..amount.end.saturating_add(BEHIND_MAX))
            .map(|at| self.tokens.word(at))
            .take_while(|word| !word.is_empty() && !is_clause(word))
            .any(|word| matches!(word, "peak" | "peaks" | "max" | "maximum" | "worst" | "spikes" | "bursts"));
        let is_peak = zone.is_peak || (is_behind && !zone.is_strong);
        let is_other = is_peak || self.statistic_behind(amount).is_some();
        if !is_other || !subject.words.is_empty() {
            return None;
        }
        let marks = Marks { is_peak, ..Marks::default() };
        let words = previous.name.iter().filter(|word| !is_statistic(word)).cloned().collect();
        Some(Found { words, marks, is_counted: false })
    }

    /// Words behind an amount up to the last one that names what it is of.
    fn behind(&self, from: usize, amount: &Amount, is_of: bool) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut named = 0;
        for at in from..from.saturating_add(BEHIND_MAX) {
            let word = self.tokens.word(at);
            let ends = word.is_empty() || is_clause(word) || is_preposition(word);
            let is_article = is_determiner(word) && is_of && words.is_empty();
            if is_article {
                continue;
            }
            if ends || is_determiner(word) || is_auxiliary(word) {
                break;
            }
            words.push(word.to_owned());
            let is_fitting = match is_of {
                true => {
                    // `40% of traffic` is a share of something else.
                    let is_noun = amount.measure != Measure::SHARE
                        && is_measure_noun(word)
                        && head(word).is_some_and(|one| one.meets(amount.measure));
                    is_noun || words.iter().any(|one| is_resource(one))
                }
                false => measure_of(&words).is_some_and(|one| one.meets(amount.measure)),
            };
            if is_fitting {
                named = words.len();
            }
        }
        words.truncate(named);
        words
    }

    /// Returns true for words that name a service as a whole, and nothing of it.
    fn is_whole(&self, words: &[String]) -> bool {
        !words.is_empty() && words.iter().all(|word| self.is_of_service(word))
    }

    fn is_adjacent(&self, zone: &Zone) -> bool {
        !zone.is_strong && !zone.is_weak && zone.uses.is_none() && !zone.is_attributive
    }

    pub(super) fn is_of_service(&self, word: &str) -> bool {
        let is_own = |part: &str| is_whole_service(part) || self.service.iter().any(|own| own == part);
        is_own(word) || word.split(['-', '_']).all(is_own)
    }
}

fn marks_of(zone: &Zone) -> Marks {
    Marks { is_peak: zone.is_peak, is_cap: zone.is_cap, is_reserve: zone.is_reserve, ..Marks::default() }
}
