//! What a check found: the one shape that every format shows. Texts are as they were stored, and nobody's to trust: each format
//! makes them harmless for its reader.

use loci_model::facts::citation::Place;
use loci_model::facts::support::OtherValue;
use loci_model::facts::verdict::{Method, Verdict};
use serde::Serialize;

/// A revision that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Revision {
    /// As asked for.
    pub(super) name: String,
    /// Its commit.
    pub(super) commit: Option<String>,
    /// The files of the worktree, whatever is committed.
    pub(super) dirty: bool,
    /// The commit of the named revision, where `commit` is the merge base with it and another commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parted_from: Option<String>,
}

/// How many facts there are, how many of them hold where they stood, and what the code says of those whose
/// cited code is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) facts: usize,
    pub(super) holding: usize,
    /// The cited code is unchanged, wherever it stands now, and supports the fact.
    pub(super) verified: usize,
    /// The cited code is unchanged; whether it supports the fact is not checked.
    pub(super) cited: usize,
    /// The code says otherwise.
    pub(super) contradicted: usize,
}

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Report {
    /// One sentence.
    pub(super) summary: String,
    /// The repository.
    pub(super) repo: String,
    /// Where it lies at a forge, where its first remote says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repository_uri: Option<String>,
    /// What was checked.
    pub(super) rev: Revision,
    /// What it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Revision>,
    /// How many.
    pub(super) counts: Counts,
    /// Held before, does not now.
    pub(super) invalidated: Vec<Finding>,
    /// The same, where only the lines changed and that may be.
    pub(super) drifted: Vec<Finding>,
    /// Holds at another place.
    pub(super) relocated: Vec<Finding>,
    /// Could not be read, now or before: evidence of nothing.
    pub(super) unchecked: Vec<Finding>,
    /// Did not hold before either.
    pub(super) before: Vec<Finding>,
    /// Did not hold before, does now.
    pub(super) restored: Vec<Finding>,
}

/// A fact and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Finding {
    pub(super) memory_id: String,
    pub(super) subject: String,
    pub(super) fact: String,
    /// Now.
    pub(super) verdict: Verdict,
    /// Before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict_since: Option<Verdict>,
    /// Those that say why.
    pub(super) citations: Vec<Cited>,
    /// Numbers of claims that are false now, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) false_claims: Vec<usize>,
    /// Names to which the code gives other values than the fact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_values: Vec<OtherValue>,
}

/// At which revision a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    /// The one that was checked.
    Rev,
    /// The one before the change.
    Since,
}

/// A citation and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Cited {
    /// Its number, from 0.
    pub(super) index: usize,
    pub(super) verdict: Verdict,
    pub(super) method: Method,
    /// What is wrong, like `gone:block_gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// Where to look.
    pub(super) place: Place,
    pub(super) side: Side,
    /// Where it stood before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Place>,
    /// From the cited lines to the best match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

impl Report {
    /// The sentence that a person reads first.
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

    /// Everything that does not simply hold.
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

impl Cited {
    /// Where, as people write it.
    pub(super) fn at(&self) -> String {
        at(&self.place)
    }
}

/// A place as people write it.
pub(super) fn at(place: &Place) -> String {
    if place.line_start == place.line_end {
        return format!("{}:{}", place.path, place.line_start);
    }
    format!("{}:{}-{}", place.path, place.line_start, place.line_end)
}
