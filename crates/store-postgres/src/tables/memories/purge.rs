//! Removes the rows of a deleted memory in batches.

use loci_model::{MemoryId, Result};

use crate::tx::{Entered, PgTx, limit};

/// Tables with rows of a memory, each with its key.
const OF_MEMORY: &[(&str, &str)] = &[
    ("events", "mem, arrival"),
    ("event_meta", "mem, sess, key, value, id"),
    ("event_places", "mem, time"),
    ("branches", "mem, sess, name"),
    ("progress", "mem, sess, strategy"),
    ("turns", "mem, sess, run, number, digest"),
    ("sessions", "mem, sess"),
    ("vectors", "mem, key, part"),
    ("record_versions", "mem, key, version"),
    ("record_sources", "mem, event, message, key"),
    ("telemetry", "mem, key, number"),
    ("records", "mem, key"),
    ("groups", "mem, grp"),
    ("jobs", "mem, id"),
    ("exchanges", "mem, id"),
    ("deliveries", "mem, direction, id"),
    ("tokens", "mem, digest"),
    ("fact_paths", "mem, repository, path, key"),
    ("fact_reads", "mem, key"),
    ("facts", "mem, key"),
    ("fact_events", "mem, id"),
    ("fact_verdicts", "mem, revision, digest"),
    ("repository_names", "mem, name, id"),
    ("repositories", "mem, id"),
    ("task_harms", "mem, record, actor, task"),
    ("tasks", "mem, id"),
    ("exposures", "mem, id"),
    ("commits", "mem, actor, sha"),
    ("prompts", "mem, version"),
    ("ledger", "mem, shelf, key"),
    ("objects", "mem, key"),
    ("task_sessions", "mem, task"),
    ("session_items", "mem, task, seq"),
    ("passages", "mem, key, part"),
    ("term_counts", "mem, word"),
    ("name_counts", "mem, name"),
];

impl PgTx<'_> {
    /// Removes up to `rows` rows of a deleted memory. Returns true if nothing is left.
    pub(super) fn purge_rows(&self, id: &MemoryId, entered: &Entered, rows: usize) -> Result<bool> {
        // A concurrent update of passages finds the memory deleted, or ends before its passages are
        // removed.
        self.stop_following(entered.number)?;
        let mut left = limit(rows);
        for (table, key) in OF_MEMORY {
            let sql = format!(
                "WITH gone AS (DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE mem = $1 LIMIT $2) \
                 AND mem = $1 RETURNING 1) SELECT count(*) FROM gone"
            );
            let gone =
                self.one(&sql, &[&entered.number, &left], |row| crate::tx::Column::take::<i64>(row, 0))?;
            left -= gone.unwrap_or(0);
            if left <= 0 {
                return Ok(false);
            }
        }
        // Remove the memory's own rows last, because the locks are among them. They do not count as
        // requested rows.
        self.later("DELETE FROM great WHERE mem = $1", vec![Box::new(entered.number)]);
        self.two(
            ("DELETE FROM memories WHERE mem = $1", &[&entered.number]),
            ("DELETE FROM counters WHERE mem = $1", &[&entered.number]),
        )?;
        self.note(id, None);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::OF_MEMORY;

    /// A table missing here would keep the contents for ever.
    #[test]
    fn every_table_of_a_memory_is_purged() {
        let sql = concat!(
            include_str!("../../schema/0001_tables.sql"),
            include_str!("../../schema/0002_search.sql"),
            include_str!("../../schema/0003_facts.sql"),
            include_str!("../../schema/0004_tasks.sql"),
            include_str!("../../schema/0005_exposures.sql"),
            include_str!("../../schema/0006_commits.sql"),
            include_str!("../../schema/0007_prompts.sql"),
            include_str!("../../schema/0008_task_sessions.sql"),
            include_str!("../../schema/0010_harms.sql"),
            include_str!("../../schema/0012_ledger.sql"),
            include_str!("../../schema/0013_objects.sql")
        );
        let elsewhere = ["memories", "counters", "great", "models", "access_keys", "probes", "leases"];
        for statement in sql.split("CREATE TABLE ").skip(1) {
            let name = statement.split('(').next().unwrap();
            assert!(elsewhere.contains(&name) || OF_MEMORY.iter().any(|(table, _)| *table == name), "{name}");
        }
    }
}
