//! Imports of a repository's files, matched by names: the files that a change of a module may
//! affect because they name it. The analysis uses no language parser; docs/guides/related-files.md
//! states its precision.
//!
//! | file | idea |
//! |---|---|
//! | `tokens` | words, strings and signs of a source text, without comments: pure |
//! | `scan` | the names that one file imports, declares and uses: pure |
//! | `languages` | the syntax of imports and their resolution, for each language: pure |
//! | `layout`, `manifests` | files and packages of a revision, indexed for imports: pure |
//! | `import_graph` | importers of a file, step by step: pure |
//! | `module_name` | the files of a named module: pure |
//! | `graph_cache` | reads a revision and caches the result |

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
