//! Calls of the tools that models use, by name.

use loci_api::table as api;
use loci_api::tool::{ToolArguments, ToolList, ToolListing, ToolResult};
use loci_api::verified::table as verified_api;
use loci_api::verified::verdict::{EvidenceAnswer, EvidenceAsk, ToolVerdicts};

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the tools that the caller's key permits.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub async fn tool_list(&self, listing: &ToolListing) -> Result<ToolList, ClientError> {
        self.query(at(&api::TOOL_LIST, &[]), listing).await
    }

    /// Calls a tool by one of its names.
    ///
    /// # Errors
    /// A [`ClientError`]. If the tool itself rejects the call, the error has the tool's code.
    pub async fn tool(&self, name: &str, arguments: &ToolArguments) -> Result<ToolResult, ClientError> {
        self.send(at(&api::TOOL_CALL, &[name]), arguments).await
    }

    /// Returns the facts that a tool call would check, so that a verifier on this machine checks
    /// them.
    ///
    /// # Errors
    /// The errors of [`Client::tool`].
    pub async fn tool_evidence(&self, name: &str, ask: &EvidenceAsk) -> Result<EvidenceAnswer, ClientError> {
        self.send(at(&verified_api::TOOL_EVIDENCE, &[name]), ask).await
    }

    /// Calls a tool, with the verdicts of a verifier on this machine on the facts of
    /// [`Client::tool_evidence`].
    ///
    /// # Errors
    /// The errors of [`Client::tool`].
    pub async fn tool_verdicts(&self, name: &str, call: &ToolVerdicts) -> Result<ToolResult, ClientError> {
        self.send(at(&verified_api::TOOL_VERDICTS, &[name]), call).await
    }
}
