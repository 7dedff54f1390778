//! `memory_list`: lists the memories on which the caller has a grant, newest first.

use loci_model::memory::Memory;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result, Timestamp};

use super::MemoryPage;
use crate::calls::page::Page;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of the memories that the caller has a grant on.
    pub async fn memory_list(
        &self,
        caller: &Principal,
        after: Option<(Timestamp, MemoryId)>,
        limit: u32,
    ) -> Result<MemoryPage> {
        let caller = caller.clone();
        let wanted = limit as usize;
        self.store
            .read(move |tx| {
                let mut place = after.clone();
                let mut visible = Vec::new();
                // Grants filter before paging, so this continues until the page is full or nothing
                // is left.
                while visible.len() <= wanted {
                    let batch = tx.memories().list(place.as_ref(), wanted + 1)?;
                    let Some(last) = batch.last() else { break };
                    place = Some((last.created_at, last.id.clone()));
                    let is_seen =
                        |memory: &Memory| memory.import.is_none() && access::may_know(&caller, &memory.id);
                    visible.extend(batch.into_iter().filter(is_seen));
                }
                Ok(Page::cut(visible, wanted, |memory| (memory.created_at, memory.id.clone())))
            })
            .await
    }
}
