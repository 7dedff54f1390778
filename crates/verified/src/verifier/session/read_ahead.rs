//! What will be read, said before it is: a source across a network fetches it together, one at hand does nothing. Nothing is
//! decided here, and what fails shows when it is read.

use loci_model::facts::citation::Citation;
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};

use super::verifier::Verifier;
use crate::verifier::thresholds::FILE_BYTES_MAX;

/// Files of a tree that are looked through are announced in parts, so that time that is over is not spent on the rest.
const PART: usize = 32;

impl Verifier<'_> {
    /// Says which files checking these citations reads: those that are not the blobs that were cited, and the cited ones with
    /// which they are compared. [`Self::verify`] says it for one record; who checks many says it once for all.
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

    /// Says, at the first file of each part, that the part will be read.
    pub(in crate::verifier) fn announce_part(&self, files: &[CodeFile], at: usize) {
        if at.is_multiple_of(PART) {
            let is_read = |file: &&CodeFile| file.entry.bytes.is_none_or(|bytes| bytes <= FILE_BYTES_MAX);
            let part = files.iter().skip(at).take(PART).filter(is_read);
            self.prefetch(part.map(|file| file.entry.id).collect());
        }
    }

    /// The blob at a path that is not the cited one; `None` where it is, and where nothing is to be read for it.
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
        // One alone is fetched as fast when it is read.
        if blobs.len() > 1 {
            self.source.prefetch(&blobs, FILE_BYTES_MAX);
        }
    }
}
