//! Finds the preferences that the description of a task states: sentences of its user about how
//! they always want to work, in English, German, French or Spanish. Pure.
//!
//! A sentence counts if it states a standing preference (`cues`), concerns a dimension
//! (`dimension`), and does not concern one task or the product. Questions, quotations and
//! suspicious sentences do not count, and no sentence can disable tests, checks or reviews.

use loci_engine::safety::injection::{FLAGGED, QUARANTINED};
use loci_engine::safety::{Patterns, sanitise};
use loci_engine::strategies::preferences::requester_words::own_words;
use loci_model::limits;
use loci_model::tasks::preference::PreferenceDimension as Dimension;
use loci_text::split::sentences;

use super::cues;
use super::dimension::dimension_of;
use crate::rules::extraction::refusal;

/// The maximum length of a sentence, in characters.
const SENTENCE_CHARS_MAX: usize = 300;

/// A stated preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedPreference {
    pub(crate) dimension: Dimension,
    /// The sentences that state it, verbatim.
    pub(crate) text: String,
}

/// Returns the preferences of a description: one for each dimension, in the order of their first
/// statement.
pub(crate) fn stated(description: &str, patterns: &Patterns) -> Vec<StatedPreference> {
    // A text with instructions to its reader states no preference.
    if patterns.score(description).score >= QUARANTINED {
        return Vec::new();
    }
    let mut found: Vec<StatedPreference> = Vec::new();
    for sentence in sentences(&sanitise(&own_words(description))) {
        let sentence = bare(sentence);
        let Some(dimension) = standing(sentence, patterns) else { continue };
        match found.iter_mut().find(|other| other.dimension == dimension) {
            None => found.push(StatedPreference { dimension, text: sentence.to_owned() }),
            Some(other)
                if other.text.chars().count() + sentence.chars().count() < limits::PREFERENCE_CHARS_MAX =>
            {
                other.text = format!("{} {sentence}", other.text);
            }
            Some(_) => {}
        }
    }
    found
}

/// Returns the dimension of the standing preference that a sentence states.
fn standing(sentence: &str, patterns: &Patterns) -> Option<Dimension> {
    let is_one = sentence.chars().count() <= SENTENCE_CHARS_MAX
        && !sentence.ends_with('?')
        && cues::is_standing(sentence)
        && !cues::is_of_one_task(sentence)
        && !cues::is_of_product(sentence)
        && is_allowed(sentence, patterns);
    is_one.then(|| dimension_of(sentence)).flatten()
}

/// True if a text may be a preference, from any source: it would not be refused as a rule of a
/// review, contains no instructions, and disables nothing, in any of the languages.
pub(crate) fn is_allowed(text: &str, patterns: &Patterns) -> bool {
    !cues::is_protected(text) && refusal(text).reason.is_none() && patterns.score(text).score < FLAGGED
}

/// Removes list markers before a sentence.
fn bare(sentence: &str) -> &str {
    let rest = sentence.trim();
    let rest = rest.trim_start_matches(['-', '*', '•', '+']).trim_start();
    let numbered = rest.split_once(['.', ')']).filter(|(number, _)| {
        !number.is_empty() && number.len() <= 2 && number.chars().all(|c| c.is_ascii_digit())
    });
    numbered.map_or(rest, |(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(description: &str) -> Vec<StatedPreference> {
        stated(description, Patterns::shipped())
    }

    #[test]
    fn a70_what_descriptions_state() {
        let cases = include_str!("../../tests/data/preference_sentences.txt");
        let cases: Vec<&str> =
            cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert!(cases.len() >= 120, "{}", cases.len());
        let mut wrong = Vec::new();
        for case in cases {
            let (expect, description) = case.split_once(" | ").unwrap();
            let description = description.replace("\\n", "\n");
            let mut words: Vec<&str> = found(&description).iter().map(|one| one.dimension.as_str()).collect();
            if words.is_empty() {
                words.push("none");
            }
            if words.join(",") != expect {
                wrong.push(format!("{case}  => {}", words.join(",")));
            }
        }
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn what_is_kept_is_what_was_said() {
        let one = found("Add rate limiting.\n- Please keep PRs small.\n2. Don't open huge PRs.");
        let texts: Vec<&str> = one.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["Please keep PRs small. Don't open huge PRs."], "of one dimension, one");
        assert!(found(&format!("Always add tests {}.", "and tests ".repeat(40))).is_empty());
    }
}
