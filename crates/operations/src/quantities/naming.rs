//! The name of an amount in its clause: of the noun behind it, of what is counted, of the noun
//! phrase before it, or of what the sentence is about. Pure.

use super::amount::Amount;
use super::link::Link;
use super::name::{Marks, canonical};
use super::phrase::Phrase;
use super::rates::{rate_by_unit, rate_noun};
use super::tokens::Tokens;
use super::units::Measure;
use super::vocabulary::{
    is_attribute, is_auxiliary, is_be, is_carrier, is_clause, is_determiner, is_measure_noun, is_of_time,
    is_peak, is_percentile, is_qualifier, is_span, is_state, is_statistic, is_time_of_day, is_vicinity,
    is_whole_service, plural,
};

/// Verbs of how long something is kept.
const KEEPING: &[&str] = &["keep", "keeps", "retain", "retains", "store", "stores"];

/// Words between a form of `be` and a bracket, at most.
const PREDICATE_MAX: usize = 4;

/// Tokens between an amount and a second verb of its subject, at most.
const CLAUSE_MAX: usize = 16;

/// An amount under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The words of the name, in one spelling.
    pub(super) name: Vec<String>,
    pub(super) value: String,
    pub(super) measure: Measure,
    /// The subject has so much, whether or not it is used.
    pub(super) is_owned: bool,
    /// The name without the part that the amount is of.
    pub(super) whole: Vec<String>,
    /// The words of the phrase before the amount.
    pub(super) subject: Vec<String>,
    pub(super) marks: Marks,
    /// The first token after the amount and the noun behind it.
    pub(super) end: usize,
    /// The name stands behind the amount.
    pub(super) is_behind: bool,
    /// The clause of the amount reports an event.
    pub(super) is_event: bool,
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
    /// The last amount that has a name, of this sentence or one before, usual or not.
    pub(super) mentioned: Option<&'a Named>,
}

/// An amount with the words before it.
pub(super) struct Site<'a> {
    pub(super) amount: &'a Amount,
    pub(super) link: &'a Link,
    pub(super) phrase: &'a Phrase,
}

/// The words of a name before they are spelled.
pub(super) struct Found {
    pub(super) words: Vec<String>,
    /// The name has the noun of what is counted.
    pub(super) is_counted: bool,
    pub(super) is_owned: bool,
    /// The words of the name that stand behind the amount.
    pub(super) behind: usize,
}

impl Found {
    pub(super) fn of(words: Vec<String>) -> Self {
        Self { words, is_counted: false, is_owned: false, behind: 0 }
    }
}

impl Naming<'_> {
    /// The amount under its name; none where the sentence does not say what it is of.
    pub(super) fn name(&self, amount: &Amount) -> Option<Named> {
        let (link, phrase) = self.words_before(amount);
        let site = Site { amount, link: &link, phrase: &phrase };
        if self.is_ordered(&site) || self.names_nothing(&site) {
            return None;
        }
        // `over the 10G link` names the link.
        let is_range = is_vicinity(self.tokens.word(amount.end));
        let is_name = self.tokens.word(amount.start.saturating_sub(1)) == "the" && !is_range;
        let found = self
            .of_share_of_previous(&site)
            .map(Found::of)
            .or_else(|| self.of_object(&site))
            .or_else(|| self.of_part(&site).filter(|_| phrase.words.is_empty()).map(Found::of))
            .or_else(|| self.of_counted(&site))
            .or_else(|| self.of_subject(&site).or_else(|| self.of_context(&site)).filter(|_| !is_name))?;
        let marks = self.marks(&site, &found);
        let whole = self.spelled(&site, &found, marks)?;
        let value = match &amount.counted {
            Some(noun) if !found.is_counted || noun.is_joined => format!("{} {}", amount.value, noun.text),
            _ => amount.value.clone(),
        };
        let subject = match phrase.words.is_empty() {
            true => self.previous.map(|one| one.subject.clone()).unwrap_or_default(),
            false => phrase.words.clone(),
        };
        Some(Named {
            name: whole.iter().cloned().chain(self.first_part(amount)).collect(),
            whole,
            value,
            measure: amount.measure,
            is_owned: found.is_owned,
            subject,
            marks,
            end: amount.end.saturating_add(found.behind),
            is_behind: found.behind > 0,
            is_event: false,
        })
    }

    /// The link before an amount, and the phrase before the link; empty where it names nothing.
    fn words_before(&self, amount: &Amount) -> (Link, Phrase) {
        let mut link = Link::before(self.tokens, amount.start, self.floor);
        let is_of = link.preposition.as_deref() == Some("of") && !link.has_verb;
        let mut end = self.place(link.from);
        // An adjective before a bracket is no part of the name: `memory is negligible (30 MB)`.
        if link.sign == Some("(") {
            let verb = (1..=PREDICATE_MAX).map(|back| end.saturating_sub(back));
            let is_adjective = |at: &usize| !is_determiner(self.tokens.word(at.saturating_add(1)));
            let is_verb = |at: &usize| *at > self.floor && is_be(self.tokens.word(*at));
            end = verb.into_iter().find(is_verb).filter(is_adjective).unwrap_or(end);
            while end > self.floor && is_auxiliary(self.tokens.word(end.saturating_sub(1))) {
                end = end.saturating_sub(1);
            }
        }
        let mut phrase = Phrase::of(self.tokens, end, self.floor, is_of);
        // `rates older than 15 min`
        if link.compares {
            let is_comparative = |word: &String| word.ends_with("er");
            link.predicate = link.predicate.filter(|word| !is_comparative(word));
            phrase.words.pop_if(|word| is_comparative(word));
            phrase.is_conditional = true;
        }
        self.as_verb(amount, &mut link, &mut phrase);
        // `95% of requests` is no name, but `95% of requests finish in 2 s` has one.
        let is_within = matches!(link.preposition.as_deref(), Some("in" | "within" | "under" | "below"));
        let is_compared = matches!(link.preposition.as_deref(), Some("vs" | "versus")) && !link.has_verb;
        let is_of_number = phrase.is_of_number && !(is_within && amount.measure == Measure::TIME);
        // A service is not measured, whatever its name says.
        let is_duration = link.takes && amount.measure == Measure::TIME;
        let is_service = !is_duration && self.is_whole(&phrase.words, amount);
        // `in a normal week 90` says when.
        let is_when = amount.measure == Measure::PLAIN
            && phrase.words.iter().all(|word| is_span(word) || is_time_of_day(word));
        if is_when
            || is_of_number
            || is_service
            || is_compared
            || phrase.words.iter().all(|word| is_qualifier(word))
        {
            phrase.words.clear();
            phrase.measure = None;
        }
        (link, phrase)
    }

    /// Makes the one word behind a pronoun a verb, and no name where the amount has a noun: `it
    /// sends 1,200 mails/h`.
    fn as_verb(&self, amount: &Amount, link: &mut Link, phrase: &mut Phrase) {
        let before = phrase.from.checked_sub(1).map_or("", |at| self.tokens.word(at));
        let is_pronoun = matches!(before, "it" | "we" | "they" | "you" | "which" | "that" | "who");
        let is_free = !link.has_verb && link.sign.is_none() && link.predicate.is_none();
        let [verb] = phrase.words.as_slice() else { return };
        if !(is_pronoun && is_free) || is_measure_noun(verb) {
            return;
        }
        let has_noun = amount.counted.is_some()
            || self.tokens.word(amount.end) == "of"
            || rate_by_unit(&amount.value).is_some()
            || matches!(amount.measure, Measure::SHARE | Measure::OTHER | Measure::PLAIN);
        if has_noun {
            (link.has_verb, link.uses) = (true, Some(verb.clone()));
            phrase.words.clear();
            phrase.measure = None;
        }
    }

    /// The words of a name in one spelling, with what the name lacks.
    fn spelled(&self, site: &Site<'_>, found: &Found, marks: Marks) -> Option<Vec<String>> {
        let amount = site.amount;
        let has_percentile = found.words.iter().any(|word| is_percentile(word));
        let behind =
            self.statistic_behind(amount).filter(|one| !has_percentile && !found.words.contains(one));
        let words: Vec<String> = behind.into_iter().chain(found.words.iter().cloned()).collect();
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
        if let [only] = name.as_slice()
            && !site.phrase.is_conditional
            && matches!(only.as_str(), "rate" | "count" | "number" | "level" | "time")
        {
            // What such a noun is of is left open.
            return None;
        }
        if let [state] = name.as_slice()
            && is_state(state)
        {
            let whole = self.mentioned.filter(|one| one.measure.meets(amount.measure))?;
            name = whole.whole.iter().filter(|word| !is_peak(word)).chain([state]).cloned().collect();
        }
        // `3 retries` is a number of them.
        let several =
            name.last()?.strip_suffix("ies").filter(|stem| *stem != "ser").map(|stem| format!("{stem}y"));
        if let Some(one) = several.filter(|_| matches!(amount.measure, Measure::COUNT | Measure::PLAIN)) {
            name.pop();
            name.extend([one, "count".to_owned()]);
        }
        let is_threshold = name.last()? == "threshold";
        if site.phrase.is_conditional && !found.is_counted && !is_threshold {
            name.push("threshold".to_owned());
        }
        Some(name)
    }

    /// The end of the phrase before a link: before `where it` is what it is about.
    fn place(&self, end: usize) -> usize {
        let word = |back: usize| end.checked_sub(back).map_or("", |at| self.tokens.word(at));
        let back = match (word(2), word(1)) {
            ("where", "it") => 2,
            (_, "where") => 1,
            _ => 0,
        };
        end.saturating_sub(back).max(self.floor)
    }

    /// Returns true where only the order says which of two amounts is of which of two names.
    fn is_ordered(&self, site: &Site<'_>) -> bool {
        let end = site.amount.end;
        let follows = matches!(self.tokens.word(end), "and" | "or" | "")
            && self.tokens.is_number(end.saturating_add(1))
            && self.tokens.sign(end) != ",";
        site.phrase.is_coordinated && (follows || self.tokens.sign(end) == "/")
    }

    /// The noun phrase before the amount.
    fn of_subject(&self, site: &Site<'_>) -> Option<Found> {
        let Site { amount, link, phrase } = site;
        let goes_on = (link.takes || link.times_out)
            && amount.measure == Measure::TIME
            && self.previous.is_some_and(|one| !one.subject.is_empty());
        if phrase.words.is_empty() && link.predicate.is_none() && !goes_on {
            return None;
        }
        let subject = match (phrase.words.is_empty(), self.previous) {
            (true, Some(previous)) => &previous.subject,
            _ => &phrase.words,
        };
        let shared = self.shared_subject(site);
        let statistic = link.statistic.iter().filter(|one| !phrase.words.contains(one));
        let most = (link.is_cap && amount.measure == Measure::PLAIN && phrase.measure != Some(Measure::ANY))
            .then(|| "max".to_owned());
        let heading = self.heading_of(site);
        let mut words: Vec<String> = statistic
            .cloned()
            .chain(most)
            .chain(heading)
            .chain(shared)
            .chain(subject.iter().cloned())
            .collect();
        words.extend(link.predicate.clone().filter(|_| !is_kept(link)));
        if let Some(verb) = self.infinitive(site) {
            words.push(verb);
        }
        // `we keep files 24 h`
        let is_kept =
            amount.measure == Measure::TIME && matches!(link.preposition.as_deref(), None | Some("for"));
        if is_kept && words.len() > 1 && words.first().is_some_and(|verb| KEEPING.contains(&verb.as_str())) {
            words.remove(0);
            words.push("retention".to_owned());
            return Some(Found::of(words));
        }
        let suffix = suffix(&words, site);
        words.extend(suffix.map(str::to_owned));
        Some(Found::of(words))
    }

    /// The subject of a second verb: `the download is 1.6 GB and arrives 4 times a day`.
    pub(super) fn shared_subject(&self, site: &Site<'_>) -> Vec<String> {
        let Site { link, phrase, .. } = site;
        let before = phrase.from.checked_sub(1);
        let is_second = before.is_some_and(|at| {
            matches!(self.tokens.word(at), "and" | "but")
                || (self.tokens.sign(at) == "," && link.preposition.is_some())
        });
        let is_verb = phrase.words.iter().all(|word| plural(word)) && phrase.measure.is_none();
        let is_joined = |one: &&Named| {
            let mut between = one.end..before.unwrap_or_default();
            between.len() <= CLAUSE_MAX && between.all(|at| self.tokens.sign(at).is_empty())
        };
        let previous = self
            .previous
            .filter(is_joined)
            .filter(|_| is_second && is_verb && !link.has_verb && phrase.words.len() == 1);
        previous.map(|one| one.subject.clone()).unwrap_or_default()
    }

    /// The verb of `takes 5 minutes to warm up`.
    pub(super) fn infinitive(&self, site: &Site<'_>) -> Option<String> {
        let end = site.amount.end;
        let at = |more: usize| self.tokens.word(end.saturating_add(more));
        let is_it =
            site.link.takes && site.amount.measure.meets(Measure::TIME) && at(0) == "to" && !at(1).is_empty();
        let verb = if matches!(at(1), "become" | "be" | "get" | "come") { at(2) } else { at(1) };
        let verb =
            if matches!(verb, "start" | "boot" | "initialize" | "warm" | "up") { "startup" } else { verb };
        is_it.then(|| verb.to_owned())
    }

    /// The heading that says what the phrase is of: `3DS challenge: customers take 25-60 s`.
    fn heading_of(&self, site: &Site<'_>) -> Vec<String> {
        let at =
            site.phrase.from.checked_sub(1).filter(|at| *at > self.sentence && self.tokens.sign(*at) == ":");
        let Some(at) = at else { return Vec::new() };
        let heading = Phrase::before(self.tokens, at, self.sentence);
        let is_own = heading.words.iter().any(|word| site.phrase.words.contains(word) || is_attribute(word));
        let is_measured = site.phrase.measure.is_some_and(|one| one.meets(site.amount.measure));
        let is_left = is_own || is_measured || self.is_whole(&heading.words, site.amount);
        if is_left { Vec::new() } else { heading.words }
    }

    fn marks(&self, site: &Site<'_>, found: &Found) -> Marks {
        let link = site.link;
        let before = self.previous.filter(|_| self.goes_on(site)).map(|one| one.marks).unwrap_or_default();
        let marks = Marks {
            is_peak: link.is_peak,
            is_cap: link.is_cap || before.is_cap,
            is_reserve: link.is_reserve || before.is_reserve,
            is_owned: found.is_owned,
        };
        self.marked_behind(self.marked_by_heading(marks, site.amount), site.amount)
    }

    /// Returns true for words that name a service as a whole, and nothing of it.
    pub(super) fn is_whole(&self, words: &[String], amount: &Amount) -> bool {
        let is_named = |word: &str| self.service.iter().any(|own| own == word);
        let is_part = |part: &str| is_named(part) || is_whole_service(part);
        let is_own = |word: &String| is_part(word) || word.split(['-', '_']).all(is_part);
        let is_duration = amount.measure == Measure::TIME && words.iter().all(|word| !is_named(word));
        // A part of the service's name alone may be what is measured: the rates of `fx-rates`.
        let is_short = words.len() == 1
            && words.iter().all(|word| !is_whole_service(word) && self.service.last() != Some(word));
        !words.is_empty() && words.iter().all(is_own) && !is_duration && !is_short
    }
}

/// The noun that a name lacks, by what the amount measures.
pub(super) fn suffix(words: &[String], site: &Site<'_>) -> Option<&'static str> {
    let Site { amount, link, .. } = site;
    let last = words.last()?;
    let is_measured = is_measure_noun(last) || is_statistic(last);
    let preposition = link.preposition.as_deref().unwrap_or_default();
    if link.times_out {
        return Some("timeout");
    }
    if is_kept(link) && matches!(preposition, "for" | "") && amount.measure.meets(Measure::TIME) {
        return Some("retention");
    }
    let has_unit = |one: Measure| amount.measure == one;
    if amount.measure.meets(Measure::TIME) && !is_of_time(last) {
        let is_long =
            link.takes || link.predicate.is_some() || matches!(preposition, "in" | "within" | "for");
        return match preposition {
            "every" => Some("interval"),
            "after" if !is_measured => Some("timeout"),
            _ if has_unit(Measure::TIME) && is_long && (!is_measured || link.takes) => Some("time"),
            _ => None,
        };
    }
    match amount.measure {
        Measure::RATE if link.grows && preposition == "by" => Some("growth"),
        Measure::RATE if !is_measured => Some(rate_noun(&amount.value)),
        // Pods have a size only in memory.
        Measure::BYTES if is_carrier(last) => Some("memory"),
        Measure::BYTES if !is_measured => Some("size"),
        Measure::MONEY if !last.starts_with("cost") => Some("cost"),
        _ => None,
    }
}

/// Returns true for `are kept`.
fn is_kept(link: &Link) -> bool {
    let kept = ["retained", "kept", "stored", "archived", "preserved", "held"];
    link.predicate.as_deref().is_some_and(|one| kept.contains(&one))
}

/// Returns true for a word at which the words behind an amount end.
pub(super) fn ends_behind(word: &str) -> bool {
    word.is_empty() || is_clause(word) || is_determiner(word)
}
