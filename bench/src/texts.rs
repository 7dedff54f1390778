//! Generated conversations of a given size: subjects, verbs, objects and places in plain English,
//! distinct by number.
//!
//! They are suitable for load, but not for judging a ranking.

use crate::seeded_random::Seeded;

const WHO: &[&str] = &[
    "Anna",
    "Bruno",
    "the landlord",
    "my sister",
    "our team",
    "the dentist",
    "Priya",
    "the new colleague",
    "the neighbour",
    "the committee",
    "my manager",
    "Tomasz",
];
const DOES: &[&str] = &[
    "moved",
    "postponed",
    "finished",
    "repaired",
    "ordered",
    "cancelled",
    "described",
    "planned",
    "forgot",
    "recommended",
    "measured",
    "painted",
    "sold",
    "returned",
    "tested",
    "translated",
];
const WHAT: &[&str] = &[
    "the garden party",
    "a blue bicycle",
    "the quarterly report",
    "the kitchen sink",
    "two train tickets",
    "the database migration",
    "a cello lesson",
    "the climbing trip",
    "the allergy appointment",
    "the release checklist",
    "a wooden shelf",
    "the invoice",
    "the birthday cake",
    "the sensor firmware",
    "the mountain hut",
    "an old photograph",
];
const WHERE: &[&str] = &[
    "in Lisbon",
    "at the harbour",
    "near the library",
    "on the third floor",
    "in the small office",
    "behind the station",
    "at my parents' house",
    "in the northern district",
    "by the river",
    "in Porto",
];
const WHEN: &[&str] = &[
    "last week",
    "on Monday",
    "yesterday",
    "in March",
    "two days ago",
    "this morning",
    "before the holidays",
    "on 14 May",
    "tonight",
    "next month",
];
const ALSO: &[&str] = &[
    "because the weather was bad",
    "although nobody had asked",
    "and it cost less than expected",
    "so we have to call again",
    "which surprised everyone",
    "and I was very happy about it",
    "but the keys are still missing",
    "and the receipt is in the drawer",
    "while the others were waiting",
];

/// Returns about `bytes` bytes of text that no other number gives.
pub(crate) fn talk(number: u64, bytes: usize) -> String {
    let mut random = Seeded::new(number.wrapping_mul(0x9e37_79b9).wrapping_add(17));
    let mut text = format!("Note {number}: ");
    loop {
        text.push_str(&sentence(&mut random));
        if text.len() >= bytes {
            return text;
        }
        text.push(' ');
    }
}

/// Returns a question about such texts. Distinct numbers give distinct questions.
pub(crate) fn question(number: u64) -> String {
    let mut random = Seeded::new(number.wrapping_mul(0x2545_f491).wrapping_add(91));
    let mut one = |items: &'static [&'static str]| random.pick(items).copied().unwrap_or_default();
    let (who, does, what, place) = (one(WHO), one(DOES), one(WHAT), one(WHERE));
    match number % 3 {
        0 => format!("When was it that {who} {does} {what} {place}, case {number}?"),
        1 => format!("What do you know about {what} {place} and {who}, item {number}?"),
        _ => format!("Why has {who} {does} {what}, as in {number}?"),
    }
}

fn sentence(random: &mut Seeded) -> String {
    let mut one = |items: &'static [&'static str]| random.pick(items).copied().unwrap_or_default();
    format!("{} {} {} {} {}, {}.", one(WHO), one(DOES), one(WHAT), one(WHERE), one(WHEN), one(ALSO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_and_of_the_size() {
        let texts: std::collections::BTreeSet<_> = (0..500).map(|number| talk(number, 300)).collect();
        assert_eq!(texts.len(), 500);
        assert!(texts.iter().all(|text| (300..450).contains(&text.len())));
        let questions: std::collections::BTreeSet<_> = (0..2_000).map(question).collect();
        assert_eq!(questions.len(), 2_000);
    }
}
