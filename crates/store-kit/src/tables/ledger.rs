//! The table of the ledger: small entries under a shelf, a key, an actor and a subject.

use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::ports::store::{Ledger, LedgerPage};
use loci_model::{ActorId, MemoryId, Result};

use super::{Tables, forget_actor};
use crate::body_rows::body;
use crate::codes::json;
use crate::fields::Fields;
use crate::sql::{BoundParameters, SqlTransaction};
use crate::unreadable_rows::{page, readable};
use crate::values;

const WHAT: &str = "entry of the ledger";
const BY_KEY: &str = "SELECT body FROM ledger WHERE mem = $1 AND shelf = $2 AND key = $3";

fn read(row: &impl Fields) -> Result<LedgerEntry> {
    body(row, WHAT)
}

/// Imports an entry from another store; an existing entry with the same key is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, entry: &LedgerEntry) -> Result<()> {
    let is_there = tx.has(BY_KEY, values![memory, entry.shelf.as_str(), &entry.key])?;
    if is_there { Ok(()) } else { put(tx, memory, entry) }
}

/// Writes an entry of the memory with this internal number.
fn put(tx: &impl SqlTransaction, memory: i64, entry: &LedgerEntry) -> Result<()> {
    let LedgerEntry { shelf, key, actor, subject, at, .. } = entry;
    tx.later(
        "INSERT INTO ledger(mem, shelf, key, actor, subject, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (mem, shelf, key) DO UPDATE SET actor = excluded.actor, subject = excluded.subject, \
         at = excluded.at, body = excluded.body",
        values![memory, shelf.as_str(), key, actor.as_str(), subject.as_ref(), *at, json(entry)?],
    )
}

impl<T: SqlTransaction> Ledger for Tables<T> {
    fn get(&self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<Option<LedgerEntry>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_KEY, values![memory, shelf.as_str(), key], |row| read(row))
    }

    fn list(&self, wanted: &LedgerPage) -> Result<Vec<LedgerEntry>> {
        let Some(memory) = self.number(&wanted.memory)? else { return Ok(Vec::new()) };
        let mut bound = BoundParameters::default();
        let (memory, shelf) = (bound.put(memory), bound.put(wanted.shelf.as_str()));
        let mut sql = format!("SELECT body FROM ledger WHERE mem = {memory} AND shelf = {shelf}");
        if let Some(actor) = &wanted.actor {
            sql.push_str(&format!(" AND actor = {}", bound.put(actor.as_str())));
        }
        if let Some(subject) = &wanted.subject {
            sql.push_str(&format!(" AND subject = {}", bound.put(subject)));
        }
        if let Some((at, key)) = &wanted.after {
            let (at, key) = (bound.put(*at), bound.put(key));
            sql.push_str(&format!(" AND (at < {at} OR (at = {at} AND key > {key}))"));
        }
        page(wanted.limit, |count| {
            let (mut sql, mut bound) = (sql.clone(), bound.clone());
            sql.push_str(&format!(" ORDER BY at DESC, key LIMIT {}", bound.put(count)));
            self.all(&sql, bound.values(), |row| readable(WHAT, read(row)))
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
        page(count, |count| {
            let values = values![memory, shelf.as_str(), after, before, count];
            self.all(sql, values, |row| readable(WHAT, read(row)))
        })
    }

    fn count(&self, memory: &MemoryId, shelf: &Shelf, actor: Option<&ActorId>) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "SELECT count(*) FROM ledger WHERE mem = $1 AND shelf = $2 \
                   AND (CAST($3 AS text) IS NULL OR actor = $3)";
        let values = values![memory, shelf.as_str(), actor.map(ActorId::as_str)];
        Ok(self.one(sql, values, |row| row.count(0))?.unwrap_or(0))
    }

    fn put(&mut self, entry: &LedgerEntry) -> Result<()> {
        put(&self.0, self.need(&entry.memory)?, entry)
    }

    fn remove(&mut self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM ledger WHERE mem = $1 AND shelf = $2 AND key = $3";
        Ok(self.run(sql, values![memory, shelf.as_str(), key])? > 0)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        forget_actor(&self.0, "ledger", memory, actor)
    }
}
