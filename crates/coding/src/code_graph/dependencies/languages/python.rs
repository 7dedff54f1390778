//! Imports of Python: `import`, `from … import`, `import_module("…")`. Relative imports resolve
//! along the packages; others from the root, from `src` and from directories above the file that
//! are not packages.

use super::super::layout::{Basis, FileNumber, ImportTarget, Layout, above, join, split, upwards};
use super::super::scan::{Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, Syntax, Tokens, tokens};

const SYNTAX: Syntax = Syntax {
    has_hash_comments: true,
    nests: false,
    has_triple: true,
    is_multiline: false,
    has_raw: false,
    has_regex: false,
    apostrophe: Apostrophe::Text,
    backtick: Backtick::Plain,
};
const PACKAGE: &[&str] = &["__init__.py", "__init__.pyi"];

pub(in super::super) fn scan(text: &str) -> Scan {
    let placed = tokens(text, &SYNTAX);
    let tokens = Tokens(&placed);
    let (mut imports, mut depth, mut at) = (Vec::new(), 0_usize, 0);
    while let Some(one) = tokens.at(at) {
        let begins = one.is_first
            || at.checked_sub(1).is_some_and(|last| tokens.is(last, ';') || tokens.is(last, ':'));
        match tokens.word(at) {
            Some("import") if begins && depth == 0 => at = plain(tokens, at + 1, one.line, &mut imports),
            Some("from") if begins && depth == 0 => at = out_of(tokens, at + 1, one.line, &mut imports),
            Some("import_module") if tokens.is(at + 1, '(') => {
                imports.extend(tokens.text(at + 2).map(|module| Import::new(module, one.line)));
                at += 1;
            }
            _ => {
                let opens = ['(', '[', '{'].iter().any(|sign| tokens.is(at, *sign));
                let closes = [')', ']', '}'].iter().any(|sign| tokens.is(at, *sign));
                depth = if closes { depth.saturating_sub(1) } else { depth + usize::from(opens) };
                at += 1;
            }
        }
    }
    Scan { imports, ..Scan::default() }
}

/// Reads `import a.b as c, d`.
fn plain(tokens: Tokens<'_, '_>, mut at: usize, line: u32, imports: &mut Vec<Import>) -> usize {
    loop {
        let (words, behind) = tokens.dotted(at);
        if words.is_empty() {
            return behind;
        }
        imports.push(Import::new(words.join("."), line));
        at = if tokens.word(behind) == Some("as") { behind + 2 } else { behind };
        if !tokens.is(at, ',') {
            return at;
        }
        at += 1;
    }
}

/// Reads `from ..a.b import (c as d, e)`.
fn out_of(tokens: Tokens<'_, '_>, mut at: usize, line: u32, imports: &mut Vec<Import>) -> usize {
    let begin = at;
    while tokens.is(at, '.') {
        at += 1;
    }
    let dots = ".".repeat(at - begin);
    // In `from . import a` the word after the dots is not a module.
    let (words, behind) = match tokens.word(at) {
        Some("import") => (Vec::new(), at),
        _ => tokens.dotted(at),
    };
    if tokens.word(behind) != Some("import") || (dots.is_empty() && words.is_empty()) {
        return behind.max(at);
    }
    let mut import = Import::new(format!("{dots}{}", words.join(".")), line);
    at = behind + 1;
    let in_brackets = tokens.is(at, '(');
    at += usize::from(in_brackets);
    while let Some(one) = tokens.at(at) {
        if !in_brackets && one.is_first {
            break;
        }
        match tokens.word(at) {
            Some("as") => at += 1,
            Some(name) => {
                import.names.insert(name.to_owned());
            }
            None if tokens.is(at, ')') || tokens.is(at, ';') => break,
            None => {}
        }
        at += 1;
    }
    imports.push(import);
    at
}

/// Returns the files that an import resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let (directory, _) = split(layout.path(from));
    let rest = import.module.trim_start_matches('.');
    let path = rest.replace('.', "/");
    let dots = import.module.len() - rest.len();
    let (root, basis) = if dots > 0 {
        let mut root = directory;
        for _ in 1..dots {
            let Some(higher) = above(root) else { return Vec::new() };
            root = higher;
        }
        (root.to_owned(), Basis::Path)
    } else {
        match root_of(layout, directory, &path, import) {
            Some(found) => found,
            None => return Vec::new(),
        }
    };
    let whole = join(&root, &path);
    let mut found: Vec<FileNumber> =
        import.names.iter().filter_map(|name| module(layout, &join(&whole, name))).collect();
    if found.len() < import.names.len() || import.names.is_empty() {
        found.extend(module(layout, &whole));
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().filter(|file| *file != from).map(|file| (file, basis)).collect()
}

/// Returns the directory from which an absolute import resolves.
fn root_of(layout: &Layout, directory: &str, path: &str, import: &Import) -> Option<(String, Basis)> {
    let is_found = |root: &str| {
        let whole = join(root, path);
        module(layout, &whole).is_some()
            || import.names.iter().any(|name| module(layout, &join(&whole, name)).is_some())
    };
    let outside = upwards(directory).filter(|above| !is_package(layout, above)).map(str::to_owned);
    let known = outside.chain(upwards(directory).map(|above| join(above, "src")));
    if let Some(root) = known.into_iter().find(|root| is_found(root)) {
        return Some((root, Basis::Path));
    }
    // A single name may match any package in the tree. A hint needs at least two segments.
    if !path.contains('/') {
        return None;
    }
    let endings = [format!("{path}.py"), format!("{path}/__init__.py")];
    let file = endings.iter().find_map(|ending| layout.only_ending(ending))?;
    let whole = layout.path(file);
    let root =
        whole.strip_suffix("/__init__.py").or_else(|| whole.strip_suffix(".py"))?.strip_suffix(path)?;
    let root = root.trim_end_matches('/');
    (!is_package(layout, root)).then(|| (root.to_owned(), Basis::Name))
}

/// Returns the file of a module: its own file, or the file of its package.
fn module(layout: &Layout, path: &str) -> Option<FileNumber> {
    let packages = PACKAGE.iter().map(|name| join(path, name));
    layout.first(packages.chain([format!("{path}.py"), format!("{path}.pyi")]))
}

fn is_package(layout: &Layout, directory: &str) -> bool {
    PACKAGE.iter().any(|name| layout.file(&join(directory, name)).is_some())
}
