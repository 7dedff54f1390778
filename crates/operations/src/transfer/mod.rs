//! Export and import of records as lines, and lines of erased records.

mod erased_lines;
pub(super) mod export;
pub(super) mod import;
pub(super) mod record_lines;
