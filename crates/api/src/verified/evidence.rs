//! Facts for a remote verifier, with the evidence to find their cited lines again. Anchors and
//! claims are documents in their stored format, as in an export. One Loci process writes them and
//! another reads them; they have no other use.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A request to list the evidence of a repository's facts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceListing {
    /// Name of the repository whose facts to list.
    pub repo: String,
    /// Maximum number of facts per page, 1 to 100. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The properties of a repository that a verifier needs to find it and to combine verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvidenceRepository {
    /// Scope key of the repository, `owner/name`.
    pub repo: String,
    /// All names of the repository.
    pub aliases: Vec<String>,
    /// Ids of the repository's first commits, if known.
    pub roots: Vec<String>,
    /// Git ref, such as a branch, whose verifications change the state of facts; absent if it is
    /// the default branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Number of citations of a fact that must be valid for the fact to be served. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A fact with the evidence to find its cited lines again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FactEvidence {
    /// Id of the record that contains the fact.
    pub memory_id: String,
    /// Digest of the fact's statement and evidence. A reported verdict must contain this digest, so
    /// that it cannot apply to a changed fact.
    pub digest: String,
    /// Subject of the fact.
    pub subject: String,
    /// Statement of the fact.
    pub fact: String,
    /// Citations of the fact, each a document with its anchor.
    #[schema(value_type = Vec<Object>)]
    pub citations: Vec<Value>,
    /// Claims of the fact: statements about code that a program checks, such as a configuration
    /// value.
    #[schema(value_type = Vec<Object>)]
    pub claims: Vec<Value>,
}

/// A page of facts, most recently confirmed first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidencePage {
    /// Repository of the facts.
    pub repository: EvidenceRepository,
    /// The facts on this page.
    pub facts: Vec<FactEvidence>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
