//! The names that one source file imports, declares and uses. A scan depends only on the file's
//! text, so it is cached by the id of its blob.

use std::collections::{BTreeMap, BTreeSet};

use super::languages::{c_family, go, java_virtual_machine, javascript, python, rust};

/// A language whose imports are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Language {
    Rust,
    /// JavaScript and TypeScript.
    JavaScript,
    Python,
    Go,
    Java,
    Kotlin,
    /// C and C++.
    C,
}

/// Endings of file names, and their languages.
const ENDINGS: &[(Language, &[&str])] = &[
    (Language::Rust, &["rs"]),
    (Language::JavaScript, &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"]),
    (Language::Python, &["py", "pyi"]),
    (Language::Go, &["go"]),
    (Language::Java, &["java"]),
    (Language::Kotlin, &["kt", "kts"]),
    (Language::C, &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp"]),
];

impl Language {
    /// Returns the language of a path. `None` if its imports are not read.
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let ending = name.rsplit_once('.')?.1;
        ENDINGS.iter().find(|(_, endings)| endings.contains(&ending)).map(|(language, _)| *language)
    }
}

/// One import as written in the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    /// The module, in the notation of the language: `crate::a::b`, `./a`, `..a.b`, `example.org/a`,
    /// `a.b.C`, `a/b.h`.
    pub(super) module: String,
    /// The names imported from it, if the statement lists them.
    pub(super) names: BTreeSet<String>,
    /// The alias that the file gives it.
    pub(super) alias: Option<String>,
    /// True for `#include <…>` rather than quotes.
    pub(super) is_system: bool,
    /// The line, from 1.
    pub(super) line: u32,
}

impl Import {
    pub(super) fn new(module: impl Into<String>, line: u32) -> Self {
        Self { module: module.into(), names: BTreeSet::new(), alias: None, is_system: false, line }
    }
}

/// The names of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scan {
    pub(super) imports: Vec<Import>,
    /// The names at the top level of the file that others may use; in Rust, its submodules.
    pub(super) declares: BTreeSet<String>,
    /// The package that the file states.
    pub(super) package: Option<String>,
    /// The words of the file, each with its first line, for languages in which files of a package
    /// use each other's names without an import.
    pub(super) words: BTreeMap<String, u32>,
    /// The member names used on each name: `b` and `c` of `a` for `a.b` and `a.c`.
    pub(super) members: BTreeMap<String, BTreeSet<String>>,
}

/// The maximum size of a module name, in bytes.
const MODULE_BYTES_MAX: usize = 512;
/// The maximum number of imports of a file.
pub(super) const FILE_IMPORTS_MAX: usize = 2_000;

/// Reads a file.
pub(super) fn scan(language: Language, text: &str) -> Scan {
    let mut scan = match language {
        Language::Rust => rust::scan(text),
        Language::JavaScript => javascript::scan(text),
        Language::Python => python::scan(text),
        Language::Go => go::scan(text),
        Language::Java => java_virtual_machine::scan_java(text),
        Language::Kotlin => java_virtual_machine::scan_kotlin(text),
        Language::C => c_family::scan(text),
    };
    // Handwritten code has no such names, and they would slow down every lookup.
    scan.imports.retain(|import| import.module.len() <= MODULE_BYTES_MAX);
    scan.imports.truncate(FILE_IMPORTS_MAX);
    scan
}
