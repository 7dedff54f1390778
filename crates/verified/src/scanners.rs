//! The scanners of verified memory, which read foreign text in full.
//!
//! To add one, add a line to the list of its folder.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use crate::{RepositoryName, content_hash, verifier};

/// Returns all scanners of the verified product.
pub fn scanners() -> Vec<Scanner> {
    [OWN, verifier::SCANNERS].concat()
}

const OWN: &[Scanner] = &[
    Scanner::new("mentions of code", |text| drop(black_box(verifier::mentions(text)))),
    Scanner::new("claims", |text| {
        let value = serde_json::json!({ "type": "pattern_present", "pattern": text });
        drop(black_box(verifier::read_claims(&[value], "claims", 1)));
    }),
    Scanner::new("a glob", |text| drop(black_box(verifier::Glob::parse(text)))),
    Scanner::new("a repository's name", |text| drop(black_box(RepositoryName::parse(text)))),
    Scanner::new("content hash", |text| drop(black_box(content_hash(text, text)))),
];
