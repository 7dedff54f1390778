//! The words between what is measured and its amount: verbs, prepositions, adverbs and signs. Pure.

use super::tokens::{Kind, Tokens};
use super::vocabulary::{
    is_adverb, is_auxiliary, is_blocker, is_cap, is_determiner, is_link, is_peak, is_percentile, is_reserve,
    is_statistic, is_taking, is_use, is_vicinity, is_weak_link,
};

/// Tokens of one zone, at most.
const TOKENS_MAX: usize = 14;
/// Tokens of a parenthesis within a zone, at most.
const PARENTHESIS_MAX: usize = 8;

/// The words between a name and an amount.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Zone {
    /// The first token of the zone: the name ends before it.
    pub(super) from: usize,
    /// A verb, a colon or an equals sign links both.
    pub(super) is_strong: bool,
    /// A preposition links both.
    pub(super) is_weak: bool,
    /// The amount is the object of this verb.
    pub(super) uses: Option<String>,
    /// An equals sign links both.
    pub(super) is_equation: bool,
    /// A colon stands between both.
    pub(super) is_heading: bool,
    /// An article stands directly before the amount.
    pub(super) is_attributive: bool,
    /// An adverb such as `around` stands before the amount.
    pub(super) is_approximate: bool,
    pub(super) is_peak: bool,
    pub(super) is_cap: bool,
    pub(super) is_reserve: bool,
    pub(super) takes: bool,
    /// The statistic of `a maximum of`.
    pub(super) statistic: Option<String>,
    /// The word by which the amount is a condition.
    pub(super) blocked_by: Option<String>,
}

impl Zone {
    /// Reads the zone that ends before a token, and begins at `floor` at the earliest.
    pub(super) fn before(tokens: &Tokens<'_>, end: usize, floor: usize) -> Self {
        let mut zone = Self { from: end, ..Self::default() };
        let mut has_verb = false;
        while zone.from > floor && end.saturating_sub(zone.from) < TOKENS_MAX {
            let at = zone.from.saturating_sub(1);
            let Some(token) = tokens.get(at) else { break };
            let goes_on = match token.kind {
                Kind::Number => break,
                Kind::Sign if matches!(token.text, ")" | "]") => parenthesis(tokens, at, floor),
                Kind::Sign => zone.sign(token.text, has_verb),
                Kind::Word => zone.word(tokens, at, end, &mut has_verb),
            };
            match goes_on {
                None => break,
                Some(next) => zone.from = next,
            }
            let before = tokens.sign(zone.from.saturating_sub(1));
            let is_skipped = is_approximation(token.text) || matches!(token.text, ")" | "]");
            if token.kind == Kind::Sign && !is_skipped && !matches!(before, ")" | "]") {
                break;
            }
        }
        zone
    }

    /// Returns the place before a sign that belongs to the zone.
    fn sign(&mut self, sign: &str, has_verb: bool) -> Option<usize> {
        let before = self.from.checked_sub(1)?;
        match sign {
            "<" | ">" | "≤" | "≥" | "≈" | "~" | "±" => {
                self.is_strong = true;
                Some(before)
            }
            // Behind a verb these begin another clause.
            ":" | "=" | "-" | "–" | "—" | "→" if !has_verb => {
                self.is_strong = true;
                self.is_equation = sign == "=";
                self.is_heading = sign == ":";
                Some(before)
            }
            "(" | "[" if !has_verb && !self.is_weak => Some(before),
            _ => None,
        }
    }

    /// Returns the place before a word that belongs to the zone.
    fn word(&mut self, tokens: &Tokens<'_>, at: usize, end: usize, has_verb: &mut bool) -> Option<usize> {
        let word = tokens.word(at);
        let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
        let is_first = !self.is_strong && !self.is_weak && self.uses.is_none() && !self.is_attributive;
        if let Some(start) = vicinity(tokens, at) {
            self.is_weak = true;
            return Some(start);
        }
        if word == "of" && is_statistic(before(1)) && (is_determiner(before(2)) || at < 2) {
            self.is_weak = true;
            self.is_peak |= is_peak(before(1));
            self.statistic = Some(before(1).to_owned());
            return Some(at.saturating_sub(2));
        }
        if word == "of" && is_cap(before(1)) && is_determiner(before(2)) && is_use(before(3)) {
            self.is_weak = true;
            self.is_cap = true;
            return at.checked_sub(2);
        }
        // `at peak`, `on average`, `at most`.
        let is_bound = is_statistic(word) || matches!(word, "least" | "most" | "best" | "worst");
        if matches!(before(1), "at" | "on") && is_bound && !is_percentile(word) {
            self.is_peak |= is_peak(word);
            return at.checked_sub(1);
        }
        if !*has_verb && matches!(word, "in" | "within") && self.uses.is_none() {
            self.blocked_by = Some(word.to_owned());
            return None;
        }
        if is_first && is_blocker(word) && !matches!(word, "times") {
            self.blocked_by = Some(word.to_owned());
            return None;
        }
        if at.saturating_add(1) == end && matches!(word, "a" | "an" | "the") {
            self.is_attributive = true;
            return Some(at);
        }
        let may_be_verb =
            if *has_verb { is_auxiliary(word) } else { is_link(word) || is_peak(word) || is_use(word) };
        if may_be_verb {
            self.verb(word);
            *has_verb = true;
            return Some(at);
        }
        let is_infinitive = *has_verb && word == "to" && is_auxiliary(before(1));
        if is_weak_link(word) && (!*has_verb || is_infinitive) {
            self.is_weak = true;
            return Some(at);
        }
        self.is_approximate |= is_adverb(word);
        is_adverb(word).then_some(at)
    }

    fn verb(&mut self, word: &str) {
        self.is_strong |= is_link(word) || is_peak(word);
        self.is_peak |= is_peak(word);
        self.is_cap |= is_cap(word);
        self.is_reserve |= is_reserve(word);
        self.takes |= is_taking(word);
        if is_use(word) && self.uses.is_none() {
            self.uses = Some(word.to_owned());
        }
    }
}

/// The first token of a parenthesis that ends at a token, and has no amount.
fn parenthesis(tokens: &Tokens<'_>, end: usize, floor: usize) -> Option<usize> {
    let from = end.saturating_sub(PARENTHESIS_MAX).max(floor);
    let open = (from..end).rev().find(|at| matches!(tokens.sign(*at), "(" | "["))?;
    (open..end).all(|at| !tokens.is_number(at)).then_some(open)
}

fn is_approximation(sign: &str) -> bool {
    matches!(sign, "<" | ">" | "≤" | "≥" | "≈" | "~" | "±")
}

/// The first token of `in the range of` that ends at `of`.
fn vicinity(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
    let is_it = tokens.word(at) == "of" && is_vicinity(before(1)) && is_determiner(before(2));
    (is_it && matches!(before(3), "in" | "on")).then(|| at.saturating_sub(3))
}
