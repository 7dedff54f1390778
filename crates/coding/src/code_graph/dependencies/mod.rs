//! Imports of a repository's files, by names: the files that a change of a module touches because
//! they name it. No parser of a language takes part; docs/guides/related-files.md states how
//! precise that is.
//!
//! | file | idea |
//! |---|---|
//! | `tokens` | words, strings and signs of a source text, without comments: pure |
//! | `scan` | what one file imports, declares and uses: pure |
//! | `languages` | one language each: how imports are written, and the files that they lead to: pure |
//! | `layout`, `manifests` | files and packages of a revision, as imports look for them: pure |
//! | `import_graph` | importers of a file, step by step: pure |
//! | `module_name` | the files of a module that is named: pure |
//! | `graph_cache` | reading a revision, and what is kept of it |

mod graph_cache;
mod import_graph;
mod languages;
mod layout;
mod manifests;
mod module_name;
mod scan;
#[cfg(test)]
mod tests;
mod tokens;

pub(crate) use graph_cache::ImportGraphs;
pub(super) use graph_cache::Imports;
pub(super) use import_graph::{Dependent, ImportGraph};
pub(super) use layout::Basis;
pub(super) use module_name::ModuleName;
