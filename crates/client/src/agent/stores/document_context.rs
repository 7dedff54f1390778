//! The documents of a server that every session starts with, as a prompt context: `system/` in
//! full and a list of the others, within one budget.

use futures::FutureExt;
use futures::future::BoxFuture;
use loci_api::documents::memory_tool::PromptDocumentsQuery;

use super::remote::errors::store_error;
use crate::agent::error::StoreError;
use crate::agent::prompt_context::PromptContext;
use crate::call::Client;

/// The prompt documents of a mount or of a tree on a server.
#[derive(Debug, Clone)]
pub struct DocumentContext {
    client: Client,
    asked: PromptDocumentsQuery,
}

impl DocumentContext {
    /// Returns the context for the documents in a namespace of a memory. `None` means the namespace
    /// `/`.
    pub fn of_tree(client: Client, memory: impl Into<String>, namespace: Option<String>) -> Self {
        let asked = PromptDocumentsQuery {
            memory: Some(memory.into()),
            namespace,
            ..PromptDocumentsQuery::default()
        };
        Self { client, asked }
    }

    /// Returns the context for a mount in the server's configuration. `None` means the mount
    /// `default`.
    pub fn of_mount(client: Client, mount: Option<String>) -> Self {
        Self { client, asked: PromptDocumentsQuery { mount, ..PromptDocumentsQuery::default() } }
    }

    /// Sets the token budget of the documents. The default of the server is 2,500.
    #[must_use]
    pub fn with_budget_tokens(mut self, budget_tokens: u32) -> Self {
        self.asked.budget_tokens = Some(budget_tokens);
        self
    }
}

impl PromptContext for DocumentContext {
    fn text(&self) -> BoxFuture<'_, Result<String, StoreError>> {
        async move {
            let answer = self.client.prompt_documents(&self.asked).await;
            Ok(answer.map_err(|error| store_error("the documents cannot be read", error))?.text)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use futures::executor::block_on;
    use http::Uri;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_or_a_mount_is_asked_for_within_a_budget() {
        let router = || {
            let answer = async |uri: Uri| {
                let text = uri.query().unwrap_or_default().to_owned();
                let (paths, omitted) = (json!([]), json!([]));
                axum::Json(json!({
                    "text": text, "etag": "\"e\"", "tokens": 1, "paths": paths, "omitted": omitted, "files_total": 0
                }))
            };
            Client::in_process(Router::new().route("/v1/memory-tool", get(answer)))
        };
        let check = |context: DocumentContext, expect: &str| {
            assert_eq!(block_on(context.text()).unwrap(), expect);
        };
        check(DocumentContext::of_tree(router(), "notes", None), "memory=notes");
        let team = DocumentContext::of_tree(router(), "notes", Some("/team".to_owned()));
        check(team.with_budget_tokens(300), "memory=notes&namespace=%2Fteam&budget_tokens=300");
        check(DocumentContext::of_mount(router(), None), "");
        check(DocumentContext::of_mount(router(), Some("both".to_owned())), "mount=both");
        let elsewhere = DocumentContext::of_mount(Client::in_process(Router::new()), None);
        assert!(block_on(elsewhere.text()).unwrap_err().to_string().contains("the documents cannot be read"));
    }
}
