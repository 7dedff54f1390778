//! What of reviews reads files of strangers whole.

use std::hint::black_box;

use super::owners::Owners;
use loci_engine::scanners::Scanner;

/// Its readers.
pub const SCANNERS: &[Scanner] = &[Scanner::new("owners of files", |text| {
    let path = "a/".repeat(64) + "b";
    black_box(Owners::parse(text).own("bob", &path));
    black_box(Owners::parse("/**/a/**/a/**/b @bob\n").own("bob", text));
})];
