//! What of git reads what strangers wrote, by name: for the program that counts what each costs on texts that
//! were made to be dear. It runs nothing of the product.
//!
//! To add one: a line in the list. Formats of bytes are made of the text: as long, and as dear as they can be.

use std::hint::black_box;

use loci_model::facts::code::ObjectId;

use crate::history::likeness::Fingerprint;
use crate::history::{commits, renames};
use crate::objects::delta;
use crate::repository::{config, refs};
use crate::{trees, worktree};

/// A reader with its name.
type Named = (&'static str, fn(&str));

/// Readers, by name.
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

/// A tree whose entries have the words of a text as names.
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

/// A difference on a base of so many bytes, made of pieces of one byte.
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
    // One byte of the base, from its beginning.
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
