//! The table of parked objects.

use loci_model::ports::store::ParkedObjects;
use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
use loci_model::{MemoryId, Result, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use loci_store_kit::moved_rows::object;

use crate::columns::Columns;
use crate::tx::{PgTx, limit};

impl PgTx<'_> {
    /// Takes in an object from another store; one that is there already stays.
    pub(in crate::tables) fn load_object(&self, memory: i64, object: &ParkedObject) -> Result<()> {
        self.write_object(memory, object, "NOTHING")
    }

    fn write_object(&self, memory: i64, object: &ParkedObject, otherwise: &str) -> Result<()> {
        let ParkedObject { head, content } = object;
        self.later(
            format!(
                "INSERT INTO objects(mem, key, expires, body, content) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (mem, key) DO {otherwise}"
            ),
            vec![
                Box::new(memory),
                Box::new(head.key.clone()),
                Box::new(head.expires_at.millis()),
                Box::new(json(head)?),
                Box::new(content.clone()),
            ],
        );
        Ok(())
    }
}

impl ParkedObjects for PgTx<'_> {
    fn get(&self, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body, content FROM objects WHERE mem = $1 AND key = $2";
        self.one(sql, &[&memory, &key], |row| object(&Columns(row)))
    }

    fn list(
        &self,
        memory: &MemoryId,
        prefix: &str,
        after: Option<&str>,
        count: usize,
    ) -> Result<Vec<ObjectHead>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM objects WHERE mem = $1 AND key >= $2 AND key < $3 AND key > $4 ORDER BY key LIMIT $5";
        let (end, after) = (format!("{prefix}\u{10ffff}"), after.unwrap_or_default());
        self.all(sql, &[&memory, &prefix, &end, &after, &limit(count)], |row| body(&Columns(row), "object"))
    }

    fn put(&mut self, object: &ParkedObject) -> Result<()> {
        let memory = self.need(&object.head.memory)?;
        let change =
            "UPDATE SET expires = excluded.expires, body = excluded.body, content = excluded.content";
        self.write_object(memory, object, change)
    }

    fn remove(&mut self, memory: &MemoryId, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = "DELETE FROM objects WHERE mem = $1 AND key = $2 RETURNING 1";
        Ok(self.run(sql, &[&memory, &key])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        let sql = "DELETE FROM objects WHERE (mem, key) IN (SELECT mem, key FROM objects WHERE expires < $1 \
                   ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1";
        self.run(sql, &[&now.millis(), &limit(rows)])
    }
}
