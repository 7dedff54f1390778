//! The table of the ledger.

use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::ports::store::{Ledger, LedgerPage};
use loci_model::{ActorId, MemoryId, Result};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::unreadable;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::events::rows::plain;
use crate::bound::Bound;
use crate::columns::Columns;
use crate::tx::{Column, PgTx, limit, unsigned};

fn read(row: &Row) -> Result<LedgerEntry> {
    body(&Columns(row), "entry of the ledger")
}

const BY_KEY: &str = "SELECT body FROM ledger WHERE mem = $1 AND shelf = $2 AND key = $3";

impl PgTx<'_> {
    /// Takes in an entry from another store; one that is there already stays.
    pub(super) fn load_entry(&self, memory: i64, entry: &LedgerEntry) -> Result<()> {
        let there = self.one(BY_KEY, &[&memory, &entry.shelf.as_str(), &plain(&entry.key)], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_entry(memory, entry) }
    }

    /// Writes an entry of the memory of that number.
    fn put_entry(&self, memory: i64, entry: &LedgerEntry) -> Result<()> {
        let LedgerEntry { shelf, key, actor, subject, at, .. } = entry;
        self.later(
            "INSERT INTO ledger(mem, shelf, key, actor, subject, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (mem, shelf, key) DO UPDATE SET actor = excluded.actor, subject = excluded.subject, \
             at = excluded.at, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(shelf.as_str().to_owned()),
                Box::new(plain(key)),
                Box::new(actor.to_string()),
                Box::new(subject.as_deref().map(plain)),
                Box::new(at.millis()),
                Box::new(json(entry)?),
            ],
        );
        Ok(())
    }
}

impl Ledger for PgTx<'_> {
    fn get(&self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<Option<LedgerEntry>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_KEY, &[&memory, &shelf.as_str(), &plain(key)], read)
    }

    fn list(&self, page: &LedgerPage) -> Result<Vec<LedgerEntry>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        unreadable::page(page.limit, |count| {
            let (sql, bound) = listing(memory, page, count);
            self.all(&sql, &bound.values(), |row| unreadable::readable("entry of the ledger", read(row)))
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
        let sql = "SELECT body FROM ledger WHERE mem = $1 AND shelf = $2 AND key > $3 AND key < $4 \
                   ORDER BY key LIMIT $5";
        let (after, before) = (plain(after), plain(before));
        unreadable::page(count, |count| {
            let values: &[&(dyn ToSql + Sync)] = &[&memory, &shelf.as_str(), &after, &before, &limit(count)];
            self.all(sql, values, |row| unreadable::readable("entry of the ledger", read(row)))
        })
    }

    fn count(&self, memory: &MemoryId, shelf: &Shelf, actor: Option<&ActorId>) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let actor = actor.map(ActorId::as_str);
        let sql =
            "SELECT count(*) FROM ledger WHERE mem = $1 AND shelf = $2 AND ($3::text IS NULL OR actor = $3)";
        let count = self.one(sql, &[&memory, &shelf.as_str(), &actor], |row| row.take(0))?;
        Ok(unsigned(count.unwrap_or(0)))
    }

    fn put(&mut self, entry: &LedgerEntry) -> Result<()> {
        let memory = self.need(&entry.memory)?;
        self.put_entry(memory, entry)
    }

    fn remove(&mut self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM ledger WHERE mem = $1 AND shelf = $2 AND key = $3 RETURNING 1";
        Ok(self.run(sql, &[&memory, &shelf.as_str(), &plain(key)])? > 0)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "DELETE FROM ledger WHERE mem = $1 AND actor = $2 RETURNING 1";
        Ok(u64::try_from(self.run(sql, &[&memory, &actor.as_str()])?).unwrap_or(u64::MAX))
    }
}

/// The statement of a page.
fn listing(memory: i64, page: &LedgerPage, count: usize) -> (String, Bound) {
    let mut bound = Bound::default();
    let (memory, shelf) = (bound.put(memory), bound.put(page.shelf.as_str().to_owned()));
    let mut sql = format!("SELECT body FROM ledger WHERE mem = {memory} AND shelf = {shelf}");
    if let Some(actor) = &page.actor {
        sql.push_str(&format!(" AND actor = {}", bound.put(actor.to_string())));
    }
    if let Some(subject) = &page.subject {
        sql.push_str(&format!(" AND subject = {}", bound.put(plain(subject))));
    }
    if let Some((at, key)) = &page.after {
        let (at, key) = (bound.put(at.millis()), bound.put(plain(key)));
        sql.push_str(&format!(" AND (at < {at} OR (at = {at} AND key > {key}))"));
    }
    sql.push_str(&format!(" ORDER BY at DESC, key LIMIT {}", bound.put(limit(count))));
    (sql, bound)
}
