//! Operations of document trees: files, mirrors, consolidation runs, the memory tool, parked
//! objects.

mod consolidations;
mod consolidations_shape;
mod files;
pub(super) mod files_shape;
mod memory_tool;
mod mirrors;
mod objects;
mod trees;

use super::protocol::table::Table;

/// Adds the operations of the product.
pub(super) fn operations(table: Table) -> Table {
    let table = files::operations(table);
    let table = trees::operations(table);
    let table = consolidations::operations(table);
    let table = objects::operations(table);
    let table = memory_tool::operations(table);
    mirrors::operations(table)
}
