//! Similarity thresholds of two statements, above which their structure decides. They were measured
//! on `bench/data/consolidation/dev.jsonl` (`loci-bench consolidation`); a memory may override
//! them.

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

/// Thresholds on the cosine similarity of two statements, and on the Jaccard similarity of their
/// terms if they have no embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// The minimum cosine at which different words count as the same meaning.
    pub paraphrase: f32,
    /// The minimum cosine at which two statements that differ in one word count as the same
    /// meaning.
    pub synonym: f32,
    /// The minimum cosine at which one statement may supersede another.
    pub contradiction: f32,
    /// The minimum Jaccard similarity in place of `contradiction`, if the statements have no
    /// embeddings.
    pub contradiction_jaccard: f32,
    /// The minimum cosine at which statements with equal content words count as duplicates,
    /// whatever their sentence form.
    pub retold: f32,
    /// The threshold in place of `retold` if a single word carries the content and the verbs
    /// differ.
    pub retold_word: f32,
    /// The minimum Jaccard similarity in place of `retold`, if the statements have no embeddings.
    pub retold_jaccard: f32,
    /// The minimum cosine at which a stated change ends the content of an older statement.
    pub turned: f32,
    /// The minimum cosine at which a change, or another choice, may contradict a statement with a
    /// purpose: both stay, and a conflict is stored.
    pub doubted: f32,
    /// The threshold in place of `doubted` for a statement without a purpose.
    pub doubted_bare: f32,
    /// The minimum cosine at which a statement with another value in otherwise equal words
    /// supersedes the older one.
    pub renewed: f32,
    /// The minimum cosine at which a model is asked about a case that the rules leave open.
    pub unclear: f32,
    /// The minimum Jaccard similarity in place of `unclear`, if the statements have no
    /// embeddings.
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
    /// Parses the thresholds in a memory's settings; the default ones if there are none.
    ///
    /// # Errors
    /// `Invalid` if the text is not JSON of this form, or a value is outside 0 to 1.
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
