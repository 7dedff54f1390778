//! `backup` and the facts that `doctor` shows of store and index.

use std::path::PathBuf;

use loci_model::ports::search::IndexInfo;
use loci_model::ports::store::{BackupReport, StoreInfo};
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, Result};

use crate::{Engine, access};

impl Engine {
    /// Writes a consistent copy of the store while serving; the path must not exist.
    pub async fn backup(&self, caller: &Principal, path: PathBuf) -> Result<BackupReport> {
        access::require_server_admin(caller)?;
        self.store.backup(path).await
    }

    /// What the store says of itself; with `probe_write`, after it proved that it can write.
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

    /// What the index of a memory holds or, `rebuilt`, what a fresh build from the store would hold.
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
