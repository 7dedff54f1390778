//! The names that one source file brings in, declares and uses. A scan depends on nothing but the
//! file's text, so it is kept by the id of its blob.

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
    /// The language of a path; `None` where its imports are not read.
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let ending = name.rsplit_once('.')?.1;
        ENDINGS.iter().find(|(_, endings)| endings.contains(&ending)).map(|(language, _)| *language)
    }
}

/// One import as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    /// The module, in the language's own words: `crate::a::b`, `./a`, `..a.b`, `example.org/a`,
    /// `a.b.C`, `a/b.h`.
    pub(super) module: String,
    /// Names that are taken out of it, where the statement lists them.
    pub(super) names: BTreeSet<String>,
    /// The name by which the file calls it, where it says so.
    pub(super) alias: Option<String>,
    /// `#include <…>`, not in quotes.
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
    /// Names at the top of the file that others may use; in Rust the modules below it.
    pub(super) declares: BTreeSet<String>,
    /// The package that the file states.
    pub(super) package: Option<String>,
    /// Words of the file, each with its first line, where files of a package see each other without
    /// an import.
    pub(super) words: BTreeMap<String, u32>,
    /// Names that are used of another name: `b` and `c` of `a` for `a.b` and `a.c`.
    pub(super) members: BTreeMap<String, BTreeSet<String>>,
}

/// Bytes of the name of a module.
const MODULE_BYTES_MAX: usize = 512;
/// Imports of a file.
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
    // Nobody writes these: they would make every look-up long.
    scan.imports.retain(|import| import.module.len() <= MODULE_BYTES_MAX);
    scan.imports.truncate(FILE_IMPORTS_MAX);
    scan
}
