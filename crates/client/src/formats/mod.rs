//! Memories of other programs, read into Loci's nouns and written back where their format allows it. Pure: files come in as texts and go out as
//! texts; what is already stored, and calling the server, are the matter of whoever imports.
//!
//! Order and digits of foreign JSON are kept where the program has `preserve_order` and
//! `arbitrary_precision` of `serde_json`, as the engine has: a program with the client alone that
//! converts formats turns them on.
//!
//! A format is one file here and one line in [`READERS`]:
//! `mem0`, `strands_json`, `letta`: JSON; `okf`, `agents_md`: files in Markdown. `item`: what they are read into; `json_items`: lists of JSON with
//! their lines; `headed`: texts with a head; `times`: times of others. `agentcore` is no file but a wire, and has a folder of its own.

pub mod agentcore;
pub mod agents_md;
mod headed;
mod item;
mod json_items;
mod letta;
pub mod mem0;
pub mod okf;
mod strands_json;
mod times;

#[cfg(test)]
mod tests;

pub use item::{Becomes, FormatProblem, ImportItem, Mapping, Skipped};

/// Bytes of a file in JSON that is read.
pub const JSON_BYTES_MAX: u64 = 256 << 20;
/// Files of a folder that are read.
pub const FOLDER_FILES_MAX: usize = 50_000;

/// What is lost where a program wrote half a letter.
pub const HALVES_OF_LETTERS: &str = "halves of letters (lone surrogates) are the sign U+FFFD";

/// A file as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where, from the root of what is imported, with `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// What a format is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One file.
    File,
    /// The files of a folder whose names end so; or one of them.
    Folder(&'static [&'static str]),
}

/// How a format is read.
#[derive(Debug, Clone, Copy)]
pub struct FormatReader {
    /// Its name.
    pub name: &'static str,
    /// What it is read from.
    pub takes: Takes,
    /// Reads it. `namespace` is where records are put; what had expired by `now_ms` in its source is left out.
    pub read: fn(files: &[SourceFile], namespace: &str, now_ms: i64) -> Result<Mapping, FormatProblem>,
}

/// Every format that is read here.
pub static READERS: &[FormatReader] = &[
    FormatReader { name: "mem0", takes: Takes::File, read: mem0::read },
    FormatReader { name: "strands-json", takes: Takes::File, read: strands_json::read },
    FormatReader { name: "letta", takes: Takes::File, read: letta::read },
    FormatReader { name: "okf", takes: Takes::Folder(&[".md"]), read: okf::read },
    FormatReader { name: "agents-md", takes: Takes::Folder(agents_md::NAMES), read: agents_md::read },
];

/// The reader of a format.
#[must_use]
pub fn reader(name: &str) -> Option<&'static FormatReader> {
    READERS.iter().find(|reader| reader.name == name)
}
