//! Changes in a namespace, in the memory's order of record changes, for derived data that follows
//! records; and replaced contents of earlier versions, for removing contents.

use loci_model::record::Record;
use loci_model::{MemoryId, Namespace, Result};

use super::rows::{RECORDS, body, read};
use crate::tx::{Column, PgTx, int, limit, signed};
use loci_store_kit::codes::key_of;

impl PgTx<'_> {
    pub(super) fn records_changed_since(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        after: u64,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.flush_groups();
        let normal = namespace.normal();
        // Groups store the sequence of their last change: most calls end here.
        let sql = "SELECT 1 FROM groups WHERE mem = $1 AND normal = $2 AND sequence > $3 LIMIT 1";
        if self.one(sql, &[&number, &normal, &signed(after)], |row| row.take::<i32>(0))?.is_none() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.sequence > $2 \
             AND r.grp IN (SELECT grp FROM groups WHERE mem = $1 AND normal = $3) ORDER BY r.sequence LIMIT $4"
        );
        self.all(&sql, &[&number, &signed(after), &normal, &limit(count)], |row| Ok(read(row)?.record))
    }

    pub(super) fn rewrite_version(&self, record: &Record) -> Result<bool> {
        let memory = self.need(&record.memory)?;
        let sql =
            "UPDATE record_versions SET body = $4 WHERE mem = $1 AND key = $2 AND version = $3 RETURNING 1";
        let values: crate::connection::Values<'_> =
            &[&memory, &key_of(&record.id), &int(record.version), &body(record)?];
        Ok(self.run(sql, values)? > 0)
    }
}
