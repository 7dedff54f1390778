//! Literal values in statements and code, in the one form in which they are compared, and the names to
//! which lines of code bind them. What is no plain literal (a sum, a call, a value with a unit) is none.

use std::sync::LazyLock;

use regex::Regex;

/// Endings that say the type of a number, not its measure.
const TYPES: &[&str] = &[
    "", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    "l", "ll", "u", "ul", "ull", "f", "n", "d",
];

/// A literal value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// A number, without what only parts its digits.
    Number(String),
    Text(String),
    Truth(bool),
}

impl Literal {
    /// A value as a statement gives it.
    pub(super) fn stated(text: &str) -> Option<Self> {
        Self::of(&text.replace(',', ""))
    }

    /// A value as code writes it.
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

    /// True where both are of a kind and differ.
    pub(super) fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one != other,
            (Self::Text(_), Self::Text(_)) => !self.is_same(other),
            (Self::Truth(one), Self::Truth(other)) => one != other,
            _ => false,
        }
    }

    /// True where both are the same value.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        match (self, other) {
            // Lines of code are kept with their white space folded.
            (Self::Text(one), Self::Text(other)) => folded(one) == folded(other),
            _ => self == other,
        }
    }

    /// As people write it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.clone(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// The number with which a token begins, as it is compared; `None` for one that is written otherwise than in
/// digits.
pub(super) fn number_of(token: &str) -> Option<String> {
    let found = NUMBER.captures(token)?;
    let end = found.get(2).map_or("", |end| end.as_str());
    // 1e6 is another number than 1, and 0x10 than 0.
    let is_other = end.starts_with(['e', 'E', 'x', 'X']) && end.len() > 1;
    found.get(1).filter(|_| !is_other).map(|number| plain(number.as_str()))
}

/// Without underscores, and without zeros that say nothing.
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

/// The literal values to which a line binds a name; comments bind none.
pub(super) struct BoundValues {
    literals: Option<Regex>,
    any: Option<Regex>,
}

impl BoundValues {
    /// For one name.
    pub(super) fn of(name: &str) -> Self {
        let name = regex::escape(name);
        let literal = r#"(-?\d[\w.]*|"[^"\\]*"|'[^'\\]*'|true|false|True|False|TRUE|FALSE)"#;
        // A type may stand between a name and its value; an entry of a map or a file has a colon alone.
        let forms = format!(
            r#"(?:^|[^\w$]){name}["']?(?:(?::\s?[A-Za-z_&\[('][^=;,{{}}]*?|\s[A-Za-z_\[*][\w.\[\]*]*)?\s?:?=\s?|:\s){literal}\s?(?:[;,)}}\]]|//|#|/\*|--|$)|^#\s?define {name} {literal}(?:\s|$)"#
        );
        // Anything at all, also what is added or taken away.
        let any = format!(
            r#"(?:^|[^\w$]){name}["']?(?::\s?[A-Za-z_&\[('][^=;,{{}}]*?|\s[A-Za-z_\[*][\w.\[\]*]*)?\s?(?::|\?|\+|-|\*|/|%|\||&|\^|<<|>>|\*\*|//|\?\?)?=(?:[^=>~]|$)"#
        );
        Self { literals: Regex::new(&forms).ok(), any: Regex::new(&any).ok() }
    }

    /// How often a line in normal form gives the name something, be it a literal or not.
    pub(super) fn assignments(&self, line: &str) -> usize {
        if is_comment(line) {
            return 0;
        }
        self.any.as_ref().map_or(0, |any| any.find_iter(line).count())
    }

    /// Those of a line in normal form.
    pub(super) fn in_line(&self, line: &str) -> Vec<Literal> {
        // A choice has a colon, too.
        let is_none = is_comment(line) || line.contains(" ? ");
        let Some(pattern) = self.literals.as_ref().filter(|_| !is_none) else { return Vec::new() };
        let value = |found: regex::Captures<'_>| {
            let literal = found.iter().skip(1).flatten().next()?.as_str();
            Literal::of(literal)
        };
        pattern.captures_iter(line).filter_map(value).collect()
    }
}

/// True for a line that begins as a comment does, whatever the language.
fn is_comment(line: &str) -> bool {
    ["//", "/*", "*", "--", ";", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        || (line.starts_with('#') && !line.contains("define "))
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| compiled(r"^(\d[\d_]*(?:\.\d[\d_]*)*)_?([A-Za-z]\w*)?$"));

#[expect(clippy::expect_used, reason = "the form is a constant, compiled by the tests of this file")]
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
            ("// MAX = 60", ""),
            ("# MAX = 60", ""),
        ] {
            let found: Vec<String> =
                BoundValues::of("MAX").in_line(line).iter().map(Literal::shown).collect();
            assert_eq!(found.join(" "), expect, "{line}");
        }
    }
}
