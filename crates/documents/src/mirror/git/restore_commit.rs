//! The commit that continues a repository of another store's log, as after a restore. The sequences
//! in its commits are invalid here, and the repository may be ahead. The commit changes the files
//! to the state of this store's log. Earlier commits stay, because clones continue from them, until
//! a person is erased.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::ports::files::{FileChange, FileDigest, FileStep, Precondition};
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::MirrorJoin;
use sha2::{Digest, Sha256};

use super::file_changes::{files, told};
use super::message::restore_message;
use super::rendering_git::{AUTHOR, CHANGES_PER_CALL};
use crate::mirror::file_writes::change_of;
use crate::mirror::rendered_area;
use crate::mirror::rendering::tree_of;
use crate::mirror::sync::Sync;
use crate::trees::state_names::StateNames;
use crate::trees::tree::Tree;

/// The note of the report about that commit.
const JOINED: &str = "the repository was of another state of the store, as before a restore: one commit \
                      brings its files to the tree's, and commits before it may have what the store does not";

/// The files of a repository: the digest of each; the flag is true if it is executable.
type RepositoryFiles = BTreeMap<String, (FileDigest, bool)>;

impl Sync<'_> {
    /// Brings the files of a repository to the state of the log in one commit, except files that
    /// Loci renders without documents. Returns the sequence from which rendering continues.
    pub(super) async fn join(&mut self, names: &StateNames) -> Result<u64> {
        let changes = self.changes_behind(0).await?;
        let sequence = changes.last().map_or(0, |last| last.sequence);
        let listing = self.backend.list().await?;
        let lying: RepositoryFiles =
            listing.entries.into_iter().map(|entry| (entry.path, (entry.sha256, entry.executable))).collect();
        // Only files that differ from the log get a change.
        let mut wanted: BTreeMap<String, Option<FileChange>> = BTreeMap::new();
        for some in changes.chunks(CHANGES_PER_CALL) {
            let (tree, of) = (Tree::of(&tree_of(&self.mirror)), some.to_vec());
            let told = self.documents.engine.store().read(move |tx| told(tx, &tree, &of)).await?;
            for change in files(&told) {
                let lies = is_done(&change, &lying);
                wanted.insert(change.path.clone(), (!lies).then_some(change));
            }
        }
        let unknown: Vec<FileChange> = lying
            .keys()
            .filter(|path| !wanted.contains_key(*path) && !rendered_area(path))
            .map(|path| change_of(path, None, Precondition::Any))
            .collect();
        let mut differing: Vec<FileChange> = wanted.into_values().flatten().collect();
        differing.extend(unknown);
        if !differing.is_empty() {
            let message = restore_message(&names.seal(sequence));
            let note = self.change_note(AUTHOR, self.documents.engine.now(), message);
            self.commit_steps(vec![FileStep { changes: differing, note }]).await?;
            self.note("", JOINED);
        }
        let newest = self.backend.newest().await?;
        self.state.joined = newest.map(|newest| MirrorJoin { commit: newest.id, sequence });
        Ok(sequence)
    }
}

/// True if a file already equals the result of a change.
fn is_done(change: &FileChange, lying: &RepositoryFiles) -> bool {
    match (&change.bytes, lying.get(&change.path)) {
        (None, None) => true,
        (Some(bytes), Some((digest, executable))) => {
            let wanted: FileDigest = Sha256::digest(bytes).into();
            wanted == *digest && change.executable.unwrap_or(*executable) == *executable
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}
