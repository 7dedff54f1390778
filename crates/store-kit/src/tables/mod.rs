//! The tables that have the same columns in SQLite and PostgreSQL. Each is implemented once, over
//! [`SqlTransaction`].

mod coding;
mod documents;
pub mod exchanges;
mod idempotency;
pub mod jobs;
mod keys;
mod leases;
mod ledger;
mod transfer;
pub mod verified;

pub use transfer::load;

use std::ops::Deref;

use loci_model::ports::store::{
    Commits, Deliveries, Events, Exchanges, Exposures, FactEvents, Facts, Idempotency, Jobs, Keys, Leases,
    Ledger, Memories, ParkedObjects, PromptVersions, ReadTx, Records, Repositories, TaskSessions, Tasks,
    Telemetry, Transfer, Tx, Verdicts,
};
use loci_model::{ActorId, MemoryId, Result};

use crate::sql::SqlTransaction;
use crate::values;
use exchanges::ExchangeRows;
use jobs::JobQueue;
use verified::facts::FactRows;

/// A transaction of a store that gives access to all tables: those of this crate, and those that
/// each store implements.
pub struct Tables<T>(pub T);

impl<T> Deref for Tables<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Implements the methods that return tables: those after `own` delegate to tables of the store,
/// those after `shared` to tables of this crate.
macro_rules! accessors {
    (
        own: $($own:ident $own_mut:ident $owned:ident),*;
        shared: $($shared:ident $shared_mut:ident $table:ident),*
    ) => {
        impl<T: SqlTransaction + ExchangeRows + FactRows + JobQueue $(+ $owned)*> ReadTx for Tables<T> {
            $(fn $own(&self) -> &dyn $owned { &self.0 })*
            $(fn $shared(&self) -> &dyn $table { self })*
        }

        impl<T: SqlTransaction + ExchangeRows + FactRows + JobQueue $(+ $owned)*> Tx for Tables<T> {
            $(fn $own_mut(&mut self) -> &mut dyn $owned { &mut self.0 })*
            $(fn $shared_mut(&mut self) -> &mut dyn $table { self })*
        }
    };
}

accessors! {
    own: memories memories_mut Memories, events events_mut Events, records records_mut Records,
        telemetry telemetry_mut Telemetry, deliveries deliveries_mut Deliveries,
        transfer transfer_mut Transfer;
    shared: jobs jobs_mut Jobs, exchanges exchanges_mut Exchanges, keys keys_mut Keys,
        idempotency idempotency_mut Idempotency,
        leases leases_mut Leases, repositories repositories_mut Repositories, facts facts_mut Facts,
        fact_events fact_events_mut FactEvents, verdicts verdicts_mut Verdicts, tasks tasks_mut Tasks,
        exposures exposures_mut Exposures, commits commits_mut Commits, prompts prompts_mut PromptVersions,
        task_sessions task_sessions_mut TaskSessions, ledger ledger_mut Ledger,
        parked parked_mut ParkedObjects
}

/// Removes the rows of an actor from one table of a memory, and returns their number.
fn forget_actor(tx: &impl SqlTransaction, table: &str, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
    let Some(memory) = tx.number(memory)? else { return Ok(0) };
    let sql = format!("DELETE FROM {table} WHERE mem = $1 AND actor = $2");
    tx.run(&sql, values![memory, actor.as_str()]).map(counted)
}

/// Converts a number of rows to `u64`.
fn counted(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
