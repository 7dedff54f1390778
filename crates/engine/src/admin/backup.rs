//! The operation `backup`, and the information about the store and its indexes that `loci doctor`
//! shows.

use std::path::PathBuf;

use loci_model::ports::search::IndexInfo;
use loci_model::ports::store::{BackupReport, StoreInfo};
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, Result};

use crate::{Engine, access};

impl Engine {
    /// Writes a consistent copy of the store while it serves requests. The path must not exist.
    pub async fn backup(&self, caller: &Principal, path: PathBuf) -> Result<BackupReport> {
        access::require_server_admin(caller)?;
        self.store.backup(path).await
    }

    /// Returns information on the store. With `probe_write`, it also checks that the store can
    /// write.
    pub async fn info(&self, caller: &Principal, probe_write: bool) -> Result<StoreInfo> {
        access::require_server_admin(caller)?;
        let mut info = self.store.info(probe_write).await?;
        if probe_write {
            info.checks.push(self.store_latency().await?);
            info.checks.push(self.unreadable_rows().await?);
            info.checks.push(self.unfinished_imports().await?);
        }
        Ok(info)
    }

    /// Returns a description of a memory's search index. With `rebuilt`, the description is of an
    /// index that is newly built from the store, for comparison.
    pub async fn index_info(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        rebuilt: bool,
    ) -> Result<IndexInfo> {
        access::require_whole(caller, memory, Capability::Admin)?;
        self.store.search().info(memory, rebuilt).await
    }
}
