//! The result of a check: the common input of all formats. Texts are unchanged and untrusted. Each
//! format escapes them for its reader.

use loci_model::facts::citation::LineRange;
use loci_model::facts::support::OtherValue;
use loci_model::facts::verdict::{Method, Verdict};
use serde::Serialize;

/// A checked revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Revision {
    /// The requested name.
    pub(super) name: String,
    /// Its commit.
    pub(super) commit: Option<String>,
    /// True for the files of the worktree, including uncommitted changes.
    pub(super) dirty: bool,
    /// The commit of the named revision, if `commit` is their merge base and differs from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parted_from: Option<String>,
}

/// The number of facts, of those still valid at their location, and of the verdicts on facts whose
/// cited code exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) facts: usize,
    pub(super) holding: usize,
    /// The cited code is unchanged, possibly at another location, and supports the fact.
    pub(super) verified: usize,
    /// The cited code is unchanged, and its support of the fact is not checked.
    pub(super) cited: usize,
    /// The code contradicts the fact.
    pub(super) contradicted: usize,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct VerifyReport {
    /// One sentence.
    pub(super) summary: String,
    /// The repository.
    pub(super) repo: String,
    /// Its address at a forge, if its first remote has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repository_uri: Option<String>,
    /// The checked revision.
    pub(super) rev: Revision,
    /// The revision of the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Revision>,
    /// The counts.
    pub(super) counts: Counts,
    /// Facts that were valid before and are not now.
    pub(super) invalidated: Vec<Finding>,
    /// Facts that were valid before and whose lines drifted, if that is permitted.
    pub(super) drifted: Vec<Finding>,
    /// Facts that are valid at another location.
    pub(super) relocated: Vec<Finding>,
    /// Facts whose code was unreadable now or before, which proves nothing.
    pub(super) unchecked: Vec<Finding>,
    /// Facts that were not valid before either.
    pub(super) before: Vec<Finding>,
    /// Facts that were not valid before and are now.
    pub(super) restored: Vec<Finding>,
}

/// A fact and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Finding {
    pub(super) memory_id: String,
    pub(super) subject: String,
    pub(super) fact: String,
    /// The verdict now.
    pub(super) verdict: Verdict,
    /// The verdict before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict_since: Option<Verdict>,
    /// The citations that explain the verdict.
    pub(super) citations: Vec<CitationReport>,
    /// Numbers of claims that are false now, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) false_claims: Vec<usize>,
    /// Names whose values in the code differ from those in the fact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_values: Vec<OtherValue>,
}

/// The revision of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    /// The checked revision.
    Rev,
    /// The revision before the change.
    Since,
}

/// A citation and its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CitationReport {
    /// Its number, from 0.
    pub(super) index: usize,
    pub(super) verdict: Verdict,
    pub(super) method: Method,
    /// The fault, like `gone:block_gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The location.
    pub(super) place: LineRange,
    pub(super) side: Side,
    /// The location before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<LineRange>,
    /// The difference between the cited lines and the best match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

impl VerifyReport {
    /// Writes the summary, the first sentence that a person reads.
    pub(super) fn summarise(&mut self) {
        let count = self.invalidated.len();
        let memories = if count == 1 { "memory" } else { "memories" };
        self.summary = match (&self.since, count) {
            (_, 0) if self.counts.facts == 0 => "no memories are known of this repository".to_owned(),
            (Some(_), 0) => "this change invalidates no memory".to_owned(),
            (Some(_), _) => format!("this change invalidates {count} {memories}"),
            (None, 0) => "no memory is invalid here".to_owned(),
            (None, _) => format!("{count} {memories} {} invalid here", if count == 1 { "is" } else { "are" }),
        };
    }

    /// Returns all facts except the unchanged valid ones.
    #[cfg(test)]
    pub(super) fn findings(&self) -> impl Iterator<Item = &Finding> {
        let lists = [
            &self.invalidated,
            &self.drifted,
            &self.relocated,
            &self.unchecked,
            &self.before,
            &self.restored,
        ];
        lists.into_iter().flatten()
    }
}

impl CitationReport {
    /// Returns the location for people.
    pub(super) fn at(&self) -> String {
        at(&self.place)
    }
}

/// Returns a location for people.
pub(super) fn at(place: &LineRange) -> String {
    if place.line_start == place.line_end {
        return format!("{}:{}", place.path, place.line_start);
    }
    format!("{}:{}-{}", place.path, place.line_start, place.line_end)
}
