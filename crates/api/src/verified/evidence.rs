//! Facts for a verifier elsewhere: what cited lines are found again by. Anchors and claims are documents in their stored form,
//! as in an export: made by one Loci and read by another, and of no use to anybody else.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Whose facts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceListing {
    /// The repository.
    pub repo: String,
    /// 1 to 100; absent: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A repository, as far as a verifier must know it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EvidenceRepository {
    /// Its scope key, `owner/name`.
    pub repo: String,
    /// All names it goes by.
    pub aliases: Vec<String>,
    /// Its first commits, where they are known.
    pub roots: Vec<String>,
    /// The ref that changes states, where one is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_ref: Option<String>,
    /// How many citations must be valid; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
}

/// A fact with what it is found again by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FactEvidence {
    /// Its id.
    pub memory_id: String,
    /// What a verdict of it is about: a verdict that is given back names it.
    pub digest: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub fact: String,
    /// Its citations, each a document with its anchor.
    #[schema(value_type = Vec<Object>)]
    pub citations: Vec<Value>,
    /// Its claims.
    #[schema(value_type = Vec<Object>)]
    pub claims: Vec<Value>,
}

/// Facts, confirmed last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidencePage {
    /// Their repository.
    pub repository: EvidenceRepository,
    /// The facts.
    pub facts: Vec<FactEvidence>,
    /// Where the next page starts; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
