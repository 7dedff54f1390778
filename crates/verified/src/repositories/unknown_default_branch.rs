//! Repositories whose default branch is unknown, so that none of their facts changes its state.
//! `doctor` and the registration report them. The checked-out branch never counts as the default
//! branch.

use std::sync::Arc;

use loci_engine::access;
use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodePlace, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::time::DAY_MS;

use crate::Verified;
use crate::repositories::code_access::{HEAD, default_here, read_place};

/// The maximum number of repositories that are checked.
const REPOSITORIES: usize = 200;

impl Verified {
    /// Returns a line for each repository on this machine whose default branch is unknown. Forges
    /// are not asked, and unreadable places are skipped.
    ///
    /// # Errors
    /// `Denied` without the administration right on the server.
    pub async fn repositories_untold(&self, caller: &Principal) -> Result<Vec<String>> {
        access::require_server_admin(caller)?;
        let all = self.engine.now().plus_millis(DAY_MS);
        let found =
            self.engine.store().read(move |tx| tx.repositories().unchecked_since(all, REPOSITORIES)).await?;
        let mut lines = Vec::new();
        for repository in found {
            if self.is_untold(&repository).await {
                lines.push(untold(&repository.key));
            }
        }
        Ok(lines)
    }

    /// Returns true if no place on this machine determines the default branch although a place has
    /// commits: no branch is configured and none is detected, or the configured one is missing.
    pub async fn is_untold(&self, repository: &Repository) -> bool {
        let Some(code) = self.engine.code().map(AsRef::as_ref) else { return false };
        let mut is_any_untold = false;
        for place in &repository.places {
            if matches!(place, CodePlace::Forge { .. }) {
                return false; // A forge knows.
            }
            let name = repository.default_ref.clone();
            let work = move |source: &dyn CodeSource| {
                let is_told = default_here(source, name.as_deref())?.is_some();
                Ok((is_told, source.resolve(HEAD)?.is_some()))
            };
            match read_place(code, place, Arc::new(work)).await {
                Ok((true, _)) => return false,
                Ok((false, has_commits)) => is_any_untold |= has_commits,
                Err(_) => {}
            }
        }
        is_any_untold
    }
}

/// Returns the warning about such a repository.
pub(super) fn untold(key: &str) -> String {
    format!(
        "DEFAULT_BRANCH_UNKNOWN: nothing tells which branch of {key} is the default one, so no fact changes its state: \
         `git remote set-head origin --auto`, or `loci repo set {key} default_branch=NAME`"
    )
}
