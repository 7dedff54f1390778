//! The values of a statement, and the check that code binds each of them to the name that the
//! statement gives. Pure, over texts.
//!
//! A value that is denied, past, a measure, a part of a sum, in words, or without a name of its own
//! is open, because code with that value may not confirm the statement.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use loci_model::limits;
use loci_text::code_mentions::looks_like_code;
use regex::Regex;

use super::denial::denies;
use super::literal::{BoundValues, Literal};
use super::statement::{UNITS, without_places};
use crate::verifier::code_structure::name_positions::LookupBudget;

/// Numbers and bounds in words.
const IN_WORDS: &str = " zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand \
    million billion dozen twice unlimited unbounded infinite infinity ";
/// Words of conditions. The text after them is not asserted.
const CONDITIONAL: &str = " if when whether while should would could might may must ";
/// Words that restrict a value to the past or to some cases.
const AT_TIMES: &str = " was were previously formerly earlier until unless except ";
/// Words of one unit per line. A name may contain its unit.
const SAME_UNIT: &[&str] = &[
    " s sec secs second seconds ",
    " ms msec millis millisecond milliseconds ",
    " us micros microsecond microseconds ",
    " ns nanos nanosecond nanoseconds ",
    " m min mins minute minutes ",
    " h hour hours ",
    " d day days ",
    " week weeks ",
    " month months ",
    " year years ",
    " b byte bytes ",
    " kb kilobyte kilobytes ",
    " mb megabyte megabytes ",
    " gb gigabyte gigabytes ",
    " kib ",
    " mib ",
    " gib ",
    " % percent pct percentage ",
    " hz ",
    " khz ",
    " mhz ",
    " ghz ",
];

/// A value that a statement explicitly gives to a name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StatedValue {
    name: String,
    value: Literal,
    /// The position of the value.
    start: usize,
    end: usize,
}

/// The values of a statement.
pub(super) struct StatedValues {
    text: String,
    given: Vec<StatedValue>,
    /// True if the statement has more values than are looked up.
    pub(super) is_cut: bool,
}

/// The values that code binds to one name.
#[derive(Debug, Clone, Default)]
pub(super) struct BoundInCode {
    /// The values, each once.
    pub(super) values: Vec<Literal>,
    /// True if the name is also bound to something other than a plain literal.
    pub(super) is_open: bool,
}

impl BoundInCode {
    /// Returns the values that lines of code, without comments, bind to a name.
    pub(super) fn of<'l>(name: &str, lines: impl Iterator<Item = &'l str>, budget: &LookupBudget) -> Self {
        let bound = BoundValues::of(name);
        let mut found = Self::default();
        for line in lines {
            let values = bound.in_line(line);
            found.is_open |= bound.assignments(line) > values.len();
            for value in values {
                if found.values.contains(&value) {
                    continue;
                }
                if found.values.len() == limits::SUPPORT_VALUES_OF_NAME_MAX {
                    budget.spend();
                    found.is_open = true;
                    return found;
                }
                found.values.push(value);
            }
        }
        found
    }

    /// Returns true if the name is not bound at all.
    fn is_none(&self) -> bool {
        self.values.is_empty() && !self.is_open
    }

    /// Returns true if the name is bound to this value only.
    fn is_just(&self, value: &Literal) -> bool {
        !self.is_open && !self.values.is_empty() && self.values.iter().all(|one| one.is_same(value))
    }
}

/// The values that lines of code, without comments, bind to names. Each name is looked up once.
pub(super) struct CodeBindings<'l> {
    lines: Vec<&'l str>,
    found: RefCell<HashMap<String, BoundInCode>>,
    budget: &'l LookupBudget,
}

impl<'l> CodeBindings<'l> {
    /// Holds the lines; names are looked up on request.
    pub(super) fn of(lines: impl Iterator<Item = &'l str>, budget: &'l LookupBudget) -> Self {
        Self { lines: lines.collect(), found: RefCell::default(), budget }
    }

    /// Returns the values of a name. Beyond the budget the name is open.
    pub(super) fn of_name(&self, name: &str) -> BoundInCode {
        if let Some(found) = self.found.borrow().get(name) {
            return found.clone();
        }
        if !self.budget.take_name() {
            return BoundInCode { is_open: true, ..BoundInCode::default() };
        }
        let found = BoundInCode::of(name, self.lines.iter().copied(), self.budget);
        self.found.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// Returns the values of a name, from `others` if these lines do not bind it.
    pub(super) fn of_name_or(&self, name: &str, others: impl FnOnce() -> BoundInCode) -> BoundInCode {
        let found = self.of_name(name);
        if found.is_none() { others() } else { found }
    }
}

impl StatedValues {
    /// Parses a statement.
    pub(super) fn of(statement: &str) -> Self {
        let mut text = without_places(&statement.replace('`', ""));
        while THOUSANDS.is_match(&text) {
            text = THOUSANDS.replace_all(&text, "$1$2").into_owned();
        }
        let mut given = Vec::new();
        for found in NAME_FIRST.captures_iter(&text) {
            let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { continue };
            given.extend(plainly(&text, name.as_str(), value.start(), value.end()));
        }
        for found in VALUE_FIRST.captures_iter(&text) {
            let (Some(value), Some(name)) = (found.get(1), found.get(2)) else { continue };
            given.extend(plainly(&text, name.as_str(), value.start(), value.end()));
        }
        let is_cut = given.len() > limits::SUPPORT_VALUES_MAX;
        given.truncate(limits::SUPPORT_VALUES_MAX);
        Self { text, given, is_cut }
    }

    /// Returns true if the statement denies something.
    pub(super) fn denies(&self) -> bool {
        denies(&self.text)
    }

    /// Returns true if the statement is about the present: it has no condition, no denial and no
    /// other time.
    pub(super) fn is_of_now(&self) -> bool {
        !self.denies() && !words(&self.text).any(|word| is_of(CONDITIONAL, word) || is_of(AT_TIMES, word))
    }

    /// Returns the names of which the statement denies a value that code binds to them, with that
    /// value.
    pub(super) fn wrongly_denied(&self, bound: &dyn Fn(&str) -> BoundInCode) -> Vec<(String, Literal)> {
        if words(&self.text).any(|word| is_of(CONDITIONAL, word)) {
            return Vec::new();
        }
        let denied = DENIED.captures_iter(&self.text).filter_map(|found| {
            let (name, value) = (found.get(1)?, found.get(2)?);
            let given = plainly(&self.text, name.as_str(), value.start(), value.end())?;
            bound(&given.name).is_just(&given.value).then_some((given.name, given.value))
        });
        denied.collect()
    }

    /// Returns true if the statement also gives this value to the name itself, or to no name of
    /// code.
    pub(super) fn states_freely(&self, value: &Literal, name: &str) -> bool {
        let shown = value.shown();
        let is_taken = |start: usize| {
            self.given.iter().any(|one| is_name(&one.name) && one.start <= start && start < one.end)
        };
        let is_free = |(start, token): (usize, &str)| {
            super::literal::number_of(token).as_deref() == Some(shown.trim_start_matches('-'))
                && !is_taken(start)
        };
        let is_given = |one: &StatedValue| one.name == name && one.value.is_same(value);
        numbers(&self.text).any(is_free) || self.given.iter().any(is_given)
    }

    /// Returns the values of the statement that neither the code binds to their names nor a true
    /// claim contains.
    pub(super) fn open(
        &self,
        bound: &dyn Fn(&str) -> BoundInCode,
        holds: &dyn Fn(&str) -> bool,
        claimed: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let sure = |one: &&StatedValue| bound(&one.name).is_just(&one.value);
        let sure: Vec<&StatedValue> = self.given.iter().filter(sure).collect();
        let is_sure = |start: usize| sure.iter().any(|one| one.start <= start && start < one.end);
        let bare = blank_quotes(&self.text);
        let mut open: Vec<String> = Vec::new();
        for (start, token) in numbers(&bare).chain(truths(&bare)) {
            let compound = compound(&bare, start, token.len());
            let is_in_word = compound.is_some_and(holds);
            if !is_sure(start) && !is_in_word && !claimed(token) {
                open.push(token.to_owned());
            }
        }
        open.extend(words(&bare).filter(|word| is_of(IN_WORDS, word)).map(str::to_owned));
        let states = STATES.find_iter(&bare).map(|found| found.as_str().trim());
        open.extend(states.filter(|state| !sure.iter().any(|one| one.name == *state)).map(str::to_owned));
        let has_values = !open.is_empty() || !sure.is_empty();
        if has_values {
            open.extend(words(&bare).filter(|word| is_of(AT_TIMES, word)).map(str::to_owned));
        }
        // A word of prose may refer to another name: “the MIN_ITEMS limit is 50” gives no value to
        // `limit`.
        if sure.iter().any(|one| !is_name(&one.name)) {
            let is_other = |name: &str| {
                is_name(name) && !sure.iter().any(|one| one.name == name) && !bound(name).values.is_empty()
            };
            open.extend(
                IDENTIFIER
                    .find_iter(&bare)
                    .map(|found| found.as_str())
                    .filter(|one| is_other(one))
                    .map(str::to_owned),
            );
        }
        open.sort();
        open.dedup();
        open
    }
}

/// Returns the value at a position of a text, if it is a plain literal.
fn plainly(text: &str, name: &str, start: usize, end: usize) -> Option<StatedValue> {
    let (written, rest) = (text.get(start..end)?, text.get(end..)?);
    let next: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
    let goes_on = rest.starts_with(|c: char| c.is_alphanumeric() || "_*/+-–^".contains(c))
        || rest.trim_start().starts_with(['*', '/', '+', '-', '–', '^'])
        || rest.strip_prefix(['.', ',']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || matches!(next.to_lowercase().as_str(), "or" | "to" | "x" | "times" | "plus" | "minus");
    let unit = if rest.trim_start().starts_with('%') { "%" } else { next.as_str() };
    let is_measure = (unit == "%" || is_of(UNITS, unit)) && !carries(name, unit);
    let folded = written.replace(['−', '–'], "-");
    let name = name.rsplit(['.', ':', '>']).next().unwrap_or(name).to_owned();
    let value = Literal::stated(&folded).filter(|_| !goes_on && !is_measure)?;
    Some(StatedValue { name, value, start, end })
}

/// Returns true if a name contains its unit: `TIMEOUT_MS`, `timeoutSeconds`.
fn carries(name: &str, unit: &str) -> bool {
    let Some(same) = SAME_UNIT.iter().find(|same| is_of(same, unit)) else { return false };
    let mut parted = String::new();
    for c in name.chars() {
        if c.is_uppercase() && parted.ends_with(char::is_lowercase) {
            parted.push('_');
        }
        parted.push(c);
    }
    parted.split('_').any(|part| !part.is_empty() && is_of(same, part))
}

/// Returns true for a word that is a name in any position.
pub(super) fn is_name(word: &str) -> bool {
    let is_constant =
        word.len() >= 3 && word.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit());
    is_constant || looks_like_code(word)
}

/// Returns the tokens that begin with a digit of any script, with their positions.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    NUMBERS
        .find_iter(text)
        .filter(|found| {
            let before = text.get(..found.start()).and_then(|before| before.chars().next_back());
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                && !["st", "nd", "rd", "th"].iter().any(|end| found.as_str().ends_with(end))
        })
        .map(|found| (found.start(), found.as_str().trim_end_matches(['.', '_'])))
}

fn truths(text: &str) -> impl Iterator<Item = (usize, &str)> {
    TRUTHS.find_iter(text).map(|found| (found.start(), found.as_str()))
}

/// Returns the word that ends in a number, such as `utf-8` and `HTTP/2`.
fn compound(text: &str, start: usize, length: usize) -> Option<&str> {
    let before = text.get(..start)?.strip_suffix(['-', '/'])?;
    let letters = before.len() - before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    (letters > 0).then(|| text.get(before.len() - letters..start + length))?
}

/// Returns the text with blanks in place of quoted parts.
fn blank_quotes(text: &str) -> String {
    let blank = |found: &regex::Captures<'_>| " ".repeat(found.get(0).map_or(0, |quote| quote.len()));
    QUOTED.replace_all(text, blank).into_owned()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",.;:()[]!?\"“”".contains(c)).filter(|word| !word.is_empty())
}

fn is_of(list: &str, word: &str) -> bool {
    list.contains(&format!(" {} ", word.to_lowercase()))
}

const VALUE: &str = r#"([-−–]?\d[\d_]*(?:\.\d+)*|"[^"]*"|'[^']*'|true|false|True|False|TRUE|FALSE)"#;
const NAME: &str = r"([A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*)";
/// Words between a name and its value, and those before a value in brackets.
const GIVES: &str =
    "(?:is|are|equals|is set to|is equal to|is now|is currently|defaults to|has the value|has value|of)";
const BY_DEFAULT: &str = "(?:is|now|currently|by default|default:?|defaults to)";
static NAME_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"{NAME}(?:\s*(?::=|==|=|:)\s*|\s+(?:{GIVES}\s+)?|\s+\(\s*(?:=\s*|{BY_DEFAULT}\s+)?){VALUE}"
    ))
});
static VALUE_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(r"([-−–]?\d[\d_]*(?:\.\d+)*)(?:\s+[A-Za-z-]+){{0,4}}\s*\(\s*{NAME}\s*\)"))
});
const NOT_EQUAL: &str = "does not equal|doesn['’]t equal|is not equal to";
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"{NAME}\s*(?:≠|!=|\s(?:is not|isn['’]t|is never|is no longer|{NOT_EQUAL}|is not set to))\s*{VALUE}"
    ))
});
/// A state that a boolean can stand for.
static STATES: LazyLock<Regex> = LazyLock::new(|| {
    let verb = "(?:is|are|be|stays|remains|turned|switched|set to|defaults to)";
    let end = r"(?:$|[.,;!]|\s+(?:by default|in|for)\b)";
    compiled(&format!(
        r"(?i)\b(?:enabled|disabled)\b|\b{verb}\s+(?:\w+\s+)?(?:on|off|active|inactive|yes){end}"
    ))
});
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| compiled(r"\p{N}[\p{L}\p{N}_.]*"));
static TRUTHS: LazyLock<Regex> = LazyLock::new(|| compiled(r"\b(?:true|false|True|False|TRUE|FALSE)\b"));
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| compiled(r"[A-Za-z_$][\w$]*"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| compiled("\"[^\"]+\"|“[^”]+”|«[^»]+»"));
static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| compiled(r"(\d),(\d{3})\b"));

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &[&str] = &[
        "MAX_ITEMS = 50",
        "MIN_ITEMS = 5",
        "TIMEOUT_MS = 3_000",
        "BELOW = -50",
        "SIZE = 10 * 1024",
        "DEBUG = False",
        "limit = 30",
        "RATE = 1.5",
        "MODE = \"fast\"",
        "encode(\"utf-8\")",
        "PORT = 80",
        "PORT = 0x1F90",
    ];

    fn open(statement: &str) -> String {
        let budget = LookupBudget::default();
        let code = CodeBindings::of(CODE.iter().copied(), &budget);
        let bound = |name: &str| code.of_name(name);
        let holds = |text: &str| CODE.iter().any(|line| line.contains(text));
        StatedValues::of(statement).open(&bound, &holds, &|_| false).join(" ")
    }

    #[test]
    fn values_are_sure_only_where_code_gives_them_to_their_name() {
        for (statement, expect) in [
            ("MAX_ITEMS is 50.", ""),
            ("`MAX_ITEMS` = 50 and MIN_ITEMS (5)", ""),
            ("A cart holds at most 50 items (MAX_ITEMS).", ""),
            ("MAX_ITEMS defaults to 50, TIMEOUT_MS is 3,000 ms.", ""),
            ("The limit is 30; it is used by `f`.", ""),
            ("RATE is 1.50", ""),
            ("BELOW is -50", ""),
            ("MODE = \"fast\" and all is utf-8", ""),
            ("DEBUG is false", ""),
            ("`f` reads the 3rd MAX_ITEMS", ""),
            ("MIN_ITEMS = 50 and MAX_ITEMS = 5", "5 50"),
            ("MIN_ITEMS, the limit, is 50.", "50"),
            ("The MIN_ITEMS limit is 50.", "50"),
            ("The MIN_ITEMS limit is 30.", "MIN_ITEMS"),
            ("MIN_ITEMS -> 50", "50"),
            ("MAX_ITEMS is -50.", "50"),
            ("BELOW is 50.", "50"),
            ("MAX_ITEMS is 50%.", "50"),
            ("MAX_ITEMS is 50k.", "50k"),
            ("MAX_ITEMS is 50e3 or ５０", "50e3 ５０"),
            ("MAX_ITEMS > 50", "50"),
            ("MAX_ITEMS is 50 or more", "50"),
            ("SIZE is 10.", "10"),
            ("SIZE is 1024.", "1024"),
            ("MAX_ITEMS is 50 minutes.", "50"),
            ("PORT is 80.", "80"),
            ("`DEBUG` is on.", "is on."),
            ("DEBUG is enabled by default.", "enabled"),
            ("`DEBUG` true", "true"),
            ("MAX_ITEMS was 60; MAX_ITEMS = 50", "60 was"),
            ("MAX_ITEMS is fifty.", "fifty"),
            ("MAX_ITEMS exceeds MIN_ITEMS by 5 and 50", "5 50"),
        ] {
            assert_eq!(open(statement), expect, "{statement}");
        }
    }

    #[test]
    fn what_is_denied_is_told() {
        let budget = LookupBudget::default();
        let bound = |name: &str| BoundInCode::of(name, CODE.iter().copied(), &budget);
        for (statement, denies, wrongly) in [
            ("MAX_ITEMS is not 50.", true, "MAX_ITEMS"),
            ("MAX_ITEMS ≠ 50", true, "MAX_ITEMS"),
            ("`MAX_ITEMS` != 50", true, "MAX_ITEMS"),
            ("DEBUG isn't false", true, "DEBUG"),
            ("MAX_ITEMS is no longer 50", true, "MAX_ITEMS"),
            ("MAX_ITEMS is not 60.", true, ""),
            ("If MAX_ITEMS is not 50, a test fails.", true, ""),
            ("MAX_ITEMS is not 50 minutes.", true, ""),
            ("PORT is not 80.", true, ""),
            ("`f` never raises `KeyError`", true, ""),
            ("A cart holds no more than MAX_ITEMS items", false, ""),
            ("A note on MAX_ITEMS", false, ""),
        ] {
            let stated = StatedValues::of(statement);
            let names: Vec<String> =
                stated.wrongly_denied(&bound).into_iter().map(|(name, _)| name).collect();
            assert_eq!((stated.denies(), names.join(" ").as_str()), (denies, wrongly), "{statement}");
        }
    }

    #[test]
    fn names_and_values_beyond_the_bounds_are_open_and_noted() {
        let (names, values) =
            (loci_model::limits::SUPPORT_VALUES_MAX, loci_model::limits::SUPPORT_VALUES_OF_NAME_MAX);
        let lines: Vec<String> = (0..=values).map(|at| format!("LIMIT = {at}")).collect();
        for (count, is_spent) in [(values, false), (values + 1, true)] {
            let budget = LookupBudget::default();
            let twice = lines.iter().take(count).chain(lines.iter().take(count));
            let found = BoundInCode::of("LIMIT", twice.map(String::as_str), &budget);
            assert_eq!((found.values.len(), found.is_open, budget.is_spent()), (values, is_spent, is_spent));
        }
        let budget = LookupBudget::default();
        let code = CodeBindings::of(CODE.iter().copied(), &budget);
        for at in 0..2 * names {
            code.of_name(&format!("NAME_{}", at % names));
        }
        assert!(!budget.is_spent(), "each name is looked up once");
        assert!(code.of_name("MAX_ITEMS").is_open && budget.is_spent());
        let given = |count: usize| (0..count).map(|at| format!("x{at} is 5. ")).collect::<String>();
        for (count, is_cut) in [(names, false), (names + 1, true)] {
            assert_eq!(StatedValues::of(&given(count)).is_cut, is_cut);
        }
    }
}
