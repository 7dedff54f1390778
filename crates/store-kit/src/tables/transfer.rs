//! Imports rows from another store into the tables of this crate.

use loci_model::transfer::Moved;
use loci_model::{Error, Result};

use super::coding::{commits, exposures, prompts, task_sessions, tasks};
use super::documents::objects;
use super::verified::repositories;
use super::{keys, ledger};
use crate::sql::SqlTransaction;

/// Imports a row into the memory with this internal number, if the row's table is equal in both
/// stores. An existing row with the same key is kept.
///
/// # Errors
/// A bug, if the kind is another; and errors of the database.
pub fn load(tx: &impl SqlTransaction, memory: i64, row: &Moved) -> Result<()> {
    match row {
        Moved::Repository(row) => repositories::load(tx, memory, row),
        Moved::Task(row) => tasks::load(tx, memory, row),
        Moved::Exposure(row) => exposures::load(tx, memory, row),
        Moved::Commit(row) => commits::load(tx, memory, row),
        Moved::Prompt(row) => prompts::load(tx, memory, row),
        Moved::TaskSession(row) => task_sessions::load(tx, memory, row),
        Moved::SessionItem(row) => task_sessions::load_item(tx, memory, row),
        Moved::Ledger(row) => ledger::load(tx, memory, row),
        Moved::Object(row) => objects::load(tx, memory, row),
        Moved::Key(row) => keys::load(tx, row),
        Moved::Memory(_)
        | Moved::Group(_)
        | Moved::Session(_)
        | Moved::Place(_)
        | Moved::Turn(_)
        | Moved::Event(_)
        | Moved::Record(_)
        | Moved::Version(_)
        | Moved::Change(_)
        | Moved::Fact(_)
        | Moved::FactEvent(_)
        | Moved::Token(_)
        | Moved::Job(_)
        | Moved::Exchange(_)
        | Moved::Delivery(_) => Err(Error::bug("a row of this kind is its store's")),
    }
}
