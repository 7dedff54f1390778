//! Announces reads in advance. A remote source fetches the announced files in one batch; a local
//! one does nothing. Nothing is decided here, and a failure appears at the read itself.

use loci_model::facts::citation::Citation;
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};

use super::verifier::Verifier;
use crate::verifier::thresholds::FILE_BYTES_MAX;

/// The number of files announced at once in a tree search, so that an expired time limit wastes
/// little.
const PART: usize = 32;

impl Verifier<'_> {
    /// Announces the files that the check of these citations reads: the changed files, and the
    /// cited ones with which they are compared. [`Self::verify`] announces them for one record; a
    /// caller that checks many records announces all at once.
    pub fn announce(&self, citations: &[&Citation]) {
        let mut blobs = Vec::new();
        for citation in citations {
            let anchor = &citation.anchor;
            let Some(entry) = self.changed(&anchor.place.path, anchor.blob) else { continue };
            let current = citation.current.as_ref().filter(|(place, _)| place.path != anchor.place.path);
            let moved = current.and_then(|(place, _)| self.changed(&place.path, anchor.blob));
            blobs.extend([entry, Some(anchor.blob), moved.flatten()].into_iter().flatten());
        }
        self.prefetch(blobs);
    }

    /// Announces a part of the files, at the first file of each part.
    pub(in crate::verifier) fn announce_part(&self, files: &[CodeFile], at: usize) {
        if at.is_multiple_of(PART) {
            let is_read = |file: &&CodeFile| file.entry.bytes.is_none_or(|bytes| bytes <= FILE_BYTES_MAX);
            let part = files.iter().skip(at).take(PART).filter(is_read);
            self.prefetch(part.map(|file| file.entry.id).collect());
        }
    }

    /// Returns the blob at a path if it differs from the cited one. Returns `None` if it is the
    /// cited one, or if no read is needed.
    fn changed(&self, path: &str, cited: ObjectId) -> Option<Option<ObjectId>> {
        match self.entry(path) {
            Ok(Some(CodeEntry { id, .. })) if id == cited => None,
            Ok(Some(CodeEntry { kind: EntryKind::File | EntryKind::Symlink, id, .. })) => Some(Some(id)),
            Ok(Some(_) | None) => Some(None),
            Err(_) => None,
        }
    }

    fn prefetch(&self, mut blobs: Vec<ObjectId>) {
        blobs.sort_unstable();
        blobs.dedup();
        blobs.retain(|blob| !self.holds(*blob));
        // A single blob is fetched as fast by the read itself.
        if blobs.len() > 1 {
            self.source.prefetch(&blobs, FILE_BYTES_MAX);
        }
    }
}
