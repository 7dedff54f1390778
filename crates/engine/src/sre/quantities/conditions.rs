//! Names of amounts behind a preposition of time or change: `completes in 5 minutes`, `runs every
//! 10 seconds`, `retained for 30 days`, `grows by 2 GB per day`. Any other amount behind such a
//! preposition is a condition, and has no name. Pure.

use super::amount::Amount;
use super::name::Marks;
use super::naming::{Found, Naming, UNMEASURED_MAX};
use super::units::Measure;
use super::vocabulary::is_ending;
use super::zone::Zone;

/// Verbs before `for` or `after`, and the noun of the time behind them.
const SPANS: &[(&str, &[&str], &str)] = &[
    ("for", &["retained", "kept", "stored", "cached", "saved", "preserved", "held", "archived"], "retention"),
    ("after", &["expire", "expires", "evicted", "deleted", "purged", "rotated", "invalidated"], "expiry"),
];
/// Verbs of how long something takes, and the noun of what they do.
const ACTIONS: &[(&[&str], &str)] = &[
    (&["respond", "responds", "replies", "reply", "answer", "answers", "served", "handled"], "response"),
    (&["start", "starts", "boot", "boots", "up"], "startup"),
    (&["recover", "recovers"], "recovery"),
    (&["restart", "restarts"], "restart"),
];

impl Naming<'_> {
    /// The name of an amount behind a word by which amounts are conditions.
    pub(super) fn of_condition(&self, word: &str, zone: &Zone, amount: &Amount) -> Option<Found> {
        let at = zone.from.checked_sub(1)?;
        let end = at.checked_sub(1)?;
        let verb = self.tokens.word(end);
        if word == "by" && amount.measure == Measure::RATE {
            let grows = matches!(verb, "grows" | "grow" | "growing" | "increases");
            return grows.then(|| self.with_noun(end, "growth")).flatten();
        }
        if !amount.measure.meets(Measure::TIME) || amount.measure == Measure::PLAIN {
            return None;
        }
        let noun = SPANS.iter().find(|(before, verbs, _)| *before == word && verbs.contains(&verb));
        if let Some((_, _, noun)) = noun {
            return self.with_noun(self.before_auxiliaries(end), noun);
        }
        let times_out = verb == "out" && matches!(self.tokens.word(end.checked_sub(1)?), "times" | "time");
        match word {
            "in" | "within" if is_ending(verb) => self.of_ending(end, verb),
            "after" if times_out => self.with_noun(end.checked_sub(1)?, "timeout"),
            "every" => {
                let before = end.checked_sub(1).map_or("", |place| self.tokens.word(place));
                let is_past = verb.ends_with("ed") && !matches!(before, "is" | "are");
                let end = if matches!(before, "is" | "are") { self.before_auxiliaries(end) } else { at };
                (!is_past).then(|| self.with_noun(end, "interval")).flatten()
            }
            _ => None,
        }
    }

    /// The subject that ends at a place, with a noun behind it.
    fn with_noun(&self, end: usize, noun: &str) -> Option<Found> {
        let mut words = self.subject(end).words;
        let is_name = (1..=UNMEASURED_MAX).contains(&words.len());
        words.push(noun.to_owned());
        is_name.then(|| Found { words, marks: Marks::default(), is_counted: false })
    }

    /// `responds within 150ms`, `backups complete in 45 minutes`.
    fn of_ending(&self, end: usize, verb: &str) -> Option<Found> {
        let mut words = self.subject(self.before_auxiliaries(end)).words;
        let action = ACTIONS.iter().find(|(verbs, _)| verbs.contains(&verb)).map(|(_, action)| *action);
        // Without its service, what responds is known by that alone.
        if words.iter().all(|word| self.is_of_service(word)) {
            words.clear();
        }
        words.extend(action.map(str::to_owned));
        let marks = Marks { takes: true, ..Marks::default() };
        (!words.is_empty()).then_some(Found { words, marks, is_counted: false })
    }
}
