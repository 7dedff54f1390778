//! Values of a frontmatter: scalars in their original spelling, lists, tables.

/// An entry of a frontmatter table: a key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterEntry {
    /// The key of the entry, as text.
    pub key: String,
    /// The value of the entry.
    pub value: Value,
}

/// A value in a frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// Null, a boolean or a number of YAML's core schema, in its original spelling.
    Literal(String),
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Vec<FrontmatterEntry>),
}

impl Value {
    /// Creates a text.
    pub fn of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Creates a boolean.
    #[must_use]
    pub fn of_bool(value: bool) -> Self {
        Self::Literal(value.to_string())
    }

    /// Creates a whole number.
    #[must_use]
    pub fn of_number(value: i64) -> Self {
        Self::Literal(value.to_string())
    }

    /// Creates a list of texts.
    pub fn of_texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(Self::of).collect())
    }

    /// Creates a value from an unquoted scalar: a literal if the core schema defines it as one,
    /// else a text.
    pub(crate) fn of_plain(text: String) -> Self {
        if is_literal(&text) { Self::Literal(text) } else { Self::Text(text) }
    }

    /// Applies `change` to every text in the value, at any depth. Keys stay unchanged.
    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(String) -> String) {
        match self {
            Self::Text(text) => *text = change(std::mem::take(text)),
            Self::Literal(_) => {}
            Self::List(values) => values.iter_mut().for_each(|value| value.change_texts(change)),
            Self::Table(entries) => entries.iter_mut().for_each(|entry| entry.value.change_texts(change)),
        }
    }

    /// Returns the text, if the value is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Literal(_) | Self::List(_) | Self::Table(_) => None,
        }
    }

    /// Returns the text of a scalar of any type.
    #[must_use]
    pub fn spelling(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Literal(text) => Some(text),
            Self::List(_) | Self::Table(_) => None,
        }
    }

    /// Returns the boolean, if the value is one.
    #[must_use]
    pub fn bool(&self) -> Option<bool> {
        match self {
            Self::Literal(word) if matches!(word.as_str(), "true" | "True" | "TRUE") => Some(true),
            Self::Literal(word) if matches!(word.as_str(), "false" | "False" | "FALSE") => Some(false),
            _ => None,
        }
    }

    /// Returns the whole decimal number, if the value is one that fits.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Literal(digits) => digits.strip_prefix('+').unwrap_or(digits).parse().ok(),
            Self::Text(_) | Self::List(_) | Self::Table(_) => None,
        }
    }

    /// Returns the texts of a list, or a single text.
    #[must_use]
    pub fn texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::Text(text) => Some(vec![text]),
            Self::List(items) => items.iter().map(Value::spelling).collect(),
            Self::Literal(_) | Self::Table(_) => None,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Text(_) | Self::Literal(_) => 0,
            Self::List(items) => 1 + items.iter().map(Value::depth).max().unwrap_or(0),
            Self::Table(entries) => 1 + depth(entries),
        }
    }
}

/// Returns the nesting depth of lists and tables below these entries.
pub(crate) fn depth(entries: &[FrontmatterEntry]) -> usize {
    entries.iter().map(|entry| entry.value.depth()).max().unwrap_or(0)
}

/// Returns true for null, booleans and numbers of YAML's core schema.
pub(crate) fn is_literal(text: &str) -> bool {
    is_null(text) || matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE") || is_number(text)
}

/// Returns true for the spellings of null.
pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn is_number(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_core_schema_knows() {
        let check = |text: &str, expect: bool| assert_eq!(is_literal(text), expect, "{text:?}");
        for text in [
            "", "~", "null", "true", "FALSE", "0", "-12", "+3", "0o17", "0xFf", "1.50", ".5", "1.", "1e3",
            "-1.2E-3", ".inf", "-.INF", ".nan",
        ] {
            check(text, true);
        }
        for text in [
            "nul",
            "yes",
            "on",
            "0o8",
            "0x",
            "1_000",
            "1.2.3",
            ".",
            "-",
            "e3",
            "1e",
            "2026-01-01",
            "-.nan",
            "١",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn reading_values() {
        assert_eq!(Value::of_bool(true).bool(), Some(true));
        assert_eq!(Value::of("true").bool(), None);
        assert_eq!(Value::of_plain("+7".to_owned()).number(), Some(7));
        assert_eq!(Value::of_plain("1.5".to_owned()).number(), None);
        assert_eq!(Value::of_texts(["a", "b"]).texts(), Some(vec!["a", "b"]));
        assert_eq!(Value::of("a").texts(), Some(vec!["a"]));
        assert_eq!(Value::Table(Vec::new()).texts(), None);
    }
}
