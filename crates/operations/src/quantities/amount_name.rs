//! The name of an amount in its clause: from the noun after it, the counted noun, the noun phrase
//! before it, or the subject of the sentence. Pure.

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

/// Verbs of retention.
const KEEPING: &[&str] = &["keep", "keeps", "retain", "retains", "store", "stores"];

/// The maximum number of words between a form of `be` and a bracket.
const PREDICATE_MAX: usize = 4;

/// The maximum number of tokens between an amount and a second verb of its subject.
const CLAUSE_MAX: usize = 16;

/// An amount and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedAmount {
    /// The words of the name, in canonical spelling.
    pub(super) name: Vec<String>,
    pub(super) value: String,
    pub(super) measure: Measure,
    /// True if the amount is the available capacity, regardless of use.
    pub(super) is_owned: bool,
    /// The name without the part that the amount refers to.
    pub(super) whole: Vec<String>,
    /// The words of the phrase before the amount.
    pub(super) subject: Vec<String>,
    pub(super) marks: Marks,
    /// The index of the first token after the amount and the noun after it.
    pub(super) end: usize,
    /// True if the name comes from the words after the amount.
    pub(super) is_behind: bool,
    /// True if the clause reports an event.
    pub(super) is_event: bool,
}

/// The sentence in which the name of an amount is searched.
pub(super) struct AmountSentence<'a> {
    pub(super) tokens: &'a Tokens<'a>,
    /// The words of the service.
    pub(super) service: &'a [String],
    /// The end of the previous amount in the sentence, or the start of the sentence.
    pub(super) floor: usize,
    /// The first token of the sentence.
    pub(super) sentence: usize,
    /// The previous amount with a name.
    pub(super) previous: Option<&'a NamedAmount>,
    /// The last amount with a name, in this sentence or an earlier one, including amounts in
    /// reports of events.
    pub(super) mentioned: Option<&'a NamedAmount>,
}

/// An amount with the words before it.
pub(super) struct Site<'a> {
    pub(super) amount: &'a Amount,
    pub(super) link: &'a Link,
    pub(super) phrase: &'a Phrase,
}

/// The words of a name before canonicalisation.
pub(super) struct NameWords {
    pub(super) words: Vec<String>,
    /// True if the name contains the counted noun.
    pub(super) is_counted: bool,
    pub(super) is_owned: bool,
    /// The number of words of the name that follow the amount.
    pub(super) behind: usize,
}

impl NameWords {
    pub(super) fn of(words: Vec<String>) -> Self {
        Self { words, is_counted: false, is_owned: false, behind: 0 }
    }
}

impl AmountSentence<'_> {
    /// Returns the amount and its name. `None` if the sentence does not name it.
    pub(super) fn name(&self, amount: &Amount) -> Option<NamedAmount> {
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
            .map(NameWords::of)
            .or_else(|| self.of_object(&site))
            .or_else(|| self.of_part(&site).filter(|_| phrase.words.is_empty()).map(NameWords::of))
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
        Some(NamedAmount {
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

    /// Returns the link before an amount, and the phrase before the link. The phrase is empty if it
    /// names nothing.
    fn words_before(&self, amount: &Amount) -> (Link, Phrase) {
        let mut link = Link::before(self.tokens, amount.start, self.floor);
        let is_of = link.preposition.as_deref() == Some("of") && !link.has_verb;
        let mut end = self.place(link.from);
        // An adjective before a bracket is not part of the name: `memory is negligible (30 MB)`.
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
        // A whole service is not a measurement, even if its name contains a measured noun.
        let is_duration = link.takes && amount.measure == Measure::TIME;
        let is_service = !is_duration && self.is_whole(&phrase.words, amount);
        // `in a normal week 90` states a time.
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

    /// Treats the single word after a pronoun as a verb, and drops the name if the amount has a
    /// noun: `it sends 1,200 mails/h`.
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

    /// Returns the words of a name in canonical spelling, with missing words added.
    fn spelled(&self, site: &Site<'_>, found: &NameWords, marks: Marks) -> Option<Vec<String>> {
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
            // Such a noun is incomplete without the thing it belongs to.
            return None;
        }
        if let [state] = name.as_slice()
            && is_state(state)
        {
            let whole = self.mentioned.filter(|one| one.measure.meets(amount.measure))?;
            name = whole.whole.iter().filter(|word| !is_peak(word)).chain([state]).cloned().collect();
        }
        // `3 retries` is a count.
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

    /// Returns the end of the phrase before a link. In `where it`, the phrase before `where` is the
    /// subject.
    fn place(&self, end: usize) -> usize {
        let word = |back: usize| end.checked_sub(back).map_or("", |at| self.tokens.word(at));
        let back = match (word(2), word(1)) {
            ("where", "it") => 2,
            (_, "where") => 1,
            _ => 0,
        };
        end.saturating_sub(back).max(self.floor)
    }

    /// True if the assignment of two amounts to two names depends on order only.
    fn is_ordered(&self, site: &Site<'_>) -> bool {
        let end = site.amount.end;
        let follows = matches!(self.tokens.word(end), "and" | "or" | "")
            && self.tokens.is_number(end.saturating_add(1))
            && self.tokens.sign(end) != ",";
        site.phrase.is_coordinated && (follows || self.tokens.sign(end) == "/")
    }

    /// Returns the name from the noun phrase before the amount.
    fn of_subject(&self, site: &Site<'_>) -> Option<NameWords> {
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
            return Some(NameWords::of(words));
        }
        let suffix = suffix(&words, site);
        words.extend(suffix.map(str::to_owned));
        Some(NameWords::of(words))
    }

    /// Returns the subject of a second verb: `the download is 1.6 GB and arrives 4 times a day`.
    pub(super) fn shared_subject(&self, site: &Site<'_>) -> Vec<String> {
        let Site { link, phrase, .. } = site;
        let before = phrase.from.checked_sub(1);
        let is_second = before.is_some_and(|at| {
            matches!(self.tokens.word(at), "and" | "but")
                || (self.tokens.sign(at) == "," && link.preposition.is_some())
        });
        let is_verb = phrase.words.iter().all(|word| plural(word)) && phrase.measure.is_none();
        let is_joined = |one: &&NamedAmount| {
            let mut between = one.end..before.unwrap_or_default();
            between.len() <= CLAUSE_MAX && between.all(|at| self.tokens.sign(at).is_empty())
        };
        let previous = self
            .previous
            .filter(is_joined)
            .filter(|_| is_second && is_verb && !link.has_verb && phrase.words.len() == 1);
        previous.map(|one| one.subject.clone()).unwrap_or_default()
    }

    /// Returns the verb of `takes 5 minutes to warm up`.
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

    /// Returns the heading that the phrase belongs to: `3DS challenge: customers take 25-60 s`.
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

    fn marks(&self, site: &Site<'_>, found: &NameWords) -> Marks {
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

    /// True for words that name a whole service and no part of it.
    pub(super) fn is_whole(&self, words: &[String], amount: &Amount) -> bool {
        let is_named = |word: &str| self.service.iter().any(|own| own == word);
        let is_part = |part: &str| is_named(part) || is_whole_service(part);
        let is_own = |word: &String| is_part(word) || word.split(['-', '_']).all(is_part);
        let is_duration = amount.measure == Measure::TIME && words.iter().all(|word| !is_named(word));
        // A part of the service's name may be a measured noun: the rates of `fx-rates`.
        let is_short = words.len() == 1
            && words.iter().all(|word| !is_whole_service(word) && self.service.last() != Some(word));
        !words.is_empty() && words.iter().all(is_own) && !is_duration && !is_short
    }
}

/// Returns the noun that a name lacks, from the measure of the amount.
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
        // The size of pods is their memory.
        Measure::BYTES if is_carrier(last) => Some("memory"),
        Measure::BYTES if !is_measured => Some("size"),
        Measure::MONEY if !last.starts_with("cost") => Some("cost"),
        _ => None,
    }
}

/// True for `are kept`.
fn is_kept(link: &Link) -> bool {
    let kept = ["retained", "kept", "stored", "archived", "preserved", "held"];
    link.predicate.as_deref().is_some_and(|one| kept.contains(&one))
}

/// True for a word that ends the phrase after an amount.
pub(super) fn ends_behind(word: &str) -> bool {
    word.is_empty() || is_clause(word) || is_determiner(word)
}
