//! The table of facts, and the table that counts their reads.

use std::collections::BTreeSet;

use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactPage, FactSums, Facts, PathChoice};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};

use crate::codes::{code_of, id_of, key_of, short_of};
use crate::fact_rows;
use crate::fact_rules::{self, FACT_COLUMNS};
use crate::fields::Fields;
use crate::sql::{BoundParameters, SqlTransaction};
use crate::tables::Tables;
use crate::unreadable_rows::{page, readable};
use crate::values;

/// The statements on facts that differ between the stores: the join with records, and the stored
/// form of paths.
pub trait FactRows {
    /// The SQL `FROM` part that gives facts the alias `f`, and the row that counts a fact's reads
    /// the alias `n`.
    const FROM: &'static str;
    /// The SQL sort order of facts that are equal in all other sort columns.
    const TIES: &'static str;

    /// Returns the fact of a record; `None` if the record is not a fact.
    ///
    /// # Errors
    /// Errors of the database, as in all other methods.
    fn fact(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>>;

    /// Returns several facts, as [`Facts::get_many`].
    ///
    /// # Errors
    /// See above.
    fn facts(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>>;

    /// Writes a fact, as [`Facts::put`].
    ///
    /// # Errors
    /// See there.
    fn put_fact(&self, fact: &Fact) -> Result<()>;

    /// Counts one more retrieval of each fact, as [`Facts::count_retrieved`].
    ///
    /// # Errors
    /// See above.
    fn count_fact_reads(&self, memory: &MemoryId, records: &[RecordId]) -> Result<()>;
}

fn state_code(state: RecordState) -> i64 {
    code_of(RecordState::ALL, state)
}

/// Returns the query for a page of facts with one status, either only proposed or only other
/// facts.
fn page_of<'a>(
    from: &str,
    memory: i64,
    page: &'a FactPage,
    (status, proposed): (RecordState, bool),
) -> (String, BoundParameters<'a>) {
    let mut bound = BoundParameters::default();
    let mut sql = format!(
        "SELECT {FACT_COLUMNS} {from} WHERE f.mem = {} AND f.repository = {} AND f.proposed = {} AND f.status = {}",
        bound.put(memory),
        bound.put(short_of(page.repository.as_str())),
        bound.put(proposed),
        bound.put(state_code(status))
    );
    if let Some((refreshed, record)) = &page.after {
        let (refreshed, key) = (bound.put(*refreshed), bound.put(key_of(record)));
        sql.push_str(&format!(
            " AND f.refreshed <= {refreshed} AND (f.refreshed < {refreshed} OR f.key > {key})"
        ));
    }
    sql.push_str(&format!(" ORDER BY f.refreshed DESC, f.key LIMIT {}", bound.put(page.limit)));
    (sql, bound)
}

fn expired(row: &impl Fields) -> Result<(MemoryId, RecordId)> {
    Ok((row.parsed(0, MemoryId::parse, "memory id")?, id_of(row.bytes(1)?)?))
}

impl<T: SqlTransaction + FactRows> Facts for Tables<T> {
    fn get(&self, memory: &MemoryId, record: &RecordId) -> Result<Option<Fact>> {
        self.fact(memory, record)
    }

    fn get_many(&self, memory: &MemoryId, records: &[RecordId]) -> Result<Vec<Fact>> {
        self.facts(memory, records)
    }

    fn active_with(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        content_hash: &str,
    ) -> Result<Option<RecordId>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = format!(
            "SELECT key FROM facts WHERE mem = $1 AND repository = $2 AND hash = $3 AND status = 0 AND proposed = {}",
            T::DIALECT.no
        );
        let values = values![memory, short_of(repository.as_str()), content_hash];
        self.one(&sql, values, |row| id_of(row.bytes(0)?))
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
            values![number, short_of(repository.as_str()), content_hash, state_code(RecordState::Erased)],
            |row| id_of(row.bytes(0)?),
        )?;
        self.facts(memory, &records)
    }

    fn list(&self, page: &FactPage) -> Result<Vec<Fact>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let statuses: BTreeSet<i64> = page.statuses.iter().map(|status| state_code(*status)).collect();
        let wanted = RecordState::ALL.iter().filter(|status| statuses.contains(&state_code(**status)));
        let questions: Vec<_> = wanted
            .flat_map(|status| page.choice.proposed().iter().map(|proposed| (*status, *proposed)))
            .map(|which| page_of(T::FROM, memory, page, which))
            .collect();
        let pages = self.all_of(&questions, |row| fact_rows::fact(&page.memory, row))?;
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
        let mut bound = BoundParameters::default();
        let of = format!(
            "mem = {} AND repository = {}",
            bound.put(memory),
            bound.put(short_of(repository.as_str()))
        );
        let condition = fact_rules::path_condition(paths, after, &mut bound);
        let sql = format!(
            "SELECT path, key FROM fact_paths WHERE {of} AND {condition} ORDER BY path, key LIMIT {}",
            bound.put(count)
        );
        self.all(&sql, bound.values(), |row| Ok((row.text(0)?.to_owned(), id_of(row.bytes(1)?)?)))
    }

    fn count(&self, memory: &MemoryId, repository: &RepositoryId, status: RecordState) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = format!(
            "SELECT count(*) FROM facts WHERE mem = $1 AND repository = $2 AND proposed = {} AND status = $3",
            T::DIALECT.no
        );
        let values = values![memory, short_of(repository.as_str()), state_code(status)];
        Ok(self.one(&sql, values, |row| row.count(0))?.unwrap_or(0))
    }

    fn by_status(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
    ) -> Result<Vec<(RecordState, u64, Timestamp)>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT status, count(*), max(refreshed) FROM facts \
             WHERE mem = $1 AND repository = $2 AND proposed = {} GROUP BY status ORDER BY status",
            T::DIALECT.no
        );
        self.all(&sql, values![memory, short_of(repository.as_str())], |row| {
            fact_rules::standing(row.number(0)?, row.number(1)?, row.number(2)?)
        })
    }

    fn sums(&self, memory: &MemoryId, repository: &RepositoryId) -> Result<FactSums> {
        let Some(memory) = self.number(memory)? else { return Ok(FactSums::default()) };
        let sql = format!(
            "SELECT status, count(*), CAST(sum(verifications) AS bigint), CAST(sum(rejections) AS bigint), \
             CAST(sum(applied) AS bigint), max(refreshed), min(created), max(created) FROM facts \
             WHERE mem = $1 AND repository = $2 AND proposed = {} GROUP BY status ORDER BY status",
            T::DIALECT.no
        );
        let rows = self.all(&sql, values![memory, short_of(repository.as_str())], |row| {
            let mut numbers = [0_i64; 8];
            for (place, number) in numbers.iter_mut().enumerate() {
                *number = row.number(place)?;
            }
            Ok(numbers)
        })?;
        fact_rules::sums(rows)
    }

    fn expired_by(&self, now: Timestamp, count: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        let sql = format!(
            "SELECT m.id, f.key FROM facts f{} WHERE f.status = 0 AND f.expires <= $1 \
             ORDER BY f.expires, {} LIMIT $2",
            T::DIALECT.alive("f"),
            T::TIES
        );
        page(count, |count| self.all(&sql, values![now, count], |row| readable("fact", expired(row))))
    }

    fn put(&mut self, fact: &Fact) -> Result<()> {
        self.put_fact(fact)
    }

    fn count_retrieved(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        self.count_fact_reads(memory, records)
    }
}
