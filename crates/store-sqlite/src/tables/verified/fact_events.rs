//! The sweep of the table of fact events.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::facts::fact::FactEventKind;
use loci_store_kit::codes::code_of;
use rusqlite::params;

use crate::tx::{Column, SqlTx, limit};

/// An event that is too old: memory, id, record, kind.
type ExpiredFactEvent = (i64, Vec<u8>, Option<Vec<u8>>, i64);

impl SqlTx<'_> {
    /// Removes events before a time, except those that must be kept. Their number of retrievals is
    /// added to existing facts.
    pub(in crate::tables) fn sweep_fact_events(&self, before: i64, rows: usize) -> Result<usize> {
        let old: Vec<ExpiredFactEvent> = self.all(
            "SELECT e.mem, e.id, e.key, e.kind FROM fact_events e CROSS JOIN memories m ON m.num = e.mem AND m.deleted IS NULL \
             WHERE e.kept = 0 AND e.at < ?1 ORDER BY e.at LIMIT ?2",
            params![before, limit(rows)],
            |row| Ok((row.take(0)?, row.take(1)?, row.take(2)?, row.take(3)?)),
        )?;
        let retrieved = code_of(FactEventKind::ALL, FactEventKind::Retrieved);
        let mut retrievals: BTreeMap<(i64, Vec<u8>), i64> = BTreeMap::new();
        let swept = old.len();
        for (memory, id, key, kind) in old {
            self.run("DELETE FROM fact_events WHERE mem = ?1 AND id = ?2", params![memory, id])?;
            if let Some(key) = key.filter(|_| kind == retrieved) {
                *retrievals.entry((memory, key)).or_default() += 1;
            }
        }
        for ((memory, key), count) in retrievals {
            self.run(
                "UPDATE fact_reads SET swept = swept + ?3 \
                 WHERE num = (SELECT num FROM records WHERE mem = ?1 AND key = ?2)",
                params![memory, key, count],
            )?;
        }
        Ok(swept)
    }
}
