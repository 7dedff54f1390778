//! Writing of files into a mirror: those of the tree, and those that Loci writes next to it. A
//! file that changed since the check is left alone until the next check.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Result;
use loci_model::ports::files::{ChangeNote, FileChange, FileDigest, FileEntry, Precondition};
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::MirrorDirection;
use sha2::{Digest, Sha256};

use super::layouts::Layout;
use super::rendering::tree_of;
use super::sync::Sync;
use super::sync_plan::SyncAction;
use super::sync_state::{hex_of, state_of};
use super::two_way_sync::SyncCheck;
use crate::trees::tree::Tree;
use crate::upkeep::{CHANGELOG, Changelog};

/// The number of files per call of the backend.
const FILES_PER_CALL: usize = 200;
/// The reason for rejecting a file outside of the tree's directory.
const NOT_OURS: &str = "only Loci writes here: move the file below knowledge/";

impl Sync<'_> {
    /// Writes the files of documents that changed in the tree.
    pub(super) async fn write_files(&mut self, look: &SyncCheck, actions: &[&SyncAction]) -> Result<()> {
        let writes: Vec<(&str, Option<FileDigest>)> = actions
            .iter()
            .filter_map(|action| match action {
                SyncAction::Write { path, over } => Some((path.as_str(), *over)),
                _ => None,
            })
            .collect();
        let named = self.laid_state().names;
        for some in writes.chunks(FILES_PER_CALL) {
            let paths: Vec<&str> = some.iter().map(|(path, _)| *path).collect();
            let bytes = self.documents.mirror_bytes(&self.mirror, &look.laid, &paths).await?;
            let change = |(path, over): &(&str, Option<FileDigest>)| {
                // The plan identifies a file by its bytes and its mode, the mirror by its bytes.
                let over = over.map(|over| look.content_of(path).unwrap_or(over));
                let only_if = over.map_or(Precondition::Absent, Precondition::Holds);
                let executable = look.laid.files.get(*path).and_then(|one| one.executable);
                let bytes = Some(bytes.get(*path)?.clone());
                let sources = if over.is_none() { look.laid.sources_of(path, &named) } else { Vec::new() };
                let like = sources.into_iter().find(|source| look.mirror.contains_key(source));
                Some(FileChange { path: (*path).to_owned(), bytes, executable, like, only_if })
            };
            let changes: Vec<FileChange> = some.iter().filter_map(change).collect();
            self.apply(changes).await?;
        }
        let mut names = look.laid.state.names.clone();
        names.append(&mut self.names_taken);
        let mut remembered = self.laid_state();
        if remembered.names != names {
            remembered.names = names;
            self.remember_laid(&remembered)?;
        }
        Ok(())
    }

    /// Applies changes of files, and records the files as synced.
    async fn apply(&mut self, changes: Vec<FileChange>) -> Result<()> {
        let digests: Vec<(String, Option<String>)> = changes
            .iter()
            .map(|change| {
                let executable = change.executable.unwrap_or_default();
                let state = |bytes: &Vec<u8>| hex_of(&state_of(&Sha256::digest(bytes).into(), executable));
                (change.path.clone(), change.bytes.as_ref().map(state))
            })
            .collect();
        let applied = match self.backend.apply(changes.clone(), self.own_note()).await {
            Ok(applied) => applied,
            // A file that cannot be written must not block the others.
            Err(_) if changes.len() > 1 => {
                for change in changes {
                    Box::pin(self.apply(vec![change])).await?;
                }
                return Ok(());
            }
            Err(error) => {
                for (path, _) in digests {
                    self.note(&path, error.message.clone());
                }
                return Ok(());
            }
        };
        for (path, digest) in digests {
            if applied.refused.contains(&path) {
                self.note(
                    &path,
                    "it was changed while it was looked at: it is left alone until the next look",
                );
                self.kept.edit(&path, |known| known.pending = None);
                continue;
            }
            let has_changed = applied.changed.contains(&path);
            match digest {
                Some(digest) => {
                    self.report.written += u64::from(has_changed);
                    self.kept.agree(&path, &digest, None);
                }
                None => {
                    self.report.removed += u64::from(has_changed);
                    self.kept.forget(&path);
                }
            }
        }
        Ok(())
    }

    /// Removes files whose documents are archived.
    pub(super) async fn remove_files(&mut self, look: &SyncCheck, actions: &[&SyncAction]) -> Result<()> {
        let changes: Vec<FileChange> = actions
            .iter()
            .filter_map(|action| match action {
                SyncAction::Remove { path, over } => {
                    let over = look.content_of(path).unwrap_or(*over);
                    Some(change_of(path, None, Precondition::Holds(over)))
                }
                _ => None,
            })
            .collect();
        for some in changes.chunks(FILES_PER_CALL) {
            self.apply(some.to_vec()).await?;
        }
        Ok(())
    }

    /// Returns the files that Loci writes without a document: conversations, and the changelog of
    /// consolidation.
    async fn rendered_files(&self) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut files = self.transcripts().await?;
        if self.layout == Layout::Native {
            let tree = Tree::of(&tree_of(&self.mirror));
            let changelog =
                self.documents.engine.store().read(move |tx| Changelog::read(tx, &tree, None)).await?;
            files.extend(changelog.until(u64::MAX).map(|text| (CHANGELOG.to_owned(), text.into_bytes())));
        }
        Ok(files)
    }

    /// Writes the files that Loci keeps next to the tree, replaces versions that were edited, and
    /// removes expired files.
    pub(super) async fn render_rest(&mut self, look: &SyncCheck) -> Result<()> {
        let lying: Vec<&FileEntry> =
            look.listing.entries.iter().filter(|entry| self.is_rendered_area(&entry.path)).collect();
        if self.mirror.direction == MirrorDirection::Import {
            return Ok(());
        }
        let files = self.rendered_files().await?;
        let mut changes = Vec::new();
        for entry in &lying {
            let is_ours = self.kept.get(&entry.path).is_some_and(|known| known.agreed.is_some());
            match files.get(&entry.path) {
                Some(bytes) if <[u8; 32]>::from(Sha256::digest(bytes)) == entry.sha256 => {}
                Some(bytes) => {
                    let agreed = self.kept.get(&entry.path).and_then(|known| known.agreed.clone());
                    if agreed.is_some_and(|agreed| agreed != hex_of(&entry.sha256)) {
                        self.refuse(&entry.path, "Loci renders this file: it is restored");
                    }
                    let only_if = Precondition::Holds(entry.sha256);
                    changes.push(change_of(&entry.path, Some(bytes.clone()), only_if));
                }
                None if is_ours => {
                    let only_if = Precondition::Holds(entry.sha256);
                    changes.push(change_of(&entry.path, None, only_if));
                }
                None => self.refused_once(&entry.path, &hex_of(&entry.sha256), NOT_OURS),
            }
        }
        let places: BTreeSet<&str> = lying.iter().map(|entry| entry.path.as_str()).collect();
        let lies = |path: &String| places.contains(path.as_str());
        for (path, bytes) in files.into_iter().filter(|(path, _)| !lies(path)) {
            changes.push(change_of(&path, Some(bytes), Precondition::Absent));
        }
        for some in changes.chunks(FILES_PER_CALL) {
            self.apply(some.to_vec()).await?;
        }
        Ok(())
    }

    /// Reports a file as rejected, unless a report already contains this content of the file.
    pub(super) fn refused_once(&mut self, path: &str, file: &str, why: &str) {
        let refused = self.kept.get(path).and_then(|known| known.refused.as_ref());
        if refused.is_none_or(|refused| refused.file != file) {
            self.refused(path, file, why);
        }
    }

    /// Returns the author and time for files that have no history.
    fn own_note(&self) -> ChangeNote {
        ChangeNote {
            author_name: "Loci".to_owned(),
            author_email: format!("loci@{}", self.documents.settings().mirrors.instance),
            committer_email: format!("loci@{}", self.documents.settings().mirrors.instance),
            at: self.documents.engine.now(),
            message: String::new(),
        }
    }
}

/// Returns a change of a file that keeps the mode of the file. `bytes` is `None` to remove it.
pub(super) fn change_of(path: &str, bytes: Option<Vec<u8>>, only_if: Precondition) -> FileChange {
    FileChange { path: path.to_owned(), bytes, executable: None, like: None, only_if }
}
