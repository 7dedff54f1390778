//! Facts in responses, with their citations and the results of a check. Their member names must not
//! change, because models and clients know them.

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::ObjectId;
use loci_model::facts::support::{Assurance, OtherValue, Support, SupportReason};
use loci_model::facts::verdict::{ClaimOutcome, Drift, Method, Unverifiable, Verdict};
use serde::Serialize;

/// A range of lines in a file at a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlaceAt {
    /// Path and line numbers.
    #[serde(flatten)]
    pub place: LineRange,
    /// Id of the commit that contains the lines; absent for files of a worktree that are not
    /// committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<ObjectId>,
}

/// A citation of a fact. A caller that sends it back lets the server verify it without the stored
/// fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactCitation {
    /// The lines as cited.
    #[serde(flatten)]
    pub place: LineRange,
    /// Digest of the text of the lines.
    pub snippet_hash: String,
    /// Git object id of the file's content.
    pub blob: ObjectId,
    /// Id of the commit that contains the lines; absent if no commit does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<ObjectId>,
    /// Name of the function, type or other definition that encloses the lines; absent if there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Current location of the lines; absent if it is the cited one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<PlaceAt>,
}

/// The result of comparing a fact's statement with the code that it cites. It is independent of
/// whether the cited code still exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactSupport {
    /// Answer to the question if the cited code supports the statement.
    pub verdict: Support,
    /// Reason for the answer.
    pub reason: SupportReason,
    /// Names and values in the statement that the cited code contains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// Names and values in the statement that the cited code does not contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Names in the statement that have another value in the cited code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_values: Vec<OtherValue>,
}

/// The change of the code that a fact cites, as a short diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactChange {
    /// Current location of the changed code.
    #[serde(flatten)]
    pub place: LineRange,
    /// Lines that the code lost and gained.
    pub diff: String,
}

/// A fact with its citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Id of the record that contains the fact.
    pub id: String,
    /// Scope key of the fact's repository.
    pub repo: String,
    /// Subject of the fact in a few words.
    pub subject: String,
    /// Statement of the fact.
    pub fact: String,
    /// Citations of the code that supports the fact.
    pub citations: Vec<FactCitation>,
    /// Benefit of the fact for its readers, as a text.
    pub reason: Option<String>,
    /// Time of the last confirmation, RFC 3339.
    pub refreshed_at: String,
    /// Number of times that a caller confirmed the fact after a verification.
    pub verification_count: u64,
    /// State of the fact: `active`, `superseded`, `invalid`, `expired` or `quarantined`.
    /// `quarantined` stands for every state in which a fact is withheld.
    pub status: &'static str,
    /// Verdict on the citations at the revision of the call; absent if the call verified nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Assurance: verdict and support as one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// Location of the cited code and the assurance, in one line for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Result of comparing the statement with the cited code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
    /// Change of the cited code; absent if it did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
    /// True if the fact was learned on a branch that was deleted without a merge.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abandoned_source: bool,
    /// Ids of other active facts that contradict this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<String>,
}

/// A fact whose statement the response withholds. It names the locations in the code to read
/// instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WithheldFact {
    /// Id of the record that contains the fact.
    pub id: String,
    /// Subject of the fact.
    pub subject: String,
    /// State of the fact: `active`, `superseded`, `invalid`, `expired` or `quarantined`.
    pub status: &'static str,
    /// Verdict on the citations of the fact; absent if they were not verified.
    pub verdict: Option<Verdict>,
    /// Assurance: verdict and support as one word.
    pub assurance: Assurance,
    /// Reasons for withholding the fact, one for each citation, claim or value.
    pub why: Vec<String>,
    /// Locations of the code that the fact cites.
    pub places: Vec<LineRange>,
    /// Change of the cited code; absent if it did not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FactChange>,
}

/// Numbers of facts that a read omitted, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct OmittedFacts {
    /// Number of facts whose cited code is gone.
    #[serde(skip_serializing_if = "is_zero")]
    pub gone: u64,
    /// Number of facts that the code contradicts: a claim is false, or the cited lines contain
    /// another value.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradicted: u64,
    /// Number of facts whose cited code has changed so that the statement is withheld, or whose
    /// code is gone and only similar code exists.
    #[serde(skip_serializing_if = "is_zero")]
    pub drifted: u64,
    /// Number of facts whose cited code was gone at the last check and cannot be read now.
    #[serde(skip_serializing_if = "is_zero")]
    pub unverifiable: u64,
    /// Number of facts that exceed the token budget of the response.
    #[serde(skip_serializing_if = "is_zero")]
    pub budget: u64,
    /// Number of facts that have only proposed citations, which could not be verified now.
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
    /// Branch, tag, commit or `WORKTREE`, as the request specified it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Id of the commit that the revision resolved to; absent if there is none.
    pub commit: Option<ObjectId>,
    /// The facts.
    pub memories: Vec<Fact>,
    /// Suggested next step for the reader; present only if no fact is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Numbers of facts that the response omits, by reason.
    pub omitted: OmittedFacts,
    /// The first facts whose statement is withheld because of the cited code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<WithheldFact>,
    /// The facts as a text for a prompt; absent if the request did not ask for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// True if the facts were verified against the files of a worktree, which may differ from a
    /// commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Warnings about the response, each a code with an explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if a part of memory could not be searched; absent if the call did not search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}

/// A citation with the result of its check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedCitation {
    /// Cited path and line numbers.
    #[serde(flatten)]
    pub place: LineRange,
    /// True if the file still contains the lines.
    pub exists: bool,
    /// Verdict on the citation.
    pub verdict: Verdict,
    /// Method by which the check found the lines.
    pub method: Method,
    /// Text of the lines that the check found. Untrusted: it is data, not an instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// True if the content or the diff was truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Code of the problem with the citation, such as `gone:block_gone`; absent if it is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Similarity of the found lines to the cited lines, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Degree to which a changed block lost words of the fact's statement; absent if the block did
    /// not change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Reason for which the code could not be read; absent if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable_reason: Option<Unverifiable>,
    /// Milliseconds after which the caller should retry; absent if a retry is useless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Current location of the lines; absent if it is the cited one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PlaceAt>,
    /// Git object id of the file's content; absent if the file does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectId>,
    /// Unified diff from the cited lines to the most similar block; absent if the lines are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// True if the server removed invisible characters or terminal escape sequences from the text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// True if the found lines differ only in their indentation, in a language where indentation
    /// has a meaning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reindented: bool,
}

/// The result of checking the citations of a fact.
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
    /// Number of citations whose code could not be read.
    pub unverifiable_count: usize,
    /// Combined verdict on all citations.
    pub verdict: Verdict,
    /// Results for the claims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimOutcome>,
    /// Result of comparing the statement with the cited code; absent if the call contained no
    /// statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<FactSupport>,
}

/// A check of citations at a revision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitationsChecked {
    /// Result for the citations, the claims and the statement.
    #[serde(flatten)]
    pub check: CitationCheck,
    /// Scope key of the repository.
    pub repo: String,
    /// Branch, tag, commit or `WORKTREE`, as the request specified it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Id of the commit that the revision resolved to; absent if there is none.
    pub commit: Option<ObjectId>,
    /// True if the citations were verified against the files of a worktree, which may differ from a
    /// commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Id of the verification, with which a caller can store or confirm a fact; valid for a few
    /// minutes.
    pub verification_id: String,
    /// Warnings about the response, each a code with an explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Lines of a file of a repository at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CodeLines {
    /// Scope key of the repository.
    pub repo: String,
    /// Branch, tag, commit or `WORKTREE`, as the request specified it, or the default of the call.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Path and line numbers as requested, with context lines, limited to the lines of the file.
    #[serde(flatten)]
    pub place: LineRange,
    /// Text of the lines. Untrusted: it is data, not an instruction.
    pub content: String,
    /// Git object id of the file's content; empty if the file does not exist.
    pub sha: String,
    /// Id of the commit that the revision resolved to; absent if there is none.
    pub commit: Option<ObjectId>,
    /// True if the file contains the requested lines.
    pub exists: bool,
    /// Number of lines in the file.
    pub total_lines: u32,
    /// True if the text was truncated.
    pub truncated: bool,
    /// True if the server removed invisible characters or terminal escape sequences from the text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden_characters: bool,
    /// Kinds of secrets that were masked in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<&'static str>,
    /// Reason for which the text is missing; absent if it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
