//! Splits a sentence into clauses, and separates statements about a usual or configured state from
//! reports of events. Pure; one pass over the tokens.
//!
//! A clause in the past tense reports an event, and so does a clause without a verb that has a
//! date, a weekday or an incident. A clause with neither has the tense of the clause before it.

use super::dates::{has_clock, has_other_time, is_date, is_incident};
use super::tokens::Tokens;
use super::units::is_unit;
use super::vocabulary::{
    head, is_adverb, is_auxiliary, is_be, is_clause, is_determiner, is_habit, is_link, is_measure_noun,
    is_past, is_preposition, is_routine, is_setting, is_subordinate, is_use, is_usual,
};

/// The maximum number of tokens after a participle in which a colon makes it part of a heading.
const HEADING_MAX: usize = 4;

/// The maximum number of words read after `has`.
const PERFECT_WORDS_MAX: usize = 16;

/// The maximum number of adverbs before the subject of a clause.
const LEAD_MAX: usize = 3;

/// The tense of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    /// The clause has no verb that shows a tense.
    Open,
    Present,
    Past,
}

/// A clause of a sentence.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) end: usize,
    /// True if the clause reports an event.
    pub(super) is_event: bool,
}

/// A clause with the properties of its own words.
struct Draft {
    from: usize,
    end: usize,
    tense: Tense,
    has_date: bool,
    /// True if a semicolon or the start of the sentence precedes it.
    is_first: bool,
}

/// Returns the clauses of the sentence between two tokens.
pub(super) fn clauses(tokens: &Tokens<'_>, from: usize, end: usize) -> Vec<Clause> {
    let drafts = drafts(tokens, from, end);
    let is_report =
        is_incident(tokens, from) && matches!(tokens.sign(from.saturating_add(1)), ":" | "-" | "–");
    let mut clauses = Vec::with_capacity(drafts.len());
    let (mut before, mut is_story) = (Tense::Open, false);
    for (at, draft) in drafts.iter().enumerate() {
        if draft.is_first {
            (before, is_story) = (Tense::Open, false);
        }
        let is_subordinate = is_subordinate(tokens.word(draft.from));
        let leads_to_past = drafts.get(at.saturating_add(1)).is_some_and(|next| {
            let word = tokens.word(next.from);
            (next.tense == Tense::Past && matches!(word, "until" | "before"))
                || (next.has_date && matches!(word, "since" | "after"))
        });
        let tense = match draft.tense {
            _ if has_other_time(tokens, draft.from, draft.end) => Tense::Past,
            Tense::Open if (draft.has_date && !has_habit(tokens, draft)) || leads_to_past => Tense::Past,
            Tense::Open if (draft.from..draft.end).any(|at| is_usual(tokens.word(at))) => Tense::Present,
            Tense::Open => before,
            Tense::Present if is_story && !has_habit(tokens, draft) => Tense::Past,
            own => own,
        };
        if !is_subordinate {
            before = tense;
            let is_dated = draft.has_date
                || has_clock(tokens, draft.from, draft.end)
                || has_other_time(tokens, draft.from, draft.end);
            is_story |= tense == Tense::Past && draft.tense != Tense::Present && is_dated;
        }
        clauses.push(Clause { end: draft.end, is_event: is_report || tense == Tense::Past });
    }
    clauses
}

fn drafts(tokens: &Tokens<'_>, from: usize, end: usize) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let (mut start, mut is_first) = (from, true);
    for at in from..=end {
        // `usually we sit at 9 GB` is one clause.
        let is_led =
            at.saturating_sub(start) <= LEAD_MAX && (start..at).all(|one| is_adverb(tokens.word(one)));
        let begins = at > start && is_clause(tokens.word(at)) && !is_led;
        if at < end && !begins && !is_boundary(tokens, at) {
            continue;
        }
        if at > start {
            drafts.push(Draft {
                from: start,
                end: at,
                tense: tense(tokens, start, at),
                has_date: (start..at).any(|one| is_date(tokens, one)),
                is_first,
            });
            is_first = false;
        }
        is_first |= tokens.sign(at) == ";";
        start = if begins { at } else { at.saturating_add(1) };
    }
    drafts
}

/// True for a sign between two clauses.
fn is_boundary(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.sign(at) {
        ";" | "," | "(" | ")" | "[" | "]" | "—" => true,
        "-" | "–" => !tokens.is_attached(at) && !tokens.is_attached(at.saturating_add(1)),
        ":" => !tokens.is_number(at.saturating_add(1)) || !tokens.is_attached(at.saturating_add(1)),
        _ => false,
    }
}

/// Returns the tense of a clause: present if it has an auxiliary in the present, otherwise past if
/// it has a verb in the past tense, otherwise present if it has any other verb.
fn tense(tokens: &Tokens<'_>, from: usize, end: usize) -> Tense {
    let (mut is_past, mut has_verb) = (false, false);
    for at in from..end {
        let word = tokens.word(at);
        if is_perfect(tokens, at, end) {
            return Tense::Past;
        }
        if tells_past(tokens, at, from) {
            is_past = true;
        } else if is_present(word) && !is_date(tokens, at) && !is_month_may(tokens, at, from) {
            return Tense::Present;
        }
        let is_participle = is_setting(word) || is_routine(word) || is_past_form(word);
        has_verb |= (is_link(word) || is_use(word)) && word != "last" && !is_participle;
    }
    match (is_past, has_verb) {
        (true, _) => Tense::Past,
        (false, true) => Tense::Present,
        (false, false) => Tense::Open,
    }
}

/// True for the month of May within a clause: `with the May map`.
fn is_month_may(tokens: &Tokens<'_>, at: usize, from: usize) -> bool {
    at > from && tokens.get(at).is_some_and(|token| token.text == "May")
}

/// True for `has climbed`, `has been down for 2 hours` and `used to run`.
fn is_perfect(tokens: &Tokens<'_>, at: usize, end: usize) -> bool {
    let next = at.saturating_add(1);
    let near = || next..end.min(next.saturating_add(PERFECT_WORDS_MAX));
    match tokens.word(at) {
        "had" => tokens.word(next) == "been",
        "used" => tokens.word(next) == "to" && !is_be(tokens.word(at.saturating_sub(1))),
        "has" | "have" => match near().map(|one| tokens.word(one)).find(|one| !is_adverb(one)) {
            Some("been") => {
                near().any(|one| tokens.word(one) == "for" && tokens.is_number(one.saturating_add(1)))
            }
            Some("had" | "kept" | "held") | None => false,
            Some(word) => is_past_form(word),
        },
        _ => false,
    }
}

/// True for a verb in the past tense.
fn tells_past(tokens: &Tokens<'_>, at: usize, from: usize) -> bool {
    let word = tokens.word(at);
    // `Redis used 3 GB`, but `memory used 3 GB`
    if word == "used" && tokens.is_number(at.saturating_add(1)) {
        let before = at.checked_sub(1).map_or("", |one| tokens.word(one));
        let is_participle = is_auxiliary(before) || head(before).is_some() || is_unit(before);
        return !before.is_empty() && !is_participle;
    }
    if !is_past(word) {
        return is_past_form(word) && is_past_verb(tokens, at, from);
    }
    // `cache hit ratio`, `what we have had`
    let is_noun = matches!(word, "hit" | "lost" | "cut" | "split" | "left")
        && is_measure_noun(tokens.word(at.saturating_add(1)));
    let is_kept = word == "had" && matches!(tokens.word(at.saturating_sub(1)), "has" | "have");
    !(is_noun || is_kept)
}

/// True for an auxiliary in the present.
fn is_present(word: &str) -> bool {
    !is_past(word) && (is_auxiliary(word) || word.ends_with("'re") || word.ends_with("\u{2019}re"))
}

/// True for a word that has the form of a past tense, of a participle, or both.
fn is_past_form(word: &str) -> bool {
    let is_other =
        matches!(word, "exceed" | "proceed" | "succeed" | "speed" | "indeed" | "breed" | "bleed" | "embed");
    is_past(word)
        || (word.len() > 4 && word.ends_with("ed") && !is_other && !is_setting(word) && !is_routine(word))
}

/// True if a word in the form of a past tense is a finite verb: it is not a participle after an
/// auxiliary, before its noun, in a heading, or before an interval.
fn is_past_verb(tokens: &Tokens<'_>, at: usize, from: usize) -> bool {
    let before = (from..at).rev().map(|one| tokens.word(one)).find(|one| !is_adverb(one)).unwrap_or_default();
    if is_auxiliary(before) || is_be(before) {
        return false;
    }
    let is_heading = (1..=HEADING_MAX)
        .map(|more| at.saturating_add(more))
        .take_while(|one| !tokens.is_number(*one))
        .any(|one| matches!(tokens.sign(one), ":" | "=" | "~" | "≈" | "<"));
    let next = tokens.word(at.saturating_add(1));
    let is_person =
        matches!(before, "we" | "you" | "they" | "it" | "he" | "she" | "i" | "who" | "which" | "that");
    let opens = before.is_empty() || is_determiner(before) || is_preposition(before) || is_clause(before);
    // `40 queued jobs` and `4 GB used`
    let last = at.saturating_sub(1);
    let is_behind_number = tokens.is_number(last.saturating_sub(1));
    let is_behind_unit = is_behind_number && is_unit(tokens.word(last));
    if is_behind_unit || (is_unit(before) && before.contains('/')) {
        return false;
    }
    let is_object = is_link(before) || is_use(before);
    let is_counted = is_object || tokens.is_number(last) || (is_behind_number && tokens.is_attached(last));
    let opens = (opens && !is_person) || is_counted;
    let is_particle = is_preposition(next) || is_determiner(next) || is_adverb(next) || is_clause(next);
    let is_adjective = opens && !next.is_empty() && !is_particle && next != "it" && next != "back";
    let is_habit = next == "every" || (before.is_empty() && matches!(next, "after" | "within" | "per"));
    !(is_heading || is_adjective || is_habit)
}

fn has_habit(tokens: &Tokens<'_>, draft: &Draft) -> bool {
    (draft.from..draft.end).any(|at| is_habit(tokens.word(at)))
}
