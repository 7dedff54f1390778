//! Profiles: list, show, apply to a memory. No operation yet.

use super::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
}
