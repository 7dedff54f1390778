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
    /// Id of a commit that the server checks for readability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// The facts that the tool would read, with the evidence that a verifier needs. Nothing was
/// verified, and no read is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAnswer {
    /// Repository of the facts.
    pub repository: EvidenceRepository,
    /// True if the server can read the commit, so that the client may leave the verification to the
    /// server.
    pub readable: bool,
    /// The facts.
    pub facts: Vec<FactEvidence>,
}

/// A verdict on one fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactVerdict {
    /// Id of the fact.
    pub memory_id: String,
    /// Digest from the evidence of the fact.
    pub digest: String,
    /// Result of the verification, as a document.
    #[schema(value_type = Object)]
    pub verification: Value,
    /// Duration of the verification in milliseconds.
    #[serde(default)]
    pub duration_ms: u32,
    /// Lines that were found, one entry for each citation. Optional.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<Option<String>>,
}

/// Verdicts at one revision, on at most 200 facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdicts {
    /// Revision as requested. `WORKTREE` means the files of the working tree.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Commit of the revision; for a working tree, its current commit, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The verdicts, one for each fact.
    pub facts: Vec<FactVerdict>,
}

/// A tool call with the verdicts of a caller that has read the code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolVerdicts {
    /// Arguments of the call.
    pub arguments: ToolArguments,
    /// The verdicts.
    pub verdicts: Verdicts,
}

/// Verdicts to be recorded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictsTell {
    /// Name of the repository.
    pub repo: String,
    /// The verdicts.
    pub verdicts: Verdicts,
}

/// Result of recording one verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictTold {
    /// Id of the fact.
    pub memory_id: String,
    /// Id of the verification; valid for a few minutes. Absent if nothing was recorded, because the
    /// fact no longer matches its evidence or the code could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_id: Option<String>,
}

/// Results of recording verdicts, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictsTold {
    /// One result for each verdict.
    pub facts: Vec<VerdictTold>,
}
