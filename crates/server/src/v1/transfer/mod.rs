//! Transfer of whole memories: their export as JSON lines, and the import of such lines.

pub(super) mod export;
pub(super) mod import;
mod import_lines;
pub mod imports;
