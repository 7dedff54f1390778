//! The rest of a sentence around an amount: headings, words behind it, and names that were said
//! before. Pure.

use super::amount::Amount;
use super::name::{Marks, canonical};
use super::naming::{BEHIND_MAX, Naming};
use super::subject::Subject;
use super::units::Measure;
use super::vocabulary::{head, is_adverb, is_attribute, is_auxiliary, is_percentile, is_statistic};

/// Tokens between a heading and its amounts, at most.
const HEADING_MAX: usize = 24;

impl Naming<'_> {
    pub(super) fn subject(&self, end: usize) -> Subject {
        Subject::before(self.tokens, end, self.floor)
    }

    /// The statistic in the parenthesis behind an amount: `45ms (p50)`.
    pub(super) fn statistic_behind(&self, amount: &Amount) -> Option<String> {
        let at = |more: usize| amount.end.saturating_add(more);
        let word = self.tokens.word(at(1));
        let is_it = self.tokens.sign(at(0)) == "(" && self.tokens.sign(at(2)) == ")" && is_statistic(word);
        is_it.then(|| word.to_owned())
    }

    /// The place before the auxiliaries and adverbs that end at a token.
    pub(super) fn before_auxiliaries(&self, end: usize) -> usize {
        let is_one = |at: &usize| {
            let word = self.tokens.word(*at);
            is_auxiliary(word) || is_adverb(word)
        };
        let many = (self.floor..end).rev().take_while(is_one).count();
        end.saturating_sub(many)
    }

    /// `limits: cpu 500m, memory 512Mi`: the heading says what all of it is.
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

    /// `64 GiB total`, `2GB limit`: the word behind says what the amount is.
    pub(super) fn marked_behind(&self, marks: Marks, amount: &Amount) -> Marks {
        let word = self.tokens.word(amount.end);
        Marks {
            is_owned: marks.is_owned || matches!(word, "total" | "available" | "installed" | "capacity"),
            is_cap: marks.is_cap || matches!(word, "limit" | "cap"),
            is_reserve: marks.is_reserve || matches!(word, "request" | "requested" | "reserved"),
            ..marks
        }
    }

    /// A name of a statistic or an attribute alone, with what the sentence named before.
    pub(super) fn completed(&self, name: &[String], amount: &Amount) -> Option<Vec<String>> {
        let last = name.last()?;
        let base = self.previous.filter(|one| one.measure.meets(amount.measure)).map(|one| one.name.clone());
        let base = base.or_else(|| self.topic(amount));
        let Some(base) = base else {
            if amount.measure == Measure::CPU && is_attribute(last) && name.len() == 1 {
                return Some(vec!["cpu".to_owned(), singular(last).to_owned()]);
            }
            let is_latency = amount.measure == Measure::TIME && name.iter().any(|word| is_percentile(word));
            let latency = is_latency.then(|| "latency".to_owned());
            let is_known = is_latency || name.len() > 1;
            return is_known.then(|| name.iter().cloned().chain(latency).collect());
        };
        if is_attribute(last) {
            let kept = base.iter().filter(|word| !is_statistic(word) && !is_attribute(word)).cloned();
            return Some(kept.chain([singular(last).to_owned()]).collect());
        }
        let kept = base.into_iter().filter(|word| !is_statistic(word));
        Some(name.iter().cloned().chain(kept).collect())
    }

    /// The last measured noun phrase before the amount's own, within a few words: `latency: p50
    /// 20ms`.
    pub(super) fn topic(&self, amount: &Amount) -> Option<Vec<String>> {
        let from = amount.start.saturating_sub(BEHIND_MAX.saturating_mul(3));
        let is_topic = |at: &usize| {
            let word = self.tokens.word(*at);
            !is_statistic(word)
                && !is_attribute(word)
                && head(word).is_some_and(|one| one.meets(amount.measure))
        };
        let at = (from..amount.start).rev().find(is_topic)?;
        let subject = Subject::before(self.tokens, at.saturating_add(1), 0);
        Some(canonical(&subject.words, self.service, Marks::default()))
    }
}

/// An attribute of one resource.
fn singular(attribute: &str) -> &str {
    match attribute {
        "requests" => "request",
        other => other,
    }
}
