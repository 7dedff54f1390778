//! Amounts in a sentence: a number, or two as a range, with a unit. Pure.

use super::tokens::{Kind, Tokens};
use super::units::{Measure, measure, whole_span};
use super::vocabulary::{ends_phrase, is_counted, is_magnitude, is_named_number, is_no_amount, is_span};

/// Words between an amount and the noun of what is counted, at most.
const MODIFIERS_MAX: usize = 3;
/// Numbers in words.
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
];
/// Signs directly before a number by which it is part of something else.
const NO_AMOUNT_BEHIND: &[&str] = &["/", ":", "#", "@", "$", "€", "£", ".", "+", "\\", "_", "^", "&", "?"];

/// An amount, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    /// The first token, and the first token after it.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number or the range, with the unit, without the noun of what is counted.
    pub(super) value: String,
    /// The noun phrase of what is counted: `active_connections`, `requests_per_second`.
    pub(super) counted: Option<String>,
    pub(super) measure: Measure,
    /// Both ends of a range are given.
    pub(super) is_range: bool,
}

/// A number with a unit, one end of a range or the whole amount.
#[derive(Default)]
struct Part {
    number: String,
    unit: String,
    measure: Option<Measure>,
    end: usize,
    /// A space is between the number and the unit.
    is_apart: bool,
}

impl Amount {
    /// Reads the amount that begins at a token.
    pub(super) fn read(tokens: &Tokens<'_>, start: usize) -> Option<Self> {
        if start > 0 && tokens.is_attached(start) && !may_follow(tokens, start.saturating_sub(1)) {
            return None;
        }
        if start > 0 && is_named_number(tokens.word(start.saturating_sub(1))) {
            return None;
        }
        let first = part(tokens, start)?;
        let sign = if tokens.sign(first.end) == "±" { "±" } else { "-" };
        let (mut last, is_range) = match second(tokens, &first, start) {
            Some(second) => (second, true),
            None => (part(tokens, start)?, false),
        };
        if is_part_of_other(tokens, last.end) {
            return None;
        }
        let (span, over) = over_span(tokens, last.end, last.measure);
        let mut counted = None;
        if let (Some(end), Some(Measure::BYTES | Measure::SHARE)) = (span, last.measure) {
            last.unit = format!("{}/{over}", last.unit);
            last.measure = Some(Measure::RATE);
            last.end = end;
        }
        let measure = match last.measure {
            Some(measure) => measure,
            None => match counted_noun(tokens, last.end) {
                None => match over_span(tokens, last.end, Some(Measure::COUNT)) {
                    (Some(end), over) => {
                        last.unit = format!("/{over}");
                        last.end = end;
                        Measure::RATE
                    }
                    (None, _) => Measure::PLAIN,
                },
                Some((noun, end)) => {
                    let (span, over) = over_span(tokens, end, Some(Measure::COUNT));
                    last.end = span.unwrap_or(end);
                    counted = Some(if span.is_some() { format!("{noun}_per_{over}") } else { noun });
                    if span.is_some() { Measure::RATE } else { Measure::COUNT }
                }
            },
        };
        let is_word = tokens.get(start).is_some_and(|token| token.kind == Kind::Word);
        if is_word && measure == Measure::PLAIN {
            return None;
        }
        let value = written(&first, &last, is_range.then_some(sign));
        Some(Self { start, end: last.end, value, counted, measure, is_range })
    }
}

/// Returns true where a number may directly follow the token.
fn may_follow(tokens: &Tokens<'_>, before: usize) -> bool {
    match tokens.get(before) {
        Some(token) if token.kind == Kind::Sign => {
            // A dash between a word and a number joins them; at a beginning it is a sign of the
            // number.
            let is_dash = matches!(token.text, "-" | "–" | "—");
            let is_equal = token.text == ":" && !tokens.is_number(before.saturating_sub(1));
            !is_dash && (is_equal || !NO_AMOUNT_BEHIND.contains(&token.text))
        }
        _ => false,
    }
}

fn part(tokens: &Tokens<'_>, at: usize) -> Option<Part> {
    let token = tokens.get(at)?;
    let number = match token.kind {
        Kind::Number => token.text.to_owned(),
        Kind::Word => NUMBER_WORDS.iter().find(|(word, _)| *word == token.lower)?.1.to_owned(),
        Kind::Sign => return None,
    };
    let mut part = Part { number, end: at.saturating_add(1), ..Part::default() };
    // `5-minute`: the unit is joined by a dash.
    let dash = part.end;
    let is_joined =
        tokens.sign(dash) == "-" && tokens.is_attached(dash) && tokens.is_attached(dash.saturating_add(1));
    let joined = is_joined.then(|| tokens.get(dash.saturating_add(1))).flatten();
    if let Some(unit) = joined.filter(|unit| unit.kind == Kind::Word) {
        part.measure = Some(measure(unit.text)?);
        part.unit = unit.text.to_owned();
        part.is_apart = true;
        part.end = dash.saturating_add(2);
        return Some(part);
    }
    magnitude(tokens, &mut part);
    unit(tokens, &mut part)?;
    Some(part)
}

fn magnitude(tokens: &Tokens<'_>, part: &mut Part) {
    let is_attached = tokens.is_attached(part.end);
    let word = tokens.word(part.end);
    let is_million = is_attached && tokens.get(part.end).is_some_and(|token| token.text == "M") && {
        let next = tokens.word(part.end.saturating_add(1));
        is_counted(next)
    };
    if !word.is_empty() && (is_magnitude(word) || is_million) {
        let text = tokens.get(part.end).map_or("", |token| token.text);
        let space = if is_attached { "" } else { " " };
        part.number = format!("{}{space}{text}", part.number);
        part.end = part.end.saturating_add(1);
    }
}

/// Takes the unit behind a number. An attached word that is no unit makes the number part of
/// something else.
fn unit(tokens: &Tokens<'_>, part: &mut Part) -> Option<()> {
    let at = part.end;
    let is_attached = tokens.is_attached(at);
    if tokens.sign(at) == "%" {
        part.unit = "%".to_owned();
        part.measure = Some(Measure::SHARE);
        part.end = at.saturating_add(1);
        return Some(());
    }
    let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word) else { return Some(()) };
    let found = measure(token.text).or_else(|| compound(&token.lower));
    if is_attached {
        part.measure = Some(found?);
    } else {
        // One letter behind a space is no unit, but of time and size.
        let is_letter = token.text.len() == 1 && !matches!(token.text, "s" | "h" | "d" | "m" | "B" | "G");
        let is_article = token.lower == "per" && tokens.word(at.saturating_add(1)) == "cent";
        if is_article {
            part.unit = "percent".to_owned();
            part.measure = Some(Measure::SHARE);
            part.is_apart = true;
            part.end = at.saturating_add(2);
            return Some(());
        }
        part.measure = found.filter(|_| !is_letter);
    }
    if part.measure.is_some() {
        part.unit = token.text.to_owned();
        part.is_apart = !is_attached;
        part.end = at.saturating_add(1);
        // `4 CPU cores`
        let is_two = part.measure == Some(Measure::CPU) && matches!(tokens.word(part.end), "cores" | "core");
        if is_two && measure(&token.lower).is_some() && token.lower.ends_with("cpu") {
            part.unit = format!("{} {}", token.text, tokens.word(part.end));
            part.end = part.end.saturating_add(1);
        }
    }
    Some(())
}

/// The measure of `h30m` behind a first number.
fn compound(rest: &str) -> Option<Measure> {
    let is_sign = |sign: char| sign.is_ascii_digit() || matches!(sign, 'd' | 'h' | 'm' | 's');
    let begins = rest.starts_with(['d', 'h', 'm']) && rest.ends_with(['h', 'm', 's']);
    (begins && rest.len() > 2 && rest.chars().all(is_sign)).then_some(Measure::TIME)
}

/// The other end of a range.
fn second(tokens: &Tokens<'_>, first: &Part, start: usize) -> Option<Part> {
    let at = first.end;
    let dash = matches!(tokens.sign(at), "-" | "–" | "—" | "…" | "~" | "±");
    let dots = tokens.sign(at) == "." && tokens.sign(at.saturating_add(1)) == ".";
    let word = tokens.word(at);
    let is_between = (1..=2).any(|back| tokens.word(start.saturating_sub(back)) == "between");
    let from = if dots {
        at.saturating_add(2)
    } else if dash || matches!(word, "to" | "through") || (word == "and" && is_between) {
        at.saturating_add(1)
    } else {
        return None;
    };
    // `400 - 5-minute` and `1 - 2 - 3` are no ranges.
    let last = part(tokens, from).filter(|_| tokens.is_number(from))?;
    let follows = matches!(tokens.sign(last.end), "-" | "–") && tokens.is_number(last.end.saturating_add(1));
    let agree = match (first.measure, last.measure) {
        (Some(first), Some(last)) => first.meets(last),
        (Some(_), None) => false,
        (None, _) => true,
    };
    (agree && !follows).then_some(last)
}

/// Returns true where what stands behind makes the amount a change, a date, or part of something
/// else.
fn is_part_of_other(tokens: &Tokens<'_>, end: usize) -> bool {
    let sign = tokens.sign(end);
    let next = end.saturating_add(1);
    let is_rate = sign == "/" && is_span(tokens.word(next));
    let joins = !is_rate
        && matches!(sign, ":" | "/" | "-" | "_" | "=")
        && tokens.is_attached(end)
        && tokens.is_attached(next);
    joins || is_no_amount(tokens.word(end))
}

/// The end of `per second`, `a day` or `/min` behind a unit, and the unit of time.
fn over_span(tokens: &Tokens<'_>, at: usize, measure: Option<Measure>) -> (Option<usize>, String) {
    let joins = matches!(tokens.word(at), "per" | "a" | "an" | "each" | "every") || tokens.sign(at) == "/";
    let span = tokens.word(at.saturating_add(1));
    let is_rate =
        measure.is_some_and(|one| one == Measure::BYTES || one == Measure::COUNT || one == Measure::SHARE);
    if !(joins && is_rate && is_span(span)) {
        return (None, String::new());
    }
    (Some(at.saturating_add(2)), whole_span(span).to_owned())
}

/// The noun phrase of what is counted behind a number, and its end.
fn counted_noun(tokens: &Tokens<'_>, at: usize) -> Option<(String, usize)> {
    let mut words: Vec<&str> = Vec::new();
    let mut last = None;
    for place in at..=at.saturating_add(MODIFIERS_MAX) {
        let word = tokens.word(place);
        if word.is_empty() || ends_phrase(word) || measure(word).is_some_and(|_| words.is_empty()) {
            break;
        }
        if let Some((noun, span)) = word.split_once('/') {
            let is_rate = is_counted(noun) || noun == "req";
            return (is_rate && is_span(span)).then(|| {
                words.push(if noun == "req" { "requests" } else { noun });
                (format!("{}_per_{}", words.join("_"), whole_span(span)), place.saturating_add(1))
            });
        }
        words.push(word);
        if is_counted(word) {
            last = Some((words.join("_").replace(['-', '.', '\''], "_"), place.saturating_add(1)));
        } else if last.is_some() {
            break;
        }
    }
    last
}

/// The amount as one text: `400-500Mi`, `1.5-2 GiB`, `12k`.
fn written(first: &Part, last: &Part, range: Option<&str>) -> String {
    let space = if last.is_apart { " " } else { "" };
    let Some(sign) = range else {
        return format!("{}{space}{}", last.number, last.unit);
    };
    let unit = if first.unit.is_empty() || first.unit == last.unit { "" } else { first.unit.as_str() };
    format!("{}{unit}{sign}{}{space}{}", first.number, last.number, last.unit)
}
