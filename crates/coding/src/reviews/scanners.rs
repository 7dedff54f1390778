//! Readers of reviews that read whole foreign files.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::owners::Owners;

/// The readers of this module.
pub(crate) const SCANNERS: &[Scanner] = &[Scanner::new("owners of files", |text| {
    let path = "a/".repeat(64) + "b";
    black_box(Owners::parse(text).own("bob", &path));
    black_box(Owners::parse("/**/a/**/a/**/b @bob\n").own("bob", text));
})];
