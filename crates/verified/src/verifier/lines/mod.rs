//! Files as lines: their normal form, hashes, blocks, differences and cache.

pub(super) mod block;
pub(super) mod diff_text;
pub(super) mod file_lines;
pub(super) mod large_files;
pub(super) mod line_cache;
pub(super) mod line_diff;
pub(super) mod line_hash;
mod line_scan;
pub(super) mod normal_text;
pub(super) mod plain_lines;
pub(super) mod words;
