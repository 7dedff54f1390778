//! Pull mode: a caller's own model comes for questions and brings the answers. No operation yet.

use super::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
}
