//! Generated turns with as many words as conversations have. The n-th most common word is 1/n as
//! frequent as the most common, and every session has its own topics. `texts` has only 150 words,
//! of which each occurs in a sixth of all texts. That is no load for an inverted index.

use crate::seeded_random::Seeded;

/// The number of common words, and of the words for topics of all sessions.
const COMMON: u64 = 30_000;
const THINGS: u64 = 60_000;
/// Topics of a session.
const THINGS_OF_SESSION: u64 = 25;
/// Turns of a session.
pub(super) const SESSION: u64 = 20;

/// Returns turn `number`, with 12 to 40 words.
pub(super) fn turn(number: u64) -> String {
    let mut seeded = Seeded::new(number.wrapping_mul(0x9e37_79b9).wrapping_add(17));
    let count = 12 + seeded.below(29);
    let words: Vec<String> = (0..count).map(|_| word(&mut seeded, number / SESSION)).collect();
    words.join(" ")
}

/// Returns a question about turn `about`: six of its words in their order, and two random common
/// words.
pub(super) fn question(about: u64, number: u64) -> String {
    let said = turn(about);
    let mut seeded = Seeded::new(number.wrapping_mul(0x2545_f491).wrapping_add(91));
    let mut words: Vec<&str> = said.split(' ').skip(seeded.below(6) as usize).take(6).collect();
    let common: Vec<String> = (0..2).map(|_| spelt(rank(&mut seeded, COMMON))).collect();
    words.extend(common.iter().map(String::as_str));
    format!("{} {number}?", words.join(" "))
}

fn word(seeded: &mut Seeded, session: u64) -> String {
    if seeded.below(4) == 0 {
        spelt(COMMON + (session * 7 + seeded.below(THINGS_OF_SESSION)) % THINGS)
    } else {
        spelt(rank(seeded, COMMON))
    }
}

/// Returns a rank below `of`, with a frequency inverse to the rank.
fn rank(seeded: &mut Seeded, of: u64) -> u64 {
    let share = seeded.below(1 << 30) as f64 / (1_u64 << 30) as f64;
    ((share * (of as f64).ln()).exp() as u64).saturating_sub(1).min(of - 1)
}

fn spelt(mut number: u64) -> String {
    let mut text = String::from("z");
    for _ in 0..3 {
        for letters in ["aiou", "bdfgklmnprtvz"] {
            let length = letters.len() as u64;
            text.extend(letters.chars().nth((number % length) as usize));
            number /= length;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn words_are_as_unlike_as_in_talk() {
        let mut turns: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..2_000 {
            let words: BTreeSet<String> = turn(number).split(' ').map(str::to_owned).collect();
            for word in words {
                *turns.entry(word).or_default() += 1;
            }
        }
        let mut counts: Vec<usize> = turns.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        assert!(counts[0] > 500 && counts[10] < counts[0] / 4, "{:?}", &counts[..20]);
        assert!(counts.len() > 5_000 && counts[counts.len() / 2] < 4, "{}", counts.len());
    }

    #[test]
    fn spellings_are_distinct() {
        let all: BTreeSet<String> = (0..COMMON + THINGS).map(spelt).collect();
        assert_eq!(all.len() as u64, COMMON + THINGS);
        assert!(question(5, 1).split(' ').count() == 9 && question(5, 1) != question(5, 2));
    }
}
