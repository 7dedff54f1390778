//! The documents that a session-start hook shows: `system/` in full and a listing of the others, of
//! a mount or of a memory.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use loci_api::documents::memory_tool::PromptDocumentsQuery;
use loci_client::Client;

/// The member of a hook's answer that holds the text.
pub(in crate::commands) const DOCUMENTS: &str = "documents";

/// A session's start waits for documents at most so long.
const FAIL_OPEN: Duration = Duration::from_millis(400);

/// The documents of a session's start.
#[derive(Debug, Clone, Args)]
pub(in crate::commands) struct SessionDocuments {
    /// Documents of this memory before the facts [default: those of the mount `default`, where
    /// there is one]
    #[arg(long, value_name = "MEMORY")]
    files: Option<String>,
    /// The namespace of these documents; `/` without it
    #[arg(long, value_name = "NAMESPACE", requires = "files")]
    files_namespace: Option<String>,
    /// Tokens of documents [default: 2500]
    #[arg(long, value_name = "TOKENS")]
    files_budget_tokens: Option<u32>,
}

impl SessionDocuments {
    /// Returns the text, where there are documents. With `fail_open` no error and no delay stops
    /// the session.
    ///
    /// # Errors
    /// Those of the call; a mount `default` that is not configured is none.
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
                // Nobody configured a mount, it is not this caller's, or the server is an older
                // one.
                Err(error) if self.files.is_none() && matches!(error.status(), Some(403..=405)) => {
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Some(answer.text).filter(|text| !text.is_empty()))
    }
}
