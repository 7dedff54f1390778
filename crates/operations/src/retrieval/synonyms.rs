//! Synonyms of operations terms: maps a query to phrases with the same meaning. The table is
//! readable and replaceable, and no model is involved. [`super::wording`] matches texts against the
//! phrases. Pure.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use loci_model::{Error, Result};
use loci_text::terms;
use serde::Deserialize;

/// The table of this release.
const SHIPPED_TEXT: &str = include_str!("../synonyms.toml");
const FORM: u32 = 1;
/// The maximum number of words in a phrase; the next constant is the maximum number of symptoms in
/// a table.
const PHRASE_WORDS_MAX: usize = 8;
const SYMPTOMS_MAX: usize = 1_000;

/// The maximum number of other words between those of a phrase.
const BETWEEN: usize = 2;

static SHIPPED: LazyLock<SreSynonyms> = LazyLock::new(shipped);

#[expect(clippy::expect_used, reason = "the shipped table is read by the tests of this file")]
fn shipped() -> SreSynonyms {
    SreSynonyms::parse(SHIPPED_TEXT).expect("the shipped table")
}

/// A table of synonyms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreSynonyms {
    version: u32,
    failing: Vec<Phrase>,
    symptoms: Vec<Symptom>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Symptom {
    asks: Vec<Phrase>,
    means: Vec<Phrase>,
    may_mean: Vec<Phrase>,
}

/// A sequence of words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Phrase {
    /// The stems of the words. Stop words are kept, because "out of memory" differs from "memory".
    words: Vec<String>,
    /// The terms to search for.
    terms: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    form: u32,
    version: u32,
    failing: Vec<String>,
    #[serde(default, rename = "symptom")]
    symptoms: Vec<SymptomText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SymptomText {
    name: String,
    asks: Vec<String>,
    means: Vec<String>,
    #[serde(default)]
    may_mean: Vec<String>,
}

impl SreSynonyms {
    /// Returns the table of this release.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Parses a table.
    ///
    /// # Errors
    /// `Invalid`, naming the symptom, the rule and the remedy.
    pub fn parse(text: &str) -> Result<Self> {
        let file: File = toml::Deserializer::parse(text)
            .and_then(loci_json::strict)
            .map_err(|error| Error::invalid("synonyms", format!("the table of synonyms: {error}")))?;
        if file.form != FORM {
            return Err(Error::invalid("form", format!("form must be {FORM}")));
        }
        if file.symptoms.len() > SYMPTOMS_MAX {
            return Err(Error::invalid("symptom", format!("there must be at most {SYMPTOMS_MAX} symptoms")));
        }
        let mut symptoms = Vec::with_capacity(file.symptoms.len());
        for symptom in file.symptoms {
            let of = |member: &str, texts: &[String]| {
                phrases(&format!("symptom {}.{member}", symptom.name), texts)
            };
            symptoms.push(Symptom {
                asks: of("asks", &symptom.asks)?,
                means: of("means", &symptom.means)?,
                may_mean: of("may_mean", &symptom.may_mean)?,
            });
        }
        Ok(Self { version: file.version, failing: phrases("failing", &file.failing)?, symptoms })
    }

    /// Returns the version of the table.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns the possible meanings of a question.
    pub(super) fn of(&self, question: &str) -> QuestionMeanings<'_> {
        let question = words(question);
        let mut phrases: BTreeMap<&Phrase, bool> = BTreeMap::new();
        let asked = |symptom: &&Symptom| symptom.asks.iter().any(|ask| ask.stands_in(&question));
        for symptom in self.symptoms.iter().filter(asked) {
            for phrase in &symptom.means {
                phrases.insert(phrase, true);
            }
            for phrase in &symptom.may_mean {
                phrases.entry(phrase).or_insert(false);
            }
        }
        QuestionMeanings { failing: &self.failing, phrases: phrases.into_iter().collect() }
    }
}

/// The possible meanings of a question.
pub(super) struct QuestionMeanings<'a> {
    failing: &'a [Phrase],
    /// Each phrase, and true if it counts without a word of failure nearby.
    phrases: Vec<(&'a Phrase, bool)>,
}

impl<'a> QuestionMeanings<'a> {
    /// Returns the search terms in addition to those of the question. Terms of unconditional
    /// phrases come first, and within each group the most frequent ones.
    pub(super) fn terms(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for by_itself in [true, false] {
            let mut counts: HashMap<&String, usize> = HashMap::new();
            for (phrase, _) in self.phrases.iter().filter(|(_, counts)| *counts == by_itself) {
                phrase.terms.iter().for_each(|term| *counts.entry(term).or_default() += 1);
            }
            let mut terms: Vec<(&String, usize)> = counts.into_iter().collect();
            terms.sort_by(|(a, many), (b, more)| more.cmp(many).then(a.cmp(b)));
            let new = terms.into_iter().map(|(term, _)| term.clone());
            let new: Vec<String> = new.filter(|term| !out.contains(term)).collect();
            out.extend(new);
        }
        out
    }

    /// Returns the words of failure, as stems.
    pub(super) fn failing(&self) -> impl Iterator<Item = &'a [String]> {
        self.failing.iter().map(|phrase| phrase.words.as_slice())
    }

    /// Returns the matching phrases as stems, each with true if it counts without a word of failure
    /// nearby.
    pub(super) fn phrases(&self) -> impl Iterator<Item = (&'a [String], bool)> {
        self.phrases.iter().map(|(phrase, by_itself)| (phrase.words.as_slice(), *by_itself))
    }
}

impl Phrase {
    fn stands_in(&self, text: &[String]) -> bool {
        stands_in(&self.words, text)
    }
}

/// True if the text contains the words of a phrase in order and close together: "the disk is full"
/// contains "disk full".
pub(super) fn stands_in<T: PartialEq>(phrase: &[T], text: &[T]) -> bool {
    let Some(first) = phrase.first() else { return false };
    let reach = phrase.len() + if phrase.len() > 1 { BETWEEN } else { 0 };
    let begins = text.iter().enumerate().filter(|(_, word)| *word == first).map(|(at, _)| at);
    begins.into_iter().any(|at| {
        let mut near = text.iter().skip(at).take(reach);
        phrase.iter().all(|word| near.any(|other| other == word))
    })
}

/// Returns the words of a text as written.
pub(super) fn written(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|word| !word.is_empty())
}

/// Returns the stems of a word. A stop word is kept unchanged.
pub(super) fn stems(word: &str) -> Vec<String> {
    let mut stems = terms(word);
    if stems.is_empty() {
        stems.push(word.to_lowercase());
    }
    stems
}

/// Returns the stems of the words of a text.
fn words(text: &str) -> Vec<String> {
    written(text).flat_map(stems).collect()
}

fn phrases(field: &str, texts: &[String]) -> Result<Vec<Phrase>> {
    let rule = || {
        let rule =
            format!("{field} must be texts of 1 to {PHRASE_WORDS_MAX} words, such as \"out of memory\"");
        Error::invalid(field, rule)
    };
    let phrase = |text: &String| {
        let phrase = Phrase { words: words(text), terms: terms(text) };
        (1..=PHRASE_WORDS_MAX).contains(&phrase.words.len()).then_some(phrase).ok_or_else(rule)
    };
    texts.iter().map(phrase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::word_similarity::Wording;
    use super::*;

    fn likeness_in(table: &SreSynonyms, question: &str, text: &str, is_setting: bool) -> f64 {
        let mut wording = Wording::new(&table.of(question), &[]);
        let text = wording.read(text);
        wording.likeness(&text, is_setting)
    }

    fn likeness(question: &str, text: &str) -> f64 {
        likeness_in(SreSynonyms::shipped(), question, text, false)
    }

    #[test]
    fn what_is_asked_finds_what_it_is_called() {
        let check = |question: &str, text: &str, expect: bool| {
            assert_eq!(likeness(question, text) > 0.0, expect, "{question} / {text}");
        };
        let pod = "Why is my pod crashing?";
        check(pod, "api-server was OOMKilled at noon", true);
        check(pod, "restart loop due to memory limit", true);
        check(pod, "the process ended with exit code 137", true);
        check(pod, "pods suffer from resource constraints", true);
        check(pod, "CrashLoopBackOff on web-1", true);
        check(pod, "memory limit exceeded", true);
        // A configured value is not a failure.
        check(pod, "memory limit 512Mi", false);
        check(pod, "latency is 20 ms", false);
        check("memory limit of db", "OOMKilled", false);
        let of_setting = likeness_in(SreSynonyms::shipped(), pod, "restart policy, liveness probe", true);
        assert_eq!(of_setting, 0.0);
        check("the disk is full again", "ENOSPC", true);
        check(pod, "it exited with a code of 137", true);
        // Stop words count within a phrase.
        check(pod, "memory of the pods is 512Mi", false);
        check(pod, "it went out of memory", true);
        check("what times are set", "p99 of 300 ms", false);
        check("requests are slow", "connection pool exhausted", true);
        check("requests are slow", "connection pool of 20", false);
        check("cert expired?", "x509: unknown authority", true);
        check("who is on call", "OOMKilled", false);
    }

    #[test]
    fn more_of_it_is_a_little_more() {
        let one = likeness("crashing", "OOMKilled");
        let more = likeness("crashing", "OOMKilled, exit code 137, restart loop");
        assert!(more > one && more < one + 0.2, "{one} {more}");
    }

    #[test]
    fn the_words_that_count_come_first() {
        let words = SreSynonyms::shipped().of("pod crashing").terms();
        assert!(words.len() <= 48, "{}: a question has room for 64 terms", words.len());
        let place = |word: &str| words.iter().position(|one| *one == terms(word)[0]).unwrap();
        assert!(place("137") < place("limit"));
        assert!(SreSynonyms::shipped().of("hello").terms().is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, expect: &str| {
            let error = SreSynonyms::parse(text).unwrap_err();
            assert!(format!("{:?} {}", error.field, error.message).contains(expect), "{error:?}");
        };
        check("form = 2\nversion = 1\nfailing = []", "form must be 1");
        check("form = 1\nversion = 1\nfailing = [\"-\"]", "failing must be texts");
        check("form = 1\nversion = 1\nfailing = []\nmore = 1", "more");
        check(
            "form = 1\nversion = 1\nfailing = []\nsymptom = [[\"a\", [\"b\"], [\"c\"]]]",
            "expected an object",
        );
        check(
            "form = 1\nversion = 1\nfailing = []\n[[symptom]]\nname = \"a\"\nasks = [\"\"]\nmeans = []",
            "symptom a.asks",
        );
        let own = "form = 1\nversion = 7\nfailing = []\n[[symptom]]\nname = \"a\"\nasks = [\"b\"]\nmeans = [\"c d\"]";
        let own = SreSynonyms::parse(own).unwrap();
        assert_eq!((own.version(), likeness_in(&own, "b", "c d", true) > 0.0), (7, true));
    }
}
