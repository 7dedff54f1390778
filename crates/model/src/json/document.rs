//! A JSON value kept as its original text: number text, key order and escapes survive.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::tree::JsonTree;
use crate::{Error, Reason, Result};

/// Any JSON value, byte for byte.
#[derive(Clone)]
pub struct Document(Box<RawValue>);

impl Document {
    /// Parses JSON text and rejects lone surrogates. It builds no tree, so it keeps any depth and
    /// gives no key a special meaning.
    pub fn parse(text: &str) -> Result<Self> {
        let raw = RawValue::from_string(text.to_owned()).map_err(|error| {
            Error::invalid("document", "the value is not valid JSON")
                .because(Reason::CannotParse)
                .caused_by(error)
        })?;
        whole_unicode(raw.get())?;
        Ok(Self(raw))
    }

    /// Takes a raw value that a parser cut out of a larger document.
    pub fn from_raw(raw: &RawValue) -> Result<Self> {
        whole_unicode(raw.get())?;
        Ok(Self(raw.to_owned()))
    }

    /// Returns the document of a value built here.
    pub fn from_value(value: &serde_json::Value) -> Result<Self> {
        serde_json::value::to_raw_value(value)
            .map(Self)
            .map_err(|error| Error::bug("a JSON value that cannot be written").caused_by(error))
    }

    /// Returns the document of a tree.
    ///
    /// # Errors
    /// A bug, if the tree's text is not JSON.
    pub fn from_tree(tree: &JsonTree) -> Result<Self> {
        Self::parse(&tree.to_string())
    }

    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Returns the raw value, for writing it inside a larger document.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }

    /// Returns the parsed value, in which no name has a special meaning. Of members with one name,
    /// the last one counts.
    ///
    /// # Errors
    /// `Invalid` if values are nested too deeply to be read.
    pub fn value(&self) -> Result<serde_json::Value> {
        crate::json::reserved_names::value(self.as_str())
    }

    /// Returns the parsed value with every member of its objects, including members with one name.
    ///
    /// # Errors
    /// `Invalid` if values are nested too deeply to be read.
    pub fn tree(&self) -> Result<JsonTree> {
        JsonTree::parse(self.as_str())
    }
}

/// Rejects escapes of half a character in valid JSON: such a string has no text.
fn whole_unicode(json: &str) -> Result<()> {
    let mut rest = json;
    let mut high = false;
    while let Some((before, after)) = rest.split_once('\\') {
        let digits = after.strip_prefix('u').and_then(|digits| digits.get(..4));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let low = unit.is_some_and(|unit| (0xdc00..0xe000).contains(&unit));
        if low != (high && before.is_empty()) || (high && !low) {
            return Err(lone_surrogate());
        }
        high = unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
        rest = after.get(if unit.is_some() { 5 } else { 1 }..).unwrap_or_default();
    }
    if high { Err(lone_surrogate()) } else { Ok(()) }
}

fn lone_surrogate() -> Error {
    Error::invalid("document", "the value holds a lone surrogate (half a character): send whole characters")
        .because(Reason::CannotParse)
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Document {}

impl std::fmt::Debug for Document {
    /// Content is sensitive, so only its size is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({} bytes)", self.as_str().len())
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_text() {
        for text in [r#"{"b":1.50,"a":[1,null]}"#, r#""str""#, "1e400", "null"] {
            assert_eq!(Document::parse(text).unwrap().as_str(), text);
        }
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for text in [
            &deep,
            r#"{"$serde_json::private::Number":"x"}"#,
            r#""\ud83d\ude00\ud83d\uDE00""#,
            r#""\\ud800""#,
            r#"["\\\"","\u00e9"]"#,
        ] {
            assert_eq!(Document::parse(text).unwrap().as_str(), text);
        }
        for bad in [
            "",
            "{",
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800x\udc00""#,
            r#""\ud800\n""#,
            r#""\ud800\ud800\udc00""#,
            r#"{"\ud800":1}"#,
            "1 2",
        ] {
            assert!(Document::parse(bad).is_err(), "{bad}");
        }
    }
}
