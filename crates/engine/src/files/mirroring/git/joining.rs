//! A repository whose newest commit is of another store's log, as after a restore: its sequences say nothing here, and it may be ahead. One commit
//! on top brings its files to what the log says; the history before it stays as it is, for clones go on from it, until somebody is forgotten.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::mirror::MirrorJoin;
use loci_model::ports::files::{ChangeNote, FileChange, FileDigest, FileStep, Precondition};
use loci_model::ports::store::StoreExt;
use sha2::{Digest, Sha256};

use super::message::{author_email, author_name, joining_message};
use super::rendering_git::CHANGES_PER_CALL;
use super::telling::{files, told};
use crate::files::mirroring::rendering::tree_of;
use crate::files::mirroring::syncing::Sync;
use crate::files::tree::Tree;
use crate::files::tree_state::StateNames;

/// Who commits what nobody wrote.
const AUTHOR: &str = "loci";
/// What the report says.
const JOINED: &str = "the repository was of another state of the store, as before a restore: one commit \
                      brings its files to the tree's, and commits before it may have what the store does not";

/// The files of a repository: the digest of each, and whether it may be run.
type Lying = BTreeMap<String, (FileDigest, bool)>;

impl Sync<'_> {
    /// Brings the files of a repository to what the log says, in one commit, and goes on from there.
    pub(super) async fn join(&mut self, names: &StateNames) -> Result<()> {
        let changes = self.changes_behind(0).await?;
        let sequence = changes.last().map_or(0, |last| last.sequence);
        let listing = self.backend.list().await?;
        let lying: Lying =
            listing.entries.into_iter().map(|entry| (entry.path, (entry.sha256, entry.executable))).collect();
        // A change for each file that is to be another; none for one that is as it is to be.
        let mut wanted: BTreeMap<String, Option<FileChange>> = BTreeMap::new();
        for some in changes.chunks(CHANGES_PER_CALL) {
            let (tree, of) = (Tree::of(&tree_of(&self.mirror)), some.to_vec());
            let told = self.engine.store.read(move |tx| told(tx, &tree, &of)).await?;
            for change in files(&told) {
                let lies = is_done(&change, &lying);
                wanted.insert(change.path.clone(), (!lies).then_some(change));
            }
        }
        let unknown: Vec<FileChange> =
            lying.keys().filter(|path| !wanted.contains_key(*path)).map(|path| removal(path)).collect();
        let mut differing: Vec<FileChange> = wanted.into_values().flatten().collect();
        differing.extend(unknown);
        if !differing.is_empty() {
            let applied = self.backend.apply_all(vec![self.joining_step(differing, names, sequence)]).await?;
            self.report.commits += applied.iter().filter(|one| one.commit.is_some()).count() as u64;
            self.report.written += applied.iter().map(|one| one.changed.len() as u64).sum::<u64>();
            self.note("", JOINED);
        }
        let newest = self.backend.newest().await?;
        self.state.joined = newest.map(|newest| MirrorJoin { commit: newest.id, sequence });
        Ok(())
    }

    fn joining_step(&self, changes: Vec<FileChange>, names: &StateNames, sequence: u64) -> FileStep {
        let instance = &self.engine.settings.instance;
        let note = ChangeNote {
            author_name: author_name(AUTHOR),
            author_email: author_email(AUTHOR, instance),
            committer_email: format!("loci@{instance}"),
            at: self.engine.clock.now(),
            message: joining_message(&names.seal(sequence)),
        };
        FileStep { changes, note }
    }
}

/// True where a file lies as a change would leave it.
fn is_done(change: &FileChange, lying: &Lying) -> bool {
    match (&change.bytes, lying.get(&change.path)) {
        (None, None) => true,
        (Some(bytes), Some((digest, executable))) => {
            let wanted: FileDigest = Sha256::digest(bytes).into();
            wanted == *digest && change.executable.unwrap_or(*executable) == *executable
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn removal(path: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        bytes: None,
        executable: None,
        like: None,
        only_if: Precondition::Any,
    }
}
