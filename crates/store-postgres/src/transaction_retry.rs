//! Execution of closures as transactions. They are retried after conflicts, after concurrent
//! inserts of the same name, and after losing the connection before the commit. This module decides
//! the number of retries and the pauses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use loci_model::ports::store::{ReadTx, Tx};
use loci_model::{Error, Result};
use loci_store_kit::tables::Tables;

use crate::connection::Connection;
use crate::errors::RetryEffect;
use crate::gate::Gate;
use crate::tx::{Mode, PgTx};

/// The maximum number of attempts after conflicts.
const CONTENDED_MAX: u32 = 20;
/// The maximum number of attempts after lock timeouts. Each attempt takes as long as the timeout.
const LOCKED_MAX: u32 = 3;
/// The maximum number of attempts after concurrent inserts of one name: the second one finds the
/// first.
const COLLIDED_MAX: u32 = 4;
/// The first pause before a retry, in milliseconds. Each pause is twice as long as the one before,
/// up to the next constant.
const PAUSE_MS: u64 = 5;
const PAUSE_MAX_MS: u64 = 500;

/// The memories whose records a transaction changed.
pub(crate) type TouchedMemories = std::collections::BTreeSet<loci_model::MemoryId>;

/// The number of attempts of a transaction by error class, and the total time of its pauses.
#[derive(Default)]
struct AttemptCount {
    contended: u32,
    locked: u32,
    collided: u32,
    pauses: u32,
    waited: Duration,
}

impl AttemptCount {
    /// Returns true if the work must be retried, after a pause. A lost connection is dropped. Time
    /// spent on failed connects and on missing responses counts as pause.
    fn go_on(&mut self, again: RetryEffect, connection: &mut Connection) -> bool {
        self.waited += connection.lost();
        let more = match again {
            RetryEffect::Contended => {
                self.contended += 1;
                self.contended < CONTENDED_MAX
            }
            RetryEffect::Locked => {
                self.locked += 1;
                self.locked < LOCKED_MAX
            }
            RetryEffect::Collided => {
                self.collided += 1;
                self.collided < COLLIDED_MAX
            }
            RetryEffect::Disconnected => {
                connection.forget();
                self.waited < Duration::from_millis(connection.options().patience_ms)
            }
            RetryEffect::Never => false,
        };
        if more {
            let pause = Duration::from_millis((PAUSE_MS << self.pauses.min(10)).min(PAUSE_MAX_MS));
            self.pauses += 1;
            self.waited += pause;
            // The thread belongs to the connection, so the pause blocks no other work.
            std::thread::park_timeout(pause);
        }
        more
    }
}

/// The result of a write transaction.
pub(crate) enum TransactionResult {
    /// The transaction is committed. The value is the memories with changed records.
    Done(TouchedMemories),
    /// The memory with this number has enough writers, so nothing was done.
    Crowded(i64),
}

/// Runs a write if the memories it enters have free slots.
pub(crate) fn write(
    connection: &mut Connection,
    gate: &Gate,
    work: &mut dyn FnMut(&mut dyn Tx) -> Result<()>,
) -> Result<TransactionResult> {
    let mut tries = AttemptCount::default();
    loop {
        let mut tx = Tables(PgTx::new(connection, Mode::Write).through(gate));
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut tx)))
            .unwrap_or_else(|_| Err(Error::bug("a write panicked; nothing of it was written")));
        // A closure that continued after a failed statement has not written everything.
        let failure = tx.failure();
        let error = match (outcome, failure) {
            (Ok(()), None) => match tx.commit() {
                Ok(()) => return Ok(TransactionResult::Done(tx.touched())),
                Err((_, true)) => {
                    tx.roll_back();
                    return Err(in_doubt());
                }
                Err((error, false)) => error,
            },
            (Ok(()), Some(_)) => Error::unavailable("a statement of this write failed; nothing was written"),
            (Err(error), _) => error,
        };
        let (again, crowded) = (tx.failure().unwrap_or(RetryEffect::Never), tx.crowded());
        tx.roll_back();
        if let Some(memory) = crowded {
            return Ok(TransactionResult::Crowded(memory));
        }
        drop(tx);
        if !tries.go_on(again, connection) {
            return Err(error);
        }
        tracing::debug!(?again, "a write is run again");
    }
}

/// Returns the error for a connection that broke after the commit was sent and before its response.
fn in_doubt() -> Error {
    Error::unavailable(
        "the connection to the database broke while this was written, and it may or may not be there: try again with the \
         same client token",
    )
}

/// Runs a read on one consistent state of the database.
pub(crate) fn read<T>(
    connection: &mut Connection,
    work: impl FnMut(&Tables<PgTx<'_>>) -> Result<T>,
) -> Result<T> {
    reading(connection, Mode::Read, work)
}

/// Runs a read with one statement.
pub(crate) fn ask<T>(
    connection: &mut Connection,
    work: impl FnMut(&Tables<PgTx<'_>>) -> Result<T>,
) -> Result<T> {
    reading(connection, Mode::Single, work)
}

fn reading<T>(
    connection: &mut Connection,
    mode: Mode,
    mut work: impl FnMut(&Tables<PgTx<'_>>) -> Result<T>,
) -> Result<T> {
    let mut tries = AttemptCount::default();
    loop {
        let tx = Tables(PgTx::new(connection, mode));
        let outcome = work(&tx);
        let again = match (&outcome, tx.failure()) {
            (_, Some(again)) => again,
            (Ok(_) | Err(_), None) => {
                if tx.commit().is_err() {
                    tx.roll_back();
                }
                return outcome;
            }
        };
        tx.roll_back();
        drop(tx);
        if !tries.go_on(again, connection) {
            return outcome.and(Err(Error::unavailable("a statement of this read failed: try again")));
        }
    }
}

/// Runs a read for the closures of the port.
pub(crate) fn read_port(
    connection: &mut Connection,
    work: &mut dyn FnMut(&dyn ReadTx) -> Result<()>,
) -> Result<()> {
    read(connection, |tx| work(tx))
}

/// Runs a change of data that the store derives from records. It uses neither the ports nor the
/// memory counters, and may run twice with the same result.
pub(crate) fn change<T>(
    connection: &mut Connection,
    mut work: impl FnMut(&PgTx<'_>) -> Result<T>,
) -> Result<T> {
    let mut tries = AttemptCount::default();
    loop {
        let tx = PgTx::new(connection, Mode::Write);
        let outcome = work(&tx).and_then(|value| match tx.commit() {
            Ok(()) => Ok(value),
            Err((error, _)) => Err(error),
        });
        let error = match outcome {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let again = tx.failure().unwrap_or(RetryEffect::Never);
        tx.roll_back();
        drop(tx);
        if !tries.go_on(again, connection) {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::ConnectionParameters;
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;

    /// Waiting for a locked row ends with an error, and occupies a connection no longer.
    #[test]
    fn a_row_is_not_waited_for_for_ever() {
        let server = PostgresServer::shared().unwrap();
        let url = server.fresh_database().unwrap() + "?lock_timeout_ms=50";
        let connection = || {
            Connection::new(ConnectionParameters::new(PostgresOptions::parse(&url).unwrap()).unwrap())
                .unwrap()
        };
        let (mut one, mut other) = (connection(), connection());
        change(&mut one, |tx| tx.plain("CREATE TABLE public.kept AS SELECT 1 AS number")).unwrap();
        let holds = PgTx::new(&mut one, Mode::Write);
        holds.plain("UPDATE public.kept SET number = 2").unwrap();
        let mut tries = 0;
        let said = change(&mut other, |tx| {
            tries += 1;
            tx.plain("UPDATE public.kept SET number = 3")
        });
        assert_eq!((tries, said.unwrap_err().kind), (LOCKED_MAX, loci_model::ErrorKind::Unavailable));
    }
}
