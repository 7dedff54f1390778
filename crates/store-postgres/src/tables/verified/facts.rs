//! The table of facts, with the one of how often they were read.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactPage, FactSums, Facts, PathChoice};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{id_of, key_of, short_of};
use loci_store_kit::fact_columns::FactColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{self, FACT_COLUMNS, PathValue};
use loci_store_kit::unreadable::{page, readable};
use tokio_postgres::Row;

use crate::bound::Bound;
use crate::columns::Columns;
use crate::errors::stored;
use crate::tables::events::rows::plain;
use crate::tables::records::rows::state_code;
use crate::tx::{Column, PgTx, code, int, limit, unsigned};

const FROM: &str = "FROM facts f JOIN fact_reads n ON n.mem = f.mem AND n.key = f.key";

/// A new row in the place of what is there.
const PUT: &str = "INSERT INTO facts(mem, key, repository, hash, status, proposed, citations, refreshed, created, used, \
     expires, verifications, rejections, applied, paths, body) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
     ON CONFLICT (mem, key) DO UPDATE SET repository = excluded.repository, hash = excluded.hash, status = excluded.status, \
     proposed = excluded.proposed, citations = excluded.citations, refreshed = excluded.refreshed, \
     created = excluded.created, used = excluded.used, expires = excluded.expires, \
     verifications = excluded.verifications, rejections = excluded.rejections, applied = excluded.applied, \
     paths = excluded.paths, body = excluded.body";

/// Where the paths of a fact lie.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Paths {
    repository: Vec<u8>,
    paths: Vec<String>,
}

fn paths_of_row(row: &Row) -> Result<Paths> {
    Ok(Paths { repository: row.take(0)?, paths: row.take(1)? })
}

impl PgTx<'_> {
    /// Takes in a fact from another store; one that is there already stays.
    pub(in crate::tables) fn load_fact(&self, memory: i64, fact: &Fact) -> Result<()> {
        let there = "SELECT 1 FROM facts WHERE mem = $1 AND key = $2";
        let there = self.one(there, &[&memory, &key_of(&fact.record)], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_fact(memory, fact, None) }
    }

    /// Writes a fact of the memory of that number, with its paths; `old` are those that are there.
    fn put_fact(&self, memory: i64, fact: &Fact, old: Option<Paths>) -> Result<()> {
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

    /// Writes the paths of a fact where they changed.
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

    /// Erases the facts of these records, where they are some. What happened to them stays, without words.
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

/// A page of facts of one state, proposed or not.
fn page_of(memory: i64, page: &FactPage, status: RecordState, proposed: bool) -> (String, Bound) {
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
    (sql, bound)
}

impl Facts for PgTx<'_> {
    fn get(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {FACT_COLUMNS} {FROM} WHERE f.mem = $1 AND f.key = $2");
        self.one(&sql, &[&number, &key_of(record)], |row| fact_rows::fact(memory, &Columns(row)))
    }

    fn get_many(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = records.iter().map(key_of).collect();
        let sql = format!("SELECT {FACT_COLUMNS} {FROM} WHERE f.mem = $1 AND f.key = ANY($2)");
        let found = self.all(&sql, &[&number, &keys], |row| fact_rows::fact(memory, &Columns(row)))?;
        let found: BTreeMap<RecordId, Fact> =
            found.into_iter().map(|fact| (fact.record.clone(), fact)).collect();
        Ok(records.iter().filter_map(|record| found.get(record).cloned()).collect())
    }

    fn active_with(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Option<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        self.one(
            "SELECT key FROM facts WHERE mem = $1 AND repository = $2 AND hash = $3 AND status = 0 AND NOT proposed",
            &[&number, &short_of(repository.as_str()), &plain(content_hash)],
            |row| id_of(row.take::<&[u8]>(0)?),
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
            "SELECT key FROM facts WHERE mem = $1 AND repository = $2 AND hash = $3 AND status <> $4 ORDER BY key",
            &[
                &number,
                &short_of(repository.as_str()),
                &plain(content_hash),
                &state_code(RecordState::Erased),
            ],
            |row| id_of(row.take::<&[u8]>(0)?),
        )?;
        Facts::get_many(self, memory, &records)
    }

    fn list(&self, page: &FactPage) -> Result<Vec<Fact>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let statuses: BTreeSet<i16> = page.statuses.iter().map(|status| state_code(*status)).collect();
        let wanted = RecordState::ALL.iter().filter(|status| statuses.contains(&state_code(**status)));
        let questions: Vec<(String, Bound)> = wanted
            .flat_map(|status| page.choice.proposed().iter().map(|proposed| (*status, *proposed)))
            .map(|(status, proposed)| page_of(memory, page, status, proposed))
            .collect();
        let values: Vec<_> = questions.iter().map(|(_, bound)| bound.values()).collect();
        let asked: Vec<_> = questions
            .iter()
            .zip(&values)
            .map(|((sql, _), values)| (sql.as_str(), values.as_slice()))
            .collect();
        let mut pages = Vec::new();
        for rows in self.several(&asked)? {
            let read = |row: &Row| fact_rows::fact(&page.memory, &Columns(row));
            pages.push(rows.iter().map(read).collect::<Result<Vec<Fact>>>()?);
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
            PathValue::Path(path) => bound.put(plain(&path)),
            PathValue::Key(key) => bound.put(key),
        });
        let sql = format!(
            "SELECT path, key FROM fact_paths WHERE {of} AND {condition} ORDER BY path, key LIMIT {}",
            bound.put(limit(count))
        );
        self.all(&sql, &bound.values(), |row| Ok((row.take(0)?, id_of(row.take::<&[u8]>(1)?)?)))
    }

    fn count(&self, memory: &MemoryId, repository: &RepositoryId, status: RecordState) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let count = self.one(
            "SELECT count(*) FROM facts WHERE mem = $1 AND repository = $2 AND proposed = FALSE AND status = $3",
            &[&memory, &short_of(repository.as_str()), &state_code(status)],
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
            "SELECT status::bigint, count(*), max(refreshed) FROM facts \
             WHERE mem = $1 AND repository = $2 AND proposed = FALSE GROUP BY status ORDER BY status",
            &[&memory, &short_of(repository.as_str())],
            |row| fact_rules::standing(row.take(0)?, row.take(1)?, row.take(2)?),
        )
    }

    fn sums(&self, memory: &MemoryId, repository: &RepositoryId) -> Result<FactSums> {
        let Some(memory) = self.number(memory)? else { return Ok(FactSums::default()) };
        let rows = self.all(
            "SELECT status::bigint, count(*), sum(verifications)::bigint, sum(rejections)::bigint, sum(applied)::bigint, \
             max(refreshed), min(created), max(created) FROM facts WHERE mem = $1 AND repository = $2 AND NOT proposed \
             GROUP BY status ORDER BY status",
            &[&memory, &short_of(repository.as_str())],
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
        let sql = "SELECT m.id, f.key FROM facts f JOIN memories m ON m.mem = f.mem AND m.deleted IS NULL \
                   WHERE f.status = 0 AND f.expires <= $1 ORDER BY f.expires, f.mem, f.key LIMIT $2";
        let read = |row: &Row| {
            let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
            Ok((memory, id_of(row.take::<&[u8]>(1)?)?))
        };
        page(count, |count| self.all(sql, &[&now.millis(), &limit(count)], |row| readable("fact", read(row))))
    }

    fn put(&mut self, fact: &Fact) -> Result<()> {
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
        self.put_fact(memory, fact, old)
    }

    fn count_retrieved(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        let memory = self.need(memory)?;
        let keys: Vec<Vec<u8>> = records.iter().map(key_of).collect();
        self.later(
            "UPDATE fact_reads SET retrieved = retrieved + 1 WHERE mem = $1 AND key = ANY($2)",
            vec![Box::new(memory), Box::new(keys)],
        );
        Ok(())
    }
}
