//! Words by their function in a sentence about a service, as listed in `vocabulary.txt`. Pure; the
//! list is parsed once.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::units::Measure;

/// The list: each line has a function and its words.
const LIST: &str = include_str!("vocabulary.txt");

/// The functions of each word, as bits.
static WORDS: LazyLock<HashMap<String, u64>> = LazyLock::new(|| {
    let mut words: HashMap<String, u64> = HashMap::new();
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    for (part, list) in lines.filter_map(|line| line.split_once(": ")) {
        let bit = bit_of_name(part);
        for word in list.split_whitespace() {
            *words.entry(word.to_owned()).or_default() |= bit;
            if part == "counted" {
                singulars(word).for_each(|one| *words.entry(one).or_default() |= bit);
            }
        }
    }
    words
});

/// Returns the possible singulars of a plural noun.
pub(super) fn singulars(plural: &str) -> impl Iterator<Item = String> {
    let of_y = plural.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let of_es = plural.strip_suffix("es").map(str::to_owned);
    let of_s = plural.strip_suffix('s').map(str::to_owned);
    of_y.into_iter().chain(of_es).chain(of_s)
}

fn bits(word: &str) -> u64 {
    if word.is_empty() { 0 } else { WORDS.get(word).copied().unwrap_or_default() }
}

macro_rules! parts {
    ($($(#[$doc:meta])* $predicate:ident $part:ident $name:literal,)*) => {
        /// A function that words may have in a sentence.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Part { $($part,)* }

        /// Returns the bit of a function by its name in the list; 0 for an unknown name.
        fn bit_of_name(name: &str) -> u64 {
            match name {
                $($name => bit(Part::$part),)*
                _ => 0,
            }
        }

        $($(#[$doc])*
        pub(super) fn $predicate(word: &str) -> bool {
            bits(word) & bit(Part::$part) != 0
        })*
    };
}

fn bit(part: Part) -> u64 {
    1 << (part as u32)
}

parts! {
    /// Returns true for an adverb.
    is_adverb Adverb "adverb",
    /// Returns true for a verb between a measured thing and its amount.
    is_link Link "link",
    /// Returns true for a listed verb that may precede another verb.
    is_listed_auxiliary Auxiliary "auxiliary",
    /// Returns true for a form of `be`, or a verb that takes an adjective like it.
    is_be Be "be",
    /// Returns true for a verb of duration.
    is_taking Taking "taking",
    /// Returns true for a word that marks an amount as an upper limit.
    is_cap Cap "cap",
    /// Returns true for a word that marks an amount as reserved.
    is_reserve Reserve "reserve",
    /// Returns true for a noun of a resource.
    is_resource Resource "resource",
    /// Returns true for an attribute of a resource.
    is_attribute Attribute "attribute",
    /// Returns true for a listed word of statistics.
    is_listed_statistic Statistic "statistic",
    /// Returns true for a word of the highest value.
    is_peak Peak "peak",
    /// Returns true for an article or another determiner.
    is_determiner Determiner "determiner",
    /// Returns true for a word at which a clause begins.
    is_clause Clause "clause",
    /// Returns true for a word at which a subordinate clause begins.
    is_subordinate Subordinate "subordinate",
    /// Returns true for a word after which an amount is a threshold.
    is_condition Condition "condition",
    /// Returns true for a preposition.
    is_preposition Preposition "preposition",
    /// Returns true for a verb whose object is an amount.
    is_use Use "use",
    /// Returns true for a verb after which a time is a duration.
    is_ending Ending "ending",
    /// Returns true for a participle of a recurring action.
    is_routine Routine "routine",
    /// Returns true for a participle of setting a value.
    is_setting Setting "setting",
    /// Returns true for a listed verb in the past tense.
    is_past Past "past",
    /// Returns true for a word of usual behaviour.
    is_habit Habit "habit",
    /// Returns true for a word of usual or desired behaviour, in contrast to another time.
    is_usual Usual "usual",
    /// Returns true for an adjective of the state in which something is measured.
    is_state State "state",
    /// Returns true for a day of the week.
    is_weekday Weekday "weekday",
    /// Returns true for a month.
    is_month Month "month",
    /// Returns true for a part of a day, a week or a year.
    is_time_of_day TimeOfDay "time-of-day",
    /// Returns true for a noun of persons who are counted.
    is_person Person "person",
    /// Returns true for a noun that is measured in time.
    is_of_time OfTime "of-time",
    /// Returns true for a noun that is measured in time or things.
    is_of_backlog OfBacklog "of-backlog",
    /// Returns true for a noun that is measured in bytes.
    is_of_bytes OfBytes "of-bytes",
    /// Returns true for a noun that is measured in processors.
    is_of_cpu OfCpu "of-cpu",
    /// Returns true for a noun that is a share.
    is_of_share OfShare "of-share",
    /// Returns true for a noun that is a number.
    is_of_number OfNumber "of-number",
    /// Returns true for a noun that is measured in degrees.
    is_of_degree OfDegree "of-degree",
    /// Returns true for a noun that is measured in anything.
    is_of_any OfAny "of-any",
    /// Returns true for a noun that names nothing without a complement.
    is_bound_noun BoundNoun "bound-noun",
    /// Returns true for a noun of a single event.
    is_accident Accident "accident",
    /// Returns true for a unit of time.
    is_unit_of_time UnitTime "unit-time",
    /// Returns true for a unit of size.
    is_unit_of_bytes UnitBytes "unit-bytes",
    /// Returns true for a unit of CPU.
    is_unit_of_cpu UnitCpu "unit-cpu",
    /// Returns true for a unit of shares.
    is_unit_of_share UnitShare "unit-share",
    /// Returns true for a unit of rates.
    is_unit_of_rate UnitRate "unit-rate",
    /// Returns true for a word of a currency.
    is_unit_of_money UnitMoney "unit-money",
    /// Returns true for a unit of something else.
    is_unit_of_other UnitOther "unit-other",
    /// Returns true for a word that multiplies the number before it.
    is_magnitude Magnitude "magnitude",
    /// Returns true for the unit of time of a rate.
    is_span Span "span",
    /// Returns true for a noun of counted things.
    is_counted Counted "counted",
    /// Returns true for a singular noun with the form of a plural.
    is_singular Singular "singular",
    /// Returns true for a word that makes the preceding number no amount.
    is_no_amount NoAmount "no-amount",
    /// Returns true for a word that makes the following number a name.
    is_named_number NamedNumber "named-number",
    /// Returns true for a word that ends the noun phrase of a counted thing.
    ends_phrase PhraseEnd "phrase-end",
    /// Returns true for a word that marks a value as the usual one.
    is_qualifier Qualifier "qualifier",
    /// Returns true for a noun of the location of a resource.
    is_carrier Carrier "carrier",
    /// Returns true for a noun of a service as a whole.
    is_whole_service Whole "whole",
    /// Returns true for a noun that names nothing without further words.
    is_general General "general",
    /// Returns true for a noun such as in `in the range of`.
    is_vicinity Vicinity "vicinity",
}

/// Returns true for a verb that may precede another verb.
pub(super) fn is_auxiliary(word: &str) -> bool {
    is_listed_auxiliary(word) || word.ends_with("n't") || word.ends_with("n\u{2019}t")
}

/// Returns true for a plural noun, by its form.
pub(super) fn plural(word: &str) -> bool {
    let ends = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    let is_owner = word.contains('\'') || word.contains('\u{2019}');
    // `HSTS` is not a plural.
    let is_spoken = word.contains(['a', 'e', 'i', 'o', 'u', 'y']) || is_counted(word);
    ends && word.len() > 2 && is_spoken && !is_owner && !is_singular(word)
}

/// Returns true for a word of statistics, such as `p99` or `average`.
pub(super) fn is_statistic(word: &str) -> bool {
    is_percentile(word) || is_listed_statistic(word)
}

/// Returns true for a percentile, such as `p99` or `99th`.
pub(super) fn is_percentile(word: &str) -> bool {
    let digits = word.strip_prefix('p').or_else(|| word.strip_suffix("th"));
    digits.is_some_and(|rest| {
        rest.starts_with(|sign: char| sign.is_ascii_digit())
            && rest.chars().all(|sign| sign.is_ascii_digit() || sign == '.')
            && rest.len() <= 5
    })
}

/// Returns the measures of a noun. `None` if it is not measured.
pub(super) fn head(word: &str) -> Option<Measure> {
    measure_of_noun(word).or_else(|| is_counted(word).then_some(NUMBER))
}

/// Returns true for a measured noun, as opposed to a counted one.
pub(super) fn is_measure_noun(word: &str) -> bool {
    measure_of_noun(word).is_some()
}

const NUMBER: Measure = Measure::COUNT.or(Measure::PLAIN).or(Measure::RATE).or(Measure::SHARE);

fn measure_of_noun(word: &str) -> Option<Measure> {
    // Names of settings keep their form.
    if is_percentile(word) || word.contains('_') {
        return Some(Measure::ANY);
    }
    // `5xx around 3%`
    if word.len() == 3 && word.ends_with("xx") {
        return Some(NUMBER);
    }
    let last = word.rsplit(['-', '/']).next().unwrap_or(word);
    let bytes = Measure::BYTES.or(Measure::SHARE).or(Measure::RATE);
    let table = [
        (is_of_time(last), Measure::TIME),
        (is_of_backlog(last), Measure::TIME.or(NUMBER).or(Measure::BYTES)),
        (is_of_bytes(last), bytes),
        (is_of_cpu(last), Measure::CPU.or(Measure::SHARE).or(Measure::PLAIN).or(Measure::COUNT)),
        (is_of_share(last), NUMBER.or(Measure::BYTES)),
        (is_of_number(last), NUMBER.or(Measure::BYTES).or(Measure::CPU)),
        (is_of_degree(last), Measure::OTHER.or(Measure::PLAIN)),
        (is_of_any(last), Measure::ANY),
    ];
    table.into_iter().find(|(is_it, _)| *is_it).map(|(_, measure)| measure)
}
