//! Verdicts of a verifier elsewhere: a process that has the code where the server has not. They serve its own calls and are written
//! down under its name; no state follows them. Verifications are documents in their stored form, as evidence is.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tool::ToolArguments;
use crate::verified::evidence::{EvidenceRepository, FactEvidence};

/// Which facts would a tool look at?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvidenceAsk {
    /// The arguments of its call.
    pub arguments: ToolArguments,
    /// A commit: can the server read it?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// These, with what a verifier needs to check them. Nothing was verified, and none of them was served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAnswer {
    /// Their repository.
    pub repository: EvidenceRepository,
    /// The server can read the commit: it may be left to it.
    pub readable: bool,
    /// The facts.
    pub facts: Vec<FactEvidence>,
}

/// What was found of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactVerdict {
    /// Its id.
    pub memory_id: String,
    /// The digest that its evidence came with.
    pub digest: String,
    /// What was found, a document.
    #[schema(value_type = Object)]
    pub verification: Value,
    /// How long it took.
    #[serde(default)]
    pub duration_ms: u32,
    /// The lines that were found, by citation; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<Option<String>>,
}

/// What was found at one revision, of at most 200 facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdicts {
    /// The revision as asked for; `WORKTREE`: files as they lie there.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its commit; of a worktree the one it stands on, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The facts.
    pub facts: Vec<FactVerdict>,
}

/// A call of a tool by one who looked at the code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolVerdicts {
    /// The arguments of the call.
    pub arguments: ToolArguments,
    /// What was found.
    pub verdicts: Verdicts,
}

/// Verdicts to be written down.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictsTell {
    /// The repository.
    pub repo: String,
    /// What was found.
    pub verdicts: Verdicts,
}

/// What became of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictTold {
    /// Of which fact.
    pub memory_id: String,
    /// Names the verification for some minutes; absent where the fact is other than its evidence was, or nothing could be read: then
    /// nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification_id: Option<String>,
}

/// What became of verdicts, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictsTold {
    /// One each.
    pub facts: Vec<VerdictTold>,
}
