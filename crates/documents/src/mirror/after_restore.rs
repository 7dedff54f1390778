//! Files of a mirror after its store was restored from a backup. The recorded sync state since
//! the backup is lost, and files that Loci wrote or removed since then must not count as changes by
//! a person. So all recorded agreement is ignored. A missing file is written again. A file that
//! equals a version of its document is updated. Any other file is kept as a conflict copy. A file
//! without a document stays, and the report names it.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::ports::files::{FileDigest, FileListing};
use loci_model::trees::mirror::{MirrorDirection, MirrorFile};

use super::guards::MarkerState;
use super::sync::Sync;
use super::sync_plan::SyncInput;
use super::sync_state::hex_of;

/// The note about the whole mirror in the report of such a sync.
const RESTORED: &str = "the store was restored from a backup, or moved, since the last sync: nothing is put \
                        away, files that differ from their documents are kept beside, and those of no \
                        document are left alone";
/// The reason for rejecting a file without a document.
const UNKNOWN: &str = "the restored store has no document of it: Loci wrote it behind the backup, or somebody \
                       else did; change or rename it to have it taken, or delete it";

impl Sync<'_> {
    /// Discards the sync state of another store, so that the sync treats the files as if the mirror
    /// started on existing files. An import-only mirror keeps its files as they are. Nothing
    /// happens before the marker in the folder belongs to this mirror.
    pub(super) async fn begin_after_restore(
        &mut self,
        listing: &FileListing,
        marked: MarkerState,
    ) -> Result<()> {
        if !self.is_of_other_store || marked != MarkerState::Own {
            return Ok(());
        }
        if self.mirror.direction == MirrorDirection::Import {
            self.state.store = Some(self.store.clone());
            return Ok(());
        }
        self.set_apart(listing);
        self.keep().await?;
        self.holds_new = true;
        self.note("", RESTORED);
        Ok(())
    }

    fn set_apart(&mut self, listing: &FileListing) {
        let entries = listing.entries.iter().filter(|entry| !self.is_rendered_area(&entry.path));
        let lying: BTreeMap<String, FileDigest> =
            entries.map(|entry| (entry.path.clone(), self.state_of(entry))).collect();
        // Files that Loci renders without documents stay known, and so do files that stay with
        // their secrets.
        let stays = |path: &str, known: &MirrorFile| {
            let is_same = known.agreed.is_some() && known.agreed == lying.get(path).map(hex_of);
            self.is_rendered_area(path) || known.adopted && is_same
        };
        let staying: Vec<(String, MirrorFile)> = self
            .kept
            .iter()
            .filter(|(path, known)| stays(path, known))
            .map(|(path, known)| {
                (path.clone(), MirrorFile { pending: None, missing_since: None, ..known.clone() })
            })
            .collect();
        self.kept.clear();
        for path in lying.keys() {
            self.kept.edit(path, |file| file.adopted = true);
        }
        for (path, known) in staying {
            self.kept.edit(&path, |file| *file = known);
        }
    }

    /// Rejects the files without a document until they change. Only then does the sync state name
    /// this store, so that a failure before repeats the whole process. Otherwise the next sync
    /// would import those files as new.
    pub(super) fn hold_unknown(&mut self, sides: &SyncInput<'_>) {
        for (path, file) in sides.mirror {
            if sides.tree.contains_key(path) || sides.agreed.contains_key(path) {
                continue;
            }
            self.refused_once(path, &hex_of(file), UNKNOWN);
        }
        self.state.store = Some(self.store.clone());
    }
}
