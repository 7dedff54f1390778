//! A JSON value that keeps every member of its objects in order, including members with one name,
//! and in which no name has a special meaning. The library's value keeps only the last member of a
//! name, but code that removes parts of foreign JSON must see each of them.

use std::fmt;

use serde_json::{Number, Value};

use crate::json::reserved_names::end_of_text;
use crate::{Error, Reason, Result, limits};

/// The white space that may separate the parts of JSON.
const SPACES: [char; 4] = [' ', '\t', '\n', '\r'];

/// A JSON value with every member of its objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonTree {
    /// An object.
    Object(Vec<(String, JsonTree)>),
    /// A list.
    List(Vec<JsonTree>),
    /// A text.
    Text(String),
    /// A number with its original digits; its exponent has a small `e` and a sign.
    Number(Number),
    /// True or false.
    Bool(bool),
    /// Null.
    Null,
}

impl JsonTree {
    /// Parses a JSON text.
    ///
    /// # Errors
    /// `Invalid` if values are nested too deeply, or the text is not JSON.
    pub fn parse(json: &str) -> Result<Self> {
        let mut reading = JsonInput { rest: json };
        let tree = reading.value(0);
        let is_all = reading.rest.trim_start_matches(SPACES).is_empty();
        tree.filter(|_| is_all).ok_or_else(unreadable)
    }

    /// Returns the text, if the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Object(_) | Self::List(_) | Self::Number(_) | Self::Bool(_) | Self::Null => None,
        }
    }
}

/// Returns the error for a text that is not JSON of a readable depth.
pub(crate) fn unreadable() -> Error {
    let rule =
        format!("a value must be JSON whose objects and lists lie at most {} deep", limits::JSON_DEPTH_MAX);
    Error::invalid("document", rule).because(Reason::CannotParse)
}

impl fmt::Display for JsonTree {
    /// Writes the JSON text, without spaces between its parts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(members) => {
                f.write_str("{")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    let joint = if at == 0 { "" } else { "," };
                    write!(f, "{joint}{}:{value}", Value::from(name.as_str()))?;
                }
                f.write_str("}")
            }
            Self::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    let joint = if at == 0 { "" } else { "," };
                    write!(f, "{joint}{item}")?;
                }
                f.write_str("]")
            }
            Self::Text(text) => write!(f, "{}", Value::from(text.as_str())),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(is) => write!(f, "{is}"),
            Self::Null => f.write_str("null"),
        }
    }
}

impl From<Value> for JsonTree {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, value)| (name, Self::from(value))).collect())
            }
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::String(text) => Self::Text(text),
            Value::Number(number) => Self::Number(number),
            Value::Bool(is) => Self::Bool(is),
            Value::Null => Self::Null,
        }
    }
}

impl From<JsonTree> for Value {
    /// Returns the value that readers see: of members with one name, the last one.
    fn from(tree: JsonTree) -> Self {
        match tree {
            JsonTree::Object(members) => {
                Self::Object(members.into_iter().map(|(name, value)| (name, Self::from(value))).collect())
            }
            JsonTree::List(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            JsonTree::Text(text) => Self::String(text),
            JsonTree::Number(number) => Self::Number(number),
            JsonTree::Bool(is) => Self::Bool(is),
            JsonTree::Null => Self::Null,
        }
    }
}

/// The rest of the text to parse.
struct JsonInput<'a> {
    rest: &'a str,
}

impl JsonInput<'_> {
    /// Parses a value at this nesting depth.
    fn value(&mut self, depth: usize) -> Option<JsonTree> {
        self.rest = self.rest.trim_start_matches(SPACES);
        match self.rest.as_bytes().first()? {
            b'{' | b'[' if depth >= limits::JSON_DEPTH_MAX => None,
            b'{' => self.object(depth + 1),
            b'[' => self.list(depth + 1),
            b'"' => self.text().map(JsonTree::Text),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<JsonTree> {
        let mut members = Vec::new();
        self.take('{')?;
        if self.take('}').is_some() {
            return Some(JsonTree::Object(members));
        }
        loop {
            let name = self.text()?;
            self.take(':')?;
            members.push((name, self.value(depth)?));
            if self.take('}').is_some() {
                return Some(JsonTree::Object(members));
            }
            self.take(',')?;
        }
    }

    fn list(&mut self, depth: usize) -> Option<JsonTree> {
        let mut items = Vec::new();
        self.take('[')?;
        if self.take(']').is_some() {
            return Some(JsonTree::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.take(']').is_some() {
                return Some(JsonTree::List(items));
            }
            self.take(',')?;
        }
    }

    fn text(&mut self) -> Option<String> {
        let rest = self.rest.trim_start_matches(SPACES);
        // The range includes both quotes.
        let end = end_of_text(rest.strip_prefix('"')?)? + 2;
        let text = serde_json::from_str::<String>(rest.get(..end)?).ok()?;
        self.rest = rest.get(end..)?;
        Some(text)
    }

    /// Parses a number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<JsonTree> {
        let is_end = |c: char| matches!(c, ',' | ']' | '}') || SPACES.contains(&c);
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        let value = serde_json::from_str::<Value>(word).ok()?;
        self.rest = rest;
        Some(value.into())
    }

    fn take(&mut self, mark: char) -> Option<()> {
        self.rest = self.rest.trim_start_matches(SPACES).strip_prefix(mark)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_is_kept() {
        let check = |json: &str, expect: &str| {
            let tree = JsonTree::parse(json).unwrap();
            assert_eq!(tree.to_string(), expect, "{json}");
        };
        check(" { \"a\" : 1 , \"a\" : [ 1.50 , -1e+400 ] }\n", r#"{"a":1,"a":[1.50,-1e+400]}"#);
        check("[1E5,1e5,0e0,1.0E-0005,-0,-0.0]", "[1e+5,1e+5,0e+0,1.0e-0005,-0,-0.0]");
        check(r#"{"a":{"b":1,"b":2},"a":{}}"#, r#"{"a":{"b":1,"b":2},"a":{}}"#);
        check(r#"{"\u0061":1,"a":"\u00e9\n\"\\"}"#, "{\"a\":1,\"a\":\"é\\n\\\"\\\\\"}");
        check(r#"{"$serde_json::private::Number":"x"}"#, r#"{"$serde_json::private::Number":"x"}"#);
        check("[true,false,null,[],\"]\"]", "[true,false,null,[],\"]\"]");
    }

    #[test]
    fn what_the_usual_reader_takes_is_read_and_no_more() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let (deepest, deeper) =
            (nested(crate::limits::JSON_DEPTH_MAX), nested(crate::limits::JSON_DEPTH_MAX + 1));
        let long = nested(100_000);
        for json in [
            "1",
            "-0.10",
            "1e5",
            "\"a\"",
            "null",
            " [1, 2] ",
            "{\"a\":[{}]}",
            "",
            " ",
            "{",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "[1]]",
            "1 2",
            "01",
            "tru",
            "\"\\ud83d\"",
            "\"a",
            "{\"a\":1",
            "[1}",
            "\u{feff}1",
            "1\u{a0}",
            "\"a\nb\"",
            deepest.as_str(),
            deeper.as_str(),
            long.as_str(),
        ] {
            let usual = serde_json::from_str::<Value>(json).ok();
            let read = JsonTree::parse(json).ok();
            assert_eq!(read.clone().map(Value::from), usual, "{json:.60}");
            assert_eq!(read, usual.map(JsonTree::from), "{json:.60}");
        }
    }
}
