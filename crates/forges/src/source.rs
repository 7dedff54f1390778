//! Implements the code port for one repository on a forge. Each request blocks the call's own
//! thread until the response arrives or the call's time limit is reached. Cached results are
//! returned even after that.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures::future::{Either, select};
use loci_model::facts::code::{CodeEntry, CodeFile, ObjectId, Origin, Rename, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeCapabilities, CodeError, CodeResult, CodeSource};
use tokio::runtime::Handle;

use crate::dialect::Comparison;
use crate::failure;
use crate::remote::Remote;
use crate::renames;

/// The similarity at which forges detect renames, in percent. For a stricter similarity, only equal
/// content counts.
const FORGE_SIMILARITY: u8 = 50;

type Listed = Arc<Vec<CodeFile>>;

/// The repository, for one call.
pub(crate) struct ForgeSource {
    remote: Remote,
    runtime: Handle,
    /// Sizes of blobs as reported by the trees, so that a blob that is too large is not fetched.
    sizes: RefCell<BTreeMap<ObjectId, u64>>,
}

impl ForgeSource {
    pub(crate) fn new(remote: Remote, runtime: Handle) -> Self {
        Self { remote, runtime, sizes: RefCell::new(BTreeMap::new()) }
    }

    /// Waits for a response until the time limit of the call.
    fn wait<T>(&self, answer: impl Future<Output = CodeResult<T>>) -> CodeResult<T> {
        let left_us = self.remote.terms.until_us.saturating_sub(self.remote.now_us());
        self.runtime.block_on(async {
            let time = self.remote.account.clock.sleep(left_us.div_ceil(1_000));
            match select(std::pin::pin!(answer), time).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(_) => Err(failure::late()),
            }
        })
    }

    /// Returns all files of two commits.
    fn both(&self, from: &ObjectId, to: &ObjectId) -> CodeResult<(Listed, Listed)> {
        self.wait(async { Ok((self.remote.files(from).await?, self.remote.files(to).await?)) })
    }

    /// Returns the forge's comparison of two commits; `None` if it does not provide one, or it is
    /// too large. Then only the listings count.
    fn compared(&self, from: &ObjectId, to: &ObjectId) -> CodeResult<Option<Arc<Comparison>>> {
        match self.wait(self.remote.comparison(from, to)) {
            Err(error) if error.why == Unverifiable::TooLarge => Ok(None),
            told => told,
        }
    }

    fn is_too_large(&self, blob: &ObjectId, bytes_max: u64) -> bool {
        self.sizes.borrow().get(blob).is_some_and(|bytes| *bytes > bytes_max)
    }
}

impl CodeSource for ForgeSource {
    fn capabilities(&self) -> CodeCapabilities {
        CodeCapabilities { renames: true, history: false, worktree: false, near: false }
    }

    fn resolve(&self, name: &str) -> CodeResult<Option<Revision>> {
        if name.contains(['~', '^']) {
            let detail =
                "a forge is asked for no ancestors by ~ and ^: name a commit, or ask where a clone is";
            return Err(CodeError::new(Unverifiable::Ref, detail));
        }
        Ok(self.wait(self.remote.tip(name))?.map(Revision::Commit))
    }

    fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>> {
        self.wait(self.remote.default_branch())
    }

    fn entry(&self, at: &Revision, path: &str) -> CodeResult<Option<CodeEntry>> {
        let entry = self.wait(self.remote.entry(&commit(at)?, path))?;
        if let Some(CodeEntry { id, bytes: Some(bytes), .. }) = entry {
            self.sizes.borrow_mut().insert(id, bytes);
        }
        Ok(entry)
    }

    fn read(&self, blob: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>> {
        if self.is_too_large(blob, bytes_max) {
            return Err(failure::too_large("the file"));
        }
        let content = self.wait(self.remote.blob(blob))?;
        match u64::try_from(content.len()) {
            Ok(bytes) if bytes <= bytes_max => Ok(content),
            Ok(_) | Err(_) => Err(failure::too_large("the file")),
        }
    }

    fn prefetch(&self, blobs: &[ObjectId], bytes_max: u64) {
        let ids = blobs.iter().filter(|id| !self.is_too_large(id, bytes_max)).copied().collect();
        if let Err(error) = self.wait(self.remote.fetch_ahead(ids)) {
            tracing::debug!(why = error.why.as_str(), "not everything could be fetched ahead");
        }
    }

    fn files(&self, at: &Revision) -> CodeResult<Arc<Vec<CodeFile>>> {
        self.wait(self.remote.files(&commit(at)?))
    }

    fn renames(&self, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Arc<Vec<Rename>>> {
        let to = commit(to)?;
        let (before, after) = self.both(from, &to)?;
        let asks = similarity <= FORGE_SIMILARITY && renames::leaves_some(&before, &after, &[]);
        let told = if asks { self.compared(from, &to)? } else { None };
        let told = told.as_ref().map(|told| told.renames.as_slice()).unwrap_or_default();
        Ok(Arc::new(renames::between(&before, &after, told)))
    }

    fn may_lack_renames(&self, from: &ObjectId, to: &Revision) -> CodeResult<bool> {
        let to = commit(to)?;
        let (before, after) = self.both(from, &to)?;
        if !renames::leaves_some(&before, &after, &[]) {
            return Ok(false);
        }
        Ok(match self.compared(from, &to)? {
            // The forge compares from the merge base and not from `from`, so renames on that side
            // are not reported.
            Some(told) => {
                (told.is_cut || !told.is_ancestor) && renames::leaves_some(&before, &after, &told.renames)
            }
            None => true,
        })
    }

    /// Returns `None`, because a forge reports the renames of a file only per commit, with one
    /// request each ([`Self::capabilities`] states this).
    fn follow(&self, _: &str, _: &ObjectId, _: &Revision, _: u8) -> CodeResult<Option<String>> {
        Ok(None)
    }

    fn origin(&self, _: &str, _: &ObjectId, _: &Revision, _: u8) -> CodeResult<Origin> {
        Ok(Origin::Unknown)
    }

    fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool> {
        if older == newer {
            return Ok(true);
        }
        let comparison = self.wait(self.remote.comparison(older, newer))?;
        let comparison =
            comparison.ok_or_else(|| failure::missing(Unverifiable::Ref, "commits' comparison"))?;
        Ok(comparison.is_ancestor)
    }
}

fn commit(at: &Revision) -> CodeResult<ObjectId> {
    match at {
        Revision::Commit(id) => Ok(*id),
        Revision::Worktree(_) => Err(failure::missing(Unverifiable::Ref, "worktree, which no forge has")),
    }
}
