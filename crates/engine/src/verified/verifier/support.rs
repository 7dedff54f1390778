//! Whether cited code supports a statement, beside whether the code is still there. Deterministic: declared
//! claims, and the names and
//! values of the statement in the cited lines and the definitions around them. No meaning is judged, and
//! what is doubtful is
//! `not_checked`.

use std::collections::HashSet;
use std::ops::Range;

use loci_model::citation::{Citation, Place};
use loci_model::support::{OtherValue, Support, SupportReason, SupportReport};
use loci_model::verdict::{CitationVerdict, Method, Verdict, Verification};

use super::definitions::enclosing_lines;
use super::grounding::{grounded, numbers};
use super::literal::{BoundValues, number_of};
use super::session::Verifier;
use super::statement::{Statement, Wanted};
use super::words::words;
use crate::safety::{RedactionMode, secrets::redact};

/// Lines on each side of a changed block that are looked at, too; as for claims.
const DRIFTED_MARGIN_LINES: u32 = 3;
/// Longest quoted text that no name or number goes with and that says enough alone, in characters.
const QUOTE_CHARS_MIN: usize = 3;

/// Lines of one citation.
struct CitedLines {
    place: Place,
    lines: Vec<String>,
}

impl Verifier<'_> {
    /// What the code of some citations says of a statement, given what became of the citations and claims.
    pub fn support(
        &self,
        statement: &str,
        citations: &[Citation],
        verification: &Verification,
    ) -> SupportReport {
        let claims = &verification.claims;
        if claims.iter().any(|claim| claim.holds == Some(false)) {
            return SupportReport::new(Support::Contradicted, SupportReason::ClaimFalse);
        }
        let checked: Vec<(&Citation, &CitationVerdict)> =
            citations.iter().zip(&verification.citations).collect();
        let cited: Vec<CitedLines> =
            checked.iter().filter_map(|(citation, verdict)| self.cited_lines(citation, verdict)).collect();
        if cited.is_empty() {
            return SupportReport::new(Support::NotChecked, SupportReason::Unread);
        }
        let said = Statement::of(statement);
        let other_values = other_values(&said, &cited);
        if !other_values.is_empty() {
            let report = SupportReport::new(Support::Contradicted, SupportReason::OtherValue);
            return SupportReport { other_values, ..report };
        }
        if !claims.is_empty() && claims.iter().all(|claim| claim.holds == Some(true)) {
            return SupportReport::new(Support::Supported, SupportReason::ClaimTrue);
        }
        if said.is_empty() && !said.is_cut {
            return SupportReport::new(Support::NotChecked, SupportReason::NothingToFind);
        }
        let lines = || cited.iter().flat_map(|one| one.lines.iter().map(String::as_str));
        let mut held = HeldWords::of(lines());
        if said.wanted().any(|wanted| !held.holds(wanted)) {
            let around = checked.iter().flat_map(|(_, verdict)| self.lines_around(verdict));
            held.add(&around.collect::<Vec<_>>().join(" "));
        }
        let (found, missing): (Vec<Wanted<'_>>, _) = said.wanted().partition(|wanted| held.holds(*wanted));
        let shown = |list: &[Wanted<'_>]| list.iter().map(|wanted| wanted.shown()).collect::<Vec<_>>();
        let (support, reason) = match missing.is_empty() {
            false => (Support::NotChecked, SupportReason::NamesMissing),
            true if said.is_cut => (Support::NotChecked, SupportReason::TooMuch),
            true if is_specific(&found, statement, lines()) => {
                (Support::Supported, SupportReason::NamesFound)
            }
            true => (Support::NotChecked, SupportReason::NothingToFind),
        };
        SupportReport {
            found: shown(&found),
            missing: shown(&missing),
            ..SupportReport::new(support, reason)
        }
    }

    /// The lines of a citation where it was found; `None` where it was not, or they cannot be read. What is
    /// unchanged need not be
    /// read again where its lines are kept.
    fn cited_lines(&self, citation: &Citation, verdict: &CitationVerdict) -> Option<CitedLines> {
        let place = verdict.found.clone()?;
        let is_as_kept = verdict.verdict == Verdict::Valid && verdict.method != Method::ByClaims;
        if is_as_kept && !citation.anchor.lines.is_empty() {
            return Some(CitedLines { place, lines: citation.anchor.lines.clone() });
        }
        let margin = match verdict.verdict {
            Verdict::Valid if is_as_kept => 0,
            Verdict::Valid | Verdict::Drifted | Verdict::Contradicted => DRIFTED_MARGIN_LINES,
            Verdict::Gone | Verdict::Unverifiable => return None,
        };
        let file = self.blob(verdict.blob?).ok()?;
        let first = place.line_start.saturating_sub(margin).max(1);
        let range = file.between(first, place.line_end.saturating_add(margin));
        let lines = file.lines(range.start, range.end).map(str::to_owned).collect();
        Some(CitedLines { place, lines })
    }

    /// The lines of the definition around a citation, and of the file's own path; none where that would have
    /// to be fetched.
    fn lines_around(&self, verdict: &CitationVerdict) -> Vec<String> {
        let (Some(place), Some(blob)) = (&verdict.found, verdict.blob) else { return Vec::new() };
        if !self.source.capabilities().near && !self.holds(blob) {
            return Vec::new();
        }
        let Ok(file) = self.blob(blob) else { return Vec::new() };
        let cited = file.between(place.line_start, place.line_end);
        let around: Option<Range<usize>> = enclosing_lines(&place.path, &file, cited.start);
        around
            .map_or_else(Vec::new, |around| file.lines(around.start, around.end).map(str::to_owned).collect())
    }
}

/// Whether what was found says more than a number found by chance.
fn is_specific<'l>(found: &[Wanted<'_>], statement: &str, lines: impl Iterator<Item = &'l str>) -> bool {
    let is_named = found.iter().any(|wanted| match wanted {
        Wanted::Name(_) => true,
        Wanted::Quote(quote) => quote.chars().count() >= QUOTE_CHARS_MIN,
        Wanted::Number(_) => false,
    });
    // A number belongs to the statement where a word of it stands beside it.
    let is_word = |token: &String| !token.starts_with(|c: char| c.is_ascii_digit());
    is_named || grounded(statement, lines).iter().any(is_word)
}

/// Names that the cited lines bind to other literals than the statement does, and nowhere to its own.
fn other_values(said: &Statement, cited: &[CitedLines]) -> Vec<OtherValue> {
    let mut others: Vec<OtherValue> = Vec::new();
    for binding in &said.bindings {
        let bound = BoundValues::of(&binding.name);
        let values = cited.iter().flat_map(|one| {
            let of_lines = one.lines.iter().flat_map(|line| bound.in_line(line));
            of_lines.map(move |value| (value, &one.place))
        });
        let values: Vec<_> = values.collect();
        let is_stated = |number: &str| said.numbers.iter().any(|one| one == number);
        // A statement with both values may say what became of the one.
        let is_open = values.iter().any(|(value, _)| {
            !binding.value.differs(value) || is_stated(value.shown().trim_start_matches('-'))
        });
        let Some((value, place)) = values.first().filter(|_| !is_open) else { continue };
        let (found, _) = redact(value.shown(), RedactionMode::Mask);
        let other = OtherValue {
            name: binding.name.clone(),
            stated: binding.value.shown(),
            found,
            place: (*place).clone(),
        };
        if !others.contains(&other) {
            others.push(other);
        }
    }
    others
}

/// The words of some lines, to be asked for.
struct HeldWords {
    text: String,
    names: HashSet<String>,
    numbers: HashSet<String>,
}

impl HeldWords {
    fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let mut held = Self { text: String::new(), names: HashSet::new(), numbers: HashSet::new() };
        held.add(&lines.collect::<Vec<_>>().join(" "));
        held
    }

    fn add(&mut self, text: &str) {
        self.names.extend(words(text).map(str::to_owned));
        self.numbers.extend(numbers(text).filter_map(number_of));
        // A quoted text stands in one of both, not across.
        self.text.push('\n');
        self.text.push_str(text);
    }

    fn holds(&self, wanted: Wanted<'_>) -> bool {
        match wanted {
            Wanted::Name(name) => self.names.contains(name.trim_start_matches('$')),
            Wanted::Number(number) => self.numbers.contains(number),
            Wanted::Quote(quote) => self.text.contains(quote),
        }
    }
}
