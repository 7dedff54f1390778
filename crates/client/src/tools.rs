//! Calls of tools by name.

use http::Method;
use loci_api::tool::{ToolArguments, ToolList, ToolListing, ToolResult};
use loci_api::verified::verdict::{EvidenceAnswer, EvidenceAsk, ToolVerdicts};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// The tools that the caller may call.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn tool_list(&self, listing: &ToolListing) -> Result<ToolList, ClientError> {
        self.get_query(path(&["v1", "tools"]), listing).await
    }

    /// Calls a tool by one of its names.
    ///
    /// # Errors
    /// As [`ClientError`] says; a refusal by the tool has its code.
    pub async fn tool(&self, name: &str, arguments: &ToolArguments) -> Result<ToolResult, ClientError> {
        self.send(Method::POST, path(&["v1", "tools", name]), arguments).await
    }

    /// The facts that a tool would look at, for a verifier here.
    ///
    /// # Errors
    /// As [`Client::tool`].
    pub async fn tool_evidence(&self, name: &str, ask: &EvidenceAsk) -> Result<EvidenceAnswer, ClientError> {
        self.send(Method::POST, path(&["v1", "tools", name, "evidence"]), ask).await
    }

    /// Calls a tool with what a verifier here found.
    ///
    /// # Errors
    /// As [`Client::tool`].
    pub async fn tool_verdicts(&self, name: &str, call: &ToolVerdicts) -> Result<ToolResult, ClientError> {
        self.send(Method::POST, path(&["v1", "tools", name, "verdicts"]), call).await
    }
}
