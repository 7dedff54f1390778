//! The table of the ledger.

use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::ports::store::{Ledger, LedgerPage};
use loci_model::{ActorId, MemoryId, Result};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::unreadable;
use rusqlite::{Row, params, params_from_iter};

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tx::{Column, SqlTx, limit, unsigned};

fn read(row: &Row<'_>) -> Result<LedgerEntry> {
    body(&Columns(row), "entry of the ledger")
}

impl SqlTx<'_> {
    /// Takes in an entry from another store; one that is there already stays.
    pub(super) fn load_entry(&self, memory: i64, entry: &LedgerEntry) -> Result<()> {
        let sql = "SELECT 1 FROM ledger WHERE mem = ?1 AND shelf = ?2 AND key = ?3";
        match self.one(sql, params![memory, entry.shelf.as_str(), entry.key], |_| Ok(()))? {
            Some(()) => Ok(()),
            None => self.put_entry(memory, entry),
        }
    }

    /// Writes an entry of the memory of that number.
    fn put_entry(&self, memory: i64, entry: &LedgerEntry) -> Result<()> {
        let LedgerEntry { shelf, key, actor, subject, at, .. } = entry;
        self.run(
            "INSERT INTO ledger(mem, shelf, key, actor, subject, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT(mem, shelf, key) DO UPDATE SET actor = excluded.actor, subject = excluded.subject, \
             at = excluded.at, body = excluded.body",
            params![memory, shelf.as_str(), key, actor.as_str(), subject, at.millis(), json(entry)?],
        )?;
        Ok(())
    }
}

impl Ledger for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<Option<LedgerEntry>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM ledger WHERE mem = ?1 AND shelf = ?2 AND key = ?3";
        self.one(sql, params![memory, shelf.as_str(), key], read)
    }

    fn list(&self, page: &LedgerPage) -> Result<Vec<LedgerEntry>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let mut bound = Bound::default();
        let (memory, shelf) = (bound.put(memory), bound.put(page.shelf.as_str().to_owned()));
        let mut sql = format!("SELECT body FROM ledger WHERE mem = {memory} AND shelf = {shelf}");
        if let Some(actor) = &page.actor {
            sql.push_str(&format!(" AND actor = {}", bound.put(actor.to_string())));
        }
        if let Some(subject) = &page.subject {
            sql.push_str(&format!(" AND subject = {}", bound.put(subject.clone())));
        }
        if let Some((at, key)) = &page.after {
            let (at, key) = (bound.put(at.millis()), bound.put(key.clone()));
            sql.push_str(&format!(" AND (at < {at} OR (at = {at} AND key > {key}))"));
        }
        unreadable::page(page.limit, |count| {
            let (mut sql, mut bound) = (sql.clone(), bound.clone());
            sql.push_str(&format!(" ORDER BY at DESC, key LIMIT {}", bound.put(limit(count))));
            self.all(&sql, params_from_iter(bound.values()), |row| {
                unreadable::readable("entry of the ledger", read(row))
            })
        })
    }

    fn between(
        &self,
        memory: &MemoryId,
        shelf: &Shelf,
        (after, before): (&str, &str),
        count: usize,
    ) -> Result<Vec<LedgerEntry>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM ledger WHERE mem = ?1 AND shelf = ?2 AND key > ?3 AND key < ?4 \
                   ORDER BY key LIMIT ?5";
        unreadable::page(count, |count| {
            let values = params![memory, shelf.as_str(), after, before, limit(count)];
            self.all(sql, values, |row| unreadable::readable("entry of the ledger", read(row)))
        })
    }

    fn count(&self, memory: &MemoryId, shelf: &Shelf, actor: Option<&ActorId>) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let actor = actor.map(ActorId::as_str);
        let sql = "SELECT count(*) FROM ledger WHERE mem = ?1 AND shelf = ?2 AND (?3 IS NULL OR actor = ?3)";
        let count = self.one(sql, params![memory, shelf.as_str(), actor], |row| row.take(0))?;
        Ok(unsigned(count.unwrap_or(0)))
    }

    fn put(&mut self, entry: &LedgerEntry) -> Result<()> {
        let memory = self.need(&entry.memory)?;
        self.put_entry(memory, entry)
    }

    fn remove(&mut self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM ledger WHERE mem = ?1 AND shelf = ?2 AND key = ?3";
        Ok(self.run(sql, params![memory, shelf.as_str(), key])? > 0)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let gone =
            self.run("DELETE FROM ledger WHERE mem = ?1 AND actor = ?2", params![memory, actor.as_str()])?;
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    }
}
