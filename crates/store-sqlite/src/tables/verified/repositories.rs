//! The table of repositories and the one of their names.

use loci_model::facts::repository::Repository;
use loci_model::ports::store::Repositories;
use loci_model::{MemoryId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{json, short_of};
use loci_store_kit::unreadable::{page, readable};
use loci_store_kit::{fact_rows, fact_rules};
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

fn read(row: &Row<'_>) -> Result<Repository> {
    fact_rows::repository(&Columns(row))
}

impl SqlTx<'_> {
    /// Writes a repository of the memory of that number, with its names.
    pub(in crate::tables) fn put_repository(&self, memory: i64, repository: &Repository) -> Result<()> {
        let id = short_of(repository.id.as_str());
        self.drop_names(memory, &id)?;
        self.run(
            "INSERT INTO repositories(mem, id, key, checked, body) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT(mem, id) DO UPDATE SET key = excluded.key, checked = excluded.checked, body = excluded.body",
            params![
                memory,
                id,
                repository.key,
                repository.checked_at.map_or(0, Timestamp::millis),
                json(repository)?
            ],
        )?;
        for name in fact_rules::names(repository) {
            let sql = "INSERT INTO repository_names(mem, name, id) VALUES (?1, ?2, ?3)";
            self.run(sql, params![memory, name, id])?;
        }
        Ok(())
    }

    /// Removes the names of a repository that is there.
    fn drop_names(&self, memory: i64, id: &[u8]) -> Result<()> {
        let sql = "SELECT body FROM repositories WHERE mem = ?1 AND id = ?2";
        let Some(old) = self.one(sql, params![memory, id], read)? else { return Ok(()) };
        for name in fact_rules::names(&old) {
            let sql = "DELETE FROM repository_names WHERE mem = ?1 AND name = ?2 AND id = ?3";
            self.run(sql, params![memory, name, id])?;
        }
        Ok(())
    }
}

impl Repositories for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, id: &RepositoryId) -> Result<Option<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM repositories WHERE mem = ?1 AND id = ?2";
        self.one(sql, params![memory, short_of(id.as_str())], read)
    }

    fn named(&self, memory: &MemoryId, name: &str) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT r.body FROM repository_names n JOIN repositories r ON r.mem = n.mem AND r.id = n.id \
             WHERE n.mem = ?1 AND n.name = ?2 ORDER BY r.key",
            params![memory, name],
            read,
        )
    }

    fn list(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM repositories WHERE mem = ?1 AND key > ?2 ORDER BY key LIMIT ?3";
        page(count, |count| {
            let values = params![memory, after.unwrap_or(""), limit(count)];
            self.all(sql, values, |row| readable("repository", read(row)))
        })
    }

    fn unchecked_since(&self, before: Timestamp, count: usize) -> Result<Vec<Repository>> {
        let sql = "SELECT r.body FROM repositories r CROSS JOIN memories m ON m.num = r.mem AND m.deleted \
                   IS NULL \
                   WHERE r.checked < ?1 ORDER BY r.checked, m.id, r.id LIMIT ?2";
        page(count, |count| {
            self.all(sql, params![before.millis(), limit(count)], |row| readable("repository", read(row)))
        })
    }

    fn put(&mut self, repository: &Repository) -> Result<()> {
        let memory = self.need(&repository.memory)?;
        let sql = "SELECT 1 FROM repositories WHERE mem = ?1 AND key = ?2 AND id <> ?3";
        let values = params![memory, repository.key, short_of(repository.id.as_str())];
        if self.one(sql, values, |_| Ok(()))?.is_some() {
            return Err(fact_rules::key_taken());
        }
        self.put_repository(memory, repository)
    }

    fn remove(&mut self, memory: &MemoryId, id: &RepositoryId) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let id = short_of(id.as_str());
        self.drop_names(memory, &id)?;
        let removed = self.run("DELETE FROM repositories WHERE mem = ?1 AND id = ?2", params![memory, id])?;
        Ok(removed > 0)
    }
}
