//! The assurance of a fact for its reader, from the state of its code. Every list, prompt and
//! answer takes its words from here. The module decides no state.

use loci_engine::retrieval::render::line_marks::OTHER_LINE_ENDS;
use loci_model::facts::citation::LineRange;
use loci_model::facts::support::{Assurance, OtherValue, Support, SupportReason, SupportReport};
use loci_model::facts::verdict::{Verdict, Verification};

use crate::reads::answers::FactView;
use crate::reads::displayed_code::ShownCode;

/// The number of places that a label names; the others are counted.
const PLACES_MAX: usize = 3;
/// The number of names that a label shows.
const NAMES_MAX: usize = 5;
/// The number of lines in a short diff, and of characters in each.
const DIFF_LINES_MAX: usize = 6;
const DIFF_CHARS_MAX: usize = 120;

impl FactView {
    /// Returns the support of the code for the fact, if the code was read.
    pub fn support(&self) -> Option<&SupportReport> {
        self.verification.as_ref().and_then(|verification| verification.support.as_ref())
    }

    /// Returns the assurance for a reader.
    pub fn assurance(&self) -> Assurance {
        let support = self.support().map(|report| report.support);
        match (self.verdict(), support) {
            (Some(Verdict::Contradicted), _) | (Some(Verdict::Valid), Some(Support::Contradicted)) => {
                Assurance::Contradicted
            }
            (Some(Verdict::Gone), _) => Assurance::Gone,
            (Some(Verdict::Unverifiable) | None, _) => Assurance::Unverified,
            (Some(Verdict::Valid | Verdict::Drifted), _) if self.remembered.fact.proposed => {
                Assurance::Proposed
            }
            (Some(Verdict::Drifted), _) => Assurance::Drifted,
            (Some(Verdict::Valid), Some(Support::Supported)) => Assurance::Verified,
            (Some(Verdict::Valid), Some(Support::NotChecked) | None) => Assurance::Cited,
        }
    }

    /// Returns the places of the code and the assurance, in one line.
    pub fn label(&self) -> String {
        let places = self.places();
        let mut notes = match self.assurance() {
            Assurance::Verified => vec![places, "verified".to_owned()],
            Assurance::Cited => vec![format!("cites {places}, not checked against it")],
            Assurance::Drifted => vec![places, "the cited code has changed: check it before use".to_owned()],
            Assurance::Contradicted => vec![places, "contradicted by the code".to_owned()],
            Assurance::Gone => vec![places, "the cited code is gone".to_owned()],
            Assurance::Unverified => vec![places, "not verified".to_owned()],
            Assurance::Proposed => {
                let places = format!("proposed: cites {places}, not checked against it");
                let drifted =
                    (self.verdict() == Some(Verdict::Drifted)).then(|| "which has changed".to_owned());
                std::iter::once(places).chain(drifted).collect()
            }
        };
        if self.remembered.fact.proposed {
            notes.push("its places were found from its text".to_owned());
        }
        notes.extend(self.moved().map(|from| format!("moved from {from}")));
        notes.extend(self.support().and_then(reason));
        if !self.conflicts_with.is_empty() {
            notes.push("another fact says otherwise".to_owned());
        }
        notes.retain(|note| !note.is_empty());
        notes.join("; ")
    }

    /// Returns the removed and added lines of a changed citation, shortened, with its place.
    pub fn short_diff(&self) -> Option<(LineRange, Vec<String>)> {
        let checked = self.verification.iter().flat_map(|verification| &verification.citations);
        let changed = checked.zip(&self.remembered.fact.detail.citations);
        changed.filter(|(verdict, _)| verdict.verdict != Verdict::Valid).find_map(|(verdict, citation)| {
            let shown = ShownCode::of(verdict.diff.as_deref()?).text;
            // These are the head of the diff only in the first two lines, because code can begin
            // with such signs too.
            let is_head = |nth: usize, line: &str| {
                nth == 0 && line.starts_with("--- a/") || nth == 1 && line.starts_with("+++ b/")
            };
            let lines = shown.lines().enumerate().filter(|(nth, line)| !is_head(*nth, line));
            let lines = lines.map(|(_, line)| line).filter(|line| line.starts_with(['-', '+']));
            // A line of code stays one line here, even if it contains characters that a reader
            // treats as line ends.
            let lines = lines.map(|line| line.replace(OTHER_LINE_ENDS, " "));
            let lines: Vec<String> = lines.take(DIFF_LINES_MAX).map(|line| cut(&line)).collect();
            let place = verdict.found.clone().unwrap_or_else(|| citation.anchor.place.clone());
            (!lines.is_empty()).then_some((place, lines))
        })
    }

    /// Returns the current places of the cited code, by citation. For code that was not found it is
    /// the last known place.
    pub fn places_now(&self) -> Vec<LineRange> {
        let citations = &self.remembered.fact.detail.citations;
        let found = |index: usize| {
            let of = |verification: &Verification| verification.citations.get(index)?.found.clone();
            self.verification.as_ref().and_then(of)
        };
        let place = |(index, citation): (usize, &loci_model::facts::citation::Citation)| {
            let known = citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place);
            found(index).unwrap_or_else(|| known.clone())
        };
        citations.iter().enumerate().map(place).collect()
    }

    /// Returns the places in one line. Those beyond the limit are counted.
    fn places(&self) -> String {
        let mut places: Vec<String> = self.places_now().iter().map(shown_place).collect();
        let more = places.len().saturating_sub(PLACES_MAX);
        places.truncate(PLACES_MAX);
        if more > 0 {
            places.push(format!("{more} more"));
        }
        places.join(", ")
    }

    /// Returns the cited place of the first citation whose code has moved.
    fn moved(&self) -> Option<String> {
        let checked = self.verification.iter().flat_map(|verification| &verification.citations);
        let mut pairs = checked.zip(&self.remembered.fact.detail.citations);
        pairs.find_map(|(verdict, citation)| {
            let cited = &citation.anchor.place;
            let found = verdict.found.as_ref().filter(|_| verdict.verdict == Verdict::Valid)?;
            (found != cited).then(|| shown_place(cited))
        })
    }
}

/// Returns a note on the reason of the support verdict, if there is one to show.
fn reason(report: &SupportReport) -> Option<String> {
    match report.reason {
        SupportReason::ClaimFalse => Some("a claim about it is false".to_owned()),
        SupportReason::OtherValue => Some(
            report.other_values.iter().take(NAMES_MAX).map(OtherValue::shown).collect::<Vec<_>>().join(", "),
        ),
        SupportReason::NamesMissing => {
            let names: Vec<&str> = report.missing.iter().take(NAMES_MAX).map(String::as_str).collect();
            Some(format!("not found there: {}", names.join(", ")))
        }
        SupportReason::ValuesOpen if report.missing.is_empty() => {
            Some("it denies something, which no line can show".to_owned())
        }
        SupportReason::ValuesOpen => {
            let values: Vec<&str> = report.missing.iter().take(NAMES_MAX).map(String::as_str).collect();
            Some(format!("not said so there: {}", values.join(", ")))
        }
        SupportReason::ClaimTrue
        | SupportReason::NamesFound
        | SupportReason::NothingToFind
        | SupportReason::TooMuch
        | SupportReason::Unread => None,
    }
}

fn shown_place(place: &LineRange) -> String {
    format!("{}:{}-{}", place.path, place.line_start, place.line_end)
}

fn cut(line: &str) -> String {
    if line.chars().count() <= DIFF_CHARS_MAX {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(DIFF_CHARS_MAX).collect::<String>())
}
