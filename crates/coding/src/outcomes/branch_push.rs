//! The verb `branch_push`: commits on the default branch may revert merged changes, and may
//! revert those reverts. One write, which a repetition does not change. The caller's grants are not
//! checked: see `pull_request_report`.

use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::pull_request::BranchPush;
use loci_model::{JobId, MemoryId, RepositoryId, Result};

use super::outcome_write::{Recording, tell};
use super::revert_effects::RevertContext;
use super::{HeardRevert, heard_of, revert_messages};
use crate::Coding;
use crate::tasks::task_namespaces;

impl Coding {
    /// Takes in a push, and returns the outcomes whose grade changed. Only pushes to the default
    /// branch can revert anything.
    ///
    /// # Errors
    /// `NotFound` if the repository is not registered; errors of the store.
    pub async fn branch_pushed(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        push: &BranchPush,
    ) -> Result<Vec<Outcome>> {
        if !push.is_default || !push.commits.iter().any(|commit| says_revert(&commit.message)) {
            return Ok(Vec::new());
        }
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (memory, repository, push) = (memory.clone(), repository.clone(), push.clone());
        let regraded = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = heard_of(tx, &memory.id, &repository)?;
                let actor = task_namespaces::actor_of(&repository)?;
                let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
                let taking = RevertContext { recording: &recording, repository: &repository, actor: &actor };
                let mut regraded = Vec::new();
                for heard in heard(&repository, &push) {
                    regraded.extend(taking.take_in(tx, &heard)?);
                }
                Ok(regraded)
            })
            .await?;
        regraded.iter().for_each(tell);
        if !regraded.is_empty() {
            self.engine.wake().call();
        }
        Ok(regraded)
    }
}

/// True if a message may describe a revert.
pub(crate) fn says_revert(message: &str) -> bool {
    message.contains("revert") || message.contains("Revert")
}

/// Returns the reverts among the commits of a push, in order.
fn heard(repository: &Repository, push: &BranchPush) -> Vec<HeardRevert> {
    let tip = Some(push.after.to_ascii_lowercase()).filter(|tip| !tip.is_empty());
    let at_tip = push.commits.iter().find(|commit| commit.sha.eq_ignore_ascii_case(&push.after));
    // A forge that merges pushes only the merge commit and the merged commits.
    let merges = at_tip.and_then(|commit| revert_messages::merged(&commit.message));
    let merge: Vec<String> = merges
        .into_iter()
        .flat_map(|number| tip.clone().into_iter().chain([revert_messages::named(number)]))
        .collect();
    let mut all = Vec::new();
    for commit in &push.commits {
        let sha = commit.sha.to_ascii_lowercase();
        let others = merge.iter().filter(|name| **name != sha).cloned();
        let names: Vec<String> = std::iter::once(sha.clone()).chain(others).collect();
        let of = revert_messages::names(&commit.message, |name| is_named(repository, name));
        let heard = |what: String| HeardRevert { what, names: names.clone(), tip: tip.clone(), at: push.at };
        all.extend(of.into_iter().map(heard));
    }
    all
}

/// True if a repository has this name, ignoring case.
pub(super) fn is_named(repository: &Repository, name: &str) -> bool {
    let name = name.trim().to_lowercase();
    repository.key.to_lowercase() == name || repository.aliases.contains(&name)
}
