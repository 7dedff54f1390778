//! The table of memories, with the counters that every write of a memory locks. Deletion hides a
//! memory at once; `purge` removes its rows.

mod purge;

use loci_model::memory::Memory;
use loci_model::ports::store::Memories;
use loci_model::{Error, MemoryId, Reason, Result, Timestamp};
use loci_store_kit::unreadable_rows::{page, readable};
use tokio_postgres::Row;

use crate::digests::memory_number;
use crate::errors::stored;
use crate::tx::{Column, Counters, Entered, PgTx, limit, unsigned};

fn read(row: &Row) -> Result<Memory> {
    parsed(row.take(0)?)
}

fn parsed(body: &str) -> Result<Memory> {
    stored(serde_json::from_str(body), "memory")
}

pub(super) fn body(memory: &Memory) -> Result<String> {
    serde_json::to_string(memory)
        .map_err(|error| Error::bug("a memory that cannot be written").caused_by(error))
}

pub(super) fn taken() -> Error {
    Error::conflict("a memory of that name exists: choose another name").because(Reason::ResourceConflict)
}

impl Memories for PgTx<'_> {
    fn get(&self, id: &MemoryId) -> Result<Option<Memory>> {
        let entered = self.enter(id)?.filter(|entered| entered.is_alive);
        entered.map(|entered| parsed(&entered.body)).transpose()
    }

    fn by_name(&self, name: &str) -> Result<Option<Memory>> {
        // Names contain no zero characters, and the database rejects them.
        if name.contains('\0') {
            return Ok(None);
        }
        self.one("SELECT body FROM memories WHERE name = $1 AND deleted IS NULL", &[&name], read)
    }

    fn list(&self, after: Option<&(Timestamp, MemoryId)>, count: usize) -> Result<Vec<Memory>> {
        let read = |row: &Row| readable("memory", read(row));
        page(count, |count| match after {
            None => self.all(
                "SELECT body FROM memories WHERE deleted IS NULL ORDER BY created DESC, id DESC LIMIT $1",
                &[&limit(count)],
                read,
            ),
            Some((created, id)) => self.all(
                "SELECT body FROM memories WHERE deleted IS NULL AND (created, id) < ($1, $2) \
                 ORDER BY created DESC, id DESC LIMIT $3",
                &[&created.millis(), &id.as_str(), &limit(count)],
                read,
            ),
        })
    }

    fn unreadable(&self) -> Result<Vec<String>> {
        let sql = "SELECT body, id FROM memories WHERE deleted IS NULL ORDER BY id";
        let ids = self.all(sql, &[], |row| match read(row) {
            Ok(_) => Ok(None),
            Err(_) => row.take::<String>(1).map(Some),
        })?;
        Ok(ids.into_iter().flatten().collect())
    }

    fn sequence(&self, id: &MemoryId) -> Result<u64> {
        let Some(number) = self.number(id)? else { return Ok(0) };
        if let Some(counters) = self.counters(id) {
            return Ok(unsigned(counters.sequence));
        }
        let sequence =
            self.one("SELECT sequence FROM counters WHERE mem = $1", &[&number], |row| row.take::<i64>(0))?;
        Ok(unsigned(sequence.unwrap_or(0)))
    }

    /// Returns the numbers of the database and of a table, which differ in a restored dump.
    fn identity_of_store(&self) -> Result<String> {
        let sql = "SELECT (SELECT oid::text FROM pg_database WHERE datname = current_database()) \
                   || '.' || ('memories'::regclass::oid)::text";
        let found = self.one(sql, &[], |row| row.take::<String>(0))?;
        found.ok_or_else(|| Error::bug("the database has no identity"))
    }

    fn insert(&mut self, memory: &Memory) -> Result<()> {
        if Memories::by_name(self, &memory.name)?.is_some() {
            return Err(taken());
        }
        let (number, body) = (memory_number(&memory.id), body(memory)?);
        self.two(
            (
                "INSERT INTO memories(mem, id, name, created, body) VALUES ($1, $2, $3, $4, $5)",
                &[&number, &memory.id.as_str(), &memory.name, &memory.created_at.millis(), &body],
            ),
            (
                "INSERT INTO counters(mem, sequence, arrival, places, erasures) VALUES ($1, 0, 0, 0, 0)",
                &[&number],
            ),
        )?;
        let counters = Counters::default();
        self.note(&memory.id, Some(Entered { number, is_alive: true, body, counters }));
        Ok(())
    }

    fn update(&mut self, memory: &Memory) -> Result<bool> {
        let Some(entered) = self.enter(&memory.id)?.filter(|entered| entered.is_alive) else {
            return Ok(false);
        };
        if Memories::by_name(self, &memory.name)?.is_some_and(|other| other.id != memory.id) {
            return Err(taken());
        }
        let body = body(memory)?;
        self.rows(
            "UPDATE memories SET name = $2, body = $3 WHERE mem = $1",
            &[&entered.number, &memory.name, &body],
        )?;
        self.note(&memory.id, Some(Entered { body, ..entered }));
        // The retention settings may have changed: sweeps examine the memory again.
        self.count(&memory.id, |counters| {
            counters.erase_due = counters.erase_due.map(|_| 0);
            counters.history_due = counters.history_due.map(|_| 0);
        })?;
        Ok(true)
    }

    fn delete(&mut self, id: &MemoryId, at: Timestamp) -> Result<bool> {
        let Some(entered) = self.enter(id)?.filter(|entered| entered.is_alive) else { return Ok(false) };
        self.rows(
            "UPDATE memories SET deleted = $2, body = '' WHERE mem = $1",
            &[&entered.number, &at.millis()],
        )?;
        self.touch(id);
        self.count(id, |counters| {
            counters.erase_due = None;
            counters.history_due = None;
        })?;
        let entered = self.enter(id)?.unwrap_or(entered);
        self.note(id, Some(Entered { is_alive: false, body: String::new(), ..entered }));
        self.erases(id)?;
        Ok(true)
    }

    fn deleted(&self, before: Timestamp, count: usize) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE deleted < $1 ORDER BY deleted, id LIMIT $2";
        page(count, |count| {
            self.all(sql, &[&before.millis(), &limit(count)], |row| {
                readable("memory", stored(MemoryId::parse(row.take::<String>(0)?), "memory id"))
            })
        })
    }

    fn purge(&mut self, id: &MemoryId, rows: usize) -> Result<bool> {
        match self.enter(id)? {
            Some(entered) if !entered.is_alive => self.purge_rows(id, &entered, rows),
            Some(_) | None => Ok(true),
        }
    }
}
