//! Files that are too large, or whose lines are too long, for the regular search. The only check is
//! if they contain the lines of a block: then the lines do not count as gone. Nothing else is
//! searched, and nothing of such a file is cached.

use loci_model::facts::code::CodeEntry;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use super::line_hash::line_hash;
use super::normal_text::text_of;
use crate::verifier::session::verifier::{Verifier, no_text};
use crate::verifier::steps::occurrences;
use crate::verifier::thresholds::{FILE_BYTES_MAX, LARGE_FILE_BYTES_MAX, LINE_BYTES_MAX};

/// File extensions of files without text. They are checked only for files too large to be read.
const NO_TEXT: &[&str] = &[
    "7z",
    "a",
    "apk",
    "avi",
    "bin",
    "bmp",
    "br",
    "bz2",
    "class",
    "dll",
    "dylib",
    "exe",
    "gif",
    "gz",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "npy",
    "npz",
    "o",
    "ogg",
    "onnx",
    "otf",
    "parquet",
    "pdf",
    "pkl",
    "png",
    "psd",
    "pt",
    "pyc",
    "rar",
    "rlib",
    "safetensors",
    "so",
    "sqlite",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xz",
    "zip",
    "zst",
];

impl Verifier<'_> {
    /// Returns true if the lines of these hashes occur consecutively in a file, ignoring blank
    /// lines.
    ///
    /// # Errors
    /// `too_large` if the file cannot be searched, or the reason why it cannot be read.
    pub(in crate::verifier) fn holds_lines(&self, entry: &CodeEntry, block: &[u64]) -> CodeResult<bool> {
        // A large file of a remote source is not fetched for this check.
        let bytes_max = if self.source.capabilities().near { LARGE_FILE_BYTES_MAX } else { FILE_BYTES_MAX };
        if entry.bytes.is_some_and(|bytes| bytes > bytes_max) {
            return Err(no_text(Unverifiable::TooLarge));
        }
        Ok(holds(&self.source.read(&entry.id, bytes_max)?, block))
    }
}

/// Returns true for a file whose extension is that of a file without text.
pub(in crate::verifier) fn is_no_text_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, ending)| NO_TEXT.contains(&ending.to_ascii_lowercase().as_str()))
}

fn holds(bytes: &[u8], block: &[u64]) -> bool {
    let Ok(text) = text_of(bytes) else { return false };
    let mut hashes = Vec::with_capacity(text.len() / 32);
    let mut line = String::new();
    for raw in text.split('\n') {
        if raw.len() > LINE_BYTES_MAX {
            hashes.push(0); // No line of a block: what stands on both sides of it does not belong together.
            continue;
        }
        line.clear();
        for word in raw.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            hashes.push(line_hash(line.as_bytes()));
        }
    }
    !occurrences(&hashes, block).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_whatever_stands_around_them() {
        let block = [line_hash(b"let a = b;"), line_hash(b"use_it(a);")];
        let long = "x".repeat(LINE_BYTES_MAX + 1);
        let check = |text: &str, expect| assert_eq!(holds(text.as_bytes(), &block), expect, "{}", text.len());
        check("  let  a = b;\r\n\n\tuse_it(a);", true);
        check(&format!("{long}\nlet a = b;\nuse_it(a);\n{long}"), true);
        check(&format!("let a = b;\n{long}\nuse_it(a);\n"), false);
        check("let a = b;\nother();\nuse_it(a);\n", false);
        check("\0let a = b;\nuse_it(a);\n", false);
        check("", false);
    }

    #[test]
    fn names_that_say_there_is_no_text() {
        for (path, expect) in [("a/b.PNG", true), ("b.tar.gz", true), ("src/a.rs", false), ("png", false)] {
            assert_eq!(is_no_text_by_name(path), expect, "{path}");
        }
    }
}
