//! The search for one citation: runs the steps in order and returns their verdict. An unreadable
//! file is recorded as a doubt; with a doubt, no citation counts as gone.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use loci_model::facts::citation::{Anchor, Citation, LineRange};
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};
use loci_model::facts::verdict::{CitationVerdict, Drift, Method, Unverifiable, Verdict};
use loci_model::ports::code::{CodeError, CodeResult};

use super::super::thresholds::{
    CHANGED_FILES_MAX, CONTEXT_WEAK, INFO_STRONG, OCCURRENCES_MAX, SAME_FILE_SHARE,
};
use super::candidate_files::{
    held_before, may_hold, paired, same_name, segments_alike, stood_before, too_late, too_many,
};
use super::equal_text::{EqualText, OtherMeaning};
use super::file_search::{EarlierAnchorFile, InFile, context, in_file, in_other_file, occurrences};
use super::rewrapped_block::{rewrapped, rewrapped_with_neighbours};
use super::searched_file::{EarlierFile, SearchedFile};
use super::similar_lines::{SimilarWindow, similar};
use crate::verifier::anchors::grounding::lost;
use crate::verifier::lines::block::{Block, snippet_hash};
use crate::verifier::lines::diff_text::diff_text;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::line_diff::LineMap;
use crate::verifier::names::file_kind::FileKind;
use crate::verifier::session::verifier::Verifier;

/// Finds the citation at the verifier's revision, without its claims.
pub(in super::super) fn search(verifier: &Verifier<'_>, citation: &Citation) -> CitationVerdict {
    let anchor = &citation.anchor;
    let mut search = Search {
        verifier,
        anchor,
        old: OnceCell::new(),
        here: None,
        tried: Vec::new(),
        lesser: None,
        doubt: None,
    };
    let mut verdict = search.run(citation.current.as_ref().map(|(place, _)| place));
    verdict.in_bounds = verdict.method == Method::Unchanged
        || search.here.as_ref().is_some_and(|file| anchor.place.line_end <= file.total());
    verdict
}

struct Search<'s, 'v> {
    verifier: &'s Verifier<'v>,
    anchor: &'s Anchor,
    old: OnceCell<Option<EarlierFile>>,
    /// The current file at the cited path.
    here: Option<Arc<FileLines>>,
    tried: Vec<SearchedFile>,
    /// The block in a place where it no longer runs. It counts if the block is nowhere else.
    lesser: Option<CitationVerdict>,
    doubt: Option<CodeError>,
}

impl Search<'_, '_> {
    fn run(&mut self, current: Option<&LineRange>) -> CitationVerdict {
        let cited = match self.verifier.entry(&self.anchor.place.path) {
            Ok(entry) => entry.filter(|entry| entry.kind != EntryKind::Directory),
            Err(error) => return CitationVerdict::unverifiable(error.why, error.retry_after_ms),
        };
        if let Some(entry) = cited.filter(|entry| entry.id == self.anchor.blob) {
            return self.unchanged(&entry);
        }
        if let Some(verdict) = self.own_files(cited, current) {
            return verdict;
        }
        if let Some(verdict) = self.other_files(cited.is_some()).or_else(|| self.lesser.take()) {
            return verdict;
        }
        if let Some(verdict) = self.other_line_breaks() {
            return verdict;
        }
        if let Some(verdict) = self.similar_lines() {
            return verdict;
        }
        self.nowhere(cited)
    }

    /// Returns the cited file in its earlier version; `None` if it can no longer be read, or if its
    /// lines differ from the anchor's.
    fn old(&self) -> Option<&EarlierFile> {
        let read = || {
            let place = &self.anchor.place;
            let file = self.verifier.blob(self.anchor.blob).ok()?;
            let range = file.between(place.line_start, place.line_end);
            let is_same = file.hashes().get(range.clone()) == Some(self.anchor.line_hashes.as_slice());
            is_same.then_some(EarlierFile { file, first: range.start })
        };
        self.old.get_or_init(read).as_ref()
    }

    fn before(&self, blob: ObjectId, file: &FileLines) -> Option<EarlierAnchorFile<'_>> {
        let old = self.old()?;
        Some(EarlierAnchorFile { file: &old.file, first: old.first, map: self.map(old, blob, file) })
    }

    /// Step 1: the unchanged file.
    fn unchanged(&self, entry: &CodeEntry) -> CitationVerdict {
        let mut verdict = CitationVerdict::new(Verdict::Valid, Method::Unchanged);
        verdict.found = Some(self.anchor.place.clone());
        verdict.blob = Some(entry.id);
        verdict
    }

    /// Steps 2 and 3: the file where the block was seen last, and the one at the cited path.
    fn own_files(
        &mut self,
        cited: Option<CodeEntry>,
        current: Option<&LineRange>,
    ) -> Option<CitationVerdict> {
        let path = self.anchor.place.path.clone();
        if let Some(entry) = &cited {
            match self.verifier.lines(entry) {
                Ok(file) => self.here = Some(file),
                Err(error) => self.doubt(error),
            }
        }
        if let Some(current) = current.filter(|current| current.path != path) {
            let verdict = self.try_path(&current.path, Method::Renamed);
            if verdict.is_some() {
                return verdict;
            }
        }
        let (entry, file) = (cited?, self.here.clone()?);
        self.try_file(&path, entry.id, file, Method::Moved)
    }

    /// Step 4: other files.
    fn other_files(&mut self, path_is_there: bool) -> Option<CitationVerdict> {
        let path = self.anchor.place.path.clone();
        if let Some(commit) = self.anchor.commit {
            // A file that still exists was not renamed, unless its path now has another file.
            let renamed = if path_is_there { Ok(None) } else { paired(self.verifier, &path, commit) };
            let verdict = self.try_renamed(renamed, path_is_there);
            if verdict.is_some() {
                return verdict;
            }
            if !path_is_there || self.is_another_file() {
                let followed = self.verifier.follow(&path, commit);
                let verdict = self.try_renamed(followed, path_is_there);
                if verdict.is_some() {
                    return verdict;
                }
            }
        }
        if !path_is_there {
            let verdict = self.try_same_name();
            if verdict.is_some() {
                return verdict;
            }
        }
        if self.anchor.info >= INFO_STRONG { self.try_tree() } else { None }
    }

    fn try_renamed(
        &mut self,
        renamed: CodeResult<Option<String>>,
        path_is_there: bool,
    ) -> Option<CitationVerdict> {
        match renamed {
            Ok(Some(path)) => self.try_path(&path, Method::Renamed),
            Ok(None) => None,
            // The anchor's commit does not exist. If the path still exists, its renames do not
            // matter.
            Err(error)
                if path_is_there && matches!(error.why, Unverifiable::PartialClone | Unverifiable::Ref) =>
            {
                None
            }
            Err(error) => {
                self.doubt(error);
                None
            }
        }
    }

    /// Returns true if the file at the cited path has little of its earlier content.
    fn is_another_file(&self) -> bool {
        let (Some(old), Some(here)) =
            (self.old(), self.tried.iter().find(|tried| tried.path == self.anchor.place.path))
        else {
            return false;
        };
        self.map(old, here.blob, &here.file).kept_share() < SAME_FILE_SHARE
    }

    fn try_same_name(&mut self) -> Option<CitationVerdict> {
        let namesakes = match same_name(self.verifier, &self.anchor.place.path, self.readable_commit()) {
            Ok(namesakes) => namesakes,
            Err(error) => {
                self.doubt(error);
                return None;
            }
        };
        if namesakes.is_cut {
            self.doubt(too_many());
        }
        for file in namesakes.files.into_iter().filter(|file| !self.was_tried(&file.path)).collect::<Vec<_>>()
        {
            let found = self.verifier.lines(&file.entry).and_then(|lines| self.look_elsewhere(&file, lines));
            match found {
                Ok(tried) => {
                    let verdict = self.taken(tried);
                    if verdict.is_some() {
                        return verdict;
                    }
                }
                Err(error) => self.passed_over(&file, error),
            }
        }
        None
    }

    /// Searches all files that are new since, for a block that moved out of its file. The one with
    /// the best surroundings wins, then the nearest by path.
    fn try_tree(&mut self) -> Option<CitationVerdict> {
        let started = self.verifier.clock.monotonic_us();
        let found = self.look_through_tree(started);
        let spent = self.verifier.clock.monotonic_us().saturating_sub(started);
        self.verifier.tree_us.set(self.verifier.tree_us.get().saturating_add(spent));
        match found {
            Ok(Some(tried)) => self.taken(tried),
            Ok(None) => None,
            Err(error) => {
                self.doubt(error);
                None
            }
        }
    }

    fn look_through_tree(&mut self, started: u64) -> CodeResult<Option<SearchedFile>> {
        let commit = self.readable_commit();
        let mut best: Option<((bool, f64, usize), SearchedFile)> = None;
        let cited_kind = FileKind::of(&self.anchor.place.path);
        let files = self.verifier.fresh_files(commit)?;
        for (index, file) in files.iter().enumerate() {
            self.verifier.announce_part(&files, index);
            if self.was_tried(&file.path) {
                continue;
            }
            if self.verifier.tree_time_is_over(started) {
                return Err(too_late());
            }
            let lines = match self.verifier.lines(&file.entry) {
                Ok(lines) => lines,
                Err(error) => {
                    self.passed_over(file, error);
                    continue;
                }
            };
            let tried = self.look_elsewhere(file, lines)?;
            let InFile::Found(at) = tried.found else { continue };
            let surroundings = context(self.anchor, &tried.file, at, at + self.anchor.line_hashes.len());
            if commit.is_none() && surroundings < CONTEXT_WEAK {
                continue;
            }
            let is_of_kind = !FileKind::of(&file.path).is_less_than(cited_kind);
            let key = (is_of_kind, surroundings, segments_alike(&file.path, &self.anchor.place.path));
            if best.as_ref().is_none_or(|(before, _)| key > *before) {
                best = Some((key, tried));
            }
        }
        Ok(best.map(|(_, tried)| tried))
    }

    /// Returns the anchor's commit, if its tree can be read.
    fn readable_commit(&self) -> Option<ObjectId> {
        self.anchor.commit.filter(|commit| self.verifier.tree(Some(*commit)).is_ok())
    }

    /// Searches for the block in a file that the cited one did not become.
    fn look_elsewhere(&self, file: &CodeFile, lines: Arc<FileLines>) -> CodeResult<SearchedFile> {
        let blob = file.entry.id;
        let found = if occurrences(lines.hashes(), &self.anchor.line_hashes).is_empty() {
            InFile::Nothing
        } else {
            let at = (file.path.as_str(), blob, &*lines);
            let taken = match self.readable_commit() {
                Some(commit) => held_before(self.verifier, self.anchor, commit, at)?,
                None => Vec::new(),
            };
            in_other_file(self.anchor, self.before(blob, &lines).as_ref(), &lines, &taken)
        };
        Ok(SearchedFile { path: file.path.clone(), blob, file: lines, found, method: Method::Relocated })
    }

    /// Handles a file whose lines cannot be searched. It is a doubt, unless the block cannot have
    /// moved into it. If the anchor's commit cannot be read, there is no proof that a large file is
    /// new.
    fn passed_over(&mut self, file: &CodeFile, error: CodeError) {
        let is_doubt = match error.why {
            Unverifiable::Binary => false,
            Unverifiable::TooLarge | Unverifiable::Minified => {
                self.readable_commit().is_some_and(|since| may_hold(self.verifier, self.anchor, since, file))
            }
            _ => true,
        };
        if is_doubt {
            self.doubt(error);
        }
    }

    fn was_tried(&self, path: &str) -> bool {
        self.tried.iter().any(|tried| tried.path == path)
    }

    fn try_path(&mut self, path: &str, method: Method) -> Option<CitationVerdict> {
        if self.was_tried(path) {
            return None;
        }
        let entry = match self.verifier.entry(path) {
            Ok(entry) => entry.filter(|entry| entry.kind != EntryKind::Directory)?,
            Err(error) => {
                self.doubt(error);
                return None;
            }
        };
        match self.verifier.lines(&entry) {
            Ok(file) => self.try_file(path, entry.id, file, method),
            Err(error) => {
                self.doubt(error);
                None
            }
        }
    }

    fn try_file(
        &mut self,
        path: &str,
        blob: ObjectId,
        file: Arc<FileLines>,
        method: Method,
    ) -> Option<CitationVerdict> {
        let found = self.look(path, blob, &file);
        self.taken(SearchedFile { path: path.to_owned(), blob, file, found, method })
    }

    fn look(&self, path: &str, blob: ObjectId, file: &FileLines) -> InFile {
        in_file(self.anchor, &|| self.before(blob, file), file, path == self.anchor.place.path)
    }

    fn map(&self, old: &EarlierFile, blob: ObjectId, file: &FileLines) -> Rc<LineMap> {
        self.verifier.map((self.anchor.blob, &old.file), (blob, file))
    }

    /// Records a searched file, and returns a verdict if the block is in it.
    fn taken(&mut self, tried: SearchedFile) -> Option<CitationVerdict> {
        let verdict = match tried.found {
            InFile::Found(at) => self.confirmed(&tried, at),
            InFile::OthersOnly => {
                if occurrences(tried.file.hashes(), &self.anchor.line_hashes).len() == OCCURRENCES_MAX {
                    self.doubt(too_many());
                }
                None
            }
            InFile::Nothing => None,
        };
        self.tried.push(tried);
        verdict
    }

    /// Returns the verdict on a block that was found by the hashes of its lines, if its own hash
    /// agrees.
    fn confirmed(&mut self, tried: &SearchedFile, from: usize) -> Option<CitationVerdict> {
        let to = from + self.anchor.line_hashes.len();
        let block = Block::new(&tried.file, from, to);
        if block.snippet_hash() != self.anchor.snippet_hash {
            return None;
        }
        let mut verdict = tried.verdict(from, to)?;
        if tried.method == Method::Moved && self.is_in_place(tried, from) {
            verdict.method = Method::InPlace;
            verdict.found = Some(self.anchor.place.clone());
        }
        let (verdict, meaning) = self.judged(verdict, tried, (from, to), None);
        if meaning.is_some_and(OtherMeaning::is_elsewhere) {
            self.lesser.get_or_insert(verdict);
            return None;
        }
        Some(verdict)
    }

    /// Returns the verdict on equal text, drifted if it may have another meaning there.
    fn judged(
        &self,
        verdict: CitationVerdict,
        tried: &SearchedFile,
        (from, to): (usize, usize),
        rewrapped: Option<(usize, usize)>,
    ) -> (CitationVerdict, Option<OtherMeaning>) {
        let (path, file) = (tried.path.as_str(), &*tried.file);
        let text = EqualText { anchor: self.anchor, path, file, from, to, rewrapped };
        text.judged(verdict, &|| self.before(tried.blob, file))
    }

    fn is_in_place(&self, tried: &SearchedFile, from: usize) -> bool {
        let place = &self.anchor.place;
        tried.file.between(place.line_start, place.line_end) == (from..from + self.anchor.line_hashes.len())
    }

    /// Step 5: other line breaks.
    fn other_line_breaks(&self) -> Option<CitationVerdict> {
        self.likeliest().find_map(|tried| {
            let alone = match tried.found {
                InFile::Nothing if self.is_anothers(tried) => None,
                InFile::Nothing => rewrapped(self.anchor, &tried.file, &|| self.expected(tried)),
                InFile::Found(_) | InFile::OthersOnly => None,
            };
            let together = || {
                let is_same_file = tried.method != Method::Relocated;
                let before = if is_same_file { self.before(tried.blob, &tried.file) } else { None };
                rewrapped_with_neighbours(self.anchor, &before?, &tried.file)
            };
            let found = alone.or_else(together)?;
            let mut verdict = tried.verdict(found.new.0, found.new.1)?;
            verdict.method = Method::Reformatted;
            let cited = || self.old().map(|old| (old.first, old.first + self.anchor.line_hashes.len()));
            Some(self.judged(verdict, tried, found.new, found.old.or_else(cited)).0)
        })
    }

    /// Returns true if the block was in that file before, so that a match with other line breaks is
    /// that block.
    fn is_anothers(&self, tried: &SearchedFile) -> bool {
        let commit = if tried.method == Method::Relocated { self.readable_commit() } else { None };
        commit.is_some_and(|commit| {
            stood_before(self.verifier, self.anchor, commit, &tried.path).unwrap_or(false)
        })
    }

    /// Returns the files in which changed lines are searched for.
    fn likeliest(&self) -> impl Iterator<Item = &SearchedFile> {
        self.tried.iter().take(CHANGED_FILES_MAX)
    }

    /// Returns the expected start of the block in a file.
    fn expected(&self, tried: &SearchedFile) -> usize {
        match self.old() {
            Some(old) => self.map(old, tried.blob, &tried.file).expected(old.first),
            None => tried.file.between(self.anchor.place.line_start, u32::MAX).start,
        }
    }

    /// Step 7: similar lines.
    fn similar_lines(&mut self) -> Option<CitationVerdict> {
        let old_lines = self.old_lines();
        let best = self.likeliest().filter_map(|tried| {
            let before = self.before(tried.blob, &tried.file);
            Some((similar(self.anchor, &old_lines, before.as_ref(), &tried.file)?, tried))
        });
        let (window, tried) = best.reduce(|a, b| if b.0.is_better_than(&a.0) { b } else { a })?;
        let SimilarWindow { from, to, lines, split, .. } = window;
        let mut verdict = tried.verdict(from, to)?;
        verdict.verdict = Verdict::Drifted;
        verdict.method = if split { Method::Split } else { Method::Fuzzy };
        verdict.similarity = Some(lines);
        let is_lost = lost(&self.anchor.grounded, tried.file.lines(from, to));
        verdict.drift = Some(if is_lost { Drift::High } else { Drift::Low });
        verdict.diff =
            diff_text(&self.anchor.place, &old_lines, verdict.found.as_ref()?, &tried.file, from, to);
        Some(verdict)
    }

    /// Returns the cited lines in normal form; empty if neither they nor their file are available.
    fn old_lines(&self) -> Vec<String> {
        if !self.anchor.lines.is_empty()
            && snippet_hash(self.anchor.lines.iter().map(String::as_str)) == self.anchor.snippet_hash
        {
            return self.anchor.lines.clone();
        }
        let Some(old) = self.old() else { return Vec::new() };
        let to = old.first + self.anchor.line_hashes.len();
        old.file.lines(old.first, to).map(str::to_owned).collect()
    }

    /// Step 8: no match.
    fn nowhere(&self, cited: Option<CodeEntry>) -> CitationVerdict {
        if let Some(doubt) = &self.doubt {
            return CitationVerdict::unverifiable(doubt.why, doubt.retry_after_ms);
        }
        let mut verdict = CitationVerdict::new(Verdict::Gone, Method::None);
        verdict.blob = cited.map(|entry| entry.id);
        let detail = match &self.here {
            None => "file_missing",
            Some(file) if self.anchor.place.line_end > file.total() => "range_out_of_bounds",
            Some(_) => "block_gone",
        };
        verdict.detail = Some(detail.to_owned());
        verdict
    }

    /// Records the first reason for which a lookup was cut off.
    fn doubt(&mut self, error: CodeError) {
        self.doubt.get_or_insert(error);
    }
}
