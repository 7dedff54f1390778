//! The table of fact events: the statements for many rows, which differ between the stores.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::{MemoryId, Result};
use loci_store_kit::codes::{code_of, key_of};
use loci_store_kit::tables::verified::fact_events;

use crate::errors::stored;
use crate::tx::{Column, PgTx, code, limit};

impl PgTx<'_> {
    /// Imports events from another store; existing ones are kept.
    pub(in crate::tables) fn load_fact_events(&self, memory: i64, events: &[&FactEvent]) -> Result<()> {
        let keys: Vec<Vec<u8>> =
            events.iter().filter_map(|event| event.record.as_ref().map(key_of)).collect();
        let sql = "SELECT key FROM facts WHERE mem = $1 AND key = ANY($2)";
        let there: BTreeSet<Vec<u8>> =
            self.all(sql, &[&memory, &keys], |row| row.take(0))?.into_iter().collect();
        fact_events::load(self, memory, events, |record| there.contains(&key_of(record)))
    }

    /// Removes events before a time, except those that must be kept. Their number of retrievals is
    /// added to existing facts, under the locks of their memories.
    pub(in crate::tables) fn sweep_fact_events(&self, before: i64, rows: usize) -> Result<usize> {
        let old = self.all(
            "SELECT m.id, e.id FROM fact_events e JOIN memories m ON m.mem = e.mem AND m.deleted IS NULL \
             WHERE NOT e.kept AND e.at < $1 ORDER BY e.at LIMIT $2",
            &[&before, &limit(rows)],
            |row| Ok((stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?, row.take(1)?)),
        )?;
        // In the order of ids, so that concurrent sweeps lock memories in the same order.
        let mut of_memories: BTreeMap<MemoryId, Vec<Vec<u8>>> = BTreeMap::new();
        for (memory, id) in old {
            of_memories.entry(memory).or_default().push(id);
        }
        let mut swept = 0;
        for (memory, ids) in of_memories {
            let Some(number) = self.number(&memory)? else { continue };
            swept += self.remove_fact_events(number, &ids)?;
        }
        Ok(swept)
    }

    fn remove_fact_events(&self, memory: i64, ids: &[Vec<u8>]) -> Result<usize> {
        let gone = self.all(
            "DELETE FROM fact_events WHERE mem = $1 AND id = ANY($2) RETURNING key, kind",
            &[&memory, &ids],
            |row| Ok((row.take::<Option<Vec<u8>>>(0)?, row.take::<i16>(1)?)),
        )?;
        let retrieved = code(code_of(FactEventKind::ALL, FactEventKind::Retrieved));
        let mut retrievals: BTreeMap<&[u8], i64> = BTreeMap::new();
        for (key, _) in gone.iter().filter(|(_, kind)| *kind == retrieved) {
            if let Some(key) = key {
                *retrievals.entry(key).or_default() += 1;
            }
        }
        if !retrievals.is_empty() {
            let keys: Vec<Vec<u8>> = retrievals.keys().map(|key| key.to_vec()).collect();
            let counts: Vec<i64> = retrievals.into_values().collect();
            self.later(
                "UPDATE fact_reads AS n SET swept = n.swept + t.count FROM unnest($2::bytea[], $3::bigint[]) AS t(key, count) \
                 WHERE n.mem = $1 AND n.key = t.key",
                vec![Box::new(memory), Box::new(keys), Box::new(counts)],
            );
        }
        Ok(gone.len())
    }
}
