//! One repository on a forge as the port of code sees it: each question waits, on the call's own thread, until its answer
//! is there or the call's time is over. What is held already is answered even then.

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

/// Forges find renames at this similarity: stricter questions are answered by equal content alone.
const FORGE_SIMILARITY: u8 = 50;

type Listed = Arc<Vec<CodeFile>>;

/// The repository, for one call.
pub(crate) struct ForgeSource {
    remote: Remote,
    runtime: Handle,
    /// Sizes of blobs as the trees tell them: a large one is not fetched to see that it is large.
    sizes: RefCell<BTreeMap<ObjectId, u64>>,
}

impl ForgeSource {
    pub(crate) fn new(remote: Remote, runtime: Handle) -> Self {
        Self { remote, runtime, sizes: RefCell::new(BTreeMap::new()) }
    }

    /// Waits for an answer as long as the call has time.
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

    /// All files of two commits.
    fn both(&self, from: &ObjectId, to: &ObjectId) -> CodeResult<(Listed, Listed)> {
        self.wait(async { Ok((self.remote.files(from).await?, self.remote.files(to).await?)) })
    }

    /// What the forge says of two commits; `None` where it does not: a comparison too large to be given out leaves what the listings
    /// show.
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
            // From the branching point on is compared, not from `from`: what was renamed on its side of it is not told.
            Some(told) => {
                (told.is_cut || !told.is_ancestor) && renames::leaves_some(&before, &after, &told.renames)
            }
            None => true,
        })
    }

    /// Never known: a forge tells a file's renames commit by commit at a request each ([`Self::capabilities`] says so).
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
