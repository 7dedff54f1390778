//! Deliveries and their targets: what waits in the outbox, and trying a target. No operation yet.

use super::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
}
