//! How alike two statements must be before their structure decides. Measured on `bench/data/consolidation/dev.jsonl`
//! (`loci-bench consolidation`); a memory may have its own.

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

/// Thresholds on the cosine of two statements, and on the Jaccard similarity of their terms where they have no vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// From here on other words may say the same.
    pub paraphrase: f32,
    /// From here on a word in the place of another may say the same.
    pub synonym: f32,
    /// From here on one statement may take the place of another.
    pub contradiction: f32,
    /// Likewise without vectors.
    pub contradiction_jaccard: f32,
    /// From here on equal matter is the same, whatever the sentence.
    pub retold: f32,
    /// Likewise where a single word carries the matter and the verbs differ.
    pub retold_word: f32,
    /// Likewise without vectors.
    pub retold_jaccard: f32,
    /// From here on a told change may end what an old statement says.
    pub turned: f32,
    /// From here on a change, or another choice, may contradict a statement of a purpose: both
    /// stay, in conflict.
    pub doubted: f32,
    /// The same bound for a statement without a purpose.
    pub doubted_bare: f32,
    /// From here on another value in the same frame may take the old one's place.
    pub renewed: f32,
    /// From here on what rules leave open is a question for a model.
    pub unclear: f32,
    /// Likewise without vectors.
    pub unclear_jaccard: f32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            paraphrase: 0.92,
            synonym: 0.94,
            contradiction: 0.4,
            contradiction_jaccard: 0.2,
            retold: 0.6,
            retold_word: 0.8,
            retold_jaccard: 0.4,
            turned: 0.3,
            doubted: 0.4,
            doubted_bare: 0.25,
            renewed: 0.5,
            unclear: 0.75,
            unclear_jaccard: 0.4,
        }
    }
}

impl Thresholds {
    /// From the JSON of a memory's settings; the shipped ones where there is none.
    ///
    /// # Errors
    /// `Invalid`: not JSON of this form, or a value outside 0 to 1.
    pub fn read(text: Option<&str>) -> Result<Self> {
        let field = "consolidation.thresholds";
        let Some(text) = text else { return Ok(Self::default()) };
        if !text.trim_start().starts_with('{') {
            return Err(Error::invalid(field, "thresholds must be an object of numbers"));
        }
        let read: Self = serde_json::from_str(text).map_err(|error| {
            Error::invalid(field, format!("thresholds must be an object of numbers: {error}"))
        })?;
        let all = [
            read.paraphrase,
            read.synonym,
            read.contradiction,
            read.contradiction_jaccard,
            read.retold,
            read.retold_word,
            read.retold_jaccard,
            read.turned,
            read.doubted,
            read.doubted_bare,
            read.renewed,
            read.unclear,
            read.unclear_jaccard,
        ];
        if all.iter().all(|value| (0.0..=1.0).contains(value)) {
            return Ok(read);
        }
        Err(Error::invalid(field, "every threshold must be 0 to 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memorys_own() {
        assert_eq!(Thresholds::read(None).unwrap(), Thresholds::default());
        assert_eq!(Thresholds::read(Some(r#"{"paraphrase":0.5}"#)).unwrap().paraphrase, 0.5);
        for bad in ["", "[]", r#"{"paraphrase":1.5}"#, r#"{"other":0.5}"#, r#"{"paraphrase":-0.1}"#] {
            assert!(Thresholds::read(Some(bad)).is_err(), "{bad}");
        }
    }
}
