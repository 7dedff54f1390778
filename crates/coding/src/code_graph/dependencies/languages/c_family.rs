//! Includes of C and C++. A quoted path is searched in the directory of the including file first.
//! Others are searched in the usual include directories, then by their ending. Search paths of
//! build systems are not read.

use super::super::layout::{Basis, FileNumber, ImportTarget, Layout, join, relative, split, upwards};
use super::super::scan::{Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, Syntax, Token, Tokens, tokens};

const SYNTAX: Syntax = Syntax {
    has_hash_comments: false,
    nests: false,
    has_triple: false,
    is_multiline: false,
    has_raw: false,
    has_regex: false,
    apostrophe: Apostrophe::Character,
    backtick: Backtick::Plain,
};
/// Directories searched for includes, below each directory above the file.
const ROOTS: &[&str] = &["include", "inc", "src", ""];
const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx"];
const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx"];

pub(in super::super) fn scan(text: &str) -> Scan {
    let placed = tokens(text, &SYNTAX);
    let tokens = Tokens(&placed);
    let mut imports = Vec::new();
    for (at, one) in placed.iter().enumerate() {
        let is_include =
            one.is_first && tokens.is(at, '#') && matches!(tokens.word(at + 1), Some("include" | "import"));
        if !is_include {
            continue;
        }
        if let Some(path) = tokens.text(at + 2) {
            imports.push(Import::new(path, one.line));
        } else if tokens.is(at + 2, '<') {
            let path = placed
                .iter()
                .skip(at + 3)
                .take_while(|part| part.line == one.line && part.token != Token::Sign('>'));
            let path: String = path.map(|part| spelled(part.token)).collect();
            imports.push(Import { is_system: true, ..Import::new(path, one.line) });
        }
    }
    Scan { imports, ..Scan::default() }
}

fn spelled(token: Token<'_>) -> String {
    match token {
        Token::Word(word) | Token::Text(word) => word.to_owned(),
        Token::Sign(sign) => sign.to_string(),
    }
}

/// Returns the files that an include resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let (directory, _) = split(layout.path(from));
    let near = (!import.is_system).then(|| relative(directory, &import.module)).flatten();
    let near = near.and_then(|path| layout.file(&path));
    let searched = || {
        let roots = upwards(directory).flat_map(|above| ROOTS.iter().map(move |root| join(above, root)));
        roots.filter_map(|root| layout.file(&relative(&root, &import.module)?)).next()
    };
    // `<string.h>` is a system header, even if the tree contains a file of this name.
    let is_plain = import.is_system && !import.module.contains('/');
    let guessed = || (!is_plain).then(|| layout.only_ending(&import.module)).flatten();
    let found = near.map(|file| (file, Basis::Path));
    let found = found.or_else(|| (!is_plain).then(searched).flatten().map(|file| (file, Basis::Path)));
    let found = found.or_else(|| guessed().map(|file| (file, Basis::Name)));
    found.filter(|(file, _)| *file != from).into_iter().collect()
}

/// Returns the source files of a header in its directory: a change of a source file changes the
/// functions that includers of the header call.
pub(in super::super) fn seen(layout: &Layout, from: FileNumber) -> Vec<(FileNumber, u32)> {
    let Some((stem, ending)) = layout.path(from).rsplit_once('.') else { return Vec::new() };
    if !HEADERS.contains(&ending) {
        return Vec::new();
    }
    SOURCES.iter().filter_map(|ending| Some((layout.file(&format!("{stem}.{ending}"))?, 1))).collect()
}
