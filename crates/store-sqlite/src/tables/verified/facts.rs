//! The table of facts, and that of their reads.

use std::collections::BTreeSet;

use loci_model::facts::fact::Fact;
use loci_model::{MemoryId, RecordId, Result};
use loci_store_kit::codes::{json, key_of, short_of};
use loci_store_kit::fact_columns::FactColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{self, FACT_COLUMNS};
use loci_store_kit::tables::verified::facts::FactRows;
use rusqlite::params;

use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, SqlTx};

impl SqlTx<'_> {
    /// Imports a fact from another store, for the record with that number; an existing one is kept.
    pub(in crate::tables) fn load_fact(&self, memory: i64, number: i64, fact: &Fact) -> Result<()> {
        match self.one("SELECT 1 FROM facts WHERE num = ?1", [number], |_| Ok(()))? {
            Some(()) => Ok(()),
            None => self.put_fact_row(memory, number, fact),
        }
    }

    /// Writes a fact of the record with that number, with its paths.
    fn put_fact_row(&self, memory: i64, number: i64, fact: &Fact) -> Result<()> {
        let row = FactColumns::of(fact)?;
        let stands = self.replace_paths(number, (memory, &row.repository, &row.key), &row.paths)?
            && self.put_counts(number, &row)?;
        if !stands {
            self.put_whole(memory, number, &row)?;
        }
        self.run(
            "INSERT INTO fact_reads(num, retrieved, swept) VALUES (?1, ?2, ?3) \
             ON CONFLICT(num) DO UPDATE SET retrieved = excluded.retrieved, swept = excluded.swept",
            params![number, row.retrieved, row.swept],
        )?;
        Ok(())
    }

    /// Writes the columns outside indexes, if no indexed column changed: SQLite rewrites the index
    /// entries of every column in an update, changed or not. Returns false if another column
    /// changed.
    fn put_counts(&self, number: i64, row: &FactColumns) -> Result<bool> {
        let sql = "UPDATE facts SET citations = ?2, used = ?3, verifications = ?4, rejections = ?5, applied = ?6, body = ?7 \
                   WHERE num = ?1 AND hash = ?8 AND status = ?9 AND proposed = ?10 AND refreshed = ?11 AND created = ?12 \
                   AND expires = ?13";
        let changed = self.run(
            sql,
            params![
                number,
                row.citations,
                row.used,
                row.verifications,
                row.rejections,
                row.applied,
                row.body,
                row.hash,
                row.status,
                row.proposed,
                row.refreshed,
                row.created,
                row.expires
            ],
        )?;
        Ok(changed > 0)
    }

    fn put_whole(&self, memory: i64, number: i64, row: &FactColumns) -> Result<()> {
        self.run(
            "INSERT INTO facts(num, mem, key, repository, hash, status, proposed, citations, refreshed, created, used, expires, \
             verifications, rejections, applied, paths, body) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
             ON CONFLICT(num) DO UPDATE SET repository = excluded.repository, hash = excluded.hash, \
             status = excluded.status, proposed = excluded.proposed, citations = excluded.citations, \
             refreshed = excluded.refreshed, created = excluded.created, used = excluded.used, expires = excluded.expires, \
             verifications = excluded.verifications, rejections = excluded.rejections, applied = excluded.applied, \
             paths = excluded.paths, body = excluded.body",
            params![
                number,
                memory,
                row.key,
                row.repository,
                row.hash,
                row.status,
                row.proposed,
                row.citations,
                row.refreshed,
                row.created,
                row.used,
                row.expires,
                row.verifications,
                row.rejections,
                row.applied,
                json(&row.paths)?,
                row.body
            ],
        )?;
        Ok(())
    }

    /// Writes the paths of a fact if they changed. Returns true if the fact exists with exactly
    /// these paths.
    fn replace_paths(&self, number: i64, place: (i64, &[u8], &[u8]), paths: &[String]) -> Result<bool> {
        if let Some((repository, old)) = self.paths_of_row(number)? {
            if repository == place.1 && old == paths {
                return Ok(true);
            }
            self.drop_paths((place.0, &repository, place.2), &old)?;
        }
        for path in paths {
            let sql = "INSERT INTO fact_paths(mem, repository, path, key) VALUES (?1, ?2, ?3, ?4)";
            self.run(sql, params![place.0, place.1, path, place.2])?;
        }
        Ok(false)
    }

    fn paths_of_row(&self, number: i64) -> Result<Option<(Vec<u8>, Vec<String>)>> {
        self.one("SELECT repository, paths FROM facts WHERE num = ?1", [number], |row| {
            let paths = stored(serde_json::from_str(&row.take::<String>(1)?), "fact")?;
            Ok((row.take(0)?, paths))
        })
    }

    fn drop_paths(&self, (memory, repository, key): (i64, &[u8], &[u8]), paths: &[String]) -> Result<()> {
        for path in paths {
            let sql = "DELETE FROM fact_paths WHERE mem = ?1 AND repository = ?2 AND path = ?3 AND key = ?4";
            self.run(sql, params![memory, repository, path, key])?;
        }
        Ok(())
    }

    /// Erases the fact of the record with that number, if any. Its events are kept without texts.
    pub(in crate::tables) fn erase_fact(&self, memory: i64, number: i64) -> Result<()> {
        let Some((repository, paths)) = self.paths_of_row(number)? else { return Ok(()) };
        let key = self.one("SELECT key FROM facts WHERE num = ?1", [number], |row| row.take::<Vec<u8>>(0))?;
        let key = key.unwrap_or_default();
        self.drop_paths((memory, &repository, &key), &paths)?;
        self.run("DELETE FROM facts WHERE num = ?1", [number])?;
        self.run("DELETE FROM fact_reads WHERE num = ?1", [number])?;
        self.run("DELETE FROM fact_verdicts WHERE mem = ?1 AND key = ?2", params![memory, key])?;
        self.run(
            "UPDATE fact_events SET kept = 0, details = NULL WHERE mem = ?1 AND key = ?2 AND key IS NOT NULL \
             AND (kept = 1 OR details IS NOT NULL)",
            params![memory, key],
        )?;
        Ok(())
    }
}

impl FactRows for SqlTx<'_> {
    const FROM: &'static str = "FROM facts f JOIN fact_reads n ON n.num = f.num";
    const TIES: &'static str = "f.num";

    fn fact(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!(
            "SELECT {FACT_COLUMNS} FROM records r JOIN facts f ON f.num = r.num JOIN fact_reads n ON n.num = f.num \
             WHERE r.mem = ?1 AND r.key = ?2"
        );
        self.one(&sql, params![number, key_of(record)], |row| fact_rows::fact(memory, &Columns(row)))
    }

    fn facts(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>> {
        let found = records.iter().map(|record| self.fact(memory, record)).collect::<Result<Vec<_>>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn put_fact(&self, fact: &Fact) -> Result<()> {
        let memory = self.need(&fact.memory)?;
        let number = self.record_number(memory, &fact.record)?.ok_or_else(fact_rules::recordless)?;
        if fact_rules::is_unique(fact) {
            let sql = "SELECT 1 FROM facts WHERE mem = ?1 AND repository = ?2 AND hash = ?3 AND status = 0 AND proposed = 0 \
                       AND num <> ?4";
            let values = params![memory, short_of(fact.repository.as_str()), fact.content_hash, number];
            if self.one(sql, values, |_| Ok(()))?.is_some() {
                return Err(fact_rules::said_already());
            }
        }
        self.put_fact_row(memory, number, fact)
    }

    fn count_fact_reads(&self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        let memory = self.need(memory)?;
        for record in records.iter().collect::<BTreeSet<_>>() {
            self.run(
                "UPDATE fact_reads SET retrieved = retrieved + 1 \
                 WHERE num = (SELECT num FROM records WHERE mem = ?1 AND key = ?2)",
                params![memory, key_of(record)],
            )?;
        }
        Ok(())
    }
}
