//! Records of a repository whose citations were found from their text, and which nobody has confirmed yet.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which proposals.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalListing {
    /// The repository.
    pub repo: String,
    /// 1 to 200; absent: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The revision at which they are verified; absent: `WORKTREE` in a working tree, else `HEAD`.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// A record with proposed citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Proposal {
    /// The record: refresh it to make a fact of it.
    pub id: String,
    /// What extraction wrote. Untrusted.
    pub text: String,
    /// Where its citations were found, as `path:first-last`.
    pub places: Vec<String>,
    /// What was found at the revision: `valid` or `drifted`.
    pub verdict: String,
    /// The verdict of the code on the text: `supported`, `not_checked` or `contradicted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<String>,
}

/// Proposals, the newest first, as far as they hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProposalList {
    /// Scope key of the repository.
    pub repo: String,
    /// The commit at which they were verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The proposals.
    pub proposals: Vec<Proposal>,
    /// How many were kept back: their code is gone, or could not be read.
    pub omitted: u64,
}
