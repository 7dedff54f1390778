//! The parsers of untrusted data in this crate, by name, for the program that measures their cost
//! on expensive inputs. They are not used otherwise.
//!
//! To add one, add a line to the list. Binary formats are generated from the text, with its length
//! and at maximum cost.

use std::hint::black_box;

use loci_model::facts::code::ObjectId;

use crate::history::likeness::Fingerprint;
use crate::history::{commits, renames};
use crate::objects::delta;
use crate::repository::{config, refs};
use crate::{trees, worktree};

/// The name of a parser, and the parser.
type Named = (&'static str, fn(&str));

/// The parsers, by name.
pub const SCANNERS: &[Named] = &[
    ("git configuration", |text| drop(black_box(config::parse(text)))),
    ("packed refs of git", |text| {
        black_box(refs::lines_of(text.as_bytes()).count());
    }),
    ("a commit of git", |text| {
        let head = format!("tree {}\n", "1".repeat(40));
        black_box(commits::parse(format!("{head}{text}").as_bytes()).is_some());
    }),
    ("a tree of git", |text| {
        black_box(trees::count_entries(&tree_of(text)).is_ok());
    }),
    ("a difference of git's packs", |text| {
        black_box(delta::apply(text.as_bytes(), &difference_of(text.len())).is_ok());
        black_box(delta::apply(text.as_bytes(), text.as_bytes()).is_ok());
    }),
    ("likeness of files", |text| {
        let half = Fingerprint::of(text.as_bytes().get(..text.len() / 2).unwrap_or_default());
        black_box(Fingerprint::of(text.as_bytes()).likeness(&half));
    }),
    ("copies that moved", |text| {
        black_box(renames::moved_copies(text.len() / 20));
    }),
    ("ignored paths", |text| {
        black_box(worktree::ignores(text.as_bytes(), &"a/".repeat(32)).is_ok());
    }),
];

/// Returns a tree whose entries have the words of a text as names.
fn tree_of(text: &str) -> Vec<u8> {
    let id = ObjectId::parse(&"1".repeat(40)).map(|id| id.as_bytes().to_vec()).unwrap_or_default();
    let mut tree = Vec::new();
    for word in text.split_whitespace() {
        for part in [&b"100644 "[..], word.as_bytes(), &b"\0"[..], id.as_slice()] {
            tree.extend_from_slice(part);
        }
    }
    tree
}

/// Returns a delta on a base of `bytes` bytes that consists of one-byte pieces.
fn difference_of(bytes: usize) -> Vec<u8> {
    let size = |mut left: usize| {
        let mut size = Vec::new();
        while left > 0x7f {
            size.push(u8::try_from(left & 0x7f).unwrap_or(0) | 0x80);
            left >>= 7;
        }
        size.push(u8::try_from(left).unwrap_or(0));
        size
    };
    // Copies one byte from the start of the base.
    [size(bytes), size(bytes), [0x90, 1].repeat(bytes)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_a_text_is_read_whole() {
        let text = "one two three\n".repeat(20);
        assert_eq!(crate::trees::count_entries(&tree_of(&text)).unwrap(), 60);
        let applied = crate::objects::delta::apply(text.as_bytes(), &difference_of(text.len())).unwrap();
        assert_eq!(applied, vec![b'o'; text.len()]);
        assert_eq!(crate::history::renames::moved_copies(50), 50);
        assert!(crate::worktree::ignores(b"a/\n!b\n", "a/b/a").unwrap());
        for (name, read) in SCANNERS {
            assert!(!name.is_empty());
            read(&text);
        }
    }
}
