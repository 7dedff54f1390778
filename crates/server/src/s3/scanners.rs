//! The scanners of the S3 interface, which read foreign text in full.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::{delete_objects, route};

/// The scanners.
pub const SCANNERS: &[Scanner] = &[
    Scanner::new("keys to delete", |text| {
        black_box(delete_objects::read(text.as_bytes()).is_ok());
    }),
    Scanner::new("a bucket's query", |text| {
        black_box(route::read(&http::Method::GET, "/bucket", text).is_ok());
    }),
];
