//! `mount_context`: the text of a mount that a model reads at the start of a session: `system/` of
//! its trees in full, then lists of the other documents, within one token budget.

use loci_api::documents::tree::OmittedDocument;
use loci_engine::document_text::content::sha256;
use loci_model::Result;
use loci_model::principal::Principal;

use super::mount_settings::MountAsk;
use crate::Documents;
use crate::trees::listing::{LISTING_TOKENS, check_budget};
use crate::trees::system_documents::SYSTEM_TOKENS;

/// The default token budget of a mount's text.
pub const CONTEXT_TOKENS: u32 = SYSTEM_TOKENS + LISTING_TOKENS;

/// The text of a mount for a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MountContext {
    /// The text; empty if the mount has no documents.
    pub text: String,
    /// The SHA-256 of the text, in hex digits.
    pub text_sha256: String,
    /// The estimated number of tokens in the text.
    pub tokens: u32,
    /// The paths of the documents that the text contains in full.
    pub paths: Vec<String>,
    /// The documents of `system/` that did not fit the budget. The list in the text names them.
    pub omitted: Vec<OmittedDocument>,
    /// The number of documents in all trees of the mount.
    pub files_total: u64,
}

impl Documents {
    /// Returns the documents of `system/` in full, then the listings of all other documents with
    /// their descriptions. The text stays equal, byte for byte, until a document changes.
    ///
    /// # Errors
    /// The errors of [`Documents::mount_trees`]; `Invalid` for the budget.
    pub async fn mount_context(
        &self,
        caller: &Principal,
        mount: &MountAsk,
        budget_tokens: Option<u32>,
    ) -> Result<MountContext> {
        let budget = check_budget(budget_tokens, CONTEXT_TOKENS)?;
        let trees = self.mount_trees(caller, mount).await?;
        let mut context = MountContext::default();
        for mounted in &trees {
            let system =
                self.system_documents(&mounted.tree, context.left(budget), mounted.name.as_deref()).await?;
            context.text.push_str(&system.text);
            context.paths.extend(system.paths);
            context.omitted.extend(system.omitted);
        }
        context.files_total = context.paths.len() as u64;
        let shown = context.paths.clone();
        for mounted in &trees {
            let others = (mounted.name.as_deref(), shown.as_slice());
            let listing = self.listing_of_others(&mounted.tree, context.left(budget), others).await?;
            context.text.push_str(&listing.text);
            context.files_total += listing.files_total;
        }
        context.tokens = loci_text::tokens::estimate_tokens(&context.text);
        context.text_sha256 = sha256(&context.text);
        Ok(context)
    }
}

impl MountContext {
    /// Returns the remaining tokens. Parts are estimated one by one, each rounded up, so that all
    /// of them together never exceed the budget.
    fn left(&self, budget: usize) -> usize {
        budget.saturating_sub(loci_text::tokens::estimate_tokens(&self.text) as usize)
    }
}
