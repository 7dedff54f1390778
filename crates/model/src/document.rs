//! A JSON value kept as the text it came as: number text, key order and escapes survive (agentcore-wire.md §1.4).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{Error, Reason, Result};

/// Any JSON value, byte for byte.
#[derive(Clone)]
pub struct Document(Box<RawValue>);

impl Document {
    /// Takes JSON text after checking that it is JSON, lone surrogates excluded.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = |error: serde_json::Error| {
            Error::invalid("document", "the value is not valid JSON")
                .because(Reason::CannotParse)
                .caused_by(error)
        };
        serde_json::from_str::<serde_json::Value>(text).map_err(bad)?;
        RawValue::from_string(text.to_owned()).map(Self).map_err(bad)
    }

    /// Takes a raw value that a parser cut out of a larger document.
    pub fn from_raw(raw: &RawValue) -> Result<Self> {
        Self::parse(raw.get())
    }

    /// From a value built here.
    pub fn from_value(value: &serde_json::Value) -> Result<Self> {
        serde_json::value::to_raw_value(value)
            .map(Self)
            .map_err(|error| Error::bug("a JSON value that cannot be written").caused_by(error))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The raw value, for writing it inside a larger document.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }

    /// The parsed value.
    pub fn value(&self) -> Result<serde_json::Value> {
        serde_json::from_str(self.as_str())
            .map_err(|error| Error::bug("a stored document that is not JSON").caused_by(error))
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Document {}

impl std::fmt::Debug for Document {
    /// Content is sensitive: only its size is shown.
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
        for bad in ["", "{", r#""\ud800""#, "1 2"] {
            assert!(Document::parse(bad).is_err(), "{bad}");
        }
    }
}
