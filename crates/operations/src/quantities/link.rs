//! The words between a measured thing and its amount: verbs, prepositions, adverbs and signs. Pure.

use super::tokens::{TokenKind, Tokens};
use super::vocabulary::{
    head, is_adverb, is_attribute, is_auxiliary, is_be, is_cap, is_clause, is_determiner, is_ending, is_link,
    is_measure_noun, is_peak, is_percentile, is_preposition, is_reserve, is_routine, is_setting,
    is_statistic, is_taking, is_use, is_vicinity, plural,
};

/// The maximum number of tokens of a link.
const TOKENS_MAX: usize = 14;
/// The maximum number of tokens of a parenthesis within a link.
const PARENTHESIS_MAX: usize = 8;

/// The words between a name and an amount.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    /// The first token of the link. The name ends before it.
    pub(super) from: usize,
    /// True if it contains a verb.
    pub(super) has_verb: bool,
    /// The verb whose object is the amount.
    pub(super) uses: Option<String>,
    /// The colon, equals sign or bracket in it.
    pub(super) sign: Option<&'static str>,
    /// True if a sign such as `~` or an adverb such as `around` precedes the amount.
    pub(super) is_approximate: bool,
    /// The preposition nearest to the amount.
    pub(super) preposition: Option<String>,
    /// True if an article directly precedes the amount.
    pub(super) is_attributive: bool,
    pub(super) is_peak: bool,
    pub(super) is_cap: bool,
    pub(super) is_reserve: bool,
    pub(super) takes: bool,
    pub(super) grows: bool,
    /// True for a verb of rising to the amount. With `may` it marks the highest value.
    rises: bool,
    pub(super) times_out: bool,
    /// True if the amount is a bound: `should never exceed`.
    pub(super) is_bound: bool,
    /// True if a comparison precedes the amount: `older than`.
    pub(super) compares: bool,
    /// The statistic of `a maximum of` and `at peak`.
    pub(super) statistic: Option<String>,
    /// The adjective or participle after a form of `be`: `are refreshed every`, `are valid for`.
    pub(super) predicate: Option<String>,
}

impl Link {
    /// Reads the link that ends before a token. It begins at `floor` at the earliest.
    pub(super) fn before(tokens: &Tokens<'_>, end: usize, floor: usize) -> Self {
        let mut link = Self { from: end, ..Self::default() };
        while link.from > floor && end.saturating_sub(link.from) < TOKENS_MAX {
            let at = link.from.saturating_sub(1);
            let Some(token) = tokens.get(at) else { break };
            let next = match token.kind {
                TokenKind::Number => None,
                TokenKind::Sign if matches!(token.text, ")" | "]") => parenthesis(tokens, at, floor),
                TokenKind::Sign => link.sign(tokens, at),
                TokenKind::Word => link.word(tokens, at, end, floor),
            };
            match next {
                Some(next) => link.from = next.max(floor),
                None => break,
            }
            // The words before a colon are the name.
            if token.kind == TokenKind::Sign
                && link.sign.is_some()
                && !matches!(tokens.sign(at.saturating_sub(1)), ")" | "]")
            {
                break;
            }
        }
        link
    }

    /// True if only adverbs separate the name and the amount.
    pub(super) fn is_adjacent(&self) -> bool {
        !self.has_verb && self.sign.is_none() && self.preposition.is_none() && !self.is_attributive
    }

    /// Returns the position before a sign that belongs to the link.
    fn sign(&mut self, tokens: &Tokens<'_>, at: usize) -> Option<usize> {
        let sign = match tokens.sign(at) {
            "<" | ">" | "≤" | "≥" | "≈" | "~" | "±" => {
                self.is_approximate = true;
                return Some(at);
            }
            _ if self.has_verb || self.sign.is_some() => return None,
            ":" => ":",
            "=" if matches!(tokens.sign(at.saturating_sub(1)), "<" | ">") => return Some(at),
            "=" => "=",
            "-" | "–" | "—" | "→" => "-",
            "(" | "[" if self.preposition.is_none() => "(",
            _ => return None,
        };
        self.sign = Some(sign);
        Some(at)
    }

    /// Returns the position before a word that belongs to the link.
    fn word(&mut self, tokens: &Tokens<'_>, at: usize, end: usize, floor: usize) -> Option<usize> {
        let word = tokens.word(at);
        let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
        if let Some(start) = self.phrase(tokens, at) {
            return Some(start);
        }
        if at.saturating_add(1) == end && matches!(word, "a" | "an" | "the") {
            self.is_attributive = true;
            return Some(at);
        }
        if at.saturating_add(1) == end && word == "each" && tokens.is_number(end) {
            self.preposition = Some("every".to_owned());
            return Some(at);
        }
        let is_noun = self.is_noun(tokens, at, floor);
        // `peak 9 s` is a name, but `peaking at 9 s` is not.
        let is_peak = is_peak(word) && !(is_statistic(word) && self.is_adjacent());
        let is_verb = is_auxiliary(word) || is_link(word) || is_peak || is_use(word) || is_ending(word);
        if !self.has_verb && self.predicate.is_none() && is_routine(word) && at > floor {
            self.predicate = Some(word.to_owned());
            return Some(at);
        }
        if is_verb && !is_noun && (!self.has_verb || precedes_verb(word)) {
            self.verb(word);
            return Some(at);
        }
        let ends_waiting = matches!(
            (before(1), word),
            ("time" | "times" | "timing", "out") | ("give" | "gives" | "giving", "up")
        );
        if ends_waiting && !self.has_verb {
            (self.has_verb, self.times_out) = (true, true);
            return at.checked_sub(1);
        }
        if is_preposition(word) && (!self.has_verb || (word == "to" && is_auxiliary(before(1)))) {
            if self.preposition.is_none() && !self.has_verb {
                self.preposition = Some(word.to_owned());
            }
            self.is_cap |= word == "up" || (word == "most" && before(1) == "at");
            return Some(at);
        }
        let is_denied = matches!(before(2), "no" | "not" | "never");
        self.compares |= word == "than"
            && !is_adverb(before(1))
            && !is_denied
            && !matches!(before(1), "lower" | "higher" | "better");
        if is_adverb(word) || (word == "be" && self.has_verb) {
            self.is_approximate = true;
            return Some(at);
        }
        if let Some(start) = self.receiver(tokens, at, end, floor) {
            return Some(start);
        }
        let is_predicate = !self.has_verb && self.sign.is_none() && self.predicate.is_none();
        if is_predicate && follows_be(tokens, at, floor) && !is_statistic(word) {
            self.predicate = Some(word.to_owned()).filter(|word| !is_setting(word));
            self.is_cap |= is_cap(word);
            return Some(at);
        }
        None
    }

    /// Returns the position before an indirect object: `takes clients 3 s`,
    /// `takes a pod about 40 s`.
    fn receiver(&self, tokens: &Tokens<'_>, at: usize, end: usize, floor: usize) -> Option<usize> {
        let word = tokens.word(at);
        let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
        let is_last = at.saturating_add(1) == end && head(word).is_none() && !is_statistic(word);
        let is_governed = (is_link(before(1)) || is_taking(before(1))) && !is_be(before(1));
        if is_last && is_governed && !word.ends_with('s') && at > floor.saturating_add(1) {
            return Some(at);
        }
        let is_other = !self.has_verb && self.sign.is_none() && !is_measure_noun(word);
        let is_taken = is_determiner(before(1)) && matches!(before(2), "takes" | "take");
        if is_other && is_taken { at.checked_sub(1) } else { None }
    }

    /// True for a possible verb that is a noun because of the words before it.
    fn is_noun(&self, tokens: &Tokens<'_>, at: usize, floor: usize) -> bool {
        let word = tokens.word(at);
        let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
        let is_first = at == floor && (!is_use(word) || word == "requests") && is_plural_noun(word);
        let is_article = matches!(before(1), "a" | "an" | "the" | "our" | "its" | "their");
        let is_object = is_preposition(before(1)) && before(1) != "to";
        // `the p95 of bid requests`, `limit 1Gi, request 512Mi`
        let is_complement = word == "requests" && is_preposition(before(2)) && !is_preposition(before(1));
        let is_listed = is_attribute(word) && before(1).is_empty() && !self.has_verb && at > floor;
        !is_auxiliary(word) && (is_article || is_object || is_complement || is_listed || is_first)
    }

    /// Returns the position before `in the range of`, `a maximum of`, `at peak` and `on average`.
    fn phrase(&mut self, tokens: &Tokens<'_>, at: usize) -> Option<usize> {
        let word = tokens.word(at);
        let before = |back: usize| at.checked_sub(back).map_or("", |place| tokens.word(place));
        if word == "of" && is_vicinity(before(1)) && is_determiner(before(2)) {
            self.preposition.get_or_insert_with(|| "in".to_owned());
            return at.checked_sub(if matches!(before(3), "in" | "on") { 3 } else { 2 });
        }
        let is_article = matches!(before(2), "a" | "an" | "the") || at < 2;
        if word == "of" && is_article && (is_statistic(before(1)) || (is_cap(before(1)) && is_use(before(3))))
        {
            self.preposition = Some("of".to_owned());
            self.is_peak |= is_peak(before(1));
            self.is_cap |= is_cap(before(1));
            self.statistic = Some(before(1).to_owned()).filter(|word| is_statistic(word));
            return Some(at.saturating_sub(2));
        }
        // `something like 3`
        if word == "like" && before(1) == "something" {
            self.is_approximate = true;
            return at.checked_sub(1);
        }
        // `count on 40 s`
        let is_expected = matches!((before(1), word), ("count", "on") | ("reckon", "with") | ("plan", "for"));
        if is_expected && (is_clause(before(2)) || is_auxiliary(before(2)) || before(2).is_empty()) {
            (self.has_verb, self.uses) = (true, Some(before(1).to_owned()));
            return at.checked_sub(1);
        }
        let is_bound = is_statistic(word) || matches!(word, "least" | "most" | "best" | "worst");
        if matches!(before(1), "at" | "on") && is_bound && !is_percentile(word) {
            self.is_peak |= is_peak(word);
            self.is_cap |= word == "most";
            return at.checked_sub(1);
        }
        None
    }

    fn verb(&mut self, word: &str) {
        self.has_verb = true;
        self.is_bound |= matches!(word, "should" | "must");
        self.is_peak |= matches!(word, "may" | "can" | "might" | "could") && self.rises;
        self.rises |= matches!(word, "reach" | "hit" | "go" | "climb" | "rise" | "grow" | "get");
        self.is_peak |= is_peak(word);
        self.is_cap |= is_cap(word);
        self.is_reserve |= is_reserve(word);
        self.takes |= is_taking(word) || is_ending(word);
        self.grows |= matches!(word, "grows" | "grow" | "growing");
        if is_use(word) && self.preposition.is_none() && self.uses.is_none() {
            self.uses = Some(word.to_owned());
        }
    }
}

/// True for a noun in the plural that is not a verb in the third person.
fn is_plural_noun(word: &str) -> bool {
    let is_verb = is_taking(word) || is_be(word) || matches!(word, "grows" | "sits" | "hovers" | "averages");
    plural(word) && !is_verb
}

/// True for a verb that may precede another one.
fn precedes_verb(word: &str) -> bool {
    is_auxiliary(word) || (is_link(word) && word.ends_with('s'))
}

/// True if a form of `be` precedes a word, with only adverbs between them.
fn follows_be(tokens: &Tokens<'_>, at: usize, floor: usize) -> bool {
    let words = (floor..at).rev().map(|one| tokens.word(one));
    words.take(3).find(|word| !is_adverb(word)).is_some_and(is_be)
}

/// Returns the first token of a parenthesis that ends at a token and contains no amount.
fn parenthesis(tokens: &Tokens<'_>, end: usize, floor: usize) -> Option<usize> {
    let from = end.saturating_sub(PARENTHESIS_MAX).max(floor);
    let open = (from..end).rev().find(|at| matches!(tokens.sign(*at), "(" | "["))?;
    (open..end).all(|at| !tokens.is_number(at)).then_some(open)
}
