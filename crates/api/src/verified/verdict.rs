//! Verdicts of a remote verifier: a process that can read the code where the server cannot. The
//! server uses the verdicts for the verifier's own calls and records them under its name. They
//! never change the state of a fact. Verifications are documents in their stored format, like
//! evidence.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tool::ToolArguments;
use crate::verified::evidence::{EvidenceRepository, FactEvidence};

/// A request for the facts that a tool call would read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceAsk {
    /// Arguments of the tool call.
    pub arguments: ToolArguments,
    /// Id of a commit. The response states if the server can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// The facts that the tool call would read, with the evidence that a verifier needs. The server did
/// not verify them and does not count the request as a read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAnswer {
    /// Repository of the facts.
    pub repository: EvidenceRepository,
    /// True if the server can read the commit of the request, so that the client need not verify
    /// the facts itself.
    pub readable: bool,
    /// The facts.
    pub facts: Vec<FactEvidence>,
}

/// A verdict on one fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactVerdict {
    /// Id of the record that contains the fact.
    pub memory_id: String,
    /// Digest from the evidence of the fact: the member `digest`.
    pub digest: String,
    /// Verification of the fact, as a document in its stored format.
    #[schema(value_type = Object)]
    pub verification: Value,
    /// Duration of the verification in milliseconds.
    #[serde(default)]
    pub duration_ms: u32,
    /// Texts of the lines that the verifier found, one entry for each citation; may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<Option<String>>,
}

/// Verdicts at one revision, on at most 200 facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdicts {
    /// Branch, tag or commit at which the verifier read the code. `WORKTREE` means the files of a
    /// worktree.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Id of the commit that the revision resolved to; for a worktree, its checked-out commit, if
    /// any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The verdicts, one for each fact.
    pub facts: Vec<FactVerdict>,
}

/// A tool call with the verdicts of a caller that has read the code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolVerdicts {
    /// Arguments of the tool call.
    pub arguments: ToolArguments,
    /// The verdicts.
    pub verdicts: Verdicts,
}

/// Verdicts that the server should store.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictsTell {
    /// Name of the repository.
    pub repo: String,
    /// The verdicts.
    pub verdicts: Verdicts,
}

/// The result of storing one verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictTold {
    /// Id of the fact.
    pub memory_id: String,
    /// Id of the verification, with which the caller can confirm the fact; valid for a few minutes.
    /// Absent if the server stored nothing, because the fact no longer matches its evidence or the
    /// verifier could not read the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_id: Option<String>,
}

/// The results of storing verdicts, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictsTold {
    /// One result for each verdict.
    pub facts: Vec<VerdictTold>,
}
