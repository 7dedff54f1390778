//! Findings of the safety steps in a text. They are observations only. The engine decides the
//! consequences.

use serde::{Deserialize, Serialize};

/// Findings on one text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// The degree to which it looks like instructions to the reader, 0 to 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub injection: f32,
    /// Words for the reasons of the score; no content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Kinds of secrets that were masked; sorted, without duplicates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<String>,
}

impl Findings {
    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        is_zero(&self.injection) && self.reasons.is_empty() && self.masked.is_empty()
    }
}

fn is_zero(score: &f32) -> bool {
    *score == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_is_stored_as_nothing() {
        assert_eq!(serde_json::to_string(&Findings::default()).unwrap(), "{}");
        let found = Findings { injection: 0.5, reasons: vec!["override".into()], masked: vec!["jwt".into()] };
        assert!(!found.is_empty());
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), found);
    }
}
