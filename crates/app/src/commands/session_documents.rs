//! The documents in a session-start hook: `system/` in full and a listing of the others, from a
//! mount or a memory.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use loci_api::documents::memory_tool::PromptDocumentsQuery;
use loci_client::Client;

/// The member of a hook's JSON answer that contains the text of the documents.
pub(in crate::commands) const DOCUMENTS: &str = "documents";

/// The time limit for reading documents when a session starts. After it the session starts without
/// them.
const FAIL_OPEN: Duration = Duration::from_millis(400);

/// The options for documents in a session-start hook.
#[derive(Debug, Clone, Args)]
pub(in crate::commands) struct SessionDocuments {
    /// The memory whose documents precede the facts [default: the mount `default`, if configured]
    #[arg(long, value_name = "MEMORY")]
    files: Option<String>,
    /// The namespace of these documents; `/` without it
    #[arg(long, value_name = "NAMESPACE", requires = "files")]
    files_namespace: Option<String>,
    /// The token budget of the documents [default: 2500]
    #[arg(long, value_name = "TOKENS")]
    files_budget_tokens: Option<u32>,
}

impl SessionDocuments {
    /// Returns the text of the documents, or `None` if there are none. With `fail_open`, neither an
    /// error nor a delay stops the session.
    ///
    /// # Errors
    /// The call to the server fails. A missing mount `default` is not an error.
    pub(in crate::commands) async fn text(&self, client: &Client, fail_open: bool) -> Result<Option<String>> {
        let asked = PromptDocumentsQuery {
            mount: None,
            memory: self.files.clone(),
            namespace: self.files_namespace.clone(),
            budget_tokens: self.files_budget_tokens,
        };
        let call = client.prompt_documents(&asked);
        let answer = match fail_open {
            true => match tokio::time::timeout(FAIL_OPEN, call).await {
                Ok(Ok(context)) => context,
                Ok(Err(_)) | Err(_) => return Ok(None),
            },
            false => match call.await {
                Ok(context) => context,
                // No mount is configured, the caller lacks access, or the server is older.
                Err(error) if self.files.is_none() && matches!(error.status(), Some(403..=405)) => {
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Some(answer.text).filter(|text| !text.is_empty()))
    }
}
