//! Running closures as transactions: again where others were in the way, where two came with one name at once, and where
//! the connection broke before the commit. How often, and how long between, is all it decides.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use loci_model::ports::store::{ReadTx, Tx};
use loci_model::{Error, Result};
use loci_store_kit::tables::Tables;

use crate::connection::Connection;
use crate::errors::Again;
use crate::gate::Gate;
use crate::tx::{Mode, PgTx};

/// Tries where others were at the same rows.
const CONTENDED_MAX: u32 = 20;
/// Tries where a row was waited for in vain: each took as long as is waited for one.
const LOCKED_MAX: u32 = 3;
/// Tries where two came with one name: the second finds the first.
const COLLIDED_MAX: u32 = 4;
/// The first pause, and the longest; each is twice as long as the one before.
const PAUSE_MS: u64 = 5;
const PAUSE_MAX_MS: u64 = 500;

/// What a closure wrote beside its result.
pub(crate) type Touched = std::collections::BTreeSet<loci_model::MemoryId>;

/// How often a piece of work was tried, and how long it was waited for in all.
#[derive(Default)]
struct Tries {
    contended: u32,
    locked: u32,
    collided: u32,
    pauses: u32,
    waited: Duration,
}

impl Tries {
    /// True where the work is to be run again; waits a little first. Of a connection that is gone nothing is kept; that none
    /// could be made, and that none answered, counts as having waited.
    fn go_on(&mut self, again: Again, connection: &mut Connection) -> bool {
        self.waited += connection.lost();
        let more = match again {
            Again::Contended => {
                self.contended += 1;
                self.contended < CONTENDED_MAX
            }
            Again::Locked => {
                self.locked += 1;
                self.locked < LOCKED_MAX
            }
            Again::Collided => {
                self.collided += 1;
                self.collided < COLLIDED_MAX
            }
            Again::Disconnected => {
                connection.forget();
                self.waited < Duration::from_millis(connection.options().patience_ms)
            }
            Again::Never => false,
        };
        if more {
            let pause = Duration::from_millis((PAUSE_MS << self.pauses.min(10)).min(PAUSE_MAX_MS));
            self.pauses += 1;
            self.waited += pause;
            // The thread is the connection's own: nobody else waits with it.
            std::thread::park_timeout(pause);
        }
        more
    }
}

/// What became of a write.
pub(crate) enum Written {
    /// It is committed; which memories' records changed.
    Done(Touched),
    /// There were enough in the memory of that number: nothing was done.
    Crowded(i64),
}

/// Runs a write, where there is room in the memories that it enters.
pub(crate) fn write(
    connection: &mut Connection,
    gate: &Gate,
    work: &mut dyn FnMut(&mut dyn Tx) -> Result<()>,
) -> Result<Written> {
    let mut tries = Tries::default();
    loop {
        let mut tx = Tables(PgTx::new(connection, Mode::Write).through(gate));
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut tx)))
            .unwrap_or_else(|_| Err(Error::bug("a write panicked; nothing of it was written")));
        // A closure that went on after a failed statement has not written what it thinks.
        let failure = tx.failure();
        let error = match (outcome, failure) {
            (Ok(()), None) => match tx.commit() {
                Ok(()) => return Ok(Written::Done(tx.touched())),
                Err((_, true)) => {
                    tx.roll_back();
                    return Err(in_doubt());
                }
                Err((error, false)) => error,
            },
            (Ok(()), Some(_)) => Error::unavailable("a statement of this write failed; nothing was written"),
            (Err(error), _) => error,
        };
        let (again, crowded) = (tx.failure().unwrap_or(Again::Never), tx.crowded());
        tx.roll_back();
        if let Some(memory) = crowded {
            return Ok(Written::Crowded(memory));
        }
        drop(tx);
        if !tries.go_on(again, connection) {
            return Err(error);
        }
        tracing::debug!(?again, "a write is run again");
    }
}

/// The commit was sent, and the connection broke before it was answered.
fn in_doubt() -> Error {
    Error::unavailable(
        "the connection to the database broke while this was written, and it may or may not be there: try again with the \
         same client token",
    )
}

/// Runs a read on one state of the database.
pub(crate) fn read<T>(
    connection: &mut Connection,
    work: impl FnMut(&Tables<PgTx<'_>>) -> Result<T>,
) -> Result<T> {
    reading(connection, Mode::Read, work)
}

/// Asks one question.
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
    let mut tries = Tries::default();
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

/// The same for the port's closures.
pub(crate) fn read_port(
    connection: &mut Connection,
    work: &mut dyn FnMut(&dyn ReadTx) -> Result<()>,
) -> Result<()> {
    read(connection, |tx| work(tx))
}

/// Runs a change of what the store derives itself: no port, no counters, and the same however often it is run.
pub(crate) fn change<T>(
    connection: &mut Connection,
    mut work: impl FnMut(&PgTx<'_>) -> Result<T>,
) -> Result<T> {
    let mut tries = Tries::default();
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
        let again = tx.failure().unwrap_or(Again::Never);
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
    use crate::connection::Connecting;
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;

    /// Who waits for a row that another keeps hears of it in the end, and holds a connection no longer than that.
    #[test]
    fn a_row_is_not_waited_for_for_ever() {
        let server = PostgresServer::shared().unwrap();
        let url = server.fresh_database().unwrap() + "?lock_timeout_ms=50";
        let connection =
            || Connection::new(Connecting::new(PostgresOptions::parse(&url).unwrap()).unwrap()).unwrap();
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
