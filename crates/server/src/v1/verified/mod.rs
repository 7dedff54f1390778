//! Operations of verified memory: repositories, evidence, verdicts, proposals of citations.

mod evidence;
mod proposals;
pub(super) mod repositories;
pub(super) mod telemetry;
mod verdicts;

use super::protocol::table::Table;

/// Adds the operations of the product.
pub(super) fn operations(table: Table) -> Table {
    let table = repositories::operations(table);
    let table = evidence::operations(table);
    let table = verdicts::operations(table);
    proposals::operations(table)
}
