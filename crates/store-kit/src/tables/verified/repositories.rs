//! The table of repositories, and the table of the names by which they are found.

use std::collections::BTreeSet;

use loci_model::facts::repository::Repository;
use loci_model::ports::store::Repositories;
use loci_model::{MemoryId, RepositoryId, Result, Timestamp};

use crate::codes::{json, short_of};
use crate::fact_rows::repository as read;
use crate::fact_rules;
use crate::sql::SqlTransaction;
use crate::tables::Tables;
use crate::unreadable_rows::{page, readable};
use crate::values;

const BY_ID: &str = "SELECT body FROM repositories WHERE mem = $1 AND id = $2";

/// Imports a repository from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, repository: &Repository) -> Result<()> {
    let is_there = tx.has(BY_ID, values![memory, short_of(repository.id.as_str())])?;
    if is_there { Ok(()) } else { put(tx, memory, repository, None) }
}

/// Writes a repository of the memory with this internal number, and its names if they changed.
/// `old` is the stored repository; `None` for a new one.
fn put(
    tx: &impl SqlTransaction,
    memory: i64,
    repository: &Repository,
    old: Option<&Repository>,
) -> Result<()> {
    let id = short_of(repository.id.as_str());
    let checked = repository.checked_at.map_or(0, Timestamp::millis);
    tx.later(
        "INSERT INTO repositories(mem, id, key, checked, body) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (mem, id) DO UPDATE SET key = excluded.key, checked = excluded.checked, body = excluded.body",
        values![memory, &id, &repository.key, checked, json(repository)?],
    )?;
    let (names, before) = (fact_rules::names(repository), old.map(fact_rules::names));
    if before.as_ref() == Some(&names) {
        return Ok(());
    }
    drop_names(tx, memory, &id, &before.unwrap_or_default())?;
    for name in names {
        let sql = "INSERT INTO repository_names(mem, name, id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        tx.later(sql, values![memory, name, &id])?;
    }
    Ok(())
}

fn drop_names(tx: &impl SqlTransaction, memory: i64, id: &[u8], names: &BTreeSet<String>) -> Result<()> {
    names.iter().try_for_each(|name| {
        let sql = "DELETE FROM repository_names WHERE mem = $1 AND name = $2 AND id = $3";
        tx.later(sql, values![memory, name, id])
    })
}

impl<T: SqlTransaction> Repositories for Tables<T> {
    fn get(&self, memory: &MemoryId, id: &RepositoryId) -> Result<Option<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, values![memory, short_of(id.as_str())], |row| read(row))
    }

    fn named(&self, memory: &MemoryId, name: &str) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT r.body FROM repository_names n JOIN repositories r ON r.mem = n.mem AND r.id = n.id \
             WHERE n.mem = $1 AND n.name = $2 ORDER BY r.key",
            values![memory, name],
            |row| read(row),
        )
    }

    fn list(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM repositories WHERE mem = $1 AND key > $2 ORDER BY key LIMIT $3";
        page(count, |count| {
            let values = values![memory, after.unwrap_or(""), count];
            self.all(sql, values, |row| readable("repository", read(row)))
        })
    }

    fn unchecked_since(&self, before: Timestamp, count: usize) -> Result<Vec<Repository>> {
        let sql = format!(
            "SELECT r.body FROM repositories r{} WHERE r.checked < $1 ORDER BY r.checked, m.id, r.id LIMIT $2",
            T::DIALECT.alive("r")
        );
        page(count, |count| self.all(&sql, values![before, count], |row| readable("repository", read(row))))
    }

    fn put(&mut self, repository: &Repository) -> Result<()> {
        let memory = self.need(&repository.memory)?;
        let id = short_of(repository.id.as_str());
        let taken = "SELECT 1 FROM repositories WHERE mem = $1 AND key = $2 AND id <> $3";
        if self.has(taken, values![memory, &repository.key, &id])? {
            return Err(fact_rules::key_taken());
        }
        let old = self.one(BY_ID, values![memory, &id], |row| read(row))?;
        put(&self.0, memory, repository, old.as_ref())
    }

    fn remove(&mut self, memory: &MemoryId, id: &RepositoryId) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let id = short_of(id.as_str());
        let Some(old) = self.one(BY_ID, values![memory, &id], |row| read(row))? else { return Ok(false) };
        drop_names(&self.0, memory, &id, &fact_rules::names(&old))?;
        Ok(self.run("DELETE FROM repositories WHERE mem = $1 AND id = $2", values![memory, id])? > 0)
    }
}
