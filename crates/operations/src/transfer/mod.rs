//! Export and import: records as lines, and the lines of records that were erased.

mod erased_lines;
pub(super) mod export;
pub(super) mod import;
pub(super) mod record_lines;
