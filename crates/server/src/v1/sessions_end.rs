//! The end of a session: what waits of it is read now. No operation yet.

use super::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
}
