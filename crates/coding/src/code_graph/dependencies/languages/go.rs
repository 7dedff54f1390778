//! Imports of Go. A package is a directory: an import resolves to the files of the directory that
//! declare a name which the importing file uses. Files of one package use each other's names
//! without an import.

use std::collections::{BTreeMap, BTreeSet};

use super::super::layout::{Basis, FileNumber, ImportTarget, Layout, join, split};
use super::super::scan::{Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, PositionedToken, Syntax, Token, Tokens, tokens};

const SYNTAX: Syntax = Syntax {
    has_hash_comments: false,
    nests: false,
    has_triple: false,
    is_multiline: false,
    has_raw: false,
    has_regex: false,
    apostrophe: Apostrophe::Character,
    backtick: Backtick::Text { has_escapes: false },
};
const TEST: &str = "_test.go";

pub(in super::super) fn scan(text: &str) -> Scan {
    let placed = tokens(text, &SYNTAX);
    let tokens = Tokens(&placed);
    let mut scan = Scan { words: words(&placed), ..Scan::default() };
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(one) = tokens.at(at) {
        match tokens.word(at).filter(|_| depth == 0 && one.is_first) {
            Some("package") => scan.package = tokens.word(at + 1).map(str::to_owned),
            Some("import") => at = imports(tokens, at + 1, &mut scan.imports),
            Some("func") => scan.declares.extend(tokens.word(at + 1).map(str::to_owned)),
            Some("type" | "var" | "const") => at = declared(tokens, at + 1, &mut scan.declares),
            _ => {}
        }
        if tokens.is(at, '{') || tokens.is(at, '(') {
            depth += 1;
        } else if tokens.is(at, '}') || tokens.is(at, ')') {
            depth = depth.saturating_sub(1);
        }
        if let (Some(word), true, Some(member)) =
            (tokens.word(at), tokens.is(at + 1, '.'), tokens.word(at + 2))
        {
            scan.members.entry(word.to_owned()).or_default().insert(member.to_owned());
        }
        at += 1;
    }
    scan
}

/// Returns the words of a file, each with its first line.
pub(super) fn words(placed: &[PositionedToken<'_>]) -> BTreeMap<String, u32> {
    let mut words = BTreeMap::new();
    for one in placed {
        if let Token::Word(word) = one.token {
            words.entry(word.to_owned()).or_insert(one.line);
        }
    }
    words
}

/// Reads `"a/b"`, `c "a/b"`, or several in brackets. Returns the position of the last token.
fn imports(tokens: Tokens<'_, '_>, mut at: usize, imports: &mut Vec<Import>) -> usize {
    let in_brackets = tokens.is(at, '(');
    at += usize::from(in_brackets);
    let mut alias = None;
    while let Some(one) = tokens.at(at) {
        match one.token {
            Token::Word(word) => alias = Some(word.to_owned()),
            Token::Sign('.') => alias = Some(".".to_owned()),
            Token::Text(module) => {
                imports.push(Import { alias: alias.take(), ..Import::new(module, one.line) });
                if !in_brackets {
                    return at;
                }
            }
            Token::Sign(';') => {}
            Token::Sign(_) => return at.saturating_sub(usize::from(!in_brackets)),
        }
        at += 1;
    }
    at
}

/// Reads `A`, `A, B =`, or one declaration a line in brackets. Returns the position of the last
/// token read.
fn declared(tokens: Tokens<'_, '_>, mut at: usize, declares: &mut BTreeSet<String>) -> usize {
    if !tokens.is(at, '(') {
        loop {
            declares.extend(tokens.word(at).map(str::to_owned));
            if !tokens.is(at + 1, ',') {
                return at;
            }
            at += 2;
        }
    }
    let mut depth = 0_usize;
    while let Some(one) = tokens.at(at) {
        match one.token {
            Token::Sign('(' | '{' | '[') => depth += 1,
            Token::Sign(')' | '}' | ']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            Token::Word(name) if depth == 1 && one.is_first => {
                declares.insert(name.to_owned());
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns the files that an import resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let Some(directory) = directory_of(layout, &import.module) else { return Vec::new() };
    let is_meant = |file: &FileNumber| is_source(layout.path(*file)) && *file != from;
    let files = || layout.in_directory(&directory).iter().copied().filter(is_meant);
    let stated = files().find_map(|file| layout.scan(file)?.package.as_deref());
    let name = import.alias.as_deref().or(stated).unwrap_or_else(|| split(&import.module).1);
    let Some(own) = layout.scan(from) else { return Vec::new() };
    let declared = layout.declared_in_directory(&directory);
    let declaring: BTreeSet<FileNumber> = match (name, own.members.get(name)) {
        (".", _) => layout.used(own, declared).iter().flat_map(|(_, _, files)| *files).copied().collect(),
        (_, Some(members)) if layout.compares(members.len()) => {
            members.iter().filter_map(|member| declared.get(member)).flatten().copied().collect()
        }
        (_, Some(_) | None) => BTreeSet::new(),
    };
    let declaring: Vec<FileNumber> = declaring.into_iter().filter(is_meant).collect();
    // An import that uses no name, such as one for side effects, resolves to all files of the
    // package.
    let meant = if declaring.is_empty() { files().collect() } else { declaring };
    let has_room = layout.compares(meant.len());
    meant.into_iter().filter(|_| has_room).map(|file| (file, Basis::Path)).collect()
}

/// Returns the files of the same package whose names a file uses.
pub(in super::super) fn seen(layout: &Layout, from: FileNumber) -> Vec<(FileNumber, u32)> {
    let (directory, _) = split(layout.path(from));
    let Some(scan) = layout.scan(from) else { return Vec::new() };
    let package = |scan: &Scan| scan.package.as_deref().map(|name| name.trim_end_matches("_test").to_owned());
    let own = package(scan);
    let is_other = |file: FileNumber| {
        file != from && is_source(layout.path(file)) && layout.scan(file).and_then(package) == own
    };
    let is_used = |name: &str| !scan.declares.contains(name) && name != "main" && name != "init";
    let used = layout.used(scan, layout.declared_in_directory(directory));
    let used = used.into_iter().filter(|(name, _, _)| is_used(name));
    first_lines(used).into_iter().filter(|(file, _)| is_other(*file)).collect()
}

/// Returns the first line of each file on which one of its names is used.
pub(super) fn first_lines<'a>(
    used: impl Iterator<Item = (&'a str, u32, &'a [FileNumber])>,
) -> BTreeMap<FileNumber, u32> {
    let mut lines = BTreeMap::new();
    for (_, line, files) in used {
        for file in files {
            let first = lines.entry(*file).or_insert(line);
            *first = line.min(*first);
        }
    }
    lines
}

fn is_source(path: &str) -> bool {
    path.ends_with(".go") && !path.ends_with(TEST)
}

/// Returns the directory of a package: the directory of its module and the rest of its path.
fn directory_of(layout: &Layout, module: &str) -> Option<String> {
    let names = std::iter::successors(Some(module), |name| name.rsplit_once('/').map(|(above, _)| above));
    let (name, directory) = names.filter_map(|name| Some((name, layout.go.directory(name)?))).next()?;
    Some(join(directory, module.strip_prefix(name)?.trim_start_matches('/')))
}
