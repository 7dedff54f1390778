//! Text that equals the cited one except for white space or line breaks, but may have another
//! meaning in its new place. It can be nested differently, be in a comment, in a string or in a
//! file that is not code, or have other white space inside its strings. Such text is drifted, never
//! valid.

use loci_model::facts::citation::Anchor;
use loci_model::facts::verdict::{CitationVerdict, Drift, Verdict};

use super::file_search::EarlierAnchorFile;
use crate::verifier::code_structure::code_text::{CodeText, quoted_texts};
use crate::verifier::code_structure::nesting::{
    deciding_places, is_decided_by_indentation, never_runs, statements, tabs_are_meaning,
};
use crate::verifier::lines::block::{Block, indentation_is_meaning};
use crate::verifier::lines::diff_text::line_by_line;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::names::file_kind::FileKind;

/// The reason why equal text may have another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherMeaning {
    /// A file of another kind.
    Kind,
    /// A comment, a string, or code under a condition that is never true.
    NotCode,
    /// Other indentation, where it is significant.
    Nesting,
    /// Other white space inside a string.
    Strings,
}

impl OtherMeaning {
    /// Returns the word in a verdict's detail.
    fn as_str(self) -> &'static str {
        match self {
            Self::Kind => "other_kind_of_file",
            Self::NotCode => "not_code_any_more",
            Self::Nesting => "nested_otherwise",
            Self::Strings => "string_changed",
        }
    }

    /// Returns true if the original text may exist elsewhere.
    pub(super) fn is_elsewhere(self) -> bool {
        matches!(self, Self::Kind | Self::NotCode)
    }
}

/// The lines of a file, end excluded, that contain the cited text.
pub(super) struct EqualText<'a> {
    pub(super) anchor: &'a Anchor,
    pub(super) path: &'a str,
    pub(super) file: &'a FileLines,
    pub(super) from: usize,
    pub(super) to: usize,
    /// The lines before the change, end excluded, if the line breaks differ.
    pub(super) rewrapped: Option<(usize, usize)>,
}

impl EqualText<'_> {
    /// Returns the verdict, drifted with the reason if the text may have another meaning.
    pub(super) fn judged<'b>(
        &self,
        mut verdict: CitationVerdict,
        before: &dyn Fn() -> Option<EarlierAnchorFile<'b>>,
    ) -> (CitationVerdict, Option<OtherMeaning>) {
        let before = if self.needs_before() { before() } else { None };
        let meaning = self.other_meaning(before.as_ref());
        if let Some(meaning) = meaning {
            verdict.verdict = Verdict::Drifted;
            verdict.drift = Some(Drift::High);
            verdict.similarity = Some(1.0);
            verdict.detail = Some(meaning.as_str().to_owned());
            let old = before.map(|before| self.old_lines(&before).map(str::to_owned).collect::<Vec<_>>());
            let found = verdict.found.as_ref();
            verdict.diff = old.zip(found).and_then(|(old, found)| {
                line_by_line(&self.anchor.place, &old, found, &self.lines().collect::<Vec<_>>())
            });
        }
        verdict.reindented = self.rewrapped.is_none() && meaning == Some(OtherMeaning::Nesting);
        (verdict, meaning)
    }

    /// Returns true if the earlier file could change the answer; it may have to be fetched.
    fn needs_before(&self) -> bool {
        let has_space =
            |line: &str| quoted_texts(self.path, line).iter().any(|text| text.contains(char::is_whitespace));
        indentation_is_meaning(self.path)
            || tabs_are_meaning(self.path)
            || self.rewrapped.is_some()
            || self.lines().any(has_space)
            || !is_code(self.path, self.file, self.from)
    }

    fn other_meaning(&self, before: Option<&EarlierAnchorFile<'_>>) -> Option<OtherMeaning> {
        if FileKind::of(self.path).is_less_than(FileKind::of(&self.anchor.place.path)) {
            return Some(OtherMeaning::Kind);
        }
        if indentation_is_meaning(self.path) && !self.is_nested_alike(before) {
            return Some(OtherMeaning::Nesting);
        }
        let before = before?;
        let old_path = self.anchor.place.path.as_str();
        if is_code(old_path, before.file, before.first) && !is_code(self.path, self.file, self.from) {
            return Some(OtherMeaning::NotCode);
        }
        if self.is_decided_otherwise(before) || self.has_other_tabs(before) {
            return Some(OtherMeaning::Nesting);
        }
        let strings = |lines: Vec<&str>| -> Vec<String> {
            let of_line = |line: &str| -> Vec<String> {
                quoted_texts(self.path, line).into_iter().map(str::to_owned).collect()
            };
            let all = lines.into_iter().flat_map(of_line);
            all.filter(|text| text.contains(char::is_whitespace)).collect()
        };
        let (old, new) = (strings(self.old_lines(before).collect()), strings(self.lines().collect()));
        (old != new).then_some(OtherMeaning::Strings)
    }

    /// Returns true if each line, or each statement after a change of line breaks, has its earlier
    /// depth.
    fn is_nested_alike(&self, before: Option<&EarlierAnchorFile<'_>>) -> bool {
        let profile = || Block::new(self.file, self.from, self.to).indent_profile();
        if self.rewrapped.is_none() && profile() == self.anchor.indent_profile {
            return true;
        }
        // Without the earlier file there is no proof that only the lines of one statement changed.
        before.is_some_and(|before| {
            let (old, new) = (self.old_lines(before), self.lines());
            statements(&self.anchor.place.path, old) == statements(self.path, new)
        })
    }

    /// Returns true if the lines that decide about the text differ from the earlier ones in content
    /// or number.
    fn is_decided_otherwise(&self, before: &EarlierAnchorFile<'_>) -> bool {
        if !is_decided_by_indentation(self.path) {
            return false;
        }
        let old = deciding_places(&self.anchor.place.path, before.file, before.first);
        let new = deciding_places(self.path, self.file, self.from);
        let is_other = |(old, new): (&usize, &usize)| before.map.get(*old).is_some_and(|to| to != *new);
        old.len() != new.len() || old.iter().zip(&new).any(is_other)
    }

    fn has_other_tabs(&self, before: &EarlierAnchorFile<'_>) -> bool {
        let is_tab = |line: &str| line.starts_with('\t');
        tabs_are_meaning(self.path)
            && self.rewrapped.is_none()
            && self.old_lines(before).map(is_tab).ne(self.lines().map(is_tab))
    }

    /// Returns the lines as in the file, without blank ones.
    fn lines(&self) -> impl Iterator<Item = &str> {
        written_lines(self.file, self.from, self.to)
    }

    /// Returns the cited lines as they were in the file.
    fn old_lines<'b>(&self, before: &EarlierAnchorFile<'b>) -> impl Iterator<Item = &'b str> + use<'b> {
        let cited = (before.first, before.first + self.anchor.line_hashes.len());
        let (from, to) = self.rewrapped.unwrap_or(cited);
        written_lines(before.file, from, to)
    }
}

fn written_lines(file: &FileLines, from: usize, to: usize) -> impl Iterator<Item = &str> {
    let first = file.number(from).unwrap_or(u32::MAX);
    let last = to.checked_sub(1).and_then(|at| file.number(at)).unwrap_or(first);
    file.raw(first, last).lines().filter(|line| !line.trim().is_empty())
}

/// Returns true if a line is code that can run.
fn is_code(path: &str, file: &FileLines, from: usize) -> bool {
    let mut scan = CodeText::of(path);
    let above = file.number(from).unwrap_or(1).saturating_sub(1);
    if above > 0 {
        file.raw(1, above).lines().for_each(|line| drop(scan.line(line)));
    }
    scan.is_in_code() && !never_runs(path, file, from)
}
