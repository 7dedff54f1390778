//! Imports of Java and Kotlin. They resolve by the packages that files state and the names that
//! they declare, regardless of the files' directories. Files of one package use each other's names
//! without an import.

use std::collections::BTreeSet;

use super::super::layout::{Basis, Declarers, FileNumber, ImportTarget, Layout};
use super::super::scan::{Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, Syntax, Tokens, tokens};
use super::go::{first_lines, words};

const JAVA: Syntax = Syntax {
    has_hash_comments: false,
    nests: false,
    has_triple: true,
    is_multiline: false,
    has_raw: false,
    has_regex: false,
    apostrophe: Apostrophe::Character,
    backtick: Backtick::Plain,
};
const KOTLIN: Syntax = Syntax { nests: true, backtick: Backtick::Word, ..JAVA };
/// The wildcard for all names of a package.
const ALL: &str = "*";
/// The maximum number of tokens of type parameters that are read.
const PARAMETERS_MAX: usize = 64;
const TYPES: &[&str] = &["class", "interface", "enum", "record", "object", "typealias"];

pub(in super::super) fn scan_java(text: &str) -> Scan {
    scan(text, &JAVA, TYPES)
}

pub(in super::super) fn scan_kotlin(text: &str) -> Scan {
    let kinds: Vec<&str> = TYPES.iter().copied().chain(["fun", "val", "var"]).collect();
    scan(text, &KOTLIN, &kinds)
}

fn scan(text: &str, syntax: &Syntax, kinds: &[&str]) -> Scan {
    let placed = tokens(text, syntax);
    let tokens = Tokens(&placed);
    let mut scan = Scan { words: words(&placed), ..Scan::default() };
    let mut depth = 0_usize;
    for (at, one) in placed.iter().enumerate() {
        if tokens.is(at, '{') || tokens.is(at, '(') {
            depth += 1;
        } else if tokens.is(at, '}') || tokens.is(at, ')') {
            depth = depth.saturating_sub(1);
        }
        let Some(word) = tokens.word(at).filter(|_| depth == 0) else { continue };
        match word {
            "package" if one.is_first => scan.package = Some(tokens.dotted(at + 1).0.join(".")),
            "import" if one.is_first => scan.imports.push(import(tokens, at + 1, one.line)),
            kind if kinds.contains(&kind) => {
                scan.declares.extend(declared(tokens, at + 1).map(str::to_owned))
            }
            _ => {}
        }
    }
    scan
}

fn import(tokens: Tokens<'_, '_>, at: usize, line: u32) -> Import {
    let at = if tokens.word(at) == Some("static") { at + 1 } else { at };
    let (words, behind) = tokens.dotted(at);
    let mut module = words.join(".");
    if tokens.is(behind, '.') && tokens.is(behind + 1, '*') {
        module.push_str(".*");
    }
    Import::new(module, line)
}

/// Returns the name after `class` or `fun`. Type parameters and the receiver type of an extension
/// function are skipped.
fn declared<'a>(tokens: Tokens<'a, '_>, mut at: usize) -> Option<&'a str> {
    if tokens.is(at, '<') {
        let mut depth = 0_usize;
        for _ in 0..PARAMETERS_MAX {
            depth += usize::from(tokens.is(at, '<'));
            depth = depth.saturating_sub(usize::from(tokens.is(at, '>')));
            at += 1;
            if depth == 0 {
                break;
            }
        }
    }
    // The second keyword of `enum class` and `annotation class` is reached on its own.
    let (words, _) = tokens.dotted(at);
    words.last().copied().filter(|word| !TYPES.contains(word))
}

/// Returns the files that an import resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let found = |files: Vec<FileNumber>| {
        files.into_iter().filter(|file| *file != from).map(|file| (file, Basis::Path)).collect()
    };
    if let Some(package) = import.module.strip_suffix(".*")
        && let Some(declared) = layout.declared_in_package(package)
    {
        return found(used_of(layout, from, declared).into_iter().map(|(file, _)| file).collect());
    }
    // `a.b.C.D` and `a.b.C.member` are in the file of `a.b.C`.
    let module = import.module.trim_end_matches(ALL).trim_end_matches('.');
    let mut rest = module;
    while let Some((package, name)) = rest.rsplit_once('.') {
        let declared = layout.declared_in_package(package).and_then(|declared| declared.get(name));
        let files = declared.filter(|files| layout.compares(files.len())).cloned().unwrap_or_default();
        if !files.is_empty() {
            return found(files);
        }
        rest = package;
    }
    Vec::new()
}

/// Returns the files of the same package whose names a file uses.
pub(in super::super) fn seen(layout: &Layout, from: FileNumber) -> Vec<(FileNumber, u32)> {
    let package = layout.scan(from).and_then(|scan| scan.package.as_deref());
    let declared = package.and_then(|package| layout.declared_in_package(package));
    declared.map_or_else(Vec::new, |declared| used_of(layout, from, declared))
}

/// Returns the declaring files whose names a file uses, each with the first line of use. A name
/// that the file imports from elsewhere or declares itself does not count.
fn used_of(layout: &Layout, from: FileNumber, declared: &Declarers) -> Vec<(FileNumber, u32)> {
    let Some(scan) = layout.scan(from).filter(|scan| layout.compares(scan.imports.len())) else {
        return Vec::new();
    };
    let imported: BTreeSet<&str> =
        scan.imports.iter().filter_map(|import| import.module.rsplit('.').next()).collect();
    let is_used = |name: &str| !scan.declares.contains(name) && !imported.contains(name);
    let used = layout.used(scan, declared).into_iter().filter(|(name, _, _)| is_used(name));
    first_lines(used).into_iter().filter(|(file, _)| *file != from).collect()
}
