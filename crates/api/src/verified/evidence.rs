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
    /// Name of the repository.
    pub repo: String,
    /// Maximum number of facts per page, 1 to 100. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The members of a repository that a verifier needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvidenceRepository {
    /// Scope key of the repository, `owner/name`.
    pub repo: String,
    /// All names of the repository.
    pub aliases: Vec<String>,
    /// Ids of the repository's first commits, if known.
    pub roots: Vec<String>,
    /// Ref whose verifications change the state of facts, if it is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// Number of citations of a fact that must be valid. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A fact with the evidence to find its cited lines again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FactEvidence {
    /// Id of the fact.
    pub memory_id: String,
    /// Digest of the content that a verdict refers to. A reported verdict must contain it.
    pub digest: String,
    /// Subject of the fact.
    pub subject: String,
    /// Statement of the fact.
    pub fact: String,
    /// Citations of the fact, each a document with its anchor.
    #[schema(value_type = Vec<Object>)]
    pub citations: Vec<Value>,
    /// Claims of the fact.
    #[schema(value_type = Vec<Object>)]
    pub claims: Vec<Value>,
}

/// A page of facts, most recently confirmed first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidencePage {
    /// Repository of the facts.
    pub repository: EvidenceRepository,
    /// The facts.
    pub facts: Vec<FactEvidence>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
