//! The table of objects, which agents store outside of their context.

use loci_model::ports::store::ParkedObjects;
use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
use loci_model::{MemoryId, Result, Timestamp};

use crate::body_rows::body;
use crate::codes::json;
use crate::moved_rows::object;
use crate::sql::SqlTransaction;
use crate::tables::Tables;
use crate::values;

/// Imports an object from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, object: &ParkedObject) -> Result<()> {
    put(tx, memory, object, "NOTHING")
}

/// Writes an object; `otherwise` is the SQL for an object whose key exists.
fn put(tx: &impl SqlTransaction, memory: i64, object: &ParkedObject, otherwise: &str) -> Result<()> {
    let ParkedObject { head, content } = object;
    let sql = format!(
        "INSERT INTO objects(mem, key, expires, body, content) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (mem, key) DO {otherwise}"
    );
    tx.later(&sql, values![memory, &head.key, head.expires_at, json(head)?, content])
}

impl<T: SqlTransaction> ParkedObjects for Tables<T> {
    fn get(&self, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body, content FROM objects WHERE mem = $1 AND key = $2";
        self.one(sql, values![memory, key], |row| object(row))
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
        self.all(sql, values![memory, prefix, end, after, count], |row| body(row, "object"))
    }

    fn put(&mut self, object: &ParkedObject) -> Result<()> {
        let change =
            "UPDATE SET expires = excluded.expires, body = excluded.body, content = excluded.content";
        put(&self.0, self.need(&object.head.memory)?, object, change)
    }

    fn remove(&mut self, memory: &MemoryId, key: &str) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        Ok(self.run("DELETE FROM objects WHERE mem = $1 AND key = $2", values![memory, key])? > 0)
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        let which = "expires < $1 ORDER BY expires LIMIT $2";
        self.run(&T::DIALECT.removal("objects", "mem, key", which), values![now, rows])
    }
}
