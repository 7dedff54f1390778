//! Which preferences a description of a task states: sentences of whoever asks that say how they
//! always want to work, in English, German, French or Spanish. Pure.
//!
//! A sentence is one where it is said as a standing wish (`cues`), is about a dimension (`dimension`), and is not of one task or of
//! what is built. What is asked, quoted or suspicious is none, and nobody turns off tests, checks or reviews this way.

use loci_engine::safety::injection::{FLAGGED, QUARANTINED};
use loci_engine::safety::{Patterns, sanitise};
use loci_engine::strategies::preferences::own_words::own_words;
use loci_model::limits;
use loci_model::tasks::preference::PreferenceDimension as Dimension;
use loci_text::split::sentences;

use super::cues;
use super::dimension::dimension_of;
use crate::rules::extracting::refusal;

/// Longer than this a sentence is a story.
const SENTENCE_CHARS_MAX: usize = 300;

/// A preference that is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) dimension: Dimension,
    /// The sentences that state it, as they were said.
    pub(crate) text: String,
}

/// The preferences of a description: one of a dimension, in the order in which they are first stated.
pub(crate) fn stated(description: &str, patterns: &Patterns) -> Vec<Stated> {
    // What gives orders to its reader is nobody's wish, whatever else it says.
    if patterns.score(description).score >= QUARANTINED {
        return Vec::new();
    }
    let mut found: Vec<Stated> = Vec::new();
    for sentence in sentences(&sanitise(&own_words(description))) {
        let sentence = bare(sentence);
        let Some(dimension) = standing(sentence, patterns) else { continue };
        match found.iter_mut().find(|other| other.dimension == dimension) {
            None => found.push(Stated { dimension, text: sentence.to_owned() }),
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

/// What a sentence states a standing wish about.
fn standing(sentence: &str, patterns: &Patterns) -> Option<Dimension> {
    let is_one = sentence.chars().count() <= SENTENCE_CHARS_MAX
        && !sentence.ends_with('?')
        && cues::is_standing(sentence)
        && !cues::is_of_one_task(sentence)
        && !cues::is_of_product(sentence)
        && is_allowed(sentence, patterns);
    is_one.then(|| dimension_of(sentence)).flatten()
}

/// Whether a text may be a preference at all, whoever says it: it is nothing that becomes no rule of a review either, gives no orders, and
/// turns nothing off, in whichever of the languages it is said.
pub(crate) fn is_allowed(text: &str, patterns: &Patterns) -> bool {
    !cues::is_protected(text) && refusal(text).reason.is_none() && patterns.score(text).score < FLAGGED
}

/// Without what stands before it in a list.
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

    fn found(description: &str) -> Vec<Stated> {
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
