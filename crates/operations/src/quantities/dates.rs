//! Dates, times and incidents in a clause, which mark it as the report of an event. Pure.

use super::tokens::Tokens;
use super::vocabulary::{is_month, is_span, is_time_of_day, is_weekday};

/// True for a date, a weekday, an incident or a word such as `yesterday`.
pub(super) fn is_date(tokens: &Tokens<'_>, at: usize) -> bool {
    let word = tokens.word(at);
    let before = at.checked_sub(1).map_or("", |one| tokens.word(one));
    let next = at.saturating_add(1);
    if tokens.is_number(at) {
        let is_joined = |one: usize| tokens.sign(one) == "-" && tokens.is_attached(one);
        return tokens.get(at).is_some_and(|one| one.text.len() == 4)
            && is_joined(next)
            && is_joined(next.saturating_add(2))
            && tokens.is_number(next.saturating_add(1));
    }
    // `on Sunday evenings` is a recurring time.
    let is_repeated = tokens.word(next).strip_suffix('s').is_some_and(is_time_of_day);
    let owner = word.trim_end_matches("'s").trim_end_matches("\u{2019}s");
    let is_near_number = at.checked_sub(1).is_some_and(|one| tokens.is_number(one)) || tokens.is_number(next);
    matches!(word, "yesterday" | "ago" | "incident" | "outage")
        || (word == "last" && (is_span(tokens.word(next)) || is_time_of_day(tokens.word(next))))
        || (word == "this" && matches!(tokens.word(next), "morning" | "afternoon" | "evening"))
        || (is_weekday(owner)
            && !is_repeated
            && matches!(before, "on" | "last" | "since" | "until" | "by" | "after" | "black" | "cyber" | ""))
        || (is_weekday(owner) && word != owner)
        || (is_month(word) && (is_near_number || matches!(before, "in" | "since" | "last" | "until")))
        || is_incident(tokens, at)
}

/// True for the name of an incident or a ticket, such as `INC-4471`.
pub(super) fn is_incident(tokens: &Tokens<'_>, at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let Some((name, number)) = token.text.split_once('-') else {
        return matches!(token.lower.as_str(), "ticket" | "postmortem")
            && tokens.is_number(at.saturating_add(1));
    };
    let is_name = name.len() >= 2 && name.chars().all(|one| one.is_ascii_uppercase());
    is_name && number.len() >= 2 && number.chars().all(|one| one.is_ascii_digit())
}

/// True for a clause about the present moment, a plan, or a request.
pub(super) fn has_other_time(tokens: &Tokens<'_>, from: usize, end: usize) -> bool {
    (from..end).any(|at| {
        let (word, next) = (tokens.word(at), tokens.word(at.saturating_add(1)));
        let is_span = is_span(next) || is_time_of_day(next);
        matches!(
            (word, next),
            ("right" | "just", "now") | ("the", "moment") | ("going" | "planning" | "plan" | "plans", "to")
        ) || (word == "next" && is_span)
            || matches!(word, "tomorrow" | "propose" | "considering" | "please")
    })
}

/// True for a clause with a time of day.
pub(super) fn has_clock(tokens: &Tokens<'_>, from: usize, end: usize) -> bool {
    (from..end).any(|at| {
        let next = at.saturating_add(1);
        tokens.is_number(at) && tokens.sign(next) == ":" && tokens.is_number(next.saturating_add(1))
    })
}
