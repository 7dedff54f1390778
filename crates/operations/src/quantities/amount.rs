//! Amounts in a sentence: a number, or a range of two, with a unit. Pure.

use super::counted_noun::{CountedNoun, over_span};
use super::tokens::{TokenKind, Tokens};
use super::units::{Measure, measure};
use super::vocabulary::{is_magnitude, is_month, is_named_number, is_no_amount, is_span, plural};

/// Numbers in words.
const NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "ninety", "hundred",
];
/// Signs that make a directly following number part of something else.
const NO_AMOUNT_BEHIND: &[&str] = &["/", ":", "#", "@", ".", "+", "\\", "_", "^", "&", "?"];

/// An amount and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    /// The first token, and the first token after it.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number or the range with its unit, but without the counted noun.
    pub(super) value: String,
    /// The counted noun phrase.
    pub(super) counted: Option<CountedNoun>,
    pub(super) measure: Measure,
    /// True if the amount has both ends of a range, or a sign such as `~` before it.
    pub(super) is_range: bool,
    /// True if a dash joins the unit: `5-minute`.
    pub(super) is_joined: bool,
}

/// A number with a unit: one end of a range or the whole amount.
#[derive(Default)]
struct UnitNumber {
    number: String,
    unit: String,
    measure: Option<Measure>,
    end: usize,
    /// True if a space separates the number and the unit.
    is_apart: bool,
    is_joined: bool,
}

impl Amount {
    /// Reads the amount that begins at a token.
    pub(super) fn read(tokens: &Tokens<'_>, start: usize) -> Option<Self> {
        let before = start.checked_sub(1);
        let money = before.map_or("", |at| tokens.sign(at));
        let is_money = matches!(money, "$" | "€" | "£");
        let is_free =
            is_money || !tokens.is_attached(start) || before.is_some_and(|at| may_follow(tokens, at));
        if start > 0 && (!is_free || is_named(tokens, start)) {
            return None;
        }
        // `a couple of hundred`
        if tokens.word(start) == "hundred"
            && before.is_some_and(|at| matches!(tokens.word(at), "of" | "few" | "several"))
        {
            return None;
        }
        let first = part(tokens, start)?;
        let sign = if tokens.sign(first.end) == "±" { "±" } else { "-" };
        let (mut last, is_range) = match second(tokens, &first, start) {
            Some(second) => (second, true),
            None => (part(tokens, start)?, false),
        };
        if is_money {
            (last.measure, last.is_apart) = (Some(Measure::MONEY), false);
        }
        if is_part_of_other(tokens, start, last.end) {
            return None;
        }
        let mut counted = None;
        let measure = match last.measure {
            Some(Measure::BYTES | Measure::SHARE | Measure::OTHER) => match over_span(tokens, last.end) {
                Some((end, _)) => last.extended(tokens, end),
                None => last.measure?,
            },
            Some(Measure::MONEY) => {
                if let Some((end, _)) = over_span(tokens, last.end) {
                    last.extended(tokens, end);
                }
                Measure::MONEY
            }
            Some(measure) => measure,
            None => match (CountedNoun::read(tokens, last.end), over_span(tokens, last.end)) {
                (Some(noun), _) => {
                    last.end = noun.end;
                    let measure = if noun.span.is_some() { Measure::RATE } else { Measure::COUNT };
                    counted = Some(noun);
                    measure
                }
                (None, Some((end, _))) => last.extended(tokens, end),
                (None, None) => Measure::PLAIN,
            },
        };
        let is_word = tokens.get(start).is_some_and(|token| token.kind == TokenKind::Word);
        // `one` is mostly an article.
        let is_number = matches!(measure, Measure::COUNT | Measure::PLAIN);
        if is_word && (measure == Measure::PLAIN || (is_number && tokens.word(start) == "one")) {
            return None;
        }
        let is_joined = last.is_joined;
        let value = written(&first, &last, is_range.then_some(sign));
        let (start, value) = match before.filter(|_| is_money) {
            Some(sign) => (sign, format!("{money}{value}")),
            None => (start, value),
        };
        Some(Self { start, end: last.end, value, counted, measure, is_range, is_joined })
    }
}

impl UnitNumber {
    /// Extends the unit up to a token, for a rate.
    fn extended(&mut self, tokens: &Tokens<'_>, end: usize) -> Measure {
        let space = if self.unit.is_empty() || tokens.is_attached(self.end) { "" } else { " " };
        self.is_apart |= self.unit.is_empty() && !tokens.is_attached(self.end);
        self.unit = format!("{}{space}{}", self.unit, tokens.text(self.end, end));
        self.end = end;
        Measure::RATE
    }
}

/// True if the word before a number makes it a name: `port 80`, but not `tokens last 30d`.
fn is_named(tokens: &Tokens<'_>, start: usize) -> bool {
    let word = |back: usize| start.checked_sub(back).map_or("", |at| tokens.word(at));
    is_named_number(word(1)) && !(word(1) == "last" && plural(word(2)))
}

/// True if a number may directly follow the token.
fn may_follow(tokens: &Tokens<'_>, before: usize) -> bool {
    match tokens.get(before) {
        Some(token) if token.kind == TokenKind::Sign => {
            // A dash between a word and a number joins them; at the beginning it is the sign of the
            // number.
            let is_dash = matches!(token.text, "-" | "–" | "—");
            let is_equal = token.text == ":" && !tokens.is_number(before.saturating_sub(1));
            !is_dash && (is_equal || !NO_AMOUNT_BEHIND.contains(&token.text))
        }
        // The size of a flag: `-Xmx6g`.
        Some(token) => token.text.starts_with('X') && tokens.sign(before.saturating_sub(1)) == "-",
        None => false,
    }
}

fn part(tokens: &Tokens<'_>, at: usize) -> Option<UnitNumber> {
    let token = tokens.get(at)?;
    let number = match token.kind {
        TokenKind::Number => token.text.to_owned(),
        TokenKind::Word if NUMBER_WORDS.contains(&token.lower.as_str()) => token.text.to_owned(),
        TokenKind::Word | TokenKind::Sign => return None,
    };
    let mut part = UnitNumber { number, end: at.saturating_add(1), ..UnitNumber::default() };
    // `900:1`
    let (colon, one) = (part.end, part.end.saturating_add(1));
    let is_ratio = tokens.sign(colon) == ":" && tokens.is_attached(colon) && tokens.is_attached(one);
    if is_ratio && tokens.get(one).is_some_and(|one| one.text == "1") {
        part.number.push_str(":1");
        part.end = one.saturating_add(1);
        part.measure = Some(Measure::SHARE);
        return Some(part);
    }
    // `5-minute`: the unit is joined by a dash.
    let dash = part.end;
    let is_joined =
        tokens.sign(dash) == "-" && tokens.is_attached(dash) && tokens.is_attached(dash.saturating_add(1));
    let joined = is_joined.then(|| tokens.get(dash.saturating_add(1))).flatten();
    if let Some(unit) = joined.filter(|unit| unit.kind == TokenKind::Word) {
        part.measure = Some(measure(unit.text)?);
        part.unit = unit.text.to_owned();
        (part.is_apart, part.is_joined) = (true, true);
        part.end = dash.saturating_add(2);
        return Some(part);
    }
    magnitude(tokens, &mut part);
    unit(tokens, &mut part)?;
    Some(part)
}

fn magnitude(tokens: &Tokens<'_>, part: &mut UnitNumber) {
    let is_attached = tokens.is_attached(part.end);
    let word = tokens.word(part.end);
    let next = part.end.saturating_add(1);
    let is_million = is_attached
        && tokens.get(part.end).is_some_and(|token| token.text == "M")
        && (CountedNoun::read(tokens, next).is_some() || tokens.word(next).contains('/'));
    if !word.is_empty() && (is_magnitude(word) || is_million) {
        let text = tokens.get(part.end).map_or("", |token| token.text);
        let space = if is_attached { "" } else { " " };
        part.number = format!("{}{space}{text}", part.number);
        part.end = part.end.saturating_add(1);
    }
}

/// Reads the unit after a number. An attached word that is no unit makes the number part of
/// something else.
fn unit(tokens: &Tokens<'_>, part: &mut UnitNumber) -> Option<()> {
    let at = part.end;
    let is_attached = tokens.is_attached(at);
    if tokens.sign(at) == "%" {
        part.unit = "%".to_owned();
        part.is_apart = !is_attached;
        part.measure = Some(Measure::SHARE);
        part.end = at.saturating_add(1);
        return Some(());
    }
    if matches!(tokens.sign(at), "€" | "$" | "£") {
        part.unit = tokens.sign(at).to_owned();
        part.is_apart = !is_attached;
        part.measure = Some(Measure::MONEY);
        part.end = at.saturating_add(1);
        return Some(());
    }
    if tokens.sign(at) == "°" && matches!(tokens.word(at.saturating_add(1)), "c" | "f") {
        part.unit = tokens.text(at, at.saturating_add(2));
        part.is_apart = !is_attached;
        part.measure = Some(Measure::OTHER);
        part.end = at.saturating_add(2);
        return Some(());
    }
    let Some(token) = tokens.get(at).filter(|token| token.kind == TokenKind::Word) else { return Some(()) };
    let found = measure(token.text);
    if is_attached {
        part.measure = Some(found?);
    } else {
        if token.lower == "per" && tokens.word(at.saturating_add(1)) == "cent" {
            part.unit = "per cent".to_owned();
            part.measure = Some(Measure::SHARE);
            part.is_apart = true;
            part.end = at.saturating_add(2);
            return Some(());
        }
        // A single letter after a space is a unit only for time, size, voltage and power.
        let is_letter =
            token.text.len() == 1 && !matches!(token.text, "s" | "h" | "d" | "m" | "B" | "G" | "V" | "W");
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
        // `1h 20m`
        let unit = tokens.word(part.end.saturating_add(1));
        let is_longer = matches!(
            token.lower.as_str(),
            "h" | "hr" | "hour" | "hours" | "d" | "day" | "days" | "m" | "min"
        );
        if is_longer && tokens.is_number(part.end) && matches!(unit, "h" | "m" | "min" | "s" | "minutes") {
            let end = part.end.saturating_add(2);
            part.unit = format!("{} {}", part.unit, tokens.text(part.end, end));
            part.end = end;
        }
    }
    Some(())
}

/// Reads the other end of a range.
fn second(tokens: &Tokens<'_>, first: &UnitNumber, start: usize) -> Option<UnitNumber> {
    let at = first.end;
    let dash = matches!(tokens.sign(at), "-" | "–" | "—" | "…" | "~" | "±");
    let dots = tokens.sign(at) == "." && tokens.sign(at.saturating_add(1)) == ".";
    let word = tokens.word(at);
    let is_between = (1..=2).any(|back| tokens.word(start.saturating_sub(back)) == "between");
    let from = if dots {
        at.saturating_add(2)
    } else if (dash && tokens.is_number(start))
        || matches!(word, "to" | "through" | "or")
        || (word == "and" && is_between)
    {
        at.saturating_add(1)
    } else {
        return None;
    };
    // `400 - 5-minute` and `1 - 2 - 3` are not ranges.
    let last = part(tokens, from).filter(|_| tokens.is_number(from) || word == "to" || word == "or")?;
    let follows = matches!(tokens.sign(last.end), "-" | "–") && tokens.is_number(last.end.saturating_add(1));
    let agree = match (first.measure, last.measure) {
        (Some(first), Some(last)) => first.meets(last),
        (Some(_), None) => false,
        (None, _) => true,
    };
    (agree && !follows).then_some(last)
}

/// True if the words after the amount make it a change, a date, or part of something else.
fn is_part_of_other(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    let sign = tokens.sign(end);
    let next = end.saturating_add(1);
    let is_rate = sign == "/" && is_span(tokens.word(next));
    let joins = !is_rate
        && matches!(sign, ":" | "/" | "-" | "_" | "=")
        && tokens.is_attached(end)
        && tokens.is_attached(next);
    let word = tokens.word(end);
    let is_date = is_month(word) && tokens.is_number(end.saturating_sub(1));
    let is_off = word == "off" && tokens.sign(end.saturating_sub(1)) == "%";
    let is_later = matches!(word, "past" | "x") || (word == "from" && tokens.word(next) == "now");
    joins || is_date || is_off || is_later || is_no_amount(word) || is_of_whole(tokens, start, end)
}

/// True for both numbers of `3 of 5`, `1 in 1000` and `48 out of 100`, and for `2 of the pods`.
fn is_of_whole(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    let joins = |at: usize| {
        matches!(tokens.word(at), "of" | "in")
            && tokens.is_number(at.saturating_sub(1))
            && tokens.is_number(at.saturating_add(1))
    };
    let before = |back: usize| start.checked_sub(back).map_or("", |at| tokens.word(at));
    // `610 GB of 1 TB` states both.
    let is_size = |at: usize| part(tokens, at).is_some_and(|one| one.measure == Some(Measure::BYTES));
    if tokens.word(end) == "of" && is_size(start) && is_size(end.saturating_add(1)) {
        return false;
    }
    // `180k of 500k`
    let is_multiple = before(1) == "of"
        && is_magnitude(before(2))
        && start.checked_sub(3).is_some_and(|at| tokens.is_number(at));
    let is_whole = (before(1) == "of" && before(2) == "out")
        || is_multiple
        || (start > 1 && joins(start.saturating_sub(1)));
    if is_whole || joins(end) {
        return true;
    }
    let (next, noun) = (end.saturating_add(1), end.saturating_add(2));
    let is_group = matches!(tokens.word(next), "the" | "our" | "these" | "those" | "my")
        && tokens.sign(end.saturating_sub(1)) != "%"
        && (plural(tokens.word(noun)) || part(tokens, noun).is_some());
    tokens.word(end) == "of" && (is_group || part(tokens, next).is_some())
}

/// Returns the amount as text: `400-500Mi`, `1.5-2 GiB`, `12k`.
fn written(first: &UnitNumber, last: &UnitNumber, range: Option<&str>) -> String {
    let space = if last.is_apart { " " } else { "" };
    let Some(sign) = range else {
        return format!("{}{space}{}", last.number, last.unit);
    };
    let unit = if first.unit.is_empty() || first.unit == last.unit { "" } else { first.unit.as_str() };
    format!("{}{unit}{sign}{}{space}{}", first.number, last.number, last.unit)
}
