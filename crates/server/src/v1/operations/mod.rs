//! Operations of operations memory: preferences, knowledge about services, investigations, a user's
//! own records.

mod agent_prompt;
mod agent_responses;
mod alert_hook;
mod alert_proof;
mod doctor;
mod history;
mod investigation_complete;
mod investigation_messages;
mod investigation_outcome;
pub(super) mod investigation_start;
mod me_records;
mod preferences;
mod record_sources;
pub(crate) mod retrieve;
mod save;
mod stats;
mod transfer;

use super::protocol::table::Table;

/// Adds the operations of the product.
pub(super) fn operations(table: Table) -> Table {
    let table = save::operations(table);
    let table = investigation_start::operations(table);
    let table = agent_responses::operations(table);
    let table = investigation_messages::operations(table);
    let table = investigation_complete::operations(table);
    let table = investigation_outcome::operations(table);
    let table = stats::operations(table);
    let table = agent_prompt::operations(table);
    let table = retrieve::operations(table);
    let table = doctor::operations(table);
    let table = me_records::operations(table);
    let table = transfer::operations(table);
    let table = history::operations(table);
    let table = alert_hook::operations(table);
    let table = record_sources::operations(table);
    preferences::operations(table)
}
