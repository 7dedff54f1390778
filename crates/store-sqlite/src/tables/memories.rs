//! The table of memories. Deletion hides a memory at once; a purge removes its rows in batches.

use loci_model::memory::Memory;
use loci_model::ports::store::Memories;
use loci_model::{Error, MemoryId, Reason, Result, Timestamp};
use rusqlite::{Row, params};

use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, unsigned};
use loci_store_kit::unreadable_rows::{page, readable};

fn read(row: &Row<'_>) -> Result<Memory> {
    let body: String = row.take(0)?;
    stored(serde_json::from_str(&body), "memory")
}

pub(super) fn body(memory: &Memory) -> Result<String> {
    serde_json::to_string(memory)
        .map_err(|error| Error::bug("a memory that cannot be written").caused_by(error))
}

pub(super) fn taken() -> Error {
    Error::conflict("a memory of that name exists: choose another name").because(Reason::ResourceConflict)
}

impl Memories for SqlTx<'_> {
    fn get(&self, id: &MemoryId) -> Result<Option<Memory>> {
        self.one("SELECT body FROM memories WHERE id = ?1 AND deleted IS NULL", [id.as_str()], read)
    }

    fn by_name(&self, name: &str) -> Result<Option<Memory>> {
        self.one("SELECT body FROM memories WHERE name = ?1 AND deleted IS NULL", [name], read)
    }

    fn list(&self, after: Option<&(Timestamp, MemoryId)>, count: usize) -> Result<Vec<Memory>> {
        let read = |row: &Row<'_>| readable("memory", read(row));
        page(count, |count| match after {
            None => self.all(
                "SELECT body FROM memories WHERE deleted IS NULL ORDER BY created DESC, id DESC LIMIT ?1",
                [limit(count)],
                read,
            ),
            Some((created, id)) => self.all(
                "SELECT body FROM memories WHERE deleted IS NULL AND (created, id) < (?1, ?2) \
                 ORDER BY created DESC, id DESC LIMIT ?3",
                params![created.millis(), id.as_str(), limit(count)],
                read,
            ),
        })
    }

    fn unreadable(&self) -> Result<Vec<String>> {
        let sql = "SELECT body, id FROM memories WHERE deleted IS NULL ORDER BY id";
        let ids = self.all(sql, [], |row| match read(row) {
            Ok(_) => Ok(None),
            Err(_) => row.take::<String>(1).map(Some),
        })?;
        Ok(ids.into_iter().flatten().collect())
    }

    fn sequence(&self, id: &MemoryId) -> Result<u64> {
        let sql = "SELECT sequence FROM memories WHERE id = ?1 AND deleted IS NULL";
        let sequence = self.one(sql, [id.as_str()], |row| row.take(0))?;
        Ok(unsigned(sequence.unwrap_or(0)))
    }

    fn identity_of_store(&self) -> Result<String> {
        let found = self.one("SELECT store FROM identity", [], |row| row.take::<String>(0))?;
        found.ok_or_else(|| Error::bug("the database has no identity"))
    }

    fn insert(&mut self, memory: &Memory) -> Result<()> {
        if Memories::by_name(self, &memory.name)?.is_some() {
            return Err(taken());
        }
        self.run(
            "INSERT INTO memories(id, name, created, body) VALUES (?1, ?2, ?3, ?4)",
            params![memory.id.as_str(), memory.name, memory.created_at.millis(), body(memory)?],
        )?;
        Ok(())
    }

    fn update(&mut self, memory: &Memory) -> Result<bool> {
        if Memories::by_name(self, &memory.name)?.is_some_and(|other| other.id != memory.id) {
            return Err(taken());
        }
        let changed = self.run(
            // The retention settings may have changed: sweeps examine the memory again.
            "UPDATE memories SET name = ?2, body = ?3, erase_due = CASE WHEN erase_due IS NOT NULL THEN 0 END, \
             history_due = CASE WHEN history_due IS NOT NULL THEN 0 END WHERE id = ?1 AND deleted IS NULL",
            params![memory.id.as_str(), memory.name, body(memory)?],
        )?;
        Ok(changed > 0)
    }

    fn delete(&mut self, id: &MemoryId, at: Timestamp) -> Result<bool> {
        self.forget_known();
        self.touch(id);
        let changed = self.run(
            "UPDATE memories SET deleted = ?2, body = '' WHERE id = ?1 AND deleted IS NULL",
            params![id.as_str(), at.millis()],
        )?;
        self.erases(id)?;
        Ok(changed > 0)
    }

    fn deleted(&self, before: Timestamp, count: usize) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE deleted < ?1 ORDER BY deleted, id LIMIT ?2";
        page(count, |count| {
            self.all(sql, params![before.millis(), limit(count)], |row| {
                readable("memory", stored(MemoryId::parse(row.take::<String>(0)?), "memory id"))
            })
        })
    }

    fn purge(&mut self, id: &MemoryId, rows: usize) -> Result<bool> {
        let sql = "SELECT num FROM memories WHERE id = ?1 AND deleted IS NOT NULL";
        let Some(memory) = self.one(sql, [id.as_str()], |row| row.take::<i64>(0))? else { return Ok(true) };
        let mut left = limit(rows);
        for sql in OF_MEMORY {
            left -= limit(self.run(sql, params![memory, left])?);
            if left <= 0 {
                return Ok(false);
            }
        }
        for owned in [&OF_SESSIONS, &OF_RECORDS] {
            left = self.purge_owners(memory, owned, left)?;
            if left <= 0 {
                return Ok(false);
            }
        }
        self.run("DELETE FROM memories WHERE num = ?1", [memory])?;
        Ok(true)
    }
}

/// Rows that depend on an owner row of a memory.
struct OwnedRows {
    /// Selects the next owner; `?1` is the memory.
    next: &'static str,
    /// Deletes the dependent rows of an owner: `?1` is the owner, `?2` the number of rows.
    hanging: &'static [&'static str],
    /// Deletes the owner.
    owner: &'static str,
}

impl SqlTx<'_> {
    /// Removes owners one by one with their dependent rows, and returns the number of rows that may
    /// still be removed. A single statement would scan the owners without rows again in every
    /// round.
    fn purge_owners(&self, memory: i64, owned: &OwnedRows, rows: i64) -> Result<i64> {
        let mut left = rows;
        while left > 0 {
            let Some(owner) = self.one(owned.next, [memory], |row| row.take::<i64>(0))? else { break };
            for sql in owned.hanging {
                left -= limit(self.run(sql, params![owner, left])?);
                if left <= 0 {
                    return Ok(left);
                }
            }
            self.run(owned.owner, [owner])?;
            left -= 1;
        }
        Ok(left)
    }
}

/// Deletes rows that name their memory; `?1` is the memory, `?2` the number of rows.
const OF_MEMORY: &[&str] = &[
    "DELETE FROM events WHERE num IN (SELECT num FROM events WHERE num >= ?1 << 40 AND num < (?1 + 1) << 40 LIMIT ?2)",
    "DELETE FROM event_places WHERE (mem, time) IN (SELECT mem, time FROM event_places WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM record_versions WHERE (rec, version) IN (SELECT rec, version FROM record_versions \
     WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM record_sources WHERE (mem, event, message, rec) IN (SELECT mem, event, message, rec \
     FROM record_sources WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM groups WHERE num IN (SELECT num FROM groups WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM jobs WHERE num IN (SELECT num FROM jobs WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM exchanges WHERE num IN (SELECT num FROM exchanges WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM deliveries WHERE num IN (SELECT num FROM deliveries WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM repositories WHERE num IN (SELECT num FROM repositories WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM repository_names WHERE (mem, name, id) IN (SELECT mem, name, id FROM repository_names \
     WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM facts WHERE num IN (SELECT num FROM facts WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM fact_paths WHERE (mem, repository, path, key) IN (SELECT mem, repository, path, key FROM fact_paths \
     WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM fact_events WHERE (mem, id) IN (SELECT mem, id FROM fact_events WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM fact_verdicts WHERE num IN (SELECT num FROM fact_verdicts WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM session_items WHERE num IN (SELECT num FROM session_items WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM task_sessions WHERE num IN (SELECT num FROM task_sessions WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM ledger WHERE num IN (SELECT num FROM ledger WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM objects WHERE num IN (SELECT num FROM objects WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM prompts WHERE num IN (SELECT num FROM prompts WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM commits WHERE num IN (SELECT num FROM commits WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM task_harms WHERE num IN (SELECT num FROM task_harms WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM tasks WHERE num IN (SELECT num FROM tasks WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM exposures WHERE num IN (SELECT num FROM exposures WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM tokens WHERE (mem, digest) IN (SELECT mem, digest FROM tokens WHERE mem = ?1 LIMIT ?2)",
];

const OF_SESSIONS: OwnedRows = OwnedRows {
    next: "SELECT num FROM sessions WHERE mem = ?1 LIMIT 1",
    hanging: &[
        "DELETE FROM event_meta WHERE (sess, key, value, id) IN (SELECT sess, key, value, id FROM event_meta \
         WHERE sess = ?1 LIMIT ?2)",
        "DELETE FROM branches WHERE num IN (SELECT num FROM branches WHERE sess = ?1 LIMIT ?2)",
        "DELETE FROM progress WHERE (sess, strategy) IN (SELECT sess, strategy FROM progress \
         WHERE sess = ?1 LIMIT ?2)",
        "DELETE FROM turns WHERE (sess, run, number, digest) IN (SELECT sess, run, number, digest FROM turns \
         WHERE sess = ?1 LIMIT ?2)",
    ],
    owner: "DELETE FROM sessions WHERE num = ?1",
};

const OF_RECORDS: OwnedRows = OwnedRows {
    next: "SELECT num FROM records WHERE mem = ?1 LIMIT 1",
    hanging: &[
        "DELETE FROM vectors WHERE num IN (SELECT num FROM vectors WHERE num >= ?1 << 20 AND num < (?1 + 1) << 20 LIMIT ?2)",
        "DELETE FROM telemetry WHERE (rec, number) IN (SELECT rec, number FROM telemetry WHERE rec = ?1 LIMIT ?2)",
        "DELETE FROM fact_reads WHERE num IN (SELECT num FROM fact_reads WHERE num = ?1 LIMIT ?2)",
    ],
    owner: "DELETE FROM records WHERE num = ?1",
};
