//! Imports memories of other programs into Loci's nouns, and exports them if the format permits it.
//! Pure: files come in as texts and go out as texts. The importer finds items that
//! are already stored, and calls the server.
//!
//! Order and digits of foreign JSON are kept if the program enables `preserve_order` and
//! `arbitrary_precision` of `serde_json`, as the engine does. A program that uses only the client
//! and converts formats must enable them.
//!
//! A format is one file here and one line in [`READERS`]: `mem0`, `strands_json`, `letta`: JSON;
//! `okf`, `agents_md`: Markdown files. `item`: the result of reading; `json_items`: JSON lists with
//! their lines; `frontmatter`: texts with a head; `times`: foreign times. `agentcore` is no file
//! format but a wire format, and has its own folder.

pub mod agentcore;
pub mod agents_md;
mod frontmatter;
mod item;
mod json_items;
mod letta;
pub mod mem0;
pub mod okf;
mod strands_json;
mod times;

#[cfg(test)]
mod tests;

pub use item::{FormatProblem, ImportItem, ItemTarget, Mapping, Skipped};

/// The maximum of bytes of a JSON file that is read.
pub const JSON_BYTES_MAX: u64 = 256 << 20;
/// The maximum of files of a folder that are read.
pub const FOLDER_FILES_MAX: usize = 50_000;

/// The loss in texts with lone surrogates.
pub const HALVES_OF_LETTERS: &str = "halves of letters (lone surrogates) are the sign U+FFFD";

/// A file of a source, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path from the root of the source, with `/` between segments.
    pub path: String,
    /// The text of the file.
    pub text: String,
}

/// The input that the reader of a format takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatInput {
    /// One file.
    File,
    /// All files in a folder whose names have one of these endings, or a single such file.
    Folder(&'static [&'static str]),
}

/// The reader of a format of another program.
#[derive(Debug, Clone, Copy)]
pub struct FormatReader {
    /// The name of the format.
    pub name: &'static str,
    /// The input that the reader takes.
    pub takes: FormatInput,
    /// The function that reads the files. `namespace` is the namespace for records. Items that had
    /// expired in the source by `now_ms` (milliseconds since 1970) are left out.
    pub read: fn(files: &[SourceFile], namespace: &str, now_ms: i64) -> Result<Mapping, FormatProblem>,
}

/// Every format that can be read.
pub static READERS: &[FormatReader] = &[
    FormatReader { name: "mem0", takes: FormatInput::File, read: mem0::read },
    FormatReader { name: "strands-json", takes: FormatInput::File, read: strands_json::read },
    FormatReader { name: "letta", takes: FormatInput::File, read: letta::read },
    FormatReader { name: "okf", takes: FormatInput::Folder(&[".md"]), read: okf::read },
    FormatReader { name: "agents-md", takes: FormatInput::Folder(agents_md::NAMES), read: agents_md::read },
];

/// Returns the reader of a format.
#[must_use]
pub fn reader(name: &str) -> Option<&'static FormatReader> {
    READERS.iter().find(|reader| reader.name == name)
}
