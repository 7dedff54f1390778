//! `mirror_pull`: imports the commits of a clone with the same plan as edits in any mirror. The
//! base is the newest commit of the mirror that the clone contains. The caller is the writer, reads
//! the clone, and sends only the files that differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_api::documents::mirror::{MirrorPull, PulledFile};
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileEntry, FileListing, FilesApplied,
    FilesCommit,
};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::mirror::{MirrorDirection, MirrorKind, MirrorReport};
use loci_model::{Error, MemoryId, Result, limits};
use sha2::{Digest, Sha256};

use crate::Documents;
use crate::mirror::rendered_area;
use crate::mirror::spelling::{ComposedFiles, composed, composed_listing};
use crate::mirror::sync::{PATIENCE_MS, Sync};
use crate::mirror::sync_state::{SyncState, hex_of, state_of};

/// The reason for rejecting an edit below `sessions/` or `consolidation/`.
const RENDERED: &str = "Loci renders this file: the edit is not taken";

/// The maximum of files of one pull.
const FILES_MAX: usize = 1_000;
/// The maximum of commits in a search for the base.
const COMMITS_MAX: usize = 10_000;

/// The files of a clone, as a read-only mirror.
struct PulledMirror {
    listing: FileListing,
    /// The content of each file; the flag is true if it is executable.
    files: BTreeMap<String, (Vec<u8>, bool)>,
}

impl FileBackend for PulledMirror {
    fn capabilities(&self) -> FileCapabilities {
        FileCapabilities::default()
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        let found = self.files.get(path).cloned().map(|(bytes, executable)| {
            let sha256 = Sha256::digest(&bytes).into();
            FileBytes { sha256, bytes, executable }
        });
        Box::pin(async move { Ok(found) })
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        Box::pin(async { Ok(self.listing.clone()) })
    }

    fn apply(&self, _: Vec<FileChange>, _: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        Box::pin(async { Err(Error::bug("a clone that is pulled from is not written")) })
    }

    fn mark<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Err(Error::bug("a clone that is pulled from is not written")) })
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Err(Error::bug("a clone that is pulled from is not written")) })
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        Box::pin(async { Ok(None) })
    }
}

impl Documents {
    /// Returns the first of these commits that the mirror has.
    ///
    /// # Errors
    /// `NotFound`; `Denied`; `Invalid` for a mirror without history, or too many commits.
    pub async fn mirror_base(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
        commits: &[String],
    ) -> Result<Option<String>> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Read).await?;
        check_git(mirror.kind)?;
        if commits.len() > COMMITS_MAX {
            return Err(Error::invalid("commits", format!("commits must be at most {COMMITS_MAX}")));
        }
        let backend = self.own_repository(&mirror).await?;
        for commit in commits {
            if backend.list_at(commit).await?.is_some() {
                return Ok(Some(commit.clone()));
            }
        }
        Ok(None)
    }

    /// Takes the changes of a clone, and renders the result.
    ///
    /// # Errors
    /// `NotFound`; `Denied` without a grant of write on the tree; `Invalid` if the base is not a
    /// commit of the mirror.
    pub async fn mirror_pull(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
        pull: MirrorPull,
    ) -> Result<MirrorReport> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Write).await?;
        check_git(mirror.kind)?;
        if pull.files.len() > FILES_MAX {
            let rule = format!("a pull brings at most {FILES_MAX} files: pull earlier commits first");
            return Err(Error::invalid("files", rule));
        }
        let backend = self.own_repository(&mirror).await?;
        let base = backend.list_at(&pull.base).await?;
        let base = base.ok_or_else(|| {
            Error::invalid("base", "base must be a commit of the mirror: fetch from it, and rebase or merge")
        })?;
        let edited = pull.files.iter().map(|file| composed(&file.path));
        let rendered: Vec<String> = edited.filter(|path| rendered_area(path)).collect();
        let mut report = None;
        let work = async {
            let pulled = pulled(&base, pull.files)?;
            let mut sync = self.sync_of(mirror.clone(), true).await?;
            if sync.mirror.id != mirror.id {
                let rule = format!(
                    "the mirror {} was made anew meanwhile: fetch from it, then pull again",
                    mirror.name
                );
                return Err(Error::conflict(rule));
            }
            for path in &rendered {
                sync.refuse(path, RENDERED);
            }
            let direction = sync.mirror.direction;
            sync.report.began_at = Some(self.engine.now());
            sync.writer = caller.clone();
            sync.mirror.direction = MirrorDirection::Import;
            sync.kept = agreed(&base);
            sync.is_passing = true;
            sync.committed = Some(composed_listing(pulled.listing.clone()).1);
            sync.backend = Arc::new(ComposedFiles::new(Arc::new(pulled)));
            sync.pull().await?;
            // The result is rendered at once; after an error the next sync renders it.
            sync.mirror.direction = direction;
            sync.backend = backend;
            if let Err(error) = sync.render_git().await {
                sync.report.error = Some(error.message);
            }
            report = Some(sync.end().await?);
            Ok(())
        };
        self.mirror_alone(&mirror, PATIENCE_MS, work).await?;
        report.ok_or_else(|| Error::bug("a pull that ended without a report"))
    }
}

fn check_git(kind: MirrorKind) -> Result<()> {
    match kind {
        MirrorKind::Git => Ok(()),
        MirrorKind::Directory | MirrorKind::S3 => {
            Err(Error::invalid("mirror", "only a git mirror has clones: files of others are taken by a sync"))
        }
    }
}

/// Returns the mirror as the clone has it.
fn pulled(base: &FileListing, files: Vec<PulledFile>) -> Result<PulledMirror> {
    let mut entries: BTreeMap<String, FileEntry> =
        base.entries.iter().map(|entry| (entry.path.clone(), entry.clone())).collect();
    let mut contents = BTreeMap::new();
    for file in files {
        let Some(bytes) = file.content.map(String::into_bytes) else {
            entries.remove(&file.path);
            continue;
        };
        let length = bytes.len() as u64;
        if length > limits::MIRRORED_FILE_BYTES_MAX {
            return Err(Error::invalid("files", format!("{} is too large for a document", file.path)));
        }
        let PulledFile { path, executable, .. } = file;
        let sha256 = Sha256::digest(&bytes).into();
        let entry = FileEntry { path: path.clone(), bytes: length, sha256, executable };
        entries.insert(path.clone(), entry);
        contents.insert(path, (bytes, executable));
    }
    let listing = FileListing { has_root: true, entries: entries.into_values().collect(), ..base.clone() };
    Ok(PulledMirror { listing, files: contents })
}

/// Returns the common files of both sides at the base.
fn agreed(base: &FileListing) -> SyncState {
    let mut kept = SyncState::default();
    for entry in &base.entries {
        let state = state_of(&entry.sha256, entry.executable);
        kept.agree(&composed(&entry.path), &hex_of(&state), None);
    }
    kept
}

impl Sync<'_> {
    /// Takes the changes in one pass, without writing back.
    async fn pull(&mut self) -> Result<()> {
        let mut listing = self.backend.list().await?;
        listing.marker = Some(crate::mirror::guards::marker_of(&self.mirror.id, &self.mirror.memory));
        self.pull_look(listing).await
    }
}
