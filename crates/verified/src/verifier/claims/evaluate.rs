//! Evaluates claims at the verifier's revision. A claim whose code could not be read is unknown,
//! never false.

use std::sync::Arc;

use loci_engine::safety::{RedactionMode, secrets::redact};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::EntryKind;
use loci_model::facts::verdict::{CitationVerdict, ClaimOutcome, Unverifiable, Verdict};
use loci_model::ports::code::CodeError;
use regex::Regex;

use super::config_file::{ConfigValue, config_value};
use super::pattern::{ClaimPattern, captured};
use super::tree;
use crate::verifier::code_structure::definitions::defines;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::session::verifier::Verifier;

/// The number of lines on each side of a drifted block that claims read in addition.
const DRIFTED_MARGIN_LINES: u32 = 3;
/// The longest piece of code that an outcome quotes, in characters.
const QUOTED_CHARS_MAX: usize = 80;

/// The result of a claim; `None` is unknown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClaimResult {
    pub(super) holds: Option<bool>,
    pub(super) detail: Option<String>,
    /// The reason why the claim is unknown, if the code could not be read.
    pub(super) unverifiable: Option<Unverifiable>,
}

impl ClaimResult {
    pub(super) fn holds(holds: bool) -> Self {
        Self { holds: Some(holds), detail: None, unverifiable: None }
    }

    pub(super) fn because(holds: bool, detail: impl Into<String>) -> Self {
        Self { holds: Some(holds), detail: Some(detail.into()), unverifiable: None }
    }

    pub(super) fn unknown(detail: impl Into<String>) -> Self {
        Self { holds: None, detail: Some(detail.into()), unverifiable: None }
    }

    pub(super) fn unread(error: &CodeError) -> Self {
        Self::hindered(error.why, format!("unverifiable: {}", error.why.as_str()))
    }

    pub(super) fn hindered(why: Unverifiable, detail: impl Into<String>) -> Self {
        Self { unverifiable: Some(why), ..Self::unknown(detail) }
    }
}

impl Verifier<'_> {
    /// Evaluates a record's claims, based on the verdicts of its citations.
    pub(in super::super) fn evaluate(
        &self,
        claims: &[Claim],
        citations: &[CitationVerdict],
    ) -> Vec<ClaimOutcome> {
        let outcome = |(index, claim): (usize, &Claim)| {
            let ClaimResult { holds, detail, unverifiable } = self.evaluate_one(claim, citations);
            ClaimOutcome { index, holds, detail, unverifiable }
        };
        claims.iter().enumerate().map(outcome).collect()
    }

    fn evaluate_one(&self, claim: &Claim, citations: &[CitationVerdict]) -> ClaimResult {
        let block = |index: usize| self.block_text(citations.get(index));
        match claim {
            Claim::Contains { citation, literal } => {
                on(block(*citation), |text| ClaimResult::holds(text.contains(literal)))
            }
            Claim::Matches { citation, regex } => on(block(*citation), |text| {
                by_pattern(regex, text, |regex| ClaimResult::holds(regex.is_match(text)))
            }),
            Claim::Equals { citation, regex, literal } => on(block(*citation), |text| {
                by_pattern(regex, text, |regex| equals(captured(regex, text), literal))
            }),
            Claim::SameCapture { citations: places, regexes } => same_capture(places, regexes, &block),
            Claim::Absent { glob, regex } => tree::absent(self, glob, regex),
            Claim::EveryFile { glob, regex } => tree::every_file(self, glob, regex),
            Claim::PathExists { path } => self.path_is_there(path, true),
            Claim::PathAbsent { path } => self.path_is_there(path, false),
            Claim::SymbolDefined { path, name } => {
                self.on_file(path, |file| ClaimResult::holds(defines(path, file, name)))
            }
            Claim::ConfigValue { path, pointer, literal } => {
                self.on_file(path, |file| match config_value(path, file.raw(1, u32::MAX), pointer) {
                    ConfigValue::Text(value) => equals(Some(&value), literal),
                    ConfigValue::Number(value) => ClaimResult {
                        holds: Some(same_number(&value, literal)),
                        ..equals(Some(&value), literal)
                    },
                    ConfigValue::NotThere => ClaimResult::because(false, "there is no such value"),
                    ConfigValue::NoScalar => ClaimResult::because(false, "the value is a list or a table"),
                    ConfigValue::Unknown(why) => ClaimResult::unknown(why),
                })
            }
        }
    }

    /// Returns the text that claims about a citation read, or the reason why there is none.
    pub(super) fn block_text(&self, citation: Option<&CitationVerdict>) -> Result<String, ClaimResult> {
        let none = |why: &str| Err(ClaimResult::unknown(why));
        let Some(citation) = citation else { return none("there is no such citation") };
        let margin = match citation.verdict {
            Verdict::Valid | Verdict::Contradicted => 0,
            Verdict::Drifted => DRIFTED_MARGIN_LINES,
            Verdict::Gone => return none("the cited lines are gone"),
            Verdict::Unverifiable => return none("the cited lines cannot be read"),
        };
        let (Some(place), Some(blob)) = (&citation.found, citation.blob) else {
            return none("the cited lines have no place");
        };
        let file = self.blob(blob).map_err(|error| ClaimResult::unread(&error))?;
        let from = place.line_start.saturating_sub(margin).max(1);
        Ok(file.raw(from, place.line_end.saturating_add(margin)).to_owned())
    }

    fn path_is_there(&self, path: &str, wanted: bool) -> ClaimResult {
        match self.entry(path) {
            Ok(entry) => ClaimResult::holds(entry.is_some() == wanted),
            Err(error) => ClaimResult::unread(&error),
        }
    }

    fn on_file(&self, path: &str, look: impl FnOnce(&Arc<FileLines>) -> ClaimResult) -> ClaimResult {
        let entry = match self.entry(path) {
            Ok(entry) => entry.filter(|entry| entry.kind == EntryKind::File),
            Err(error) => return ClaimResult::unread(&error),
        };
        let Some(entry) = entry else { return ClaimResult::because(false, "there is no such file") };
        match self.lines(&entry) {
            Ok(file) => look(&file),
            Err(error) => ClaimResult::unread(&error),
        }
    }
}

fn on(block: Result<String, ClaimResult>, look: impl FnOnce(&str) -> ClaimResult) -> ClaimResult {
    match block {
        Ok(text) => look(&text),
        Err(unknown) => unknown,
    }
}

/// Applies a pattern to a text. The result is unknown if the pattern is too large for the text.
fn by_pattern(source: &str, text: &str, look: impl FnOnce(&Regex) -> ClaimResult) -> ClaimResult {
    let pattern = ClaimPattern::parse(source);
    let regex = pattern.as_ref().and_then(|pattern| pattern.within(text));
    regex.map_or_else(no_pattern, look)
}

fn no_pattern() -> ClaimResult {
    ClaimResult::hindered(Unverifiable::TooLarge, "the pattern is too large")
}

fn equals(found: Option<&str>, literal: &str) -> ClaimResult {
    match found {
        Some(found) if found == literal => ClaimResult::holds(true),
        Some(found) => ClaimResult::because(false, format!("found {}", quoted(found))),
        None => ClaimResult::because(false, "the pattern does not match"),
    }
}

/// Returns true for two notations of one number, and for two equal texts.
fn same_number(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    one == other || number(one).is_some_and(|value| number(other) == Some(value))
}

fn same_capture(
    places: &[usize],
    regexes: &[String],
    block: &dyn Fn(usize) -> Result<String, ClaimResult>,
) -> ClaimResult {
    let mut seen: Option<String> = None;
    let mut unknown = None;
    let mut found = ClaimResult::holds(true);
    for (nth, place) in places.iter().enumerate() {
        let pattern = regexes.get(nth).or(regexes.first()).and_then(|source| ClaimPattern::parse(source));
        let Some(pattern) = pattern else { return no_pattern() };
        let text = match block(*place) {
            Ok(text) => text,
            Err(why) => {
                unknown = Some(why);
                continue;
            }
        };
        let Some(regex) = pattern.within(&text) else { return no_pattern() };
        match (captured(regex, &text), &seen) {
            (None, _) => found = ClaimResult::because(false, format!("no match in citation {place}")),
            (Some(capture), None) => seen = Some(capture.to_owned()),
            (Some(capture), Some(before)) if capture != before => {
                found = ClaimResult::because(false, format!("{} and {}", quoted(before), quoted(capture)));
            }
            (Some(_), Some(_)) => {}
        }
    }
    // Two different captures decide, regardless of the others.
    match (found.holds, unknown) {
        (Some(true), Some(unknown)) => unknown,
        _ => found,
    }
}

/// Returns a short piece of code for people: untrusted text, without secrets.
fn quoted(text: &str) -> String {
    let (text, _) = redact(text.to_owned(), RedactionMode::Mask);
    let short: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}
