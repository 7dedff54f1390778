//! The scanners of the native API, which read texts of callers in full, in addition to request
//! bodies.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::protocol::cursor;

/// The scanners.
pub const SCANNERS: &[Scanner] = &[Scanner::new("a cursor", |text| {
    drop(black_box(cursor::read::<(u64, String)>(Some(text))));
    let nested = cursor::write(&text).ok();
    drop(black_box(cursor::read::<(u64, String)>(nested.as_deref())));
})];
