//! Calls of tools by name.

use http::Method;
use loci_api::tool::{ToolArguments, ToolList, ToolListing, ToolResult};

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
}
