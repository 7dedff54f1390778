//! What of the native API reads texts of callers whole, beside bodies of requests.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::protocol::cursor;

/// Its readers.
pub const SCANNERS: &[Scanner] = &[Scanner::new("a cursor", |text| {
    drop(black_box(cursor::read::<(u64, String)>(Some(text))));
    let nested = cursor::write(&text).ok();
    drop(black_box(cursor::read::<(u64, String)>(nested.as_deref())));
})];
