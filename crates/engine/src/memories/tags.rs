//! `tags_list`, `tags_add`, `tags_remove`: read and change the tags of a memory.

use std::collections::BTreeMap;

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, Result, limits};

use super::create::quota;
use super::get::existing;
use super::{descriptions, profile};
use crate::safety::SafetyPolicy;
use crate::{Engine, access};

impl Engine {
    /// Returns the tags of a memory.
    pub async fn tags_list(&self, caller: &Principal, id: &MemoryId) -> Result<BTreeMap<String, String>> {
        access::require_whole(caller, id, Capability::Admin)?;
        let id = id.clone();
        self.store.read(move |tx| Ok(existing(tx, &id)?.tags)).await
    }

    /// Adds tags to a memory and replaces existing ones. Tags named `loci:<name>` also change the
    /// memory's settings.
    pub async fn tags_add(
        &self,
        caller: &Principal,
        id: &MemoryId,
        tags: BTreeMap<String, String>,
    ) -> Result<()> {
        access::require_whole(caller, id, Capability::Admin)?;
        let (id, engine) = (id.clone(), self.settings.clone());
        self.store
            .write(move |tx| {
                let mut memory = existing(tx, &id)?;
                memory.settings = profile::retagged(&engine, &memory.settings, &tags)?;
                descriptions::check_tags(&tags, SafetyPolicy::of(&engine, &memory.settings).secrets)?;
                memory.tags.extend(tags.clone());
                if memory.tags.len() > limits::TAGS_MAX {
                    return Err(quota(format!("a memory has at most {} tags", limits::TAGS_MAX)));
                }
                tx.memories_mut().update(&memory).map(drop)
            })
            .await
    }

    /// Removes tags of a memory and ignores absent ones. Settings that a tag `loci:<name>`
    /// changed stay.
    pub async fn tags_remove(&self, caller: &Principal, id: &MemoryId, keys: &[String]) -> Result<()> {
        access::require_whole(caller, id, Capability::Admin)?;
        let id = id.clone();
        let keys = keys.to_vec();
        self.store
            .write(move |tx| {
                let mut memory = existing(tx, &id)?;
                memory.tags.retain(|key, _| !keys.contains(key));
                tx.memories_mut().update(&memory).map(drop)
            })
            .await
    }
}
