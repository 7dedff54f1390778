//! Directories of this server's machine, as callers name them.
//!
//! A registered directory is read through this server, and the server can read more than the
//! callers of one memory may. Only an administrator of the server may name any directory. An
//! administrator of a memory may name those in that memory's own folder below the configured roots.

use std::path::Path;

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_model::ports::code::{CodeSources, DiscoveredRepository};
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Result};

use crate::Verified;

impl Verified {
    /// Requires a repository before the call of an administrator creates the memory for code: a
    /// call that fails creates none.
    ///
    /// # Errors
    /// `Invalid` if the memory is new and there is no repository in or above the directory.
    pub(super) async fn require_repository(
        &self,
        caller: &Principal,
        standing: &CallContext,
        directory: Option<&str>,
    ) -> Result<()> {
        let (Some(directory), Some(code)) = (directory, self.engine.code()) else { return Ok(()) };
        if standing.memory.is_some() || access::require_server_admin(caller).is_err() {
            return Ok(());
        }
        let is_known = self.engine.memory_known(caller, &self.parts.settings.memory).await?.is_some();
        if is_known || code.discover(Path::new(directory)).await?.is_some() { Ok(()) } else { Err(none()) }
    }

    /// Returns the repository in or above a directory, if the caller may name it. For a directory
    /// that the caller may not name, the answer does not depend on its content.
    ///
    /// # Errors
    /// `Denied`; `Invalid` if there is no repository that the caller may register.
    pub(super) async fn directory_of(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        directory: &Path,
    ) -> Result<DiscoveredRepository> {
        let code = self
            .engine
            .code()
            .ok_or_else(|| Error::invalid("directory", "this server reads no repositories of its machine"))?;
        if access::require_server_admin(caller).is_ok() {
            return code.discover(directory).await?.ok_or_else(none);
        }
        if !code.is_in_folder_of(directory, memory).await {
            return Err(elsewhere(memory));
        }
        let found = code.discover(directory).await?.ok_or_else(none)?;
        // A repository above the folder, or one that a `.git` file points to, belongs to others.
        if is_all_in_folder(code.as_ref(), &found, memory).await { Ok(found) } else { Err(none()) }
    }
}

fn none() -> Error {
    Error::invalid("directory", "there is no git repository in or above the directory")
}

async fn is_all_in_folder(code: &dyn CodeSources, found: &DiscoveredRepository, memory: &MemoryId) -> bool {
    if !code.is_in_folder_of(&found.common_dir, memory).await {
        return false;
    }
    match &found.worktree {
        Some(worktree) => code.is_in_folder_of(worktree, memory).await,
        None => true,
    }
}

fn elsewhere(memory: &MemoryId) -> Error {
    let rule = format!(
        "directory must lie in the folder {memory} of this memory below one of verified.roots; any other is \
         registered by an \
         administrator of the server, as [[repo]] of its configuration or by loci repo add on its machine"
    );
    Error::denied(rule).on("directory")
}
