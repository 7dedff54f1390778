//! `tree_system`: the documents that every prompt loads in full, within the caller's token budget.

use loci_api::documents::tree::OmittedDocument;
use loci_engine::access;
use loci_engine::document_text::areas::SYSTEM;
use loci_engine::document_text::content::sha256;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::tree_entry::TreeEntry;
use loci_model::{RecordId, Result};

use super::list::is_below;
use super::listing::{check_budget, escaped};
use super::tree::TreeAsk;
use crate::Documents;

/// The default token budget of these documents.
pub const SYSTEM_TOKENS: u32 = 1_000;

/// The documents that every prompt loads in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemDocuments {
    /// The text for a model. It is empty if there are no such documents.
    pub text: String,
    /// The SHA-256 of the text, in hex digits.
    pub text_sha256: String,
    /// The estimated number of tokens in the text.
    pub tokens: u32,
    /// The paths of the documents in the text.
    pub paths: Vec<String>,
    /// The documents that did not fit the token budget.
    pub omitted: Vec<OmittedDocument>,
}

impl Documents {
    /// Returns the documents of `knowledge/system/`: pinned ones first, then by priority, then by
    /// path. A document that exceeds the remaining budget is omitted, and smaller ones after it are
    /// kept.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace; `Invalid` for the budget.
    pub async fn tree_system(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        budget_tokens: Option<u32>,
    ) -> Result<SystemDocuments> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let budget = check_budget(budget_tokens, SYSTEM_TOKENS)?;
        self.system_documents(ask, budget, None).await
    }

    /// Returns the documents of `knowledge/system/` within a budget, with paths below the name of a
    /// mount's tree. The caller checks access before.
    pub(crate) async fn system_documents(
        &self,
        ask: &TreeAsk,
        budget: usize,
        mount: Option<&str>,
    ) -> Result<SystemDocuments> {
        let (view, now) = (self.tree_view(ask).await?, self.engine.now());
        let is_shown = |entry: &&std::sync::Arc<TreeEntry>| {
            entry.is_live(now) && is_below(&entry.key, SYSTEM) && !entry.key.ends_with("/_dir.md")
        };
        let mut entries: Vec<_> = view.live.iter().filter(is_shown).cloned().collect();
        entries.sort_by(|a, b| {
            b.pinned.cmp(&a.pinned).then(b.priority.cmp(&a.priority)).then_with(|| a.path.cmp(&b.path))
        });
        let ids: Vec<RecordId> = entries.iter().map(|entry| entry.record.clone()).collect();
        let memory = ask.memory.clone();
        let records = self.engine.store().read(move |tx| tx.records().get_many(&memory, &ids)).await?;
        let (mut text, mut paths, mut omitted) = (String::new(), Vec::new(), Vec::new());
        for entry in &entries {
            let Some(record) = records.iter().find(|record| record.id == entry.record) else { continue };
            let path = escaped(&mounted_path(mount, &entry.path), true);
            let element = format!(
                "<memory-document path=\"{path}\">\n{}\n</memory-document>\n",
                escaped(&record.text, false)
            );
            let with = loci_text::tokens::estimate_tokens(&format!("{text}{element}"));
            if with as usize > budget {
                let tokens = loci_text::tokens::estimate_tokens(&element);
                omitted.push(OmittedDocument { path: mounted_path(mount, &entry.path), tokens });
                continue;
            }
            self.parts.reads.note(&ask.memory, [&entry.record], now);
            text.push_str(&element);
            paths.push(mounted_path(mount, &entry.path));
        }
        let tokens = loci_text::tokens::estimate_tokens(&text);
        Ok(SystemDocuments { text_sha256: sha256(&text), tokens, text, paths, omitted })
    }
}

/// Returns a path as the readers of a mount see it: below the directory of its tree, if the mount
/// has several.
pub(super) fn mounted_path(mount: Option<&str>, path: &str) -> String {
    mount.map_or_else(|| path.to_owned(), |name| format!("{name}/{path}"))
}
