//! The table of facts, and that of their reads.

use std::collections::BTreeMap;

use loci_model::facts::fact::Fact;
use loci_model::{MemoryId, RecordId, Result};
use loci_store_kit::codes::{key_of, short_of};
use loci_store_kit::fact_columns::FactColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{self, FACT_COLUMNS};
use loci_store_kit::tables::verified::facts::FactRows;
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tx::{Column, PgTx, code, int};

/// Inserts or replaces a row.
const PUT: &str = "INSERT INTO facts(mem, key, repository, hash, status, proposed, citations, refreshed, created, used, \
     expires, verifications, rejections, applied, paths, body) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
     ON CONFLICT (mem, key) DO UPDATE SET repository = excluded.repository, hash = excluded.hash, status = excluded.status, \
     proposed = excluded.proposed, citations = excluded.citations, refreshed = excluded.refreshed, \
     created = excluded.created, used = excluded.used, expires = excluded.expires, \
     verifications = excluded.verifications, rejections = excluded.rejections, applied = excluded.applied, \
     paths = excluded.paths, body = excluded.body";

/// The paths of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Paths {
    repository: Vec<u8>,
    paths: Vec<String>,
}

fn paths_of_row(row: &Row) -> Result<Paths> {
    Ok(Paths { repository: row.take(0)?, paths: row.take(1)? })
}

impl PgTx<'_> {
    /// Imports a fact from another store; an existing one is kept.
    pub(in crate::tables) fn load_fact(&self, memory: i64, fact: &Fact) -> Result<()> {
        let there = "SELECT 1 FROM facts WHERE mem = $1 AND key = $2";
        let there = self.one(there, &[&memory, &key_of(&fact.record)], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_fact_row(memory, fact, None) }
    }

    /// Writes a fact of the memory with that number, with its paths; `old` holds the existing ones.
    fn put_fact_row(&self, memory: i64, fact: &Fact, old: Option<Paths>) -> Result<()> {
        let row = FactColumns::of(fact)?;
        let paths: Vec<String> = row.paths.iter().map(|path| plain(path)).collect();
        let new = Paths { repository: row.repository.clone(), paths: paths.clone() };
        self.later(
            PUT,
            vec![
                Box::new(memory),
                Box::new(row.key.clone()),
                Box::new(row.repository),
                Box::new(plain(&row.hash)),
                Box::new(code(row.status)),
                Box::new(row.proposed),
                Box::new(int(row.citations)),
                Box::new(row.refreshed),
                Box::new(row.created),
                Box::new(row.used),
                Box::new(row.expires),
                Box::new(row.verifications),
                Box::new(row.rejections),
                Box::new(row.applied),
                Box::new(paths),
                Box::new(row.body),
            ],
        );
        self.later(
            "INSERT INTO fact_reads(mem, key, retrieved, swept) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (mem, key) DO UPDATE SET retrieved = excluded.retrieved, swept = excluded.swept",
            vec![Box::new(memory), Box::new(row.key.clone()), Box::new(row.retrieved), Box::new(row.swept)],
        );
        self.replace_paths(memory, row.key, old, new);
        Ok(())
    }

    /// Writes the paths of a fact if they changed.
    fn replace_paths(&self, memory: i64, key: Vec<u8>, old: Option<Paths>, new: Paths) {
        if old.as_ref() == Some(&new) {
            return;
        }
        if let Some(old) = old {
            self.later(
                "DELETE FROM fact_paths WHERE mem = $1 AND repository = $2 AND path = ANY($3) AND key = $4",
                vec![Box::new(memory), Box::new(old.repository), Box::new(old.paths), Box::new(key.clone())],
            );
        }
        self.later(
            "INSERT INTO fact_paths(mem, repository, path, key) \
             SELECT $1, $2, path, $4 FROM unnest($3::text[]) AS t(path) ON CONFLICT DO NOTHING",
            vec![Box::new(memory), Box::new(new.repository), Box::new(new.paths), Box::new(key)],
        );
    }

    /// Erases the facts of these records, if any. Their events are kept without texts.
    pub(in crate::tables) fn erase_facts(&self, memory: i64, keys: &[Vec<u8>]) -> Result<()> {
        let sql = "SELECT repository, paths, key FROM facts WHERE mem = $1 AND key = ANY($2)";
        let found =
            self.all(sql, &[&memory, &keys], |row| Ok((row.take::<Vec<u8>>(2)?, paths_of_row(row)?)))?;
        if found.is_empty() {
            return Ok(());
        }
        let keys: Vec<Vec<u8>> = found.iter().map(|(key, _)| key.clone()).collect();
        for (key, Paths { repository, paths }) in found {
            self.later(
                "DELETE FROM fact_paths WHERE mem = $1 AND repository = $2 AND path = ANY($3) AND key = $4",
                vec![Box::new(memory), Box::new(repository), Box::new(paths), Box::new(key)],
            );
        }
        for sql in [
            "DELETE FROM facts WHERE mem = $1 AND key = ANY($2)",
            "DELETE FROM fact_reads WHERE mem = $1 AND key = ANY($2)",
            "DELETE FROM fact_verdicts WHERE mem = $1 AND key = ANY($2)",
            "UPDATE fact_events SET kept = FALSE, details = NULL WHERE mem = $1 AND key = ANY($2) AND key IS NOT NULL \
             AND (kept OR details IS NOT NULL)",
        ] {
            self.later(sql, vec![Box::new(memory), Box::new(keys.clone())]);
        }
        Ok(())
    }
}

impl FactRows for PgTx<'_> {
    const FROM: &'static str = "FROM facts f JOIN fact_reads n ON n.mem = f.mem AND n.key = f.key";
    const TIES: &'static str = "f.mem, f.key";

    fn fact(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {FACT_COLUMNS} {} WHERE f.mem = $1 AND f.key = $2", Self::FROM);
        self.one(&sql, &[&number, &key_of(record)], |row| fact_rows::fact(memory, &Columns(row)))
    }

    fn facts(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = records.iter().map(key_of).collect();
        let sql = format!("SELECT {FACT_COLUMNS} {} WHERE f.mem = $1 AND f.key = ANY($2)", Self::FROM);
        let found = self.all(&sql, &[&number, &keys], |row| fact_rows::fact(memory, &Columns(row)))?;
        let found: BTreeMap<RecordId, Fact> =
            found.into_iter().map(|fact| (fact.record.clone(), fact)).collect();
        Ok(records.iter().filter_map(|record| found.get(record).cloned()).collect())
    }

    fn put_fact(&self, fact: &Fact) -> Result<()> {
        let memory = self.need(&fact.memory)?;
        let (key, repository) = (key_of(&fact.record), short_of(fact.repository.as_str()));
        let there = "SELECT 1 FROM records WHERE mem = $1 AND key = $2";
        let other = "SELECT 1 FROM facts WHERE mem = $1 AND repository = $2 AND hash = $3 AND status = 0 AND NOT proposed \
                     AND key <> $4";
        let old = "SELECT repository, paths FROM facts WHERE mem = $1 AND key = $2";
        let found = self.several(&[
            (there, &[&memory, &key]),
            (other, &[&memory, &repository, &plain(&fact.content_hash), &key]),
            (old, &[&memory, &key]),
        ])?;
        let (mut found, is_unique) = (found.into_iter(), fact_rules::is_unique(fact));
        if found.next().is_none_or(|rows| rows.is_empty()) {
            return Err(fact_rules::recordless());
        }
        if found.next().is_some_and(|rows| is_unique && !rows.is_empty()) {
            return Err(fact_rules::said_already());
        }
        let old = found.next().unwrap_or_default().first().map(paths_of_row).transpose()?;
        self.put_fact_row(memory, fact, old)
    }

    fn count_fact_reads(&self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        let memory = self.need(memory)?;
        let keys: Vec<Vec<u8>> = records.iter().map(key_of).collect();
        self.later(
            "UPDATE fact_reads SET retrieved = retrieved + 1 WHERE mem = $1 AND key = ANY($2)",
            vec![Box::new(memory), Box::new(keys)],
        );
        Ok(())
    }
}
