//! Units of quantities, and their measures. Pure.

use super::vocabulary::{
    is_span, is_unit_of_bytes, is_unit_of_cpu, is_unit_of_money, is_unit_of_other, is_unit_of_rate,
    is_unit_of_share, is_unit_of_time,
};

/// A set of measures of a unit or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure(u16);

impl Measure {
    pub(super) const TIME: Self = Self(1);
    pub(super) const SHARE: Self = Self(2);
    pub(super) const BYTES: Self = Self(4);
    pub(super) const CPU: Self = Self(8);
    /// An amount per unit of time.
    pub(super) const RATE: Self = Self(16);
    /// A count, with its noun.
    pub(super) const COUNT: Self = Self(32);
    /// A number without a unit.
    pub(super) const PLAIN: Self = Self(64);
    /// Millicores or minutes.
    pub(super) const MILLI: Self = Self(Self::CPU.0 | Self::TIME.0);
    /// An amount of money.
    pub(super) const MONEY: Self = Self(128);
    /// Degrees, volts, meters and other units that need a named noun.
    pub(super) const OTHER: Self = Self(256);
    pub(super) const ANY: Self = Self(511);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if both have a measure in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Returns the measure of a unit, which is case sensitive.
pub(super) fn measure(word: &str) -> Option<Measure> {
    let lower = word.to_lowercase();
    if let Some((unit, span)) = lower.split_once('/') {
        let is_noun = !unit.is_empty() && unit.chars().all(char::is_alphabetic);
        return (is_noun && is_span(span)).then_some(Measure::RATE);
    }
    unit_of(word)
}

/// Returns the measure of `h30m` after a first number.
fn compound(rest: &str) -> Option<Measure> {
    let is_sign = |sign: char| sign.is_ascii_digit() || matches!(sign, 'd' | 'h' | 'm' | 'i' | 'n' | 's');
    let begins = rest.starts_with(['d', 'h', 'm']) && rest.ends_with(['h', 'm', 's', 'n']);
    let has_digit = rest.contains(|sign: char| sign.is_ascii_digit());
    // `1h30`
    let is_clock = rest.strip_prefix('h').is_some_and(|rest| rest.len() == 2 && rest.parse::<u8>().is_ok());
    (is_clock || (begins && has_digit && rest.chars().all(is_sign))).then_some(Measure::TIME)
}

/// True for the unit directly after a number.
pub(super) fn is_unit(word: &str) -> bool {
    measure(word).is_some()
}

fn unit_of(word: &str) -> Option<Measure> {
    match word {
        "C" | "F" => return Some(Measure::OTHER),
        "m" => return Some(Measure::MILLI),
        "M" => return Some(Measure::BYTES.or(Measure::COUNT).or(Measure::PLAIN)),
        _ => {}
    }
    let lower = word.to_lowercase();
    let table = [
        (is_unit_of_time(&lower), Measure::TIME),
        (is_unit_of_bytes(&lower), Measure::BYTES),
        (is_unit_of_cpu(&lower), Measure::CPU),
        (is_unit_of_share(&lower), Measure::SHARE),
        (is_unit_of_rate(&lower), Measure::RATE),
        (is_unit_of_money(&lower), Measure::MONEY),
        (is_unit_of_other(&lower), Measure::OTHER),
    ];
    table.into_iter().find(|(is_it, _)| *is_it).map(|(_, measure)| measure).or_else(|| compound(&lower))
}

/// Returns the full word for the unit of time of a rate.
pub(super) fn whole_span(span: &str) -> &str {
    match span {
        "s" | "sec" | "seconds" => "second",
        "m" | "min" | "minutes" => "minute",
        "h" | "hr" | "hours" => "hour",
        "d" | "days" => "day",
        other => other,
    }
}
