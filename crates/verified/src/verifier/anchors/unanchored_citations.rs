//! Citations without a stored anchor. A hash from the caller is searched for; without one only the
//! existence of the lines can be verified.

use std::sync::Arc;

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::{CodeEntry, EntryKind, ObjectId};
use loci_model::facts::verdict::{CitationVerdict, Drift, Method, Unverifiable, Verdict};
use loci_model::ports::code::CodeError;

use crate::verifier::lines::block::Block;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::names::file_kind::FileKind;
use crate::verifier::session::verifier::Verifier;
use crate::verifier::steps::{same_name, too_late, too_many};
use crate::verifier::thresholds::{INFO_STRONG, INFO_WEAK};

/// A file in which windows of the cited length are hashed.
struct HashedFile {
    path: String,
    blob: ObjectId,
    file: Arc<FileLines>,
    method: Method,
}

impl Verifier<'_> {
    /// Verifies a place without an anchor.
    ///
    /// With a hash of Loci (`vm1:…`) the lines are searched for: in place, in the file, in files of
    /// equal name if the path is gone, and in the whole tree if they have enough information.
    /// Without a hash, or with another kind, the verdict is `valid / unanchored` if the lines
    /// exist. Such a verdict carries a warning and is no receipt.
    pub fn check_unanchored(&self, place: &LineRange, snippet_hash: Option<&str>) -> CitationVerdict {
        let entry = match self.entry(&place.path) {
            Ok(entry) => entry.filter(|entry| entry.kind != EntryKind::Directory),
            Err(error) => return unread(&error),
        };
        let here = match entry.map(|entry| self.looked(place, &entry)).transpose() {
            Ok(here) => here,
            Err(error) => return unread(&error),
        };
        let in_bounds = here.as_ref().is_some_and(|here| place.line_end <= here.file.total());
        let mut verdict = match snippet_hash.filter(|hash| hash.starts_with("vm1:")) {
            Some(hash) => self.by_hash(place, hash, here.as_ref()),
            None if in_bounds => {
                let mut verdict = CitationVerdict::new(Verdict::Valid, Method::Unanchored);
                verdict.found = Some(place.clone());
                verdict.blob = here.as_ref().map(|here| here.blob);
                verdict
            }
            None => gone(here.as_ref()),
        };
        if verdict.verdict == Verdict::Gone && here.is_some() && !in_bounds {
            verdict.detail = Some("range_out_of_bounds".to_owned());
        }
        verdict.in_bounds = in_bounds;
        verdict
    }

    fn looked(&self, place: &LineRange, entry: &CodeEntry) -> Result<HashedFile, CodeError> {
        Ok(HashedFile {
            path: place.path.clone(),
            blob: entry.id,
            file: self.lines(entry)?,
            method: Method::Moved,
        })
    }

    fn by_hash(&self, place: &LineRange, hash: &str, here: Option<&HashedFile>) -> CitationVerdict {
        if let Some(here) = here {
            let cited = here.file.between(place.line_start, place.line_end);
            if Block::new(&here.file, cited.start, cited.end).snippet_hash() == hash {
                let mut verdict = CitationVerdict::new(Verdict::Valid, Method::InPlace);
                verdict.found = Some(place.clone());
                verdict.blob = Some(here.blob);
                return verdict;
            }
            if let Some(verdict) = window(place, hash, here, INFO_WEAK) {
                return verdict;
            }
        }
        match self.by_hash_elsewhere(place, hash, here) {
            Ok(Some(verdict)) => verdict,
            Ok(None) => gone(here),
            Err(error) => unread(&error),
        }
    }

    /// Searches files of equal name if the path is gone, then the whole tree; bounded in time.
    fn by_hash_elsewhere(
        &self,
        place: &LineRange,
        hash: &str,
        here: Option<&HashedFile>,
    ) -> Result<Option<CitationVerdict>, CodeError> {
        let named = here.is_none().then(|| same_name(self, &place.path, None)).transpose()?;
        let is_cut = named.as_ref().is_some_and(|named| named.is_cut);
        let named = named.map(|named| named.files).unwrap_or_default();
        let tree = self.fresh_files(None)?;
        let started = self.clock.monotonic_us();
        let mut lesser = None;
        let files =
            named.iter().map(|file| (file, INFO_WEAK)).chain(tree.iter().map(|file| (file, INFO_STRONG)));
        for (file, info_min) in files.filter(|(file, _)| file.path != place.path) {
            if self.tree_time_is_over(started) {
                return Err(too_late());
            }
            let lines = match self.lines(&file.entry) {
                Ok(lines) => lines,
                Err(error)
                    if matches!(
                        error.why,
                        Unverifiable::Binary | Unverifiable::Minified | Unverifiable::TooLarge
                    ) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let looked = HashedFile {
                path: file.path.clone(),
                blob: file.entry.id,
                file: lines,
                method: Method::Relocated,
            };
            match window(place, hash, &looked, info_min) {
                Some(verdict) if verdict.verdict == Verdict::Valid => return Ok(Some(verdict)),
                Some(verdict) => lesser = lesser.or(Some(verdict)),
                None => {}
            }
        }
        if is_cut && lesser.is_none() { Err(too_many()) } else { Ok(lesser) }
    }
}

/// Returns the window of the cited length with this hash that is nearest to the cited place, if it
/// has enough information.
fn window(place: &LineRange, hash: &str, looked: &HashedFile, info_min: u32) -> Option<CitationVerdict> {
    let length = place.line_end - place.line_start;
    let file = &looked.file;
    let windows = (0..file.len()).filter_map(|from| {
        let start = file.number(from)?;
        let to = file.between(start, start.saturating_add(length)).end;
        let block = Block::new(file, from, to);
        (block.info() >= info_min && block.snippet_hash() == hash).then_some((start, to))
    });
    let (start, to) = windows.min_by_key(|(start, _)| (start.abs_diff(place.line_start), *start))?;
    let mut verdict = CitationVerdict::new(Verdict::Valid, looked.method);
    let line_end = file.number(to.checked_sub(1)?)?;
    verdict.found = Some(LineRange { path: looked.path.clone(), line_start: start, line_end });
    verdict.blob = Some(looked.blob);
    if FileKind::of(&looked.path).is_less_than(FileKind::of(&place.path)) {
        verdict.verdict = Verdict::Drifted;
        verdict.drift = Some(Drift::High);
    }
    Some(verdict)
}

fn gone(here: Option<&HashedFile>) -> CitationVerdict {
    let mut verdict = CitationVerdict::new(Verdict::Gone, Method::None);
    verdict.blob = here.map(|here| here.blob);
    verdict.detail = Some(if here.is_some() { "block_gone" } else { "file_missing" }.to_owned());
    verdict
}

fn unread(error: &CodeError) -> CitationVerdict {
    CitationVerdict::unverifiable(error.why, error.retry_after_ms)
}
