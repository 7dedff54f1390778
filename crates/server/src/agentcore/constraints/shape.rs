//! The vocabulary of the constraint tables. It checks nothing.

use std::sync::OnceLock;

use regex::Regex;

/// The required form of one JSON value in a request.
#[derive(Debug)]
pub(super) enum Shape {
    /// A string.
    Text(TextRule),
    /// A string that must be one of these.
    Choice(&'static [&'static str]),
    /// A whole number in an inclusive range.
    Int { min: i64, max: i64 },
    /// A finite number.
    Double,
    /// A boolean.
    Bool,
    /// A number of epoch seconds, or ISO 8601 text.
    Time,
    /// Any JSON value, kept as received. `bytes_max` limits its text, as a limit of event content.
    Document { bytes_max: usize },
    /// A list with its minimum and maximum number of items.
    List { of: &'static Shape, min: usize, max: usize, content: bool },
    /// An object with free keys, and its minimum and maximum number of entries. `content` also
    /// lifts the rules of keys in lenient mode.
    Map { key: &'static Shape, of: &'static Shape, min: usize, max: usize, content: bool },
    /// An object with known members; unknown ones are ignored.
    Struct(&'static [Member]),
    /// An object of which exactly one known member is set.
    Union(&'static [Member]),
}

/// A string's length in Unicode code points and its pattern. `lenient_min` marks event content: in
/// lenient mode it is the only rule.
#[derive(Debug)]
pub(super) struct TextRule {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) pattern: Option<&'static Pattern>,
    pub(super) lenient_min: Option<usize>,
}

/// One member of a structure.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) shape: &'static Shape,
    pub(super) required: bool,
}

/// A condition in code; its error is the constraint in the message.
type ExtraCondition = fn(&str) -> Result<(), String>;

/// A pattern for whole values: a regular expression and an optional condition in code.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The regular expression as error messages show it.
    pub(super) shown: &'static str,
    /// The pattern as compiled. It differs from `shown` where AWS uses a look-ahead.
    regex: &'static str,
    /// A condition in addition to the regular expression, with its own error message.
    also: Option<ExtraCondition>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) const fn new(regex: &'static str) -> Self {
        Self { shown: regex, regex, also: None, compiled: OnceLock::new() }
    }

    pub(super) const fn shown(mut self, shown: &'static str) -> Self {
        self.shown = shown;
        self
    }

    pub(super) const fn also(mut self, also: ExtraCondition) -> Self {
        self.also = Some(also);
        self
    }

    /// Checks that the whole of `value` matches. The error is the constraint in the message.
    pub(super) fn check(&self, value: &str) -> Result<(), String> {
        if let Some(also) = self.also {
            also(value)?;
        }
        if self.regex().is_some_and(|regex| regex.is_match(value)) {
            return Ok(());
        }
        Err(format!("Member must satisfy regular expression pattern: {}", self.shown))
    }

    /// Returns the compiled expression; `None` only for an error in the table, which a test
    /// excludes.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&format!(r"\A(?:{})\z", self.regex)).ok()).as_ref()
    }
}

pub(super) const fn required(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, shape, required: true }
}

pub(super) const fn optional(name: &'static str, shape: &'static Shape) -> Member {
    Member { name, shape, required: false }
}

pub(super) const fn text(min: usize, max: usize) -> Shape {
    Shape::Text(TextRule { min, max, pattern: None, lenient_min: None })
}

pub(super) const fn pattern(min: usize, max: usize, pattern: &'static Pattern) -> Shape {
    Shape::Text(TextRule { min, max, pattern: Some(pattern), lenient_min: None })
}

/// Creates the rule for text of an event. In lenient mode only `lenient_min` holds.
pub(super) const fn content(
    min: usize,
    max: usize,
    pattern: Option<&'static Pattern>,
    lenient_min: usize,
) -> Shape {
    Shape::Text(TextRule { min, max, pattern, lenient_min: Some(lenient_min) })
}

pub(super) const fn list(of: &'static Shape, min: usize, max: usize) -> Shape {
    Shape::List { of, min, max, content: false }
}
