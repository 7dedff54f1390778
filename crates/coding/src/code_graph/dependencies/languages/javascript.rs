//! Imports of JavaScript and TypeScript: `import`, `export … from`, `require`, `import()`. Relative
//! paths resolve as in bundlers; packages of the workspace by their manifests; `@/` and `~/` by
//! guess. Path mappings of `tsconfig.json` are not read.

use std::collections::HashSet;

use super::super::layout::{Basis, FileNumber, ImportTarget, Layout, join, relative, split, upwards};
use super::super::scan::{Import, Scan};
use super::super::tokens::{Apostrophe, Backtick, Syntax, Token, Tokens, tokens};

const SYNTAX: Syntax = Syntax {
    has_hash_comments: false,
    nests: false,
    has_triple: false,
    is_multiline: false,
    has_raw: false,
    has_regex: true,
    apostrophe: Apostrophe::Text,
    backtick: Backtick::Text { has_escapes: true },
};
/// Endings that an import may omit, in the order of the attempts.
const ENDINGS: &[&str] = &[".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
/// Endings of built files, and the endings of their sources.
const BUILT: &[(&str, &[&str])] =
    &[(".js", &[".ts", ".tsx"]), (".jsx", &[".tsx"]), (".mjs", &[".mts"]), (".cjs", &[".cts"])];

pub(in super::super) fn scan(text: &str) -> Scan {
    let placed = tokens(text, &SYNTAX);
    let tokens = Tokens(&placed);
    let (mut imports, mut known) = (Vec::new(), HashSet::new());
    for (at, one) in placed.iter().enumerate() {
        let Token::Text(module) = one.token else { continue };
        let before = |steps: usize| at.checked_sub(steps).and_then(|place| tokens.word(place));
        let is_called = at.checked_sub(1).is_some_and(|place| tokens.is(place, '('));
        let is_import = match is_called {
            true => matches!(before(2), Some("require" | "import")),
            false => matches!(before(1), Some("from" | "import")),
        };
        if is_import && !module.is_empty() && known.insert(module) {
            imports.push(Import::new(module, one.line));
        }
    }
    Scan { imports, ..Scan::default() }
}

/// Returns the files that an import resolves to.
pub(in super::super) fn resolve(layout: &Layout, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    let (directory, _) = split(layout.path(from));
    let module = import.module.split(['?', '#']).next().unwrap_or_default();
    let found = if module == "." || module == ".." || module.starts_with("./") || module.starts_with("../") {
        relative(directory, module).and_then(|path| at(layout, &path)).map(|file| (file, Basis::Path))
    } else if let Some(rest) = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/")) {
        let roots = upwards(directory).flat_map(|above| [join(above, "src"), above.to_owned()]);
        roots.filter_map(|root| at(layout, &join(&root, rest))).next().map(|file| (file, Basis::Name))
    } else {
        of_package(layout, module)
    };
    found.filter(|(file, _)| *file != from).into_iter().collect()
}

/// Returns the file at a path that may lack its ending.
fn at(layout: &Layout, path: &str) -> Option<FileNumber> {
    let built = BUILT.iter().filter_map(|(ending, sources)| Some((path.strip_suffix(ending)?, *sources)));
    let sources =
        built.flat_map(|(stem, sources)| sources.iter().map(move |ending| format!("{stem}{ending}")));
    let exact = std::iter::once(path.to_owned()).chain(sources);
    let ended = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
    let index = ENDINGS.iter().map(|ending| join(path, &format!("index{ending}")));
    layout.first(exact.chain(ended).chain(index))
}

/// Returns the file of a package of this repository, or of a path within it.
fn of_package(layout: &Layout, module: &str) -> Option<ImportTarget> {
    let names = std::iter::successors(Some(module), |name| name.rsplit_once('/').map(|(above, _)| above));
    let (name, directory) = names.filter_map(|name| Some((name, layout.npm.directory(name)?))).next()?;
    let rest = module.strip_prefix(name)?.trim_start_matches('/');
    let roots = [join(directory, "src"), directory.to_owned(), join(directory, "lib")];
    let file = roots.iter().find_map(|root| at(layout, &join(root, rest)))?;
    Some((file, Basis::Name))
}
