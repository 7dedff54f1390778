//! `repository_list`: the repositories whose facts the caller may see.

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Result, limits};

use super::find::is_visible;
use super::knowledge_namespace;
use crate::Verified;
use loci_engine::calls::call_context::CallContext;

impl Verified {
    /// Returns repositories by key after `after`, at most `limit` (1 to 100).
    pub async fn repository_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        after: Option<String>,
        limit: u32,
    ) -> Result<Page<Repository, String>> {
        let memory = self.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let (mut items, mut after) = (Vec::new(), after.clone());
                loop {
                    let page = tx.repositories().list(&memory, after.as_deref(), limit + 1)?;
                    let is_last = page.len() <= limit;
                    for repository in page {
                        if items.len() == limit {
                            let next = items.last().map(|last: &Repository| last.key.clone());
                            return Ok(Page { items, next });
                        }
                        after = Some(repository.key.clone());
                        let namespace = knowledge_namespace(&repository)?;
                        if is_visible(&view, &repository, &namespace) {
                            items.push(repository);
                        }
                    }
                    if is_last {
                        return Ok(Page { items, next: None });
                    }
                }
            })
            .await
    }
}
