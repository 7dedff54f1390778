//! The table of parked objects.

use loci_model::ports::store::ParkedObjects;
use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
use loci_model::{MemoryId, Result, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::moved_rows::object;
use rusqlite::params;

use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

impl SqlTx<'_> {
    /// Takes in an object from another store; one that is there already stays.
    pub(in crate::tables) fn load_object(&self, memory: i64, object: &ParkedObject) -> Result<()> {
        let sql =
            "INSERT OR IGNORE INTO objects(mem, key, expires, body, content) VALUES (?1, ?2, ?3, ?4, ?5)";
        let ParkedObject { head, content } = object;
        self.run(sql, params![memory, head.key, head.expires_at.millis(), json(head)?, content])?;
        Ok(())
    }
}

impl ParkedObjects for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body, content FROM objects WHERE mem = ?1 AND key = ?2";
        self.one(sql, params![memory, key], |row| object(&Columns(row)))
    }

    fn list(
        &self,
        memory: &MemoryId,
        prefix: &str,
        after: Option<&str>,
        count: usize,
    ) -> Result<Vec<ObjectHead>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM objects WHERE mem = ?1 AND key >= ?2 AND key < ?3 AND key > ?4 ORDER BY key LIMIT ?5";
        let values =
            params![memory, prefix, format!("{prefix}\u{10ffff}"), after.unwrap_or_default(), limit(count)];
        self.all(sql, values, |row| body(&Columns(row), "object"))
    }

    fn put(&mut self, object: &ParkedObject) -> Result<()> {
        let memory = self.need(&object.head.memory)?;
        let ParkedObject { head, content } = object;
        self.run(
            "INSERT INTO objects(mem, key, expires, body, content) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT(mem, key) \
             DO UPDATE SET expires = excluded.expires, body = excluded.body, content = excluded.content",
            params![memory, head.key, head.expires_at.millis(), json(head)?, content],
        )?;
        Ok(())
    }

    fn remove(&mut self, memory: &MemoryId, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        Ok(self.run("DELETE FROM objects WHERE mem = ?1 AND key = ?2", params![memory, key])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        let sql = "DELETE FROM objects WHERE num IN (SELECT num FROM objects WHERE expires < ?1 ORDER BY expires LIMIT ?2)";
        self.run(sql, params![now.millis(), limit(rows)])
    }
}
