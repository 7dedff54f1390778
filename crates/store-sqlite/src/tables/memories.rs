//! The table of memories. Deleting hides at once; purging removes rows by the thousand until nothing is left.

use loci_model::memory::Memory;
use loci_model::ports::store::Memories;
use loci_model::{Error, MemoryId, Reason, Result, Timestamp};
use rusqlite::{Row, params};

use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, unsigned};

fn read(row: &Row<'_>) -> Result<Memory> {
    let body: String = row.take(0)?;
    stored(serde_json::from_str(&body), "memory")
}

fn body(memory: &Memory) -> Result<String> {
    serde_json::to_string(memory)
        .map_err(|error| Error::bug("a memory that cannot be written").caused_by(error))
}

fn taken() -> Error {
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
        match after {
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
        }
    }

    fn sequence(&self, id: &MemoryId) -> Result<u64> {
        let sql = "SELECT sequence FROM memories WHERE id = ?1 AND deleted IS NULL";
        let sequence = self.one(sql, [id.as_str()], |row| row.take(0))?;
        Ok(unsigned(sequence.unwrap_or(0)))
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
            "UPDATE memories SET name = ?2, body = ?3 WHERE id = ?1 AND deleted IS NULL",
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
        Ok(changed > 0)
    }

    fn deleted(&self, before: Timestamp, count: usize) -> Result<Vec<MemoryId>> {
        self.all(
            "SELECT id FROM memories WHERE deleted < ?1 ORDER BY deleted, id LIMIT ?2",
            params![before.millis(), limit(count)],
            |row| stored(MemoryId::parse(row.take::<String>(0)?), "memory id"),
        )
    }

    fn purge(&mut self, id: &MemoryId, rows: usize) -> Result<bool> {
        let sql = "SELECT num FROM memories WHERE id = ?1 AND deleted IS NOT NULL";
        let Some(memory) = self.one(sql, [id.as_str()], |row| row.take::<i64>(0))? else { return Ok(true) };
        let mut left = limit(rows);
        for sql in PURGES {
            if left <= 0 {
                return Ok(false);
            }
            left -= limit(self.run(sql, params![memory, left])?);
        }
        if left <= 0 {
            return Ok(false);
        }
        self.run("DELETE FROM memories WHERE num = ?1", [memory])?;
        Ok(true)
    }
}

/// What hangs on a memory, leaves before what they hang on; `?1` is the memory, `?2` how many rows.
const PURGES: &[&str] = &[
    "DELETE FROM event_meta WHERE (sess, key, value, id) IN (SELECT m.sess, m.key, m.value, m.id \
     FROM sessions s JOIN event_meta m ON m.sess = s.num WHERE s.mem = ?1 LIMIT ?2)",
    "DELETE FROM events WHERE num IN (SELECT num FROM events WHERE num >= ?1 << 40 AND num < (?1 + 1) << 40 LIMIT ?2)",
    "DELETE FROM branches WHERE num IN (SELECT b.num FROM sessions s JOIN branches b ON b.sess = s.num \
     WHERE s.mem = ?1 LIMIT ?2)",
    "DELETE FROM progress WHERE (sess, strategy) IN (SELECT p.sess, p.strategy FROM sessions s \
     JOIN progress p ON p.sess = s.num WHERE s.mem = ?1 LIMIT ?2)",
    "DELETE FROM turns WHERE (sess, run, number, digest) IN (SELECT t.sess, t.run, t.number, t.digest \
     FROM sessions s JOIN turns t ON t.sess = s.num WHERE s.mem = ?1 LIMIT ?2)",
    "DELETE FROM sessions WHERE num IN (SELECT num FROM sessions WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM event_places WHERE (mem, time) IN (SELECT mem, time FROM event_places WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM vectors WHERE num IN (SELECT v.num FROM records r JOIN vectors v \
     ON v.num >= r.num << 20 AND v.num < (r.num + 1) << 20 WHERE r.mem = ?1 LIMIT ?2)",
    "DELETE FROM telemetry WHERE (rec, number) IN (SELECT t.rec, t.number FROM records r \
     JOIN telemetry t ON t.rec = r.num WHERE r.mem = ?1 LIMIT ?2)",
    "DELETE FROM record_versions WHERE (rec, version) IN (SELECT rec, version FROM record_versions \
     WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM record_sources WHERE (mem, event, message, rec) IN (SELECT mem, event, message, rec \
     FROM record_sources WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM records WHERE num IN (SELECT num FROM records WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM groups WHERE num IN (SELECT num FROM groups WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM jobs WHERE num IN (SELECT num FROM jobs WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM deliveries WHERE num IN (SELECT num FROM deliveries WHERE mem = ?1 LIMIT ?2)",
    "DELETE FROM tokens WHERE (mem, digest) IN (SELECT mem, digest FROM tokens WHERE mem = ?1 LIMIT ?2)",
];
