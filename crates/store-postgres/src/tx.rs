//! A transaction of PostgreSQL for the ports. The accessor traits are implemented on it, one file
//! each in `tables/`. This file has the common parts: statements, the lock of a memory, its
//! counters.
//!
//! A write locks each memory before it first reads from it. Writes of one memory are thus
//! serialised, and a closure sees the same state as if it ran alone. Memories do not wait for each
//! other.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use loci_model::{Error, MemoryId, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql};

use crate::connection::{Connection, ConnectionStep, Failed, Values};
use crate::digests::{Key16, memory_number};
use crate::errors::RetryEffect;
use crate::gate::Gate;

/// The values of a deferred statement.
pub(crate) type OwnedValues = Vec<Box<dyn ToSql + Sync + Send>>;

/// Returns references to the values, for a statement with a response.
pub(crate) fn borrowed(values: &OwnedValues) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
}

/// The maximum number of deferred statements.
const LATER_MAX: usize = 512;

/// The kinds of transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The transaction only reads, with one statement. Several statements may see different states.
    Single,
    /// The transaction only reads, and all statements see the same state.
    Read,
    /// The transaction changes memories, and locks each one on first use.
    Write,
}

impl Mode {
    fn begin(self) -> &'static str {
        match self {
            Self::Single => "",
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
        }
    }
}

/// A memory as this transaction has found and changed it.
#[derive(Debug, Clone)]
pub(crate) struct Entered {
    pub(crate) number: i64,
    /// True if the memory is not deleted.
    pub(crate) is_alive: bool,
    /// The memory as stored JSON.
    pub(crate) body: String,
    /// The counters of the memory. They are valid only if the transaction has locked it.
    pub(crate) counters: Counters,
}

/// The counters of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    pub(crate) sequence: i64,
    pub(crate) arrival: i64,
    pub(crate) places: i64,
    pub(crate) erasures: i64,
    /// A time, not later than that at which the first deleted content must be erased. `None` if
    /// there is none.
    pub(crate) erase_due: Option<i64>,
    /// A time, not later than that at which the first history must be removed. `None` if there is
    /// none.
    pub(crate) history_due: Option<i64>,
}

/// A deferred statement: it is sent before the next statement with a response.
struct Later {
    sql: String,
    values: OwnedValues,
}

/// A transaction that is open, for reading or for writing.
pub(crate) struct PgTx<'c> {
    connection: RefCell<&'c mut Connection>,
    mode: Mode,
    gate: Option<&'c Gate>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    begun: bool,
    /// True after the transaction was committed or rolled back.
    ended: bool,
    /// The numbers of the memories that the transaction has entered through the gate.
    inside: Vec<i64>,
    /// The number of the memory that the gate did not admit, if any.
    crowded: Option<i64>,
    /// The error class of the first failed statement, after which the database rejects all others
    /// in this transaction.
    failed: Option<RetryEffect>,
    later: Vec<Later>,
    entered: BTreeMap<MemoryId, Option<Entered>>,
    /// The memories whose counters the transaction changed.
    counted: BTreeSet<MemoryId>,
    /// Changed groups, with namespace, strategy and sequence.
    groups: BTreeMap<(i64, Key16), (String, String, i64)>,
    touched: BTreeSet<MemoryId>,
    erased: BTreeSet<MemoryId>,
}

/// Reading of columns with the error type of the model.
pub(crate) trait Column {
    /// Returns the value of the column with the index `place`.
    fn take<'r, T: FromSql<'r>>(&'r self, place: usize) -> Result<T>;
}

impl Column for Row {
    fn take<'r, T: FromSql<'r>>(&'r self, place: usize) -> Result<T> {
        self.try_get(place)
            .map_err(|error| Error::bug("the store could not read its own row").caused_by(error))
    }
}

impl<'c> PgTx<'c> {
    pub(crate) fn new(connection: &'c mut Connection, mode: Mode) -> Self {
        Self { connection: RefCell::new(connection), mode, gate: None, state: RefCell::default() }
    }

    /// Makes the transaction enter memories through a gate.
    pub(crate) fn through(mut self, gate: &'c Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Returns the memory without a free slot.
    pub(crate) fn crowded(&self) -> Option<i64> {
        self.state.borrow().crowded
    }

    fn take_place(&self, memory: i64) -> Result<()> {
        let (Some(gate), Mode::Write) = (self.gate, self.mode) else { return Ok(()) };
        let mut state = self.state.borrow_mut();
        if gate.enter(memory) {
            state.inside.push(memory);
            return Ok(());
        }
        state.crowded = Some(memory);
        state.failed.get_or_insert(RetryEffect::Contended);
        Err(Error::unavailable("many write to the same memory: try again"))
    }

    /// True if this transaction may write.
    pub(crate) fn is_write(&self) -> bool {
        self.mode == Mode::Write
    }

    /// Returns the error class of the first failed statement.
    pub(crate) fn failure(&self) -> Option<RetryEffect> {
        self.state.borrow().failed
    }

    /// Returns the memories with changed records.
    pub(crate) fn touched(&self) -> BTreeSet<MemoryId> {
        self.state.borrow().touched.clone()
    }

    /// Sends deferred statements, then these, and reads their rows.
    fn send(&self, steps: &[ConnectionStep<'_>]) -> Result<Vec<Vec<Row>>> {
        let (waiting, begins) = {
            let mut state = self.state.borrow_mut();
            if state.failed.is_some() {
                return Err(Error::unavailable(
                    "an earlier statement of this write failed; nothing was written",
                ));
            }
            let begins = !state.begun && self.mode != Mode::Single;
            state.begun = true;
            (std::mem::take(&mut state.later), begins)
        };
        let values: Vec<Vec<&(dyn ToSql + Sync)>> =
            waiting.iter().map(|later| borrowed(&later.values)).collect();
        let mut all: Vec<ConnectionStep<'_>> = Vec::with_capacity(steps.len() + waiting.len() + 1);
        if begins {
            all.push(ConnectionStep::Plain(self.mode.begin()));
        }
        all.extend(
            waiting.iter().zip(&values).map(|(later, values)| ConnectionStep::Prepared(&later.sql, values)),
        );
        let skipped = all.len();
        all.extend(steps.iter().map(|step| match step {
            ConnectionStep::Plain(sql) => ConnectionStep::Plain(sql),
            ConnectionStep::Prepared(sql, values) => ConnectionStep::Prepared(sql, values),
        }));
        let mut connection = self.connection.borrow_mut();
        let answered =
            if begins || self.mode == Mode::Single { connection.run(&all) } else { connection.go_on(&all) };
        match answered {
            Ok(rows) => Ok(rows.into_iter().skip(skipped).collect()),
            Err(Failed { error, again }) => {
                self.state.borrow_mut().failed.get_or_insert(again);
                Err(error)
            }
        }
    }

    /// Runs two independent reads.
    pub(crate) fn two(
        &self,
        first: (&str, Values<'_>),
        second: (&str, Values<'_>),
    ) -> Result<(Vec<Row>, Vec<Row>)> {
        let mut rows = self
            .send(&[
                ConnectionStep::Prepared(first.0, first.1),
                ConnectionStep::Prepared(second.0, second.1),
            ])?
            .into_iter();
        Ok((rows.next().unwrap_or_default(), rows.next().unwrap_or_default()))
    }

    /// Runs independent statements, and returns the rows of each.
    pub(crate) fn several(&self, statements: &[(&str, Values<'_>)]) -> Result<Vec<Vec<Row>>> {
        let steps: Vec<ConnectionStep<'_>> =
            statements.iter().map(|(sql, values)| ConnectionStep::Prepared(sql, values)).collect();
        if steps.is_empty() { Ok(Vec::new()) } else { self.send(&steps) }
    }

    /// Runs statements without values and without rows.
    pub(crate) fn plain(&self, sql: &str) -> Result<()> {
        self.send(&[ConnectionStep::Plain(sql)]).map(drop)
    }

    /// Returns the schema of the tables.
    pub(crate) fn schema(&self) -> String {
        self.connection.borrow().options().schema.clone()
    }

    /// Returns all rows unparsed.
    pub(crate) fn rows(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>> {
        Ok(self.send(&[ConnectionStep::Prepared(sql, values)])?.into_iter().next().unwrap_or_default())
    }

    /// Returns the first row.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        self.rows(sql, values)?.first().map(read).transpose()
    }

    /// Returns all rows.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        values: Values<'_>,
        read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.rows(sql, values)?.iter().map(read).collect()
    }

    /// Changes rows, and returns their number. The statement must contain `RETURNING 1`.
    pub(crate) fn run(&self, sql: &str, values: Values<'_>) -> Result<usize> {
        Ok(self.rows(sql, values)?.len())
    }

    /// Defers a statement that changes rows: it is sent together with the next one, and its number
    /// of rows is not returned. Its error is reported by the next statement, or by the commit.
    pub(crate) fn later(&self, sql: impl Into<String>, values: OwnedValues) {
        let waiting = {
            let mut state = self.state.borrow_mut();
            state.later.push(Later { sql: sql.into(), values });
            state.later.len()
        };
        if waiting >= LATER_MAX && self.send(&[]).is_err() {
            tracing::debug!("a statement of a write failed; the write is given up");
        }
    }

    /// Returns the current state of a memory. A write transaction locks the memory first. `None` if
    /// it never existed, or its rows are purged.
    pub(crate) fn enter(&self, memory: &MemoryId) -> Result<Option<Entered>> {
        if let Some(known) = self.state.borrow().entered.get(memory) {
            return Ok(known.clone());
        }
        let number = memory_number(memory);
        self.take_place(number)?;
        let body = "SELECT id, body, deleted IS NULL FROM memories WHERE mem = $1";
        let (locked, found) = match self.mode {
            Mode::Single | Mode::Read => (Vec::new(), self.rows(body, &[&number])?),
            Mode::Write => {
                // The row is read after the lock is acquired, so that it includes the changes of
                // the previous holder.
                let lock = "SELECT sequence, arrival, places, erasures, erase_due, history_due FROM counters \
                            WHERE mem = $1 FOR UPDATE";
                self.two((lock, &[&number]), (body, &[&number]))?
            }
        };
        let entered =
            found.first().map(|row| entered(memory, number, row, locked.first())).transpose()?.flatten();
        self.state.borrow_mut().entered.insert(memory.clone(), entered.clone());
        Ok(entered)
    }

    /// Sets the state of a memory for the rest of this transaction.
    pub(crate) fn note(&self, memory: &MemoryId, entered: Option<Entered>) {
        self.state.borrow_mut().entered.insert(memory.clone(), entered);
    }

    /// Returns the number of a memory that is not deleted.
    pub(crate) fn number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        Ok(self.enter(memory)?.filter(|entered| entered.is_alive).map(|entered| entered.number))
    }

    /// Returns the number of a memory, even if deleted: its purge is one of its jobs.
    pub(crate) fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        Ok(self.enter(memory)?.map(|entered| entered.number))
    }

    /// Returns the number of a memory for a write.
    pub(crate) fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// Changes the counters, which are written with the commit.
    pub(crate) fn count<T>(&self, memory: &MemoryId, step: impl FnOnce(&mut Counters) -> T) -> Result<T> {
        self.enter(memory)?;
        let mut state = self.state.borrow_mut();
        state.counted.insert(memory.clone());
        match state.entered.get_mut(memory) {
            Some(Some(entered)) => Ok(step(&mut entered.counters)),
            Some(None) | None => Err(Error::not_found("the memory does not exist")),
        }
    }

    /// Returns the counters in this transaction, if it has locked the memory.
    pub(crate) fn counters(&self, memory: &MemoryId) -> Option<Counters> {
        let state = self.state.borrow();
        match (self.mode, state.entered.get(memory)) {
            (Mode::Write, Some(Some(entered))) => Some(entered.counters),
            (Mode::Single | Mode::Write | Mode::Read, _) => None,
        }
    }

    /// Returns the next number in the order of arrival, for rows of a memory that keep that order.
    pub(crate) fn next_place(&self, memory: &MemoryId) -> Result<i64> {
        self.count(memory, |counters| {
            counters.places += 1;
            counters.places
        })
    }

    /// Records that the memory's records changed: its index is updated after the commit.
    pub(crate) fn touch(&self, memory: &MemoryId) {
        self.state.borrow_mut().touched.insert(memory.clone());
    }

    /// Records that this transaction erases content of a memory, and not only hides it.
    pub(crate) fn erases(&self, memory: &MemoryId) -> Result<()> {
        if self.state.borrow_mut().erased.insert(memory.clone()) {
            self.count(memory, |counters| counters.erasures += 1)?;
        }
        Ok(())
    }

    /// Records a change in a group. It is written before groups are read, and with the commit.
    pub(crate) fn change_group(
        &self,
        memory: i64,
        group: Key16,
        normal: &str,
        strategy: &str,
        sequence: i64,
    ) {
        let mut state = self.state.borrow_mut();
        state.groups.insert((memory, group), (normal.to_owned(), strategy.to_owned(), sequence));
    }

    /// Sends recorded changes of groups with the next statement.
    pub(crate) fn flush_groups(&self) {
        let groups = std::mem::take(&mut self.state.borrow_mut().groups);
        for ((memory, group), (normal, strategy, sequence)) in groups {
            self.later(
                "INSERT INTO groups(mem, grp, normal, strategy, sequence) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (mem, grp) DO UPDATE SET sequence = excluded.sequence",
                vec![
                    Box::new(memory),
                    Box::new(group),
                    Box::new(normal),
                    Box::new(strategy),
                    Box::new(sequence),
                ],
            );
        }
    }

    /// Sends deferred statements and commits. `Err` with `true`: the commit was sent without a
    /// response.
    pub(crate) fn commit(&self) -> std::result::Result<(), (Error, bool)> {
        if self.mode == Mode::Single || self.has_nothing() {
            return Ok(());
        }
        if self.mode == Mode::Read && self.failure().is_none() {
            self.connection.borrow_mut().tell("COMMIT");
            self.state.borrow_mut().ended = true;
            return Ok(());
        }
        let is_lost = self.state.borrow().begun && !self.connection.borrow().is_open();
        self.flush_groups();
        let counted = self.counted();
        self.send(&[ConnectionStep::Plain(&format!("{counted}COMMIT"))]).map_err(|error| {
            let in_doubt =
                self.mode == Mode::Write && !is_lost && self.failure() == Some(RetryEffect::Disconnected);
            (error, in_doubt)
        })?;
        self.state.borrow_mut().ended = true;
        Ok(())
    }

    /// True if no statement was sent and none is deferred.
    fn has_nothing(&self) -> bool {
        let state = self.state.borrow();
        !state.begun && state.later.is_empty() && state.groups.is_empty()
    }

    /// Returns statements for the changed counters. They contain only numbers.
    fn counted(&self) -> String {
        let state = self.state.borrow();
        let changed = state.counted.iter().filter_map(|memory| state.entered.get(memory)?.as_ref());
        changed
            .map(|entered| {
                let Counters { sequence, arrival, places, erasures, .. } = entered.counters;
                let (erase_due, history_due) =
                    (literal(entered.counters.erase_due), literal(entered.counters.history_due));
                format!(
                    "UPDATE counters SET sequence = {sequence}, arrival = {arrival}, places = {places}, \
                     erasures = {erasures}, erase_due = {erase_due}, history_due = {history_due} WHERE mem = {}; ",
                    entered.number
                )
            })
            .collect()
    }

    /// Rolls back.
    pub(crate) fn roll_back(&self) {
        let begun = self.state.borrow().begun && self.mode != Mode::Single;
        if begun && self.connection.borrow_mut().go_on(&[ConnectionStep::Plain("ROLLBACK")]).is_err() {
            // The database ends the transaction with the connection.
            self.connection.borrow_mut().forget();
        }
        self.state.borrow_mut().ended = true;
    }
}

impl Drop for PgTx<'_> {
    /// Drops the connection of a transaction that was not ended, such as after a panic: the next
    /// work would otherwise continue in it.
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if state.begun && !state.ended && self.mode != Mode::Single {
            self.connection.get_mut().forget();
        }
        if let Some(gate) = self.gate {
            state.inside.iter().for_each(|memory| gate.leave(*memory));
        }
    }
}

/// Returns the state of a memory from its rows; `None` if the number belongs to another memory.
fn entered(memory: &MemoryId, number: i64, row: &Row, locked: Option<&Row>) -> Result<Option<Entered>> {
    if row.take::<&str>(0)? != memory.as_str() {
        return Ok(None);
    }
    let counters = match locked {
        Some(row) => Counters {
            sequence: row.take(0)?,
            arrival: row.take(1)?,
            places: row.take(2)?,
            erasures: row.take(3)?,
            erase_due: row.take(4)?,
            history_due: row.take(5)?,
        },
        None => Counters::default(),
    };
    Ok(Some(Entered { number, is_alive: row.take(2)?, body: row.take(1)?, counters }))
}

fn literal(number: Option<i64>) -> String {
    number.map_or_else(|| "NULL".to_owned(), |number| number.to_string())
}

/// Returns a count or number in the type of a PostgreSQL column.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns a count or number from a PostgreSQL column.
pub(crate) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Returns a row limit in the type of PostgreSQL's `LIMIT`.
pub(crate) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns a small count as four bytes for a column.
pub(crate) fn int(value: impl TryInto<i32>) -> i32 {
    value.try_into().unwrap_or(i32::MAX)
}

/// Returns a small count from a column of four or eight bytes.
pub(crate) fn uint(value: impl TryInto<u32>) -> u32 {
    value.try_into().unwrap_or(0)
}

/// Returns the code of an enum value as two bytes for a column.
pub(crate) fn code(value: i64) -> i16 {
    i16::try_from(value).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::ConnectionParameters;
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;

    /// Returns a server, the name of a database with an empty table, and a connection to it.
    fn with_a_table() -> (&'static PostgresServer, String, Connection) {
        let server = PostgresServer::shared().unwrap();
        let url = server.fresh_database().unwrap();
        let database = url.rsplit('/').next().unwrap().to_owned();
        server.sql(&database, "CREATE TABLE kept (number INTEGER)").unwrap();
        let connecting = ConnectionParameters::new(PostgresOptions::parse(&url).unwrap()).unwrap();
        (server, database, Connection::new(connecting).unwrap())
    }

    /// The end of a connection may be noticed while the previous response is read: later statements
    /// must not form a separate transaction on a new connection.
    #[test]
    fn a_transaction_ends_with_its_connection() {
        let (server, database, mut connection) = with_a_table();
        for commits in [false, true] {
            let tx = PgTx::new(&mut connection, Mode::Write);
            tx.rows("INSERT INTO public.kept VALUES (1)", &[]).unwrap();
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
            server.sql(&database, end).unwrap();
            tx.connection.borrow_mut().notices_its_end();
            if commits {
                let (_, in_doubt) = tx.commit().unwrap_err();
                assert!(!in_doubt, "no commit was sent");
            } else {
                assert!(tx.rows("INSERT INTO public.kept VALUES (2)", &[]).is_err());
            }
            assert_eq!(tx.failure(), Some(RetryEffect::Disconnected));
            tx.roll_back();
        }
        assert_eq!(server.sql(&database, "SELECT count(*) FROM kept").unwrap(), "0\n");
    }

    /// Statements after work that panicked do not run within its transaction.
    #[test]
    fn a_transaction_ends_with_work_that_panics() {
        let (server, database, mut connection) = with_a_table();
        let work = std::panic::AssertUnwindSafe(|| {
            crate::transaction_retry::read(&mut connection, |tx| -> Result<()> {
                tx.rows("SELECT 1", &[])?;
                panic!("as a closure might");
            })
        });
        assert!(std::panic::catch_unwind(work).is_err());
        crate::transaction_retry::change(&mut connection, |tx| {
            tx.rows("INSERT INTO public.kept VALUES (1)", &[])
        })
        .unwrap();
        assert_eq!(server.sql(&database, "SELECT count(*) FROM kept").unwrap(), "1\n");
    }
}
