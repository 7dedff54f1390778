//! Pages and counts of records in a scope, now or as of a time, and all versions for export.

use std::cmp::Reverse;

use loci_model::ports::store::RecordPage;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ActorId, MemoryId, RecordId, Result, SessionId, StrategyId, Timestamp};
use rusqlite::{Row, params, params_from_iter};

use super::rows::{RECORDS, StoredRecordRow, read, state_code};
use crate::bound_values::SqliteBoundParameters;
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit};
use loci_store_kit::codes::{code_of, key_of};
use loci_store_kit::record_rules::{PastRecordState, indexed_value, known_at, meets, was_in_scope};
use loci_store_kit::unreadable_rows::readable;

/// The maximum number of groups that are read separately and merged. For more, the memory is read
/// in order of creation.
const GROUPS_MERGED_MAX: usize = 16;
/// The location of the text under the key of [`indexed_value`], identical to the expression of its
/// index.
const FINGERPRINT: &str = "r.more ->> '$.m.fingerprint.string'";

/// The part of a scope that one statement reads; `None` for all.
#[derive(Clone, Copy)]
struct SqliteScopePart<'a> {
    group: Option<i64>,
    subtype: Option<&'a str>,
    /// The cursor: only records after this one.
    after: Option<&'a (Timestamp, RecordId)>,
}

impl SqliteScopePart<'_> {
    /// An earlier version may have had another subtype than its row.
    fn is_of(&self, record: &Record) -> bool {
        self.subtype.is_none_or(|subtype| record.subtype.as_deref() == Some(subtype))
    }
}

impl SqlTx<'_> {
    pub(super) fn record_page(&self, page: &RecordPage, subtype: Option<&str>) -> Result<Vec<Record>> {
        let scope = &page.scope;
        let memory = self.number(&scope.memory)?;
        let Some(memory) = memory.filter(|_| page.limit > 0) else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        // A subtype, or an indexed value, is found directly in the whole memory.
        let is_found_at_once = subtype.is_some() || indexed_value(scope).is_some();
        let ways = if is_found_at_once { vec![None] } else { self.ways(memory, scope)? };
        for group in ways {
            let mut taken = 0;
            let part = SqliteScopePart { group, subtype, after: page.after.as_ref() };
            self.scan(memory, scope, part, &mut |record| {
                out.push(record);
                taken += 1;
                Ok(taken < page.limit)
            })?;
        }
        out.sort_by_cached_key(|record| (Reverse(record.created_at), key_of(&record.id)));
        out.truncate(page.limit);
        Ok(out)
    }

    pub(super) fn record_count(&self, scope: &RecordScope) -> Result<u64> {
        let Some(memory) = self.number(&scope.memory)? else { return Ok(0) };
        let mut count = 0;
        for group in self.ways(memory, scope)? {
            let part = SqliteScopePart { group, subtype: None, after: None };
            self.scan(memory, scope, part, &mut |_| {
                count += 1;
                Ok(true)
            })?;
        }
        Ok(count)
    }

    /// Returns the groups to read; a single `None` for the whole memory. At a past time a record
    /// may have been in another group.
    fn ways(&self, memory: i64, scope: &RecordScope) -> Result<Vec<Option<i64>>> {
        if scope.as_of.is_some() {
            return Ok(vec![None]);
        }
        let groups = self.groups_of(memory, scope, GROUPS_MERGED_MAX)?;
        Ok(groups.map_or_else(|| vec![None], |groups| groups.into_iter().map(Some).collect()))
    }

    /// Passes the records in scope to `see`, newest created first, ties by id, until it returns
    /// false.
    fn scan(
        &self,
        memory: i64,
        scope: &RecordScope,
        part: SqliteScopePart<'_>,
        see: &mut dyn FnMut(Record) -> Result<bool>,
    ) -> Result<()> {
        let (sql, bound) = statement(memory, scope, part);
        self.each(&sql, params_from_iter(bound.values()), |row| {
            let read = match scope.as_of {
                None => self.current(scope, row),
                Some(time) => self.past(scope, time, row),
            };
            let found = readable("record", read)?.flatten();
            found.filter(|record| part.is_of(record)).map_or(Ok(true), &mut *see)
        })
    }

    /// Returns the record of a row, if it is in scope.
    fn current(&self, scope: &RecordScope, row: &Row<'_>) -> Result<Option<Record>> {
        if !is_open(scope, row)? {
            return Ok(None);
        }
        let record = read(&scope.memory, row)?.record;
        Ok(meets(scope, &record).then_some(record))
    }

    /// Returns the version that was known at `time`, if it was in scope then.
    fn past(&self, scope: &RecordScope, time: Timestamp, row: &Row<'_>) -> Result<Option<Record>> {
        let known = self.version_at(read(&scope.memory, row)?, time)?;
        Ok(known.filter(|record| was_in_scope(scope, record, time)))
    }

    pub(super) fn version_at(&self, stored: StoredRecordRow, time: Timestamp) -> Result<Option<Record>> {
        let number = stored.number;
        match known_at(stored.into(), time) {
            PastRecordState::Hidden => Ok(None),
            PastRecordState::This(record) => Ok(Some(*record)),
            PastRecordState::Earlier(_) => {
                let sql = "SELECT body FROM record_versions WHERE rec = ?1 AND updated <= ?2 \
                           ORDER BY version DESC LIMIT 1";
                self.one(sql, params![number, time.millis()], |row| version(&row.take::<String>(0)?))
            }
        }
    }

    pub(super) fn record_history(&self, memory: &MemoryId, id: &RecordId) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT v.body FROM records r JOIN record_versions v ON v.rec = r.num \
             WHERE r.mem = ?1 AND r.key = ?2 ORDER BY v.version",
            params![number, key_of(id)],
            |row| version(&row.take::<String>(0)?),
        )
    }

    pub(super) fn export_records(
        &self,
        memory: &MemoryId,
        after: Option<&(RecordId, u32)>,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let (key, last) = after.map_or((Vec::new(), 0), |(id, version)| (key_of(id), *version));
        let sql =
            format!("{RECORDS} WHERE r.mem = ?1 AND r.key >= ?2 AND r.gone = 0 ORDER BY r.key LIMIT ?3");
        // One more than requested: all rows of the first one may precede the page.
        let rows = params![number, key, limit(count.saturating_add(1))];
        let current = self.all(&sql, rows, |row| read(memory, row))?;
        let mut out = Vec::new();
        for stored in current {
            let is_first = key_of(&stored.record.id) == key;
            let behind = |record: &Record| !is_first || record.version > last;
            let versions = self.record_history(memory, &stored.record.id)?.into_iter().chain([stored.record]);
            out.extend(versions.filter(behind));
            if out.len() >= count {
                break;
            }
        }
        out.truncate(count);
        Ok(out)
    }
}

fn version(body: &str) -> Result<Record> {
    stored(serde_json::from_str(body), "version")
}

/// Returns the statement of a scan. All other conditions are tested on the rows.
fn statement(memory: i64, scope: &RecordScope, part: SqliteScopePart<'_>) -> (String, SqliteBoundParameters) {
    let mut bound = SqliteBoundParameters::default();
    let place = match part.group {
        Some(group) => format!("r.grp = {}", bound.put(group)),
        None => format!("r.mem = {}", bound.put(memory)),
    };
    let mut sql = format!("{RECORDS} WHERE {place} AND r.gone = 0");
    if let (Some(subtype), None) = (part.subtype, scope.as_of) {
        sql.push_str(&format!(" AND r.subtype = {}", bound.put(subtype.to_owned())));
    }
    match scope.as_of {
        None => {
            let states: Vec<String> =
                scope.states.iter().map(|state| state_code(*state).to_string()).collect();
            sql.push_str(&format!(
                " AND r.state IN ({}) AND (r.expires IS NULL OR r.expires > {} OR r.state = {})",
                states.join(","),
                bound.put(scope.now.millis()),
                state_code(RecordState::Expired)
            ));
            if !scope.kinds.is_empty() {
                let kinds: Vec<String> =
                    scope.kinds.iter().map(|kind| code_of(RecordKind::ALL, *kind).to_string()).collect();
                sql.push_str(&format!(" AND r.kind IN ({})", kinds.join(",")));
                if !scope.kinds.contains(&RecordKind::Fact) {
                    // The literal condition of an index, by which the planner recognises that it
                    // applies.
                    sql.push_str(" AND r.kind <> 0");
                }
            }
            if let Some(value) = indexed_value(scope) {
                sql.push_str(&format!(" AND {FINGERPRINT} = {}", bound.put(value.to_owned())));
                sql.push_str(&format!(" AND {FINGERPRINT} IS NOT NULL"));
            }
        }
        Some(time) => sql.push_str(&format!(" AND r.created <= {}", bound.put(time.millis()))),
    }
    if let Some((created, id)) = part.after {
        let (created, key) = (bound.put(created.millis()), bound.put(key_of(id)));
        sql.push_str(&format!(" AND r.created <= {created} AND (r.created < {created} OR r.key > {key})"));
    }
    sql.push_str(" ORDER BY r.created DESC, r.key");
    (sql, bound)
}

/// True if the caller may see the row's group and the request includes it. Checked before any long
/// column is read.
fn is_open(scope: &RecordScope, row: &Row<'_>) -> Result<bool> {
    let strategy: String = row.take(23)?;
    let strategy =
        if strategy.is_empty() { None } else { Some(stored(StrategyId::parse(strategy), "strategy")?) };
    let normal: String = row.take(22)?;
    if !scope.asks_for(&normal, strategy.as_ref()) {
        return Ok(false);
    }
    if scope.sees_all() {
        return Ok(true);
    }
    let actor: Option<String> = row.take(11)?;
    let session: Option<String> = row.take(12)?;
    let actor = actor.map(|text| stored(ActorId::parse(text), "record")).transpose()?;
    let session = session.map(|text| stored(SessionId::parse(text), "record")).transpose()?;
    Ok(scope.may_see(&normal, strategy.as_ref(), actor.as_ref(), session.as_ref()))
}

#[cfg(test)]
mod tests {
    use loci_model::record::metadata::MetadataValue;
    use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
    use loci_model::record::scope::RecordScope;
    use loci_store_kit::record_rules::INDEXED_KEY;

    use super::*;
    use crate::migrate::migrate;

    #[test]
    fn what_is_no_fact_is_found_without_the_facts() {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        let plan_has = |scope: &RecordScope, group: Option<i64>, subtype: Option<&str>, expect: &str| {
            let (sql, bound) = statement(1, scope, SqliteScopePart { group, subtype, after: None });
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = statement.query_map(params_from_iter(bound.values()), |row| row.get(3)).unwrap();
            let plan: Vec<String> = plan.map(|line| line.unwrap()).collect();
            assert!(plan.iter().any(|line| line.contains(expect)), "{:?}: {plan:?}", scope.kinds);
        };
        let whole = RecordScope::whole(memory, Timestamp::EPOCH);
        let check = |kinds: &[RecordKind], group: Option<i64>, subtype: Option<&str>, expect: &str| {
            plan_has(&RecordScope { kinds: kinds.to_vec(), ..whole.clone() }, group, subtype, expect);
        };
        let of_alert = RecordScope {
            kinds: vec![RecordKind::Investigation],
            metadata: vec![MetadataFilter {
                key: INDEXED_KEY.to_owned(),
                operator: FilterOperator::EqualsTo,
                right: Some(MetadataValue::String("a".to_owned())),
            }],
            ..whole.clone()
        };
        plan_has(&of_alert, None, None, "records_fingerprint (mem=? AND <expr>=?)");
        check(&[RecordKind::Reflection], None, None, "records_kind (mem=? AND kind=?)");
        check(&[RecordKind::Fact], None, None, "records_created (mem=?)");
        check(&[], None, None, "records_created (mem=?)");
        check(&[RecordKind::Reflection], Some(1), None, "records_group (grp=?)");
        check(&[RecordKind::Fact], None, Some("a"), "records_memory_subtype (mem=? AND subtype=?)");
        check(&[], None, Some("a"), "records_memory_subtype (mem=? AND subtype=?)");
    }
}
