//! Lists the files of a commit: in one recursive listing if the forge returns it completely,
//! otherwise directory by directory. A path counts as missing only if its tree was listed
//! completely.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::failure;
use crate::listing::Listing;
use crate::remote::Remote;

/// The maximum number of files, and of directories, in a revision.
const FILES_MAX: usize = 1_000_000;
/// The maximum total weight of the entries of a revision, in bytes.
const PATHS_BYTES_MAX: usize = 512 << 20;
/// The object in the error for a tree that is truncated even when it is not recursive.
const TREE: &str = "a tree of the repository";

impl Remote {
    /// Returns the entry at a path of a commit.
    pub(crate) async fn entry(&self, commit: &ObjectId, path: &str) -> CodeResult<Option<CodeEntry>> {
        let known = self.everything(commit).await?;
        let found = known.entry(path);
        if found.is_some() || known.is_whole() {
            return Ok(found);
        }
        let (mut tree, mut rest) = known.nearest(path).unwrap_or((*commit, path));
        loop {
            let own = self.listing(&tree, false).await?;
            let (name, below) =
                rest.split_once('/').map_or((rest, None), |(name, below)| (name, Some(below)));
            match (own.entry(name), below) {
                (None, _) if !own.is_whole() => return Err(failure::too_large(TREE)),
                (None, _) => return Ok(None),
                (Some(entry), None) => return Ok(Some(entry)),
                (Some(CodeEntry { kind: EntryKind::Directory, id, .. }), Some(below)) => {
                    (tree, rest) = (id, below)
                }
                (Some(_), Some(_)) => return Ok(None),
            }
        }
    }

    /// Returns all files of a commit.
    pub(crate) async fn files(&self, commit: &ObjectId) -> CodeResult<Arc<Vec<CodeFile>>> {
        let known = self.everything(commit).await?;
        if known.is_whole() {
            return Ok(Arc::clone(known.files()));
        }
        let whole = Arc::new(self.walked(commit).await?);
        let weight = whole.weight();
        self.account.listings.put((self.key(commit), true), Arc::clone(&whole), weight);
        Ok(Arc::clone(whole.files()))
    }

    /// Lists everything below a commit's root in parts: each truncated directory without recursion,
    /// and its subdirectories recursively. Listings stay cached, so a walk that exceeds the time
    /// limit is shorter the next time.
    async fn walked(&self, commit: &ObjectId) -> CodeResult<Listing> {
        let mut gathered = PartialListing::default();
        let mut cut_off = vec![(String::new(), *commit)];
        while let Some((prefix, tree)) = cut_off.pop() {
            let own = self.listing(&tree, false).await?;
            if !own.is_whole() {
                return Err(failure::too_large(TREE));
            }
            gathered.add(&own, &prefix)?;
            let below = own.directories().iter().map(|(name, id)| (format!("{prefix}{name}/"), *id));
            let listed = below.map(|(prefix, id)| async move {
                self.listing(&id, true).await.map(|listing| (prefix, id, listing))
            });
            let mut listed = std::pin::pin!(stream::iter(listed).buffer_unordered(self.terms.concurrency));
            while let Some(outcome) = listed.next().await {
                let (prefix, id, listing) = outcome?;
                match listing.is_whole() {
                    true => gathered.add(&listing, &prefix)?,
                    false => cut_off.push((prefix, id)),
                }
            }
        }
        Ok(Listing::new(gathered.files, gathered.directories, true))
    }

    /// Returns the recursive listing of a commit, as far as the forge returns it.
    async fn everything(&self, commit: &ObjectId) -> CodeResult<Arc<Listing>> {
        if let Some(listing) = self.account.listings.get(&(self.key(commit), true)) {
            return Ok(listing);
        }
        let _turn = self.repository.turn.lock().await;
        self.listing(commit, true).await
    }

    /// Returns one listing, by the id of a tree or a commit.
    async fn listing(&self, id: &ObjectId, is_deep: bool) -> CodeResult<Arc<Listing>> {
        let key = (self.key(id), is_deep);
        if let Some(listing) = self.account.listings.get(&key) {
            return Ok(listing);
        }
        let listing = match self.ask(&|dialect, at| dialect.tree(at, id, is_deep), None).await {
            Ok(answer) if (200..300).contains(&answer.status) => {
                self.dialect().read_tree(&answer).ok_or_else(|| self.garbled())?
            }
            Ok(_) => {
                self.is_there().await?;
                return Err(failure::missing(Unverifiable::Ref, "commit"));
            }
            // A listing above the size limit of a response counts as truncated.
            Err(error) if is_deep && error.why == Unverifiable::TooLarge => {
                Listing::new(Vec::new(), Vec::new(), false)
            }
            Err(error) => return Err(error),
        };
        let listing = Arc::new(listing);
        self.account.listings.put(key, Arc::clone(&listing), listing.weight());
        Ok(listing)
    }
}

/// The listings of a commit so far. A tree of a few bytes may expand to any number of files.
#[derive(Default)]
struct PartialListing {
    files: Vec<CodeFile>,
    directories: Vec<(String, ObjectId)>,
    path_bytes: usize,
}

impl PartialListing {
    /// Adds the entries below a directory. Fails if the revision exceeds the limits.
    fn add(&mut self, listing: &Listing, prefix: &str) -> CodeResult<()> {
        let (files, directories) = (listing.files(), listing.directories());
        self.path_bytes += listing.weight() + (files.len() + directories.len()) * prefix.len();
        let entries = (self.files.len() + files.len()).max(self.directories.len() + directories.len());
        if entries > FILES_MAX || self.path_bytes > PATHS_BYTES_MAX {
            return Err(failure::too_large(TREE));
        }
        let below = |path: &str| format!("{prefix}{path}");
        self.files.extend(files.iter().map(|file| CodeFile { path: below(&file.path), entry: file.entry }));
        self.directories.extend(directories.iter().map(|(path, id)| (below(path), *id)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_trees_is_listed_within_its_bounds() {
        let id = ObjectId::parse(&"1".repeat(40)).unwrap();
        let directories: Vec<_> = (0..1_000).map(|number| (format!("d{number}"), id)).collect();
        let directories = Listing::new(Vec::new(), directories, true);
        let mut gathered = PartialListing::default();
        let added = (0..2_000).take_while(|_| gathered.add(&directories, "a/").is_ok()).count();
        assert_eq!(added, FILES_MAX / 1_000, "directories count as well");

        let long = vec![("x".repeat(1 << 20), id)];
        let long = Listing::new(Vec::new(), long, true);
        let mut gathered = PartialListing::default();
        let added = (0..2_000).take_while(|_| gathered.add(&long, "").is_ok()).count();
        assert!(added < PATHS_BYTES_MAX / (1 << 20), "{added} long paths");
    }
}
