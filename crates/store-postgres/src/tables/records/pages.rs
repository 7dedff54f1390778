//! Pages and counts of records in a scope, now or as of a time, and all versions for export.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use loci_model::ports::store::RecordPage;
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, RecordId, Result, Timestamp};
use loci_store_kit::StoredRecord;
use loci_store_kit::codes::{among_codes, code_of, digest, key_of};
use loci_store_kit::record_rules::{PastRecordState, indexed_value, known_at, meets, was_in_scope};
use loci_store_kit::unreadable_rows::{page, readable};

use super::groups::within;
use super::rows::{RECORDS, read, state_code};
use crate::bound_values::PgBoundParameters;
use crate::digests::Key16;
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit, unsigned};

/// The maximum number of groups that are read separately and merged. For more, the memory is read
/// in order of creation.
const GROUPS_MERGED_MAX: usize = 16;
/// The location of the text under the key of [`indexed_value`], identical to the expression of its
/// index.
const FINGERPRINT: &str = r#"substring(r.body from '"fingerprint":[{]"string":"([^"\\]{0,200})"')"#;
/// The maximum length of a text in that index, in characters.
const FINGERPRINT_CHARS_MAX: usize = 200;
/// The number of rows per read if their contents determine the result.
const CHUNK: usize = 500;

type After = Option<(Timestamp, RecordId)>;

/// The part of a scope that one statement reads; `None` for all.
#[derive(Clone, Copy, Default)]
struct PgScopePart<'a> {
    group: Option<Key16>,
    subtype: Option<&'a str>,
}

impl PgScopePart<'_> {
    /// An earlier version may have had another subtype than its row, and the row stores only a
    /// digest of the subtype.
    fn is_of(&self, record: &Record) -> bool {
        self.subtype.is_none_or(|subtype| record.subtype.as_deref() == Some(subtype))
    }
}

impl PgTx<'_> {
    pub(super) fn record_page(&self, page: &RecordPage, subtype: Option<&str>) -> Result<Vec<Record>> {
        let scope = &page.scope;
        let memory = self.number(&scope.memory)?;
        let Some(memory) = memory.filter(|_| page.limit > 0) else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        // A subtype, or an indexed value, is found directly in the whole memory.
        let is_found_at_once = subtype.is_some() || indexed_value(scope).is_some();
        let ways = if is_found_at_once { vec![None] } else { self.ways(memory, scope)? };
        for group in ways {
            let part = PgScopePart { group, subtype };
            out.extend(self.scan(memory, scope, part, page.after.clone(), page.limit)?);
        }
        out.sort_by_cached_key(|record| (Reverse(record.created_at), key_of(&record.id)));
        out.truncate(page.limit);
        Ok(out)
    }

    pub(super) fn record_count(&self, scope: &RecordScope) -> Result<u64> {
        let Some(memory) = self.number(&scope.memory)? else { return Ok(0) };
        if scope.as_of.is_some() || !scope.metadata.is_empty() || scope.is_bound() {
            let records = self.scan(memory, scope, PgScopePart::default(), None, usize::MAX)?;
            return Ok(u64::try_from(records.len()).unwrap_or(u64::MAX));
        }
        self.flush_groups();
        let mut bound = PgBoundParameters::default();
        let condition = condition(memory, scope, &mut bound);
        let sql = format!(
            "SELECT count(*) FROM records r JOIN groups g ON g.mem = r.mem AND g.grp = r.grp WHERE {condition}"
        );
        Ok(unsigned(self.one(&sql, &bound.values(), |row| row.take::<i64>(0))?.unwrap_or(0)))
    }

    /// Returns the groups to read; a single `None` for the whole memory. At a past time a record
    /// may have been in another group.
    fn ways(&self, memory: i64, scope: &RecordScope) -> Result<Vec<Option<Key16>>> {
        if scope.as_of.is_some() {
            return Ok(vec![None]);
        }
        let groups = self.groups_of(memory, scope, GROUPS_MERGED_MAX)?;
        Ok(groups.map_or_else(|| vec![None], |groups| groups.into_iter().map(Some).collect()))
    }

    /// Returns up to `most` records in scope, newest created first, ties by id.
    fn scan(
        &self,
        memory: i64,
        scope: &RecordScope,
        part: PgScopePart<'_>,
        mut after: After,
        most: usize,
    ) -> Result<Vec<Record>> {
        let mut out = Vec::new();
        loop {
            let count = CHUNK.min(most.max(1).saturating_sub(out.len()).max(20));
            let rows = page(count, |count| {
                let (sql, bound) = statement(memory, scope, part, after.as_ref(), count);
                self.all(&sql, &bound.values(), |row| readable("record", read(row)))
            })?;
            let is_last = rows.len() < count;
            after = rows.last().map(|row| (row.record.created_at, row.record.id.clone()));
            let found: Vec<Record> = match scope.as_of {
                None => {
                    rows.into_iter().map(|row| row.record).filter(|record| meets(scope, record)).collect()
                }
                Some(time) => self.past(scope, time, rows)?,
            };
            out.extend(found.into_iter().filter(|record| part.is_of(record)));
            if is_last || out.len() >= most {
                out.truncate(most);
                return Ok(out);
            }
        }
    }

    /// Returns the versions that were known at `time`, among those that were in scope then.
    fn past(&self, scope: &RecordScope, time: Timestamp, rows: Vec<StoredRecord>) -> Result<Vec<Record>> {
        let mut out = Vec::new();
        for row in rows {
            let Some(record) = self.version_at(&scope.memory, row, time)? else { continue };
            if was_in_scope(scope, &record, time) {
                out.push(record);
            }
        }
        Ok(out)
    }

    pub(super) fn version_at(
        &self,
        memory: &MemoryId,
        row: StoredRecord,
        time: Timestamp,
    ) -> Result<Option<Record>> {
        let later = match known_at(row, time) {
            PastRecordState::Hidden => return Ok(None),
            PastRecordState::This(record) => return Ok(Some(*record)),
            PastRecordState::Earlier(later) => later,
        };
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT body FROM record_versions WHERE mem = $1 AND key = $2 AND updated <= $3 \
                   ORDER BY version DESC LIMIT 1";
        self.one(sql, &[&number, &key_of(&later.id), &time.millis()], |row| version(row.take(0)?))
    }

    pub(super) fn record_history(&self, memory: &MemoryId, id: &RecordId) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM record_versions WHERE mem = $1 AND key = $2 ORDER BY version";
        self.all(sql, &[&number, &key_of(id)], |row| version(row.take(0)?))
    }

    pub(super) fn export_records(
        &self,
        memory: &MemoryId,
        after: Option<&(RecordId, u32)>,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let (key, last) = after.map_or((Vec::new(), 0), |(id, version)| (key_of(id), *version));
        let page = "SELECT key FROM records WHERE mem = $1 AND key >= $2 AND NOT gone ORDER BY key LIMIT $3";
        let current =
            format!("{RECORDS} WHERE r.mem = $1 AND r.key >= $2 AND NOT r.gone ORDER BY r.key LIMIT $3");
        let history = format!(
            "SELECT v.body FROM ({page}) p JOIN record_versions v ON v.mem = $1 AND v.key = p.key \
             ORDER BY v.key, v.version"
        );
        // One more than requested: all rows of the first one may precede the page.
        let most = limit(count.saturating_add(1));
        let values: crate::connection::Values<'_> = &[&number, &key, &most];
        let (current, history) = self.two((&current, values), (&history, values))?;
        let mut earlier: BTreeMap<RecordId, Vec<Record>> = BTreeMap::new();
        for row in &history {
            let record = version(row.take(0)?)?;
            earlier.entry(record.id.clone()).or_default().push(record);
        }
        let mut out = Vec::new();
        for row in &current {
            let record = read(row)?.record;
            let is_first = key_of(&record.id) == key;
            let behind = |record: &Record| !is_first || record.version > last;
            let versions = earlier.remove(&record.id).unwrap_or_default().into_iter().chain([record]);
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

/// Returns the statement of a scan. Conditions on metadata are tested on the rows.
fn statement(
    memory: i64,
    scope: &RecordScope,
    part: PgScopePart<'_>,
    after: Option<&(Timestamp, RecordId)>,
    count: usize,
) -> (String, PgBoundParameters) {
    let mut bound = PgBoundParameters::default();
    let condition = match scope.as_of {
        None => condition(memory, scope, &mut bound),
        Some(time) => format!(
            "r.mem = {} AND NOT r.gone AND r.created <= {}",
            bound.put(memory),
            bound.put(time.millis())
        ),
    };
    let groups = if scope.as_of.is_none() { " JOIN groups g ON g.mem = r.mem AND g.grp = r.grp" } else { "" };
    let mut sql = format!("{RECORDS}{groups} WHERE {condition}");
    if let (Some(subtype), None) = (part.subtype, scope.as_of) {
        sql.push_str(&format!(" AND r.subtype = {}", bound.put(digest(subtype))));
    }
    if let Some(group) = part.group {
        sql.push_str(&format!(" AND r.grp = {}", bound.put(group)));
    }
    if let Some((created, id)) = after {
        let (created, key) = (bound.put(created.millis()), bound.put(key_of(id)));
        sql.push_str(&format!(" AND r.created <= {created} AND (r.created < {created} OR r.key > {key})"));
    }
    sql.push_str(&format!(" ORDER BY r.created DESC, r.key LIMIT {}", bound.put(limit(count))));
    (sql, bound)
}

/// Returns the condition for current records `r` in their groups `g`, without metadata, which is
/// tested on the rows.
fn condition(memory: i64, scope: &RecordScope, bound: &mut PgBoundParameters) -> String {
    let mut sql = format!("r.mem = {} AND NOT r.gone", bound.put(memory));
    let states: Vec<String> = scope.states.iter().map(|state| state_code(*state).to_string()).collect();
    sql.push_str(&format!(
        " AND r.state IN ({}) AND (r.expires IS NULL OR r.expires > {} OR r.state = {})",
        if states.is_empty() { "-1".to_owned() } else { states.join(",") },
        bound.put(scope.now.millis()),
        code_of(RecordState::ALL, RecordState::Expired)
    ));
    sql.push_str(&among_codes("r.kind", RecordKind::ALL, &scope.kinds));
    // The index contains texts without escapes and up to a maximum length.
    let is_plain = |text: &&str| {
        text.chars().count() <= FINGERPRINT_CHARS_MAX
            && !text.contains(['"', '\\'])
            && !text.chars().any(char::is_control)
    };
    if let Some(value) = indexed_value(scope).filter(is_plain) {
        let value = bound.put(value.to_owned());
        sql.push_str(&format!(" AND r.kind <> 0 AND {FINGERPRINT} = {value} AND {FINGERPRINT} IS NOT NULL"));
    }
    if !scope.namespaces.is_empty() {
        let parts: Vec<String> =
            scope.namespaces.iter().map(|filter| within("g.normal", filter, bound)).collect();
        sql.push_str(&format!(" AND ({})", parts.join(" OR ")));
    }
    match &scope.strategy {
        None => {}
        Some(StrategyChoice::None) => sql.push_str(" AND r.strategy = ''"),
        Some(StrategyChoice::Of(id)) => {
            sql.push_str(&format!(" AND r.strategy = {}", bound.put(id.as_str().to_owned())));
        }
    }
    if !scope.sees_all() {
        let clauses: Vec<String> = scope.view.iter().map(|view| clause(view, bound)).collect();
        let clauses = if clauses.is_empty() { "FALSE".to_owned() } else { clauses.join(" OR ") };
        sql.push_str(&format!(" AND ({clauses})"));
    }
    sql
}

/// Returns the condition for one clause of the caller's view, which is never unrestricted. Its
/// restrictions are tested on the rows.
fn clause(view: &AccessClause, bound: &mut PgBoundParameters) -> String {
    let mut parts = Vec::new();
    if let Some(actor) = &view.actor {
        parts.push(format!("r.actor = {}", bound.put(actor.as_str().to_owned())));
    }
    if let Some(session) = &view.session {
        parts.push(format!("r.session = {}", bound.put(session.as_str().to_owned())));
    }
    if let Some(strategy) = &view.strategy {
        parts.push(format!("r.strategy = {}", bound.put(strategy.as_str().to_owned())));
    }
    if let Some(namespace) = &view.namespace {
        parts.push(within("g.normal", namespace, bound));
    }
    if parts.is_empty() {
        return "TRUE".to_owned();
    }
    format!("({})", parts.join(" AND "))
}
