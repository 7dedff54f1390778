//! Changes in a namespace, in the memory's order of record changes, for derived data that follows
//! records; and replaced contents of earlier versions, for removing contents.

use loci_model::record::Record;
use loci_model::{MemoryId, Namespace, Result};
use rusqlite::params;

use super::rows::{RECORDS, read};
use crate::tx::{Column, SqlTx, limit, signed};
use loci_store_kit::codes::json;

impl SqlTx<'_> {
    pub(super) fn records_changed_since(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        after: u64,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let normal = namespace.normal();
        // Groups store the sequence of their last change: most calls end here.
        let sql = "SELECT 1 FROM groups WHERE mem = ?1 AND normal = ?2 AND sequence > ?3 LIMIT 1";
        if self.one(sql, params![number, normal, signed(after)], |row| row.take::<i64>(0))?.is_none() {
            return Ok(Vec::new());
        }
        // From the beginning, the whole namespace is read; later, the changes of the memory are
        // fewer.
        let way = if after == 0 { "+r.mem" } else { "r.mem" };
        let sql = format!(
            "{RECORDS} WHERE {way} = ?1 AND r.sequence > ?2 AND g.mem = ?1 AND g.normal = ?3 \
             ORDER BY r.sequence LIMIT ?4"
        );
        let values = params![number, signed(after), normal, limit(count)];
        self.all(&sql, values, |row| Ok(read(memory, row)?.record))
    }

    pub(super) fn rewrite_version(&self, record: &Record) -> Result<bool> {
        let memory = self.need(&record.memory)?;
        let Some(number) = self.record_number(memory, &record.id)? else { return Ok(false) };
        // Snapshots of indexes may contain the text.
        self.erases(&record.memory)?;
        let sql = "UPDATE record_versions SET body = ?1 WHERE rec = ?2 AND version = ?3";
        Ok(self.run(sql, params![json(record)?, number, record.version])? > 0)
    }
}
