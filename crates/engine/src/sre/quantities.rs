//! Quantities in a sentence about a service, by what they are of (sre-memory.md §8): "memory usage is 400-500Mi" has `memory_usage`. Pure. Only
//! what a sentence says in so many words is taken; the sentence itself is kept whole by whoever asks.

use std::collections::BTreeMap;

/// Words between what is measured and how much it is.
const LINKS: &[&str] = &[
    "is", "are", "was", "of", "at", "to", "around", "about", "averages", "stays", "below", "above", "under",
    "over", "between", "=",
];
/// Words that no name of a measure has.
const NOT_OF_NAMES: &[&str] =
    &["the", "a", "an", "its", "and", "or", "with", "but", "has", "in", "on", "for"];
/// Words of a name, at most; the last ones count.
const NAME_WORDS_MAX: usize = 3;
/// Units, in lower case.
const UNITS: &[&str] = &[
    "%",
    "ms",
    "s",
    "m",
    "min",
    "h",
    "d",
    "b",
    "kb",
    "mb",
    "gb",
    "tb",
    "ki",
    "mi",
    "gi",
    "ti",
    "kib",
    "mib",
    "gib",
    "tib",
    "k",
    "g",
    "rps",
    "qps",
    "rpm",
    "cores",
    "core",
    "cpu",
    "replicas",
    "pods",
    "connections",
];

/// Quantities by the name of what they are of, as they are written. Of two of one name the first counts.
pub fn quantities(sentence: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    let mut found = BTreeMap::new();
    for (at, word) in words.iter().enumerate() {
        let Some(quantity) = quantity(word, words.get(at + 1).copied()) else { continue };
        let before = words.get(..at).unwrap_or_default();
        let Some(name) = name(before) else { continue };
        found.entry(name).or_insert(quantity);
    }
    found
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| matches!(sign, ',' | ';' | ':' | '(' | ')' | '"' | '\'' | '`'))
        .trim_end_matches(['.', '!', '?'])
}

/// A number, or two with a dash between, and a unit at its end or behind it.
fn quantity(word: &str, next: Option<&str>) -> Option<String> {
    let end = word
        .find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, '.' | '-' | '–'))
        .unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    let is_number = |text: &str| !text.is_empty() && text.parse::<f64>().is_ok();
    if !number.split(['-', '–']).all(is_number) || number.split(['-', '–']).count() > 2 {
        return None;
    }
    let is_unit = |unit: &str| UNITS.contains(&unit.to_lowercase().as_str());
    if is_unit(unit) {
        return Some(word.to_owned());
    }
    match next {
        Some(next) if unit.is_empty() && is_unit(next) => Some(format!("{number} {next}")),
        _ => None,
    }
}

/// What a quantity is of: the words before the word that links them.
fn name(before: &[&str]) -> Option<String> {
    let is_link = |word: &&&str| LINKS.contains(&word.to_lowercase().as_str());
    let links = before.iter().rev().take_while(is_link).count();
    let named = before.get(..before.len().saturating_sub(links)).unwrap_or_default();
    if links == 0 {
        return None;
    }
    let is_of_name = |word: &&&str| {
        let word = word.to_lowercase();
        !NOT_OF_NAMES.contains(&word.as_str())
            && !LINKS.contains(&word.as_str())
            && word.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '/'))
            && word.chars().any(|sign| sign.is_ascii_alphabetic())
    };
    let mut words: Vec<String> = named
        .iter()
        .rev()
        .take_while(is_of_name)
        .take(NAME_WORDS_MAX)
        .map(|word| word.to_lowercase())
        .collect();
    words.reverse();
    (!words.is_empty()).then(|| words.join("_").replace(['-', '/'], "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_sentence_says_in_so_many_words() {
        let check = |sentence: &str, expect: &[(&str, &str)]| {
            let got = quantities(sentence);
            let got: Vec<(&str, &str)> =
                got.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(got, expect, "{sentence}");
        };
        check("memory usage is 400-500Mi", &[("memory_usage", "400-500Mi")]);
        check(
            "The p99 latency is about 250ms, and the error rate is 0.5%.",
            &[("error_rate", "0.5%"), ("p99_latency", "250ms")],
        );
        check("CPU is around 2 cores", &[("cpu", "2 cores")]);
        check("connections stays below 80%", &[("connections", "80%")]);
        check("it has 3 replicas", &[]);
        check("restarted at 14:30", &[]);
        check("depends on postgres 16", &[]);
        check("version is 1.2.3", &[]);
        check("", &[]);
    }
}
