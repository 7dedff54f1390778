//! Literal values in statements and code in one normal form for comparison, and the names to which
//! lines of code bind them. Anything else (a sum, a call, a value with a unit) is not a literal.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::verifier::code_structure::name_positions::each_place;

/// Suffixes that state the type of a number, not its unit.
const TYPES: &[&str] = &[
    "", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    "l", "ll", "u", "ul", "ull", "f", "n", "d",
];

/// A literal value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// A number, without the separators of its digits.
    Number(String),
    Text(String),
    Truth(bool),
}

impl Literal {
    /// Parses a value from a statement.
    pub(super) fn stated(text: &str) -> Option<Self> {
        Self::of(&text.replace(',', ""))
    }

    /// Parses a value from code.
    pub(super) fn of(text: &str) -> Option<Self> {
        match text {
            "true" | "True" | "TRUE" => return Some(Self::Truth(true)),
            "false" | "False" | "FALSE" => return Some(Self::Truth(false)),
            _ => {}
        }
        for quote in ['"', '\''] {
            if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
                return Some(Self::Text(inner.to_owned()));
            }
        }
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
        let found = NUMBER.captures(digits)?;
        let is_whole = TYPES.contains(&found.get(2).map_or("", |end| end.as_str()).to_lowercase().as_str());
        let number = found.get(1).filter(|_| is_whole)?.as_str();
        Some(Self::Number(format!("{sign}{}", plain(number))))
    }

    /// Returns true if both are of one kind and differ.
    pub(super) fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one != other,
            (Self::Text(_), Self::Text(_)) => !self.is_same(other),
            (Self::Truth(one), Self::Truth(other)) => one != other,
            _ => false,
        }
    }

    /// Returns true if both have the same value.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        match (self, other) {
            // The stored lines of code have collapsed white space.
            (Self::Text(one), Self::Text(other)) => folded(one) == folded(other),
            _ => self == other,
        }
    }

    /// Returns the literal in the usual notation.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.clone(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// Returns the number at the start of a token in normal form; `None` if it is not written in
/// digits.
pub(super) fn number_of(token: &str) -> Option<String> {
    let found = NUMBER.captures(token)?;
    let end = found.get(2).map_or("", |end| end.as_str());
    // 1e6 differs from 1, and 0x10 from 0.
    let is_other = end.starts_with(['e', 'E', 'x', 'X']) && end.len() > 1;
    found.get(1).filter(|_| !is_other).map(|number| plain(number.as_str()))
}

/// Returns a number without underscores and without insignificant zeros.
fn plain(number: &str) -> String {
    let number = number.replace('_', "");
    let number = match number.split_once('.') {
        Some((_, part)) if !part.contains('.') => {
            number.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => number,
    };
    let bare = number.trim_start_matches('0');
    if bare.is_empty() || bare.starts_with('.') { format!("0{bare}") } else { bare.to_owned() }
}

/// The literal values to which a line binds a name. Comments bind none.
pub(super) struct BoundValues<'n> {
    name: &'n str,
}

impl<'n> BoundValues<'n> {
    /// Creates the search for one name.
    pub(super) fn of(name: &'n str) -> Self {
        Self { name }
    }

    /// Counts the assignments of a line in normal form to the name, of literals and of other
    /// values. A text that is too long to be read counts as one.
    pub(super) fn assignments(&self, line: &str) -> usize {
        if is_comment(line) {
            return 0;
        }
        let mut count = 0;
        each_place((line, line), (self.name, is_of_name), 0, |place| {
            let end = match place.captures(&ANY) {
                Some(found) => found.get(0)?.end(),
                None => place.goes_on(&BEGINNINGS).then_some(0)?,
            };
            count += 1;
            Some(end)
        });
        count
    }

    /// Returns the literals of a line in normal form.
    pub(super) fn in_line(&self, line: &str) -> Vec<Literal> {
        // A conditional expression has a colon too.
        if !line.contains(self.name) || is_comment(line) || line.contains(" ? ") {
            return Vec::new();
        }
        let literal = |found: &Captures<'_>| found.get(1).and_then(|literal| Literal::of(literal.as_str()));
        let (mut values, mut from) = (Vec::new(), 0);
        if let Some((end, found)) = self.defined(line) {
            values.extend(literal(&found));
            from = end;
        }
        each_place((line, line), (self.name, is_of_name), from, |place| {
            let found = place.captures(&LITERALS)?;
            values.extend(literal(&found));
            Some(found.get(0)?.end())
        });
        values
    }

    /// Returns the value of a line `#define NAME value`, and its end.
    fn defined<'l>(&self, line: &'l str) -> Option<(usize, Captures<'l>)> {
        let rest = line.strip_prefix('#')?;
        let rest = rest.strip_prefix(char::is_whitespace).unwrap_or(rest);
        let rest = rest.strip_prefix("define ")?.strip_prefix(self.name)?.strip_prefix(' ')?;
        let found = DEFINED.captures(rest)?;
        Some((line.len() - rest.len() + found.get(0)?.end(), found))
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns true for a line that begins with the mark of a comment in any language.
fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "--", ";", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        || (line.starts_with('#') && !line.contains("define "))
}

const LITERAL: &str = r#"(-?\d[\w.]*|"[^"\\]*"|'[^'\\]*'|true|false|True|False|TRUE|FALSE)"#;
/// An optional type between a name and its value.
const TYPE: &str = r"(?::\s?[A-Za-z_&\[('][^=;,{}]*?|\s[A-Za-z_\[*][\w.\[\]*]*)?";
/// A literal after its name. An entry of a map or a file has a colon alone.
static LITERALS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(r#"^["']?(?:{TYPE}\s?:?=\s?|:\s){LITERAL}\s?(?:[;,)}}\]]|//|#|/\*|--|$)"#))
});
static DEFINED: LazyLock<Regex> = LazyLock::new(|| compiled(&format!(r"^{LITERAL}(?:\s|$)")));
/// Any text after its name, including compound assignments.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(r#"^["']?{TYPE}\s?(?::|\?|\+|-|\*|/|%|\||&|\^|<<|>>|\*\*|//|\?\?)?=(?:[^=>~]|$)"#))
});
/// Texts that can be the start of one of these forms.
static BEGINNINGS: LazyLock<Regex> = LazyLock::new(|| {
    let literal = r#"(?:-?\d[\w.]*|"[^"\\]*"?|'[^'\\]*'?)"#;
    compiled(&format!(r#"^["']?(?:{TYPE}\s?:?=?|(?:{TYPE}\s?:?=\s?|:\s){literal}\s?)$"#))
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| compiled(r"^(\d[\d_]*(?:\.\d[\d_]*)*)_?([A-Za-z]\w*)?$"));

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        for (text, expect) in [
            ("50", Some("50")),
            ("30_000u64", Some("30000")),
            ("1.50", Some("1.5")),
            ("2.0", Some("2")),
            ("007", Some("7")),
            ("0.5f", Some("0.5")),
            ("10px", None),
            ("0x10", None),
            ("1e6", None),
            ("-3", Some("-3")),
        ] {
            assert_eq!(Literal::of(text).map(|one| one.shown()).as_deref(), expect, "{text}");
        }
        for (text, expect) in [("30s", Some("30")), ("1e6", None), ("0x1F", None), ("2.1.5", Some("2.1.5"))] {
            assert_eq!(number_of(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn lines_bind_names_to_literals_alone() {
        for (line, expect) in [
            ("pub const MAX: usize = 60; // most items", "60"),
            ("const MAX int = 60", "60"),
            ("MAX = 60", "60"),
            ("export MAX=60", "60"),
            ("let MAX: Option<u32> = 60;", "60"),
            ("#define MAX 60", "60"),
            ("\"MAX\": 60,", "60"),
            ("MAX: 60", "60"),
            ("call(MAX=60, other)", "60"),
            ("MAX := 60", "60"),
            ("MAX = \"sixty\"", "\"sixty\""),
            ("MAX = True", "true"),
            ("MAX = 60 * 2", ""),
            ("MAX = 60 + offset;", ""),
            ("MAX = size(60)", ""),
            ("MAX = 10px;", ""),
            ("if MAX == 60 {", ""),
            ("if MAX >= 60 {", ""),
            ("if count != MAX {", ""),
            ("MAX => 60,", ""),
            ("x = wide ? MAX : 60;", ""),
            ("OTHER_MAX = 60", ""),
            ("MAX_OTHER = 60", ""),
            ("MAX = 60;MAX = 70", "60"),
            ("MAX = 60, MAX = 70", "60 70"),
            ("#define OTHER_MAX 60", ""),
            ("// MAX = 60", ""),
            ("# MAX = 60", ""),
        ] {
            let found: Vec<String> =
                BoundValues::of("MAX").in_line(line).iter().map(Literal::shown).collect();
            assert_eq!(found.join(" "), expect, "{line}");
        }
    }

    #[test]
    fn a_binding_too_long_to_be_read_is_no_literal_and_no_silence() {
        let long = "a".repeat(500);
        for (line, assignments, literals) in [
            ("MAX = 60".to_owned(), 1, 1),
            ("MAX: Vec<u8> = 60;".to_owned(), 1, 1),
            (format!("MAX: {long} = 60;"), 1, 0),
            (format!("MAX: \"{long}\""), 1, 0),
            (format!("MAX = \"{long}\""), 1, 0),
            (format!("MAX {long} = 60"), 1, 0),
            (format!("MAX({long}) and more"), 0, 0),
            (format!("MAX = 60; // {long}"), 1, 1),
        ] {
            let bound = BoundValues::of("MAX");
            let found = (bound.assignments(&line), bound.in_line(&line).len());
            assert_eq!(found, (assignments, literals), "{line}");
        }
    }
}
