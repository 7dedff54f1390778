//! Citations proposed from text: the places of the files, lines and symbols that a text names, at
//! the verifier's revision.
//!
//! Ambiguous, generated and missing places are not cited, because a missing citation costs less
//! than a wrong one. The gates decide if a proposed place may be cited.

use std::ops::Range;
use std::sync::Arc;

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::{CodeFile, EntryKind};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_text::code_mentions::{Mention, mentions};

use crate::verifier::anchors::grounding::grounded;
use crate::verifier::code_structure::definitions::{DefinitionSearch, is_language};
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::words::words;
use crate::verifier::session::verifier::Verifier;
use crate::verifier::thresholds::SPAN_LINES_MAX;

/// The maximum number of files that are searched for definitions. In a larger repository symbols
/// are searched for in named files only.
const FILES_MAX: usize = 3_000;
/// The time limit of that search, in milliseconds.
const SEARCH_MS_MAX: u64 = 2_000;
/// The maximum number of places of one text.
const PLACES_MAX: usize = 20;
/// The number of lines cited of a file that is named without lines. The first lines show that it
/// exists.
const HEAD_LINES: usize = 8;

/// A file that a text names, with its lines.
struct NamedFile {
    file: CodeFile,
    text: Arc<FileLines>,
    lines: Option<(u32, u32)>,
}

/// A symbol that a text names.
struct NamedSymbol<'m> {
    search: DefinitionSearch<'m>,
    owner: Option<&'m str>,
    is_marked: bool,
}

/// A definition in a file.
struct FileDefinition {
    path: String,
    text: Arc<FileLines>,
    lines: Range<usize>,
}

impl Verifier<'_> {
    /// Returns the places that a text names, each once: places of lines first, then definitions,
    /// then first lines of files.
    ///
    /// `is_exact` means that the text was written at this revision, so its line numbers are valid.
    /// Otherwise lines count only if they contain words of the text. `with_beginnings` cites the
    /// first lines of a file that is named alone; otherwise `path_refs` handles such files.
    ///
    /// # Errors
    /// An error if the code cannot be read.
    pub fn propose(&self, text: &str, is_exact: bool, with_beginnings: bool) -> CodeResult<Vec<LineRange>> {
        let said = mentions(text);
        let mut named: Vec<NamedFile> = Vec::new();
        let mut wanted = Vec::new();
        for mention in &said {
            match mention {
                Mention::File { path, lines } => named.extend(self.named(path, *lines)?),
                Mention::Symbol { owner, name, is_marked } => wanted.push(NamedSymbol {
                    search: DefinitionSearch::new(name),
                    owner: owner.as_deref(),
                    is_marked: *is_marked,
                }),
            }
        }
        let mut places = Vec::new();
        named
            .iter()
            .filter_map(|one| by_lines(one, text, is_exact))
            .for_each(|place| add(&mut places, place));
        for defined in self.definitions(&wanted, &named)? {
            if let Some(place) = of_lines(&defined.path, &defined.text, defined.lines) {
                add(&mut places, place);
            }
        }
        for one in named.iter().filter(|one| with_beginnings && one.lines.is_none()) {
            if places.iter().all(|place: &LineRange| place.path != one.file.path)
                && let Some(place) = of_lines(&one.file.path, &one.text, 0..HEAD_LINES.min(one.text.len()))
            {
                add(&mut places, place);
            }
        }
        places.truncate(PLACES_MAX);
        Ok(places)
    }

    /// Returns the file that a path names: the whole path, or a suffix of exactly one path. A bare
    /// file name must be unique.
    fn named(&self, path: &str, lines: Option<(u32, u32)>) -> CodeResult<Option<NamedFile>> {
        let tree = self.tree(None)?;
        let attributes = self.attributes();
        let is_written =
            |file: &&CodeFile| file.entry.kind == EntryKind::File && !attributes.is_generated(&file.path);
        let is_end = |file: &&CodeFile| {
            file.path.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut ends = tree.iter().filter(is_end).filter(is_written);
        let exact = path.contains('/').then(|| tree.iter().filter(is_written).find(|file| file.path == path));
        let found = match (exact.flatten(), ends.next(), ends.next()) {
            (Some(exact), _, _) => exact,
            (None, Some(only), None) => only,
            _ => return Ok(None),
        };
        Ok(self.text_of(found)?.map(|text| NamedFile { file: found.clone(), text, lines }))
    }

    /// Returns the lines of a file; `None` if it has no text.
    fn text_of(&self, file: &CodeFile) -> CodeResult<Option<Arc<FileLines>>> {
        match self.lines(&file.entry) {
            Ok(text) => Ok(Some(text)),
            Err(CodeError {
                why:
                    Unverifiable::Binary
                    | Unverifiable::TooLarge
                    | Unverifiable::Minified
                    | Unverifiable::Submodule,
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the only definition of each symbol, if it is unique: in the named files, else in the
    /// whole tree.
    fn definitions(
        &self,
        wanted: &[NamedSymbol<'_>],
        named: &[NamedFile],
    ) -> CodeResult<Vec<FileDefinition>> {
        let mut found = Vec::new();
        let mut left = Vec::new();
        for symbol in wanted {
            let mut here: Vec<FileDefinition> = Vec::new();
            for one in named {
                let is_known = here.iter().any(|known| known.path == one.file.path);
                if !is_known {
                    here.extend(defined(symbol, &one.file.path, &one.text));
                }
            }
            match (only(symbol, here), symbol.is_marked) {
                (DefinitionCount::One(one), _) => found.push(one),
                (DefinitionCount::None, true) => left.push(symbol),
                (DefinitionCount::None, false) | (DefinitionCount::Several, _) => {}
            }
        }
        found.extend(self.in_tree(&left)?);
        Ok(found)
    }

    /// Searches the tree, if it is local and not too large. A file that was not searched could
    /// contain a second definition.
    fn in_tree(&self, wanted: &[&NamedSymbol<'_>]) -> CodeResult<Vec<FileDefinition>> {
        if wanted.is_empty() || !self.source.capabilities().history {
            return Ok(Vec::new());
        }
        let files = self.fresh_files(None)?;
        let code: Vec<&CodeFile> = files.iter().filter(|file| is_language(&file.path)).collect();
        let began_us = self.clock.monotonic_us();
        let mut found: Vec<Vec<FileDefinition>> = wanted.iter().map(|_| Vec::new()).collect();
        if code.len() > FILES_MAX {
            return Ok(Vec::new());
        }
        for file in code {
            if self.clock.monotonic_us().saturating_sub(began_us) > SEARCH_MS_MAX * 1_000 {
                return Ok(Vec::new());
            }
            let Some(text) = self.text_of(file)? else { continue };
            for (symbol, found) in wanted.iter().zip(&mut found) {
                found.extend(defined(symbol, &file.path, &text));
            }
        }
        let each = wanted.iter().zip(found).filter_map(|(symbol, found)| match only(symbol, found) {
            DefinitionCount::One(one) => Some(one),
            DefinitionCount::None | DefinitionCount::Several => None,
        });
        Ok(each.collect())
    }
}

/// The number of definitions found: none, one, or several.
enum DefinitionCount {
    None,
    One(FileDefinition),
    Several,
}

fn only(symbol: &NamedSymbol<'_>, mut found: Vec<FileDefinition>) -> DefinitionCount {
    if let Some(owner) = symbol.owner {
        // `json.loads` of a library is not the `loads` of this repository.
        let is_named = |one: &FileDefinition| is_named(owner, one);
        if found.iter().any(is_named) {
            found.retain(is_named);
        } else {
            found.retain(|one| has_block(owner, one));
        }
    }
    match (found.pop(), found.is_empty()) {
        (None, _) => DefinitionCount::None,
        (Some(one), true) => DefinitionCount::One(one),
        (Some(_), false) => DefinitionCount::Several,
    }
}

/// Returns true if the file, or the directory that it stands for, has the owner's name.
fn is_named(owner: &str, one: &FileDefinition) -> bool {
    let stem = one.path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    let is_whole = matches!(stem, "mod" | "lib" | "main" | "index" | "__init__");
    stem.eq_ignore_ascii_case(owner) || (is_whole && one.path.rsplit('/').nth(1) == Some(owner))
}

/// Returns true if the file defines the owner or has a block of it.
fn has_block(owner: &str, one: &FileDefinition) -> bool {
    let is_block = |line: &str| {
        (line.starts_with("impl") || line.starts_with("extension")) && words(line).any(|word| word == owner)
    };
    !DefinitionSearch::new(owner).find(&one.path, &one.text).is_empty()
        || one.text.lines(0, one.text.len()).any(is_block)
}

fn defined(symbol: &NamedSymbol<'_>, path: &str, text: &Arc<FileLines>) -> Vec<FileDefinition> {
    let one = |lines| FileDefinition { path: path.to_owned(), text: text.clone(), lines };
    symbol.search.find(path, text).into_iter().map(one).collect()
}

/// Returns the lines that a text names by their numbers, if they exist and contain words of it.
fn by_lines(named: &NamedFile, text: &str, is_exact: bool) -> Option<LineRange> {
    let (first, last) = named.lines?;
    let range = named.text.between(first, last);
    if last > named.text.total() || last - first >= SPAN_LINES_MAX || range.is_empty() {
        return None;
    }
    let holds = is_exact || !grounded(text, named.text.lines(range.start, range.end)).is_empty();
    holds.then(|| LineRange { path: named.file.path.clone(), line_start: first, line_end: last })
}

fn of_lines(path: &str, text: &FileLines, lines: Range<usize>) -> Option<LineRange> {
    let last = lines.end.checked_sub(1)?;
    Some(LineRange {
        path: path.to_owned(),
        line_start: text.number(lines.start)?,
        line_end: text.number(last)?,
    })
}

/// Adds a place, unless another one contains it.
fn add(places: &mut Vec<LineRange>, place: LineRange) {
    let holds = |one: &LineRange| {
        one.path == place.path && one.line_start <= place.line_start && place.line_end <= one.line_end
    };
    if !places.iter().any(holds) {
        places.push(place);
    }
}
