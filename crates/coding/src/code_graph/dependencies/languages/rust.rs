//! Imports of Rust: `use` trees and paths in the code, from the crate, from `self` and `super`,
//! from a module that the file declares, and from another package of the workspace. `#[path]` and
//! renamed dependencies are not read.

use std::collections::{BTreeMap, BTreeSet};

use super::super::layout::{Basis, FileNumber, ImportTarget, Layout, above, join, split};
use super::super::scan::{FILE_IMPORTS_MAX, Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, Syntax, Tokens, tokens};

const SYNTAX: Syntax = Syntax {
    has_hash_comments: false,
    nests: true,
    has_triple: false,
    is_multiline: true,
    has_raw: true,
    has_regex: false,
    apostrophe: Apostrophe::Character,
    backtick: Backtick::Plain,
};
/// The maximum depth of nested braces in one `use`.
const DEPTH_MAX: usize = 32;
/// The maximum number of segments of a path that are read.
const SEGMENTS_MAX: usize = 12;
/// The maximum size of a segment, in bytes.
const SEGMENT_BYTES_MAX: usize = 128;
const SEPARATOR: &str = "::";

pub(in super::super) fn scan(text: &str) -> Scan {
    let placed = tokens(text, &SYNTAX);
    let mut reader = Reader { tokens: Tokens(&placed), levels: Vec::new(), depth: 0, found: BTreeMap::new() };
    let mut declares = BTreeSet::new();
    let mut at = 0;
    while let Some(token) = reader.tokens.at(at) {
        at = reader.step(at, token.line, &mut declares);
    }
    let imports = reader.found.into_iter().map(|(module, line)| Import::new(module, line)).collect();
    Scan { imports, declares, ..Scan::default() }
}

struct Reader<'a, 'b> {
    tokens: Tokens<'a, 'b>,
    /// The depths of braces at which inline modules are open.
    levels: Vec<usize>,
    depth: usize,
    found: BTreeMap<String, u32>,
}

impl<'a> Reader<'a, '_> {
    /// Reads the item at a position, and returns the next position.
    fn step(&mut self, at: usize, line: u32, declares: &mut BTreeSet<String>) -> usize {
        let tokens = self.tokens;
        if tokens.is(at, '{') {
            self.depth += 1;
        } else if tokens.is(at, '}') {
            self.depth = self.depth.saturating_sub(1);
            self.levels.pop_if(|level| *level > self.depth);
        }
        if tokens.word(at) == Some("mod")
            && let Some(name) = tokens.word(at + 1)
        {
            if tokens.is(at + 2, '{') {
                self.depth += 1;
                self.levels.push(self.depth);
                return at + 3;
            }
            if tokens.is(at + 2, ';') && self.levels.is_empty() {
                declares.insert(name.to_owned());
            }
            return at + 2;
        }
        let is_use = tokens.word(at) == Some("use");
        let first = if is_use { at + 1 } else { at };
        let begins = tokens.word(first).is_some() && (is_use || self.is_separator(first + 1));
        if begins || (is_use && (tokens.is(first, '{') || self.is_separator(first))) {
            return self.tree(first, &mut Vec::new(), line, 0).max(at + 1);
        }
        at + 1
    }

    fn is_separator(&self, at: usize) -> bool {
        self.tokens.is(at, ':') && self.tokens.is(at + 1, ':')
    }

    /// Reads a path, or several in braces, and returns the next position.
    fn tree(&mut self, mut at: usize, path: &mut Vec<&'a str>, line: u32, depth: usize) -> usize {
        let own = path.len();
        if self.is_separator(at) {
            at += 2;
        }
        loop {
            if self.tokens.is(at, '{') && depth < DEPTH_MAX {
                at += 1;
                while self.tokens.at(at).is_some() && !self.tokens.is(at, '}') {
                    at = match self.tokens.is(at, ',') {
                        true => at + 1,
                        false => self.tree(at, path, line, depth + 1).max(at + 1),
                    };
                }
                path.truncate(own);
                return at + 1;
            }
            let Some(word) = self.tokens.word(at) else { break };
            path.push(word);
            at += 1;
            if !self.is_separator(at) {
                break;
            }
            at += 2;
        }
        if self.tokens.word(at) == Some("as") {
            at += 2;
        }
        self.put(path, line);
        path.truncate(own);
        at
    }

    /// Stores a path relative to the file: it removes the `super` segments that inline modules add.
    fn put(&mut self, path: &[&str], line: u32) {
        let path = path.get(..path.len().min(SEGMENTS_MAX)).unwrap_or_default();
        let Some(first) = path.first() else { return };
        if self.found.len() >= FILE_IMPORTS_MAX
            || path.iter().any(|segment| segment.len() > SEGMENT_BYTES_MAX)
        {
            return;
        }
        let ups = path.iter().take_while(|segment| **segment == "super").count();
        let level = self.levels.len();
        let module = match *first {
            "super" if ups < level => return,
            "super" => {
                let left = ups - level;
                let head = if left == 0 { vec!["self"] } else { vec!["super"; left] };
                let rest = path.iter().skip(ups).copied();
                head.into_iter().chain(rest).collect::<Vec<_>>().join(SEPARATOR)
            }
            "self" if level > 0 => return,
            "std" | "core" | "alloc" | "Self" => return,
            first if first.starts_with(char::is_uppercase) => return,
            _ => path.join(SEPARATOR),
        };
        self.found.entry(module).or_insert(line);
    }
}

/// Returns the files that an import resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let place = Module::of(layout, from);
    let mut segments = import.module.split(SEPARATOR).peekable();
    let first = segments.next().unwrap_or_default();
    let mut begin = match first {
        "crate" => place.root.clone(),
        "self" => place.directory.clone(),
        "super" => above(&place.directory).unwrap_or_default().to_owned(),
        name if layout.scan(from).is_some_and(|scan| scan.declares.contains(name)) => {
            segments = import.module.split(SEPARATOR).peekable();
            place.directory.clone()
        }
        name => match layout.cargo.directory(name) {
            Some(directory) => join(directory, "src"),
            None => return Vec::new(),
        },
    };
    while segments.next_if_eq(&"super").is_some() {
        begin = above(&begin).unwrap_or_default().to_owned();
    }
    let mut found = if begin == place.directory { Some(from) } else { owner(layout, &begin) };
    for segment in segments {
        let path = join(&begin, segment);
        let Some(next) = layout.first([format!("{path}.rs"), format!("{path}/mod.rs")]) else { break };
        (found, begin) = (Some(next), path);
    }
    found.filter(|found| *found != from).map(|found| (found, Basis::Path)).into_iter().collect()
}

/// The location of a module.
struct Module {
    /// The directory of its submodules.
    directory: String,
    /// The directory of the modules below the root of its crate.
    root: String,
}

impl Module {
    fn of(layout: &Layout, file: FileNumber) -> Self {
        let path = layout.path(file);
        let (directory, name) = split(path);
        let package = layout.cargo.nearest(directory).unwrap_or_default();
        let below = path.strip_prefix(package).unwrap_or(path).trim_start_matches('/');
        let segments: Vec<&str> = below.split('/').collect();
        let is_target = |name: &str| matches!(name, "tests" | "benches" | "examples");
        let root = match segments.as_slice() {
            ["src", "bin", _] => join(package, "src/bin"),
            ["src", "bin", program, ..] => join(package, &format!("src/bin/{program}")),
            [target, _] if is_target(target) => join(package, target),
            [target, program, ..] if is_target(target) => join(package, &format!("{target}/{program}")),
            _ => join(package, "src"),
        };
        let is_root = matches!(name, "mod.rs" | "lib.rs" | "main.rs")
            || (directory == root && root != join(package, "src"));
        let stem = name.strip_suffix(".rs").unwrap_or(name);
        Self { directory: if is_root { directory.to_owned() } else { join(directory, stem) }, root }
    }
}

/// Returns the file of the module whose submodules are in a directory.
fn owner(layout: &Layout, directory: &str) -> Option<FileNumber> {
    let within = ["mod.rs", "lib.rs", "main.rs"].map(|name| join(directory, name));
    layout.first(within).or_else(|| layout.file(&format!("{directory}.rs")))
}
