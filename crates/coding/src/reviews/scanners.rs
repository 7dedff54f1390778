//! What of reviews reads files of strangers whole.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::owners::Owners;

/// Its readers.
pub(crate) const SCANNERS: &[Scanner] = &[Scanner::new("owners of files", |text| {
    let path = "a/".repeat(64) + "b";
    black_box(Owners::parse(text).own("bob", &path));
    black_box(Owners::parse("/**/a/**/a/**/b @bob\n").own("bob", text));
})];
