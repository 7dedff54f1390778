//! One transaction of SQLite as the ports see it. The accessor traits are implemented on it, one file each in
//! `tables/`; here is only what they share.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use loci_model::{Error, MemoryId, Result};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};

use crate::errors::Sql;

/// An open transaction, reading or writing.
pub(crate) struct SqlTx<'c> {
    pub(crate) connection: &'c Connection,
    /// The memory last asked for, with its number.
    known: RefCell<Option<(MemoryId, i64)>>,
    touched: RefCell<Touched>,
    /// Statements that may still be run; `None`: any number.
    room: Cell<Option<u32>>,
}

/// What a transaction meant for indexes.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Memories whose records changed.
    pub(crate) changed: BTreeSet<MemoryId>,
    /// Memories from which content was erased: their snapshots go before the commit.
    pub(crate) erased: BTreeSet<MemoryId>,
}

impl Touched {
    /// Takes in what another piece of the same transaction did.
    pub(crate) fn extend(&mut self, other: Self) {
        self.changed.extend(other.changed);
        self.erased.extend(other.erased);
    }
}

/// Reads columns in the model's errors.
pub(crate) trait Column {
    /// The column at `place`.
    fn take<T: FromSql>(&self, place: usize) -> Result<T>;
}

impl Column for Row<'_> {
    fn take<T: FromSql>(&self, place: usize) -> Result<T> {
        self.get(place).sql()
    }
}

impl<'c> SqlTx<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, known: RefCell::new(None), touched: RefCell::default(), room: Cell::new(None) }
    }

    /// One in which so many statements may be run: a further one fails, and nothing of it is to be kept.
    pub(crate) fn of_statements(connection: &'c Connection, statements: u32) -> Self {
        Self { room: Cell::new(Some(statements)), ..Self::new(connection) }
    }

    /// More statements were asked for than may be run.
    pub(crate) fn is_full(&self) -> bool {
        self.room.get() == Some(0)
    }

    pub(crate) fn step(&self) -> Result<()> {
        let Some(room) = self.room.get() else { return Ok(()) };
        let left = room.saturating_sub(1);
        self.room.set(Some(left));
        if left > 0 {
            return Ok(());
        }
        Err(Error::unavailable("the write is too long to share a transaction; it is run again by itself"))
    }

    /// What it meant for indexes.
    pub(crate) fn into_touched(self) -> Touched {
        self.touched.into_inner()
    }

    pub(crate) fn touch(&self, memory: &MemoryId) {
        let changed = &mut self.touched.borrow_mut().changed;
        if !changed.contains(memory) {
            changed.insert(memory.clone());
        }
    }

    /// Says that content of a memory is erased in this transaction, not only hidden: no snapshot of an index that may
    /// hold it outlives the commit.
    pub(crate) fn erases(&self, memory: &MemoryId) -> Result<()> {
        if self.touched.borrow_mut().erased.insert(memory.clone()) {
            self.run("UPDATE memories SET erasures = erasures + 1 WHERE id = ?1", [memory.as_str()])?;
        }
        Ok(())
    }

    pub(crate) fn forget_known(&self) {
        self.known.replace(None);
    }

    /// The number of a memory that is not deleted.
    pub(crate) fn number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        if let Some((known, number)) = self.known.borrow().as_ref()
            && known == memory
        {
            return Ok(Some(*number));
        }
        let sql = "SELECT num FROM memories WHERE id = ?1 AND deleted IS NULL";
        let number = self.one(sql, [memory.as_str()], |row| row.take(0))?;
        if let Some(number) = number {
            self.known.replace(Some((memory.clone(), number)));
        }
        Ok(number)
    }

    /// The number of a memory that a write needs.
    pub(crate) fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// The first row.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.step()?;
        let mut statement = self.connection.prepare_cached(sql).sql()?;
        let mut rows = statement.query(params).sql()?;
        rows.next().sql()?.map(read).transpose()
    }

    /// All rows.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut out = Vec::new();
        self.each(sql, params, |row| {
            out.push(read(row)?);
            Ok(true)
        })?;
        Ok(out)
    }

    /// Rows one by one, until `see` says false.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut see: impl FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        self.step()?;
        let mut statement = self.connection.prepare_cached(sql).sql()?;
        let mut rows = statement.query(params).sql()?;
        while let Some(row) = rows.next().sql()? {
            if !see(row)? {
                break;
            }
        }
        Ok(())
    }

    /// Changes rows; how many.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.step()?;
        self.connection.prepare_cached(sql).sql()?.execute(params).sql()
    }
}

/// A count or number as SQLite keeps it.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A count or number from SQLite.
pub(crate) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// A limit as SQLite takes it.
pub(crate) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
