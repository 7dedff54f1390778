//! A transaction of SQLite for the ports. The accessor traits are implemented on it, one file each
//! in `tables/`. This file has only their common parts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use loci_model::{Error, MemoryId, Result};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row};

use crate::errors::Sql;

/// An open transaction for reading or writing.
pub(crate) struct SqlTx<'c> {
    pub(crate) connection: &'c Connection,
    /// The last requested memory, with its number.
    known: RefCell<Option<(MemoryId, i64)>>,
    touched: RefCell<TransactionEffects>,
    /// The number of statements that the transaction may still run. `None` means no limit.
    room: Cell<Option<u32>>,
}

/// The effects of a transaction on indexes, applied at its commit.
#[derive(Debug, Default)]
pub(crate) struct TransactionEffects {
    /// The memories whose records changed.
    pub(crate) changed: BTreeSet<MemoryId>,
    /// The memories whose content was erased. Their snapshots are removed before the commit.
    pub(crate) erased: BTreeSet<MemoryId>,
}

impl TransactionEffects {
    /// Adds the effects of another piece of the same transaction.
    pub(crate) fn extend(&mut self, other: Self) {
        self.changed.extend(other.changed);
        self.erased.extend(other.erased);
    }
}

/// Reading of columns with the error type of the model.
pub(crate) trait Column {
    /// Reads the column at `place`.
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

    /// Returns a transaction with a maximum number of statements: a further one fails, and
    /// everything must be rolled back.
    pub(crate) fn of_statements(connection: &'c Connection, statements: u32) -> Self {
        Self { room: Cell::new(Some(statements)), ..Self::new(connection) }
    }

    /// True if the maximum number of statements was exceeded.
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

    /// Returns the effects on indexes.
    pub(crate) fn into_touched(self) -> TransactionEffects {
        self.touched.into_inner()
    }

    pub(crate) fn touch(&self, memory: &MemoryId) {
        let changed = &mut self.touched.borrow_mut().changed;
        if !changed.contains(memory) {
            changed.insert(memory.clone());
        }
    }

    /// Records that this transaction erases content of a memory, and not only hides it: no snapshot
    /// of an index that may contain it survives the commit.
    pub(crate) fn erases(&self, memory: &MemoryId) -> Result<()> {
        if self.touched.borrow_mut().erased.insert(memory.clone()) {
            self.run("UPDATE memories SET erasures = erasures + 1 WHERE id = ?1", [memory.as_str()])?;
        }
        Ok(())
    }

    pub(crate) fn forget_known(&self) {
        self.known.replace(None);
    }

    /// Returns the number of a memory that is not deleted.
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

    /// Returns the number of a memory for a write.
    pub(crate) fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// Returns the first row.
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

    /// Returns all rows.
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

    /// Passes rows to `see` one by one, until it returns false.
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

    /// Changes rows, and returns their number.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.step()?;
        self.connection.prepare_cached(sql).sql()?.execute(params).sql()
    }
}

/// Returns a count or number in the type of an SQLite column.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns a count or number from an SQLite column.
pub(crate) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Returns a row limit in the type of SQLite's `LIMIT`.
pub(crate) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
