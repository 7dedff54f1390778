//! Facts as answers show them, with their citations and what a check of them found. The source
//! design fixes the names of members. Words, places and claims are the nouns of the model.

use loci_model::facts::citation::Place;
use loci_model::facts::code::ObjectId;
use loci_model::facts::support::{Assurance, OtherValue, Support, SupportReason};
use loci_model::facts::verdict::{ClaimOutcome, Drift, Method, Unverifiable, Verdict};
use serde::Serialize;

/// Lines of a file, and the commit at which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceAt {
    /// The lines.
    #[serde(flatten)]
    pub place: Place,
    /// The commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<ObjectId>,
}

/// A citation of a fact: enough to be verified when it is given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactCitation {
    /// The lines as cited.
    #[serde(flatten)]
    pub place: Place,
    /// The hash of the lines.
    pub snippet_hash: String,
    /// The file's object.
    pub blob: ObjectId,
    /// The commit that holds the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<ObjectId>,
    /// The definition around them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Their present place, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<PlaceAt>,
}

/// The verdict of the code on a fact, apart from whether the code is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactSupport {
    /// The verdict.
    pub verdict: Support,
    /// The reason.
    pub reason: SupportReason,
    /// Names and values of the fact that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// Names and values of the fact that were not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Names that have another value in the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_values: Vec<OtherValue>,
}

/// The short difference of changed code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactChange {
    /// The present place of the code.
    #[serde(flatten)]
    pub place: Place,
    /// Lines that it lost and gained.
    pub diff: String,
}

/// A fact with its citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Its id.
    pub id: String,
    /// Scope key of its repository.
    pub repo: String,
    /// Its subject.
    pub subject: String,
    /// Its statement.
    pub fact: String,
    /// The code that proves it.
    pub citations: Vec<FactCitation>,
    /// Its use for a reader, in words.
    pub reason: Option<String>,
    /// The time of its last confirmation, RFC 3339.
    pub refreshed_at: String,
    /// The number of its confirmations after a verification.
    pub verification_count: u64,
    /// `active`, `superseded`, `invalid`, `expired`, or `quarantined`: held back, whatever for.
    pub status: &'static str,
    /// The finding at the revision of the call; absent where nothing was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Its meaning for a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// The place of its code and the worth of that, in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The verdict of the code on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
    /// The change of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
    /// It was learned on a branch that is gone, and never merged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abandoned_source: bool,
    /// Other active facts that say otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<String>,
}

/// A fact that was kept back, with the places to read instead. It has no statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldFact {
    /// Its id.
    pub id: String,
    /// Its subject.
    pub subject: String,
    /// Its state.
    pub status: &'static str,
    /// The finding.
    pub verdict: Option<Verdict>,
    /// Its meaning for a reader.
    pub assurance: Assurance,
    /// The reasons, by citation, claim and value.
    pub why: Vec<String>,
    /// The places of its code.
    pub places: Vec<Place>,
    /// The change of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
}

/// Numbers of facts that a read kept back, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct OmittedFacts {
    /// Their code is gone.
    #[serde(skip_serializing_if = "is_zero")]
    pub gone: u64,
    /// A claim is false; or the cited lines give another value, and the statement is withheld from
    /// the reader.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradicted: u64,
    /// Their code has changed, and their statement is withheld from the reader; or it was gone, and
    /// only something like it is there.
    #[serde(skip_serializing_if = "is_zero")]
    pub drifted: u64,
    /// Their code was gone, and whether it is there cannot be found out now.
    #[serde(skip_serializing_if = "is_zero")]
    pub unverifiable: u64,
    /// They would not fit the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub budget: u64,
    /// Their citations are only proposed, and could not be verified now.
    #[serde(skip)]
    pub unproven: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Facts of a repository, checked at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactList {
    /// Scope key of the repository.
    pub repo: String,
    /// The revision as asked for.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its commit.
    pub commit: Option<ObjectId>,
    /// The facts.
    pub memories: Vec<Fact>,
    /// The next step where nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Numbers of facts that were kept back.
    pub omitted: OmittedFacts,
    /// The first facts that were kept back because of their code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<WithheldFact>,
    /// The same as a block for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The worktree was looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Warnings: codes with words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The search was less than it could be; absent where nothing was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}

/// A citation and what a check found of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedCitation {
    /// The lines as cited.
    #[serde(flatten)]
    pub place: Place,
    /// The lines are in the file.
    pub exists: bool,
    /// The finding.
    pub verdict: Verdict,
    /// The way it was found.
    pub method: Method,
    /// The lines that were found. Untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The content or the difference was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The error, like `gone:block_gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Likeness to the cited lines, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The loss of a changed block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// The reason that it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable_reason: Option<Unverifiable>,
    /// The time until another try makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The present place of the lines, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PlaceAt>,
    /// The file's object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectId>,
    /// A unified diff from the cited lines to the best match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Characters without a shape, or terminal escapes, were taken out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// Equal text with another indentation, where indentation means something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reindented: bool,
}

/// The findings of a check of citations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitationCheck {
    /// Every citation is valid.
    pub valid: bool,
    /// One each.
    pub citations: Vec<CheckedCitation>,
    /// Those that are valid.
    pub valid_count: usize,
    /// Those that are drifted, gone or contradicted.
    pub invalid_count: usize,
    /// Those that could not be read.
    pub unverifiable_count: usize,
    /// The verdict of all together.
    pub verdict: Verdict,
    /// The outcomes of the claims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimOutcome>,
    /// The verdict of the code on the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
}

/// A check of citations, at a revision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitationsChecked {
    /// The finding.
    #[serde(flatten)]
    pub check: CitationCheck,
    /// Scope key of the repository.
    pub repo: String,
    /// The revision as asked for.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its commit.
    pub commit: Option<ObjectId>,
    /// The worktree was looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Names the verification for some minutes.
    pub verification_id: String,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Lines of a file at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CodeLines {
    /// Scope key of the repository.
    pub repo: String,
    /// The revision as asked for, or as the call means it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The lines that were asked for, context included, cut to the file.
    #[serde(flatten)]
    pub place: Place,
    /// Their text; untrusted.
    pub content: String,
    /// The file's object; empty where there is none.
    pub sha: String,
    /// The commit.
    pub commit: Option<ObjectId>,
    /// The range asked for lies in the file.
    pub exists: bool,
    /// Lines of the file.
    pub total_lines: u32,
    /// The text was cut.
    pub truncated: bool,
    /// Characters without a shape, or terminal escapes, were taken out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// The reason that there is nothing, where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
