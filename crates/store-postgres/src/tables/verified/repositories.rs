//! The table of repositories and the one of their names.

use loci_model::facts::repository::Repository;
use loci_model::ports::store::Repositories;
use loci_model::{MemoryId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{json, short_of};
use loci_store_kit::unreadable::{page, readable};
use loci_store_kit::{fact_rows, fact_rules};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::connection::Values;
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, limit};

fn read(row: &Row) -> Result<Repository> {
    fact_rows::repository(&Columns(row))
}

/// Names as they are looked for.
fn plain_names(repository: &Repository) -> Vec<String> {
    fact_rules::names(repository).iter().map(|name| plain(name)).collect()
}

impl PgTx<'_> {
    /// Takes in a repository from another store; one that is there already stays.
    pub(in crate::tables) fn load_repository(&self, memory: i64, repository: &Repository) -> Result<()> {
        let there = self.one(BY_ID, &[&memory, &short_of(repository.id.as_str())], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_repository(memory, repository, None) }
    }

    /// Writes a repository of the memory of that number, with its names; `old` is what is there.
    fn put_repository(&self, memory: i64, repository: &Repository, old: Option<&Repository>) -> Result<()> {
        let id = short_of(repository.id.as_str());
        let (names, before) = (plain_names(repository), old.map(plain_names));
        self.later(
            "INSERT INTO repositories(mem, id, key, checked, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, id) DO UPDATE SET key = excluded.key, checked = excluded.checked, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(id.clone()),
                Box::new(plain(&repository.key)),
                Box::new(repository.checked_at.map_or(0, Timestamp::millis)),
                Box::new(json(repository)?),
            ],
        );
        if before.as_ref() == Some(&names) {
            return Ok(());
        }
        if let Some(before) = before {
            self.drop_names(memory, id.clone(), before);
        }
        self.later(
            "INSERT INTO repository_names(mem, name, id) SELECT $1, name, $3 FROM unnest($2::text[]) AS t(name) \
             ON CONFLICT DO NOTHING",
            vec![Box::new(memory), Box::new(names), Box::new(id)],
        );
        Ok(())
    }

    fn drop_names(&self, memory: i64, id: Vec<u8>, names: Vec<String>) {
        self.later(
            "DELETE FROM repository_names WHERE mem = $1 AND name = ANY($2) AND id = $3",
            vec![Box::new(memory), Box::new(names), Box::new(id)],
        );
    }
}

const BY_ID: &str = "SELECT body FROM repositories WHERE mem = $1 AND id = $2";

impl Repositories for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &RepositoryId) -> Result<Option<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_ID, &[&memory, &short_of(id.as_str())], read)
    }

    fn named(&self, memory: &MemoryId, name: &str) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT r.body FROM repository_names n JOIN repositories r ON r.mem = n.mem AND r.id = n.id \
             WHERE n.mem = $1 AND n.name = $2 ORDER BY r.key",
            &[&memory, &plain(name)],
            read,
        )
    }

    fn list(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<Repository>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM repositories WHERE mem = $1 AND key > $2 ORDER BY key LIMIT $3";
        page(count, |count| {
            let values: Values<'_> = &[&memory, &plain(after.unwrap_or("")), &limit(count)];
            self.all(sql, values, |row| readable("repository", read(row)))
        })
    }

    fn unchecked_since(&self, before: Timestamp, count: usize) -> Result<Vec<Repository>> {
        let sql = "SELECT r.body FROM repositories r JOIN memories m ON m.mem = r.mem AND m.deleted IS NULL \
                   WHERE r.checked < $1 ORDER BY r.checked, m.id, r.id LIMIT $2";
        page(count, |count| {
            self.all(sql, &[&before.millis(), &limit(count)], |row| readable("repository", read(row)))
        })
    }

    fn put(&mut self, repository: &Repository) -> Result<()> {
        let memory = self.need(&repository.memory)?;
        let id = short_of(repository.id.as_str());
        let taken = "SELECT 1 FROM repositories WHERE mem = $1 AND key = $2 AND id <> $3";
        let (taken, old) =
            self.two((taken, &[&memory, &plain(&repository.key), &id]), (BY_ID, &[&memory, &id]))?;
        if !taken.is_empty() {
            return Err(fact_rules::key_taken());
        }
        let old = old.first().map(read).transpose()?;
        self.put_repository(memory, repository, old.as_ref())
    }

    fn remove(&mut self, memory: &MemoryId, id: &RepositoryId) -> Result<bool> {
        let Some(number) = self.number(memory)? else { return Ok(false) };
        let Some(old) = Repositories::get(self, memory, id)? else { return Ok(false) };
        let id = short_of(id.as_str());
        self.drop_names(number, id.clone(), plain_names(&old));
        self.later(
            "DELETE FROM repositories WHERE mem = $1 AND id = $2",
            vec![Box::new(number), Box::new(id)],
        );
        Ok(true)
    }
}
