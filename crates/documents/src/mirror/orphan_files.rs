//! Files in mirrors that have no document: files that a sync rejected, skipped or has not imported,
//! and folders of removed mirrors. The report of an erasure lists them, because they may contain a
//! person's words. Nothing is changed here.

use std::collections::BTreeSet;

use loci_engine::admin::erasure::Person;
use loci_engine::hooks::NotExamined;
use loci_model::ports::files::{FileBackend as _, FileEntry, FileListing};
use loci_model::ports::ids::uuid4;
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::{Mirror, MirrorKind, MirrorState};
use loci_model::{Error, MemoryId, Result};

use super::guards::{self, MarkerState};
use super::rendering::keeps_modes;
use super::spelling::ComposedFiles;
use super::sync_state::{SyncState, hex_of, state_of};
use crate::Documents;

/// The maximum number of files or folders that one line names. The line states how many more there
/// are.
const NAMED_MAX: usize = 20;
/// The reason for skipping another mirror's root, which is checked separately.
const OTHER_MIRROR: &str = "other_mirror";

impl Documents {
    /// Finds files of mirrors without a document: in the person's own trees, or `everywhere`, which
    /// reads every file of every mirror and searches markers below the roots.
    ///
    /// # Errors
    /// The errors of the store. A folder that cannot be read becomes a line.
    pub(crate) async fn mirror_files_not_examined(
        &self,
        memory: &MemoryId,
        person: &Person,
        everywhere: bool,
    ) -> Result<NotExamined> {
        let mut found = NotExamined::default();
        let mirrors = self.mirrors_in(memory).await?;
        for mirror in &mirrors {
            let is_of_person = person.owns_namespace(mirror.namespace.as_str());
            if !is_of_person && !everywhere {
                continue;
            }
            let Some(what) = self.not_examined_in(mirror).await? else { continue };
            if is_of_person {
                found.of_person.insert(mirror.name.clone());
            }
            found.copies.insert(mirror.name.clone(), format!("mirror {}: {what}", mirror.name));
        }
        if everywhere {
            found.removed = self.folders_of_removed_mirrors(memory, &mirrors).await;
        }
        Ok(found)
    }

    /// Returns the files of a mirror without a document. Repositories are skipped, because only
    /// Loci writes into them, and so are mirrors without a first sync.
    async fn not_examined_in(&self, mirror: &Mirror) -> Result<Option<String>> {
        if mirror.kind == MirrorKind::Git {
            return Ok(None);
        }
        let asked = mirror.clone();
        let (state, kept) = self
            .engine
            .store()
            .read(move |tx| {
                let state = tx.ledger().noun::<MirrorState>(&asked.memory, &asked.name)?;
                Ok((state, SyncState::read(tx, &asked)?))
            })
            .await?;
        let Some(state) = state.filter(|state| state.is_started) else { return Ok(None) };
        match self.mirror_listed(mirror, &state).await {
            Ok(listing) => Ok(left_in(mirror, &listing, &kept)),
            Err(error) => {
                let refused = kept.iter().filter(|(_, known)| known.refused.is_some());
                let refused: BTreeSet<&str> = refused.map(|(path, _)| path.as_str()).collect();
                let known = match named(&refused) {
                    Some(names) => format!("; refused before were {names}"),
                    None => String::new(),
                };
                Ok(Some(format!("its folder was not looked into: {}{known}", error.message)))
            }
        }
    }

    async fn mirror_listed(&self, mirror: &Mirror, state: &MirrorState) -> Result<FileListing> {
        if let Some(holder) = state.holder.as_ref().filter(|_| mirror.kind == MirrorKind::Directory) {
            let here = self.file_places()?.installation(&|| uuid4(self.engine.ids().as_ref()))?;
            if *holder != here {
                return Err(Error::conflict(
                    "it lies on the disks of another server: forget the person there",
                ));
            }
        }
        let place = ComposedFiles::new(self.mirror_backend(mirror)?);
        place.list().await
    }

    /// Returns the folders whose marker names a removed mirror of the memory. Folders of other
    /// memories are not reported.
    async fn folders_of_removed_mirrors(&self, memory: &MemoryId, mirrors: &[Mirror]) -> Vec<String> {
        let Some(places) = &self.engine.file_places() else { return Vec::new() };
        let found = match places.markers().await {
            Ok(found) => found,
            Err(error) => {
                return vec![format!("folders of removed mirrors were not looked for: {}", error.message)];
            }
        };
        let is_removed = |text: &str| {
            guards::memory_in(text) == Some(memory.as_str())
                && guards::id_in(text).is_none_or(|id| mirrors.iter().all(|mirror| mirror.id != id))
        };
        let removed = found.markers.iter().filter(|marker| is_removed(&marker.text));
        let removed: BTreeSet<&str> = removed.map(|marker| marker.path.as_str()).collect();
        let mut lines = Vec::new();
        if let Some(names) = named(&removed) {
            let what = format!("folders of removed mirrors, below mirror.roots, were not examined {names}");
            lines.push(format!("{what}: delete them, or the files in them that have the person's words"));
        }
        if !found.is_whole {
            lines.push(
                "folders of removed mirrors: not every directory below mirror.roots was read".to_owned(),
            );
        }
        lines
    }
}

/// Returns the files of a folder that are not in its tree: rejected files, files changed since the
/// last sync, files that keep their secrets, and files that listings omit. If the marker is that of
/// another mirror, all files.
fn left_in(mirror: &Mirror, listing: &FileListing, kept: &SyncState) -> Option<String> {
    let is_own = guards::marked(listing.marker.as_deref(), &mirror.id) == MarkerState::Own;
    let files = listing.entries.iter().filter(|entry| !is_own || !is_agreed(mirror, entry, kept));
    let others = listing.skipped.iter().filter(|one| one.why != OTHER_MIRROR);
    let mut paths: BTreeSet<&str> = files.map(|entry| entry.path.as_str()).collect();
    paths.extend(others.map(|one| one.path.as_str()));
    paths.extend(listing.passed_over.iter().map(String::as_str));
    let names = named(&paths)?;
    Some(format!(
        "files that are no documents were not examined {names}: delete those that have the person's words"
    ))
}

/// Returns true if the document of a file has its whole content. False for a file that keeps its
/// secrets.
fn is_agreed(mirror: &Mirror, entry: &FileEntry, kept: &SyncState) -> bool {
    let file = hex_of(&state_of(&entry.sha256, entry.executable && keeps_modes(mirror)));
    kept.get(&entry.path).is_some_and(|known| {
        known.refused.is_none() && !known.adopted && known.agreed.as_deref() == Some(file.as_str())
    })
}

/// Returns the names and their number; `None` if there are none.
fn named(names: &BTreeSet<&str>) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let shown = names.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("({}: {shown}{more})", names.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_how_many_there_are() {
        let all: Vec<String> = (0..NAMED_MAX + 1).map(|number| format!("f-{number:02}.md")).collect();
        let of = |count: usize| named(&all.iter().take(count).map(String::as_str).collect());
        assert_eq!(of(0), None);
        assert_eq!(of(2).as_deref(), Some("(2: f-00.md, f-01.md)"));
        assert!(of(NAMED_MAX).is_some_and(|names| names.ends_with("f-19.md)")));
        assert!(of(NAMED_MAX + 1).is_some_and(|names| names.ends_with("f-19.md and 1 more)")));
    }
}
