//! A block of lines: the hash that identifies a citation, and its other distinctive properties.

use sha2::{Digest, Sha256};

use super::file_lines::{FileLines, packed_hash};
use super::line_hash::LineHash;
use super::words::info;

/// Some lines of a file, by index among the non-blank ones.
#[derive(Clone, Copy)]
pub(in crate::verifier) struct Block<'a> {
    pub(super) file: &'a FileLines,
    pub(in crate::verifier) from: usize,
    pub(in crate::verifier) to: usize,
}

impl<'a> Block<'a> {
    pub(in crate::verifier) fn new(file: &'a FileLines, from: usize, to: usize) -> Self {
        Self { file, from, to }
    }

    pub(in crate::verifier) fn lines(self) -> impl Iterator<Item = &'a str> {
        self.file.lines(self.from, self.to)
    }

    /// Returns `vm1:` and 32 hex digits.
    pub(in crate::verifier) fn snippet_hash(self) -> String {
        snippet_hash(self.lines())
    }

    pub(in crate::verifier) fn info(self) -> u32 {
        self.lines().map(info).fold(0, u32::saturating_add)
    }

    pub(in crate::verifier) fn packed(self) -> (u64, u32) {
        packed_hash(self.lines())
    }

    /// Returns the hash of the nesting depth of each line, independent of the indentation width.
    pub(in crate::verifier) fn indent_profile(self) -> u64 {
        let mut hash = LineHash::new();
        let mut open: Vec<u32> = Vec::new();
        for indent in self.file.indents(self.from, self.to) {
            while open.last().is_some_and(|outer| outer > indent) {
                open.pop();
            }
            if open.last() != Some(indent) {
                open.push(*indent);
            }
            hash.push(u8::try_from(open.len()).unwrap_or(u8::MAX));
        }
        hash.finish()
    }
}

/// Returns `vm1:` and the first 32 hex digits of the SHA-256 of the lines joined by LF.
pub(in crate::verifier) fn snippet_hash<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut sha = Sha256::new();
    for (index, line) in lines.enumerate() {
        if index > 0 {
            sha.update(b"\n");
        }
        sha.update(line.as_bytes());
    }
    let digest = hex::encode(sha.finalize());
    format!("vm1:{}", digest.get(..32).unwrap_or_default())
}

/// Returns true for files in which indentation is significant.
pub(in crate::verifier) fn indentation_is_meaning(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_named = matches!(
        name,
        "Makefile"
            | "makefile"
            | "GNUmakefile"
            | "SConstruct"
            | "SConscript"
            | "Snakefile"
            | "Tiltfile"
            | "BUILD"
            | "WORKSPACE"
    );
    if is_named {
        return true;
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "py" | "pyi"
            | "pyx"
            | "pyw"
            | "yaml"
            | "yml"
            | "mk"
            | "haml"
            | "pug"
            | "slim"
            | "sass"
            | "coffee"
            | "nim"
            | "fs"
            | "fsx"
            | "hs"
            | "elm"
            | "gd"
            | "bzl"
            | "bazel"
            | "star"
            | "smk"
            | "purs"
            | "jade"
            | "styl"
            | "robot"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> (String, u64) {
        let file = FileLines::parse(text.as_bytes()).unwrap();
        let block = Block::new(&file, 0, file.len());
        (block.snippet_hash(), block.indent_profile())
    }

    #[test]
    fn white_space_changes_no_hash_and_words_do() {
        let (hash, _) = whole("a = 1\nb = 2\n");
        assert_eq!(hash, format!("vm1:{}", &hex::encode(Sha256::digest(b"a = 1\nb = 2"))[..32]));
        for (text, same) in [
            ("a =  1\r\n\r\n\tb = 2", true),
            ("a = 1 b = 2", false),
            ("a = 1\nB = 2", false),
            ("a = 1\nb = 2 # two", false),
        ] {
            assert_eq!(whole(text).0 == hash, same, "{text:?}");
        }
    }

    #[test]
    fn the_indent_profile_sees_nesting_and_not_width() {
        let (_, profile) = whole("if a:\n    b\nc");
        for (text, same) in [
            ("if a:\n\tb\nc", true),
            ("  if a:\n    b\n  c", true),
            ("if a:\n    b\n    c", false),
            ("if a:\nb\nc", false),
        ] {
            assert_eq!(whole(text).1 == profile, same, "{text:?}");
        }
    }
}
