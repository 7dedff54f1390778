//! Facts in responses, with their citations and the results of a check. The names of members are
//! fixed. Verdicts, locations and claims are types of the model.

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::ObjectId;
use loci_model::facts::support::{Assurance, OtherValue, Support, SupportReason};
use loci_model::facts::verdict::{ClaimOutcome, Drift, Method, Unverifiable, Verdict};
use serde::Serialize;

/// Lines of a file, and the commit that contains them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceAt {
    /// The lines.
    #[serde(flatten)]
    pub place: LineRange,
    /// The commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<ObjectId>,
}

/// A citation of a fact. It contains enough to be verified when a caller sends it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactCitation {
    /// The lines as cited.
    #[serde(flatten)]
    pub place: LineRange,
    /// Hash of the lines.
    pub snippet_hash: String,
    /// Object id of the file.
    pub blob: ObjectId,
    /// Commit that contains the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<ObjectId>,
    /// Definition that encloses the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Current location of the lines, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<PlaceAt>,
}

/// Verdict of the code on a fact. It is independent of whether the cited code still exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactSupport {
    /// The verdict.
    pub verdict: Support,
    /// Reason for the verdict.
    pub reason: SupportReason,
    /// Names and values of the fact that the code contains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// Names and values of the fact that the code does not contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Names that have another value in the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_values: Vec<OtherValue>,
}

/// A short diff of changed code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactChange {
    /// Current location of the code.
    #[serde(flatten)]
    pub place: LineRange,
    /// Lines that the code lost and gained.
    pub diff: String,
}

/// A fact with its citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Id of the fact.
    pub id: String,
    /// Scope key of the fact's repository.
    pub repo: String,
    /// Subject of the fact.
    pub subject: String,
    /// Statement of the fact.
    pub fact: String,
    /// Citations of the code that supports the fact.
    pub citations: Vec<FactCitation>,
    /// Use of the fact for a reader, as text.
    pub reason: Option<String>,
    /// Time of the last confirmation, RFC 3339.
    pub refreshed_at: String,
    /// Number of confirmations after a verification.
    pub verification_count: u64,
    /// State: `active`, `superseded`, `invalid`, `expired` or `quarantined`. `quarantined` means
    /// withheld for any reason.
    pub status: &'static str,
    /// Verdict at the revision of the call; absent if nothing was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Assurance that the verdict gives a reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// Location of the code and its assurance, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Verdict of the code on the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
    /// Change of the cited code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
    /// True if the fact was learned on a branch that was deleted without a merge.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abandoned_source: bool,
    /// Ids of other active facts that contradict this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<String>,
}

/// A fact that was withheld, with the locations to read instead. It contains no statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldFact {
    /// Id of the fact.
    pub id: String,
    /// Subject of the fact.
    pub subject: String,
    /// State of the fact.
    pub status: &'static str,
    /// Verdict on the fact.
    pub verdict: Option<Verdict>,
    /// Assurance that the verdict gives a reader.
    pub assurance: Assurance,
    /// Reasons, by citation, claim and value.
    pub why: Vec<String>,
    /// Locations of the cited code.
    pub places: Vec<LineRange>,
    /// Change of the cited code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
}

/// Numbers of facts that a read omitted, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct OmittedFacts {
    /// Facts whose cited code is gone.
    #[serde(skip_serializing_if = "is_zero")]
    pub gone: u64,
    /// Facts with a false claim; or facts whose cited lines contain another value and whose
    /// statement is withheld.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradicted: u64,
    /// Facts whose cited code has changed and whose statement is withheld; or facts whose code was
    /// gone and for which only similar code exists.
    #[serde(skip_serializing_if = "is_zero")]
    pub drifted: u64,
    /// Facts whose cited code was gone and cannot be verified now.
    #[serde(skip_serializing_if = "is_zero")]
    pub unverifiable: u64,
    /// Facts that exceed the budget.
    #[serde(skip_serializing_if = "is_zero")]
    pub budget: u64,
    /// Facts that have only proposed citations, which could not be verified now.
    #[serde(skip)]
    pub unproven: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Facts of a repository, verified at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactList {
    /// Scope key of the repository.
    pub repo: String,
    /// Revision as requested.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Commit of the revision.
    pub commit: Option<ObjectId>,
    /// The facts.
    pub memories: Vec<Fact>,
    /// Suggested next step if no fact is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Numbers of facts that were omitted.
    pub omitted: OmittedFacts,
    /// The first facts that were withheld because of their code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<WithheldFact>,
    /// The facts as a text block for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// True if the working tree was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Warnings, each a code with an explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if the search was degraded; absent if the call did not search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}

/// A citation with the result of its check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedCitation {
    /// The lines as cited.
    #[serde(flatten)]
    pub place: LineRange,
    /// True if the file contains the lines.
    pub exists: bool,
    /// Verdict on the citation.
    pub verdict: Verdict,
    /// Method by which the lines were found.
    pub method: Method,
    /// Lines that were found. Untrusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// True if the content or the diff was truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Error code, such as `gone:block_gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Similarity to the cited lines, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Degree to which a changed block lost words of the fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Reason that the code could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable_reason: Option<Unverifiable>,
    /// Milliseconds after which a retry is reasonable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Current location of the lines, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PlaceAt>,
    /// Object id of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectId>,
    /// Unified diff from the cited lines to the best match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// True if invisible characters or terminal escape sequences were removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// True if the text is equal but indented differently, in a language where indentation is
    /// significant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reindented: bool,
}

/// The result of checking citations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitationCheck {
    /// True if all citations are valid.
    pub valid: bool,
    /// The citations, each with its result.
    pub citations: Vec<CheckedCitation>,
    /// Number of valid citations.
    pub valid_count: usize,
    /// Number of citations that are drifted, gone or contradicted.
    pub invalid_count: usize,
    /// Number of citations that could not be read.
    pub unverifiable_count: usize,
    /// Combined verdict on all citations.
    pub verdict: Verdict,
    /// Outcomes of the claims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimOutcome>,
    /// Verdict of the code on the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
}

/// A check of citations at a revision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitationsChecked {
    /// Result of the check.
    #[serde(flatten)]
    pub check: CitationCheck,
    /// Scope key of the repository.
    pub repo: String,
    /// Revision as requested.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Commit of the revision.
    pub commit: Option<ObjectId>,
    /// True if the working tree was read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Id of the verification; valid for a few minutes.
    pub verification_id: String,
    /// Warnings, each a code with an explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Lines of a file at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CodeLines {
    /// Scope key of the repository.
    pub repo: String,
    /// Revision as requested, or the default of the call.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Lines as requested, including context, limited to the file.
    #[serde(flatten)]
    pub place: LineRange,
    /// Text of the lines. Untrusted.
    pub content: String,
    /// Object id of the file; empty if there is none.
    pub sha: String,
    /// Commit of the revision.
    pub commit: Option<ObjectId>,
    /// True if the requested range lies in the file.
    pub exists: bool,
    /// Number of lines in the file.
    pub total_lines: u32,
    /// True if the text was truncated.
    pub truncated: bool,
    /// True if invisible characters or terminal escape sequences were removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// Reason that the content is missing, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
