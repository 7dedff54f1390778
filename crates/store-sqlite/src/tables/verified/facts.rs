//! The table of facts, with the one of how often they were read.

use std::collections::BTreeSet;

use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactPage, FactSums, Facts, PathChoice};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{code_of, id_of, json, key_of, short_of};
use loci_store_kit::fact_columns::FactColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{self, FACT_COLUMNS, PathValue};
use loci_store_kit::unreadable::{page, readable};
use rusqlite::types::Value;
use rusqlite::{Row, params};

use crate::bound::Bound;
use crate::columns::Columns;
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, unsigned};

const FROM: &str = "FROM facts f JOIN fact_reads n ON n.num = f.num";

fn state_code(state: RecordState) -> i64 {
    code_of(RecordState::ALL, state)
}

impl SqlTx<'_> {
    /// Writes a fact of the record of that number, with its paths.
    pub(in crate::tables) fn put_fact(&self, memory: i64, number: i64, fact: &Fact) -> Result<()> {
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

    /// Writes what no index holds, where all that an index holds is as it was: SQLite writes the entries of every column that is set
    /// anew, changed or not. False where something else changed.
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

    /// Writes the paths of a fact where they changed; true where the fact is there with these very paths.
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

    /// Erases the fact of the record of that number, where it is one. What happened to it stays, without words.
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

    /// A page of facts of one state, proposed or not.
    fn facts_of_state(
        &self,
        memory: i64,
        page: &FactPage,
        status: RecordState,
        proposed: bool,
    ) -> Result<Vec<Fact>> {
        let mut bound = Bound::default();
        let mut sql = format!(
            "SELECT {FACT_COLUMNS} {FROM} WHERE f.mem = {} AND f.repository = {} AND f.proposed = {} AND f.status = {}",
            bound.put(memory),
            bound.put(short_of(page.repository.as_str())),
            bound.put(proposed),
            bound.put(state_code(status))
        );
        if let Some((refreshed, record)) = &page.after {
            let (refreshed, key) = (bound.put(refreshed.millis()), bound.put(key_of(record)));
            sql.push_str(&format!(
                " AND f.refreshed <= {refreshed} AND (f.refreshed < {refreshed} OR f.key > {key})"
            ));
        }
        sql.push_str(&format!(" ORDER BY f.refreshed DESC, f.key LIMIT {}", bound.put(limit(page.limit))));
        self.all(&sql, rusqlite::params_from_iter(bound.values()), |row| {
            fact_rows::fact(&page.memory, &Columns(row))
        })
    }
}

impl Facts for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!(
            "SELECT {FACT_COLUMNS} FROM records r JOIN facts f ON f.num = r.num JOIN fact_reads n ON n.num = f.num \
             WHERE r.mem = ?1 AND r.key = ?2"
        );
        self.one(&sql, params![number, key_of(record)], |row| fact_rows::fact(memory, &Columns(row)))
    }

    fn get_many(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>> {
        let found =
            records.iter().map(|record| Facts::get(self, memory, record)).collect::<Result<Vec<_>>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn active_with(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Option<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        self.one(
            "SELECT key FROM facts WHERE mem = ?1 AND repository = ?2 AND hash = ?3 AND status = 0 AND proposed = 0",
            params![number, short_of(repository.as_str()), content_hash],
            |row| id_of(&row.take::<Vec<u8>>(0)?),
        )
    }

    fn with_content(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Vec<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let records = self.all(
            "SELECT key FROM facts WHERE mem = ?1 AND repository = ?2 AND hash = ?3 AND status <> ?4 ORDER BY key",
            params![number, short_of(repository.as_str()), content_hash, state_code(RecordState::Erased)],
            |row| id_of(&row.take::<Vec<u8>>(0)?),
        )?;
        Facts::get_many(self, memory, &records)
    }

    fn list(&self, page: &FactPage) -> Result<Vec<Fact>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let statuses: BTreeSet<i64> = page.statuses.iter().map(|status| state_code(*status)).collect();
        let mut pages = Vec::new();
        for status in RecordState::ALL.iter().filter(|status| statuses.contains(&state_code(**status))) {
            for proposed in page.choice.proposed() {
                pages.push(self.facts_of_state(memory, page, *status, *proposed)?);
            }
        }
        Ok(fact_rules::merged(pages, page.limit))
    }

    fn with_path(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        paths: &PathChoice,
        after: Option<&(String, RecordId)>,
        count: usize,
    ) -> Result<Vec<(String, RecordId)>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let mut bound = Bound::default();
        let of = format!(
            "mem = {} AND repository = {}",
            bound.put(memory),
            bound.put(short_of(repository.as_str()))
        );
        let condition = fact_rules::path_condition(paths, after, &mut |value| match value {
            PathValue::Path(path) => bound.put(path),
            PathValue::Key(key) => bound.put(key),
        });
        let sql = format!(
            "SELECT path, key FROM fact_paths WHERE {of} AND {condition} ORDER BY path, key LIMIT {}",
            bound.put(Value::Integer(limit(count)))
        );
        self.all(&sql, rusqlite::params_from_iter(bound.values()), |row| {
            Ok((row.take(0)?, id_of(&row.take::<Vec<u8>>(1)?)?))
        })
    }

    fn count(&self, memory: &MemoryId, repository: &RepositoryId, status: RecordState) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let count = self.one(
            "SELECT count(*) FROM facts WHERE mem = ?1 AND repository = ?2 AND proposed = 0 AND status = ?3",
            params![memory, short_of(repository.as_str()), state_code(status)],
            |row| row.take(0),
        )?;
        Ok(unsigned(count.unwrap_or(0)))
    }

    fn by_status(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
    ) -> Result<Vec<(RecordState, u64, Timestamp)>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT status, count(*), max(refreshed) FROM facts \
             WHERE mem = ?1 AND repository = ?2 AND proposed = 0 GROUP BY status ORDER BY status",
            params![memory, short_of(repository.as_str())],
            |row| fact_rules::standing(row.take(0)?, row.take(1)?, row.take(2)?),
        )
    }

    fn sums(&self, memory: &MemoryId, repository: &RepositoryId) -> Result<FactSums> {
        let Some(memory) = self.number(memory)? else { return Ok(FactSums::default()) };
        let rows = self.all(
            "SELECT status, count(*), sum(verifications), sum(rejections), sum(applied), max(refreshed), min(created), \
             max(created) FROM facts WHERE mem = ?1 AND repository = ?2 AND proposed = 0 GROUP BY status ORDER BY status",
            params![memory, short_of(repository.as_str())],
            |row| {
                let mut numbers = [0_i64; 8];
                for (place, number) in numbers.iter_mut().enumerate() {
                    *number = row.take(place)?;
                }
                Ok(numbers)
            },
        )?;
        fact_rules::sums(rows)
    }

    fn expired_by(&self, now: Timestamp, count: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        let sql = "SELECT m.id, f.key FROM facts f CROSS JOIN memories m ON m.num = f.mem AND m.deleted IS \
                   NULL \
                   WHERE f.status = 0 AND f.expires <= ?1 ORDER BY f.expires, f.num LIMIT ?2";
        let read = |row: &Row<'_>| {
            let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
            Ok((memory, id_of(&row.take::<Vec<u8>>(1)?)?))
        };
        page(count, |count| {
            self.all(sql, params![now.millis(), limit(count)], |row| readable("fact", read(row)))
        })
    }

    fn put(&mut self, fact: &Fact) -> Result<()> {
        let memory = self.need(&fact.memory)?;
        let number = self.record_number(memory, &fact.record)?.ok_or_else(fact_rules::recordless)?;
        if fact_rules::is_unique(fact) {
            let other = self.active_with(&fact.memory, &fact.repository, &fact.content_hash)?;
            if other.is_some_and(|other| other != fact.record) {
                return Err(fact_rules::said_already());
            }
        }
        self.put_fact(memory, number, fact)
    }

    fn count_retrieved(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
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
