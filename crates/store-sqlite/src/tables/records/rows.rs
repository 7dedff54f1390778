//! Maps records to rows and back.

use std::collections::BTreeSet;

use loci_model::event::RunPlace;
use loci_model::record::derivation::RecordDerivation;
use loci_model::record::findings::Findings;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::{
    ActorId, BranchName, EventId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp,
};
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::errors::stored;
use crate::tx::{Column, unsigned};
use loci_store_kit::StoredRecord;
use loci_store_kit::codes::{ROLES, code_of, id_of, json, of_code};

/// Members that few records have, with short names, in one JSON column.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RareMembers {
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    citations: Option<String>,
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    index_text: Option<String>,
    #[serde(rename = "m", skip_serializing_if = "Metadata::is_empty")]
    metadata: Metadata,
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    superseded_by: Option<RecordId>,
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<RecordId>,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    branch: Option<BranchName>,
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    sources: Vec<(EventId, u32, u32)>,
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    run: Option<RunPlace>,
    #[serde(rename = "g", skip_serializing_if = "BTreeSet::is_empty")]
    bound: BTreeSet<String>,
    #[serde(rename = "i", skip_serializing_if = "TrustTier::is_plain")]
    tier: TrustTier,
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    making: Option<Box<RecordDerivation>>,
    #[serde(rename = "f", skip_serializing_if = "Vec::is_empty")]
    derived_from: Vec<RecordId>,
    #[serde(rename = "y", skip_serializing_if = "Findings::is_empty")]
    findings: Findings,
}

impl RareMembers {
    /// Returns the JSON, or `None` if all members are absent.
    pub(crate) fn of(record: &Record) -> Result<Option<String>> {
        let record = record.clone();
        let sources = record.provenance.sources;
        let more = Self {
            title: record.title,
            path: record.path,
            description: record.description,
            scope: record.scope,
            citations: record.citations,
            index_text: record.index_text,
            metadata: record.metadata,
            superseded_by: record.superseded_by,
            supersedes: record.supersedes,
            branch: record.provenance.branch,
            sources: sources.into_iter().map(|source| (source.event, source.message, source.part)).collect(),
            run: record.provenance.run,
            bound: record.provenance.bound,
            tier: record.tier,
            making: record.making,
            derived_from: record.derived_from,
            findings: record.findings,
        };
        let text = json(&more)?;
        Ok((text != "{}").then_some(text))
    }

    fn parse(text: Option<String>) -> Result<Self> {
        match text {
            Some(text) => stored(serde_json::from_str(&text), "record"),
            None => Ok(Self::default()),
        }
    }
}

/// The columns that [`read`] reads, and the tables they come from.
pub(crate) const RECORDS: &str = "SELECT r.num, r.key, r.state, r.kind, r.version, r.sequence, r.created, r.updated, \
    r.expires, r.valid_from, r.valid_to, r.actor, r.session, r.subtype, r.spelled, r.time, r.expiry, r.origin, r.trust, \
    r.reason, r.verbatim, r.role, g.normal, g.strategy, r.left_at, r.gone, r.more, r.text \
    FROM records r JOIN groups g ON g.num = r.grp";

/// The number of columns in [`RECORDS`]; the next constant is the index of the sequence.
pub(crate) const COLUMNS: usize = 28;
pub(crate) const SEQUENCE: usize = 5;

/// Returns the number, id and sequence of a row of [`RECORDS`].
pub(crate) fn head(row: &Row<'_>) -> Result<(i64, RecordId, u64)> {
    let key: Vec<u8> = row.take(1)?;
    Ok((row.take(0)?, id_of(&key)?, unsigned(row.take(SEQUENCE)?)))
}

/// A record with the data of its row.
pub(crate) struct StoredRecordRow {
    /// The number of the row.
    pub(crate) number: i64,
    /// The time when it ceased to be active.
    pub(crate) left_at: Option<Timestamp>,
    /// True if its content is erased.
    pub(crate) gone: bool,
    /// The record.
    pub(crate) record: Record,
}

impl From<StoredRecordRow> for StoredRecord {
    fn from(StoredRecordRow { left_at, gone, record, .. }: StoredRecordRow) -> Self {
        Self { record, left_at, gone }
    }
}

/// Reads a row of [`RECORDS`].
pub(crate) fn read(memory: &MemoryId, row: &Row<'_>) -> Result<StoredRecordRow> {
    let more = RareMembers::parse(row.take(26)?)?;
    let key: Vec<u8> = row.take(1)?;
    let provenance = Provenance {
        actor: optional(row, 11, ActorId::parse)?,
        session: optional(row, 12, SessionId::parse)?,
        branch: more.branch,
        sources: more
            .sources
            .into_iter()
            .map(|(event, message, part)| Source { event, message, part })
            .collect(),
        verbatim: row.take(20)?,
        role: row.take::<Option<i64>>(21)?.map(|code| of_code(ROLES, code)).transpose()?,
        run: more.run,
        bound: more.bound,
    };
    let spelled: Option<String> = row.take(14)?;
    let namespace = match spelled {
        Some(spelled) => spelled,
        None => row.take(22)?,
    };
    let strategy: String = row.take(23)?;
    let record = Record {
        memory: memory.clone(),
        id: id_of(&key)?,
        version: row.take(4)?,
        sequence: unsigned(row.take(5)?),
        kind: of_code(RecordKind::ALL, row.take(3)?)?,
        subtype: row.take(13)?,
        title: more.title,
        path: more.path,
        description: more.description,
        scope: more.scope,
        citations: more.citations,
        namespace: stored(Namespace::parse(namespace), "namespace")?,
        strategy: if strategy.is_empty() {
            None
        } else {
            Some(stored(StrategyId::parse(strategy), "strategy")?)
        },
        text: row.take(27)?,
        index_text: more.index_text,
        metadata: more.metadata,
        provenance,
        origin: of_code(RecordOrigin::ALL, row.take(17)?)?,
        trust: row.take(18)?,
        tier: more.tier,
        making: more.making,
        derived_from: more.derived_from,
        findings: more.findings,
        state: of_code(RecordState::ALL, row.take(2)?)?,
        state_reason: row.take(19)?,
        superseded_by: more.superseded_by,
        supersedes: more.supersedes,
        valid_from: Timestamp::clamped(row.take(9)?),
        valid_to: row.take::<Option<i64>>(10)?.map(Timestamp::clamped),
        timestamp: Timestamp::clamped(row.take(15)?),
        created_at: Timestamp::clamped(row.take(6)?),
        updated_at: Timestamp::clamped(row.take(7)?),
        expires_at: row.take::<Option<i64>>(8)?.map(Timestamp::clamped),
        expiry_days: row.take(16)?,
    };
    Ok(StoredRecordRow {
        number: row.take(0)?,
        left_at: row.take::<Option<i64>>(24)?.map(Timestamp::clamped),
        gone: row.take(25)?,
        record,
    })
}

fn optional<T>(row: &Row<'_>, place: usize, parse: impl Fn(String) -> Result<T>) -> Result<Option<T>> {
    row.take::<Option<String>>(place)?.map(|text| stored(parse(text), "record")).transpose()
}

/// Returns the namespace as written, if it differs from the normal form.
pub(crate) fn spelled(record: &Record) -> Option<&str> {
    let spelled = record.namespace.as_str();
    (spelled != record.namespace.normal()).then_some(spelled)
}

/// Returns the code of a state.
pub(crate) fn state_code(state: RecordState) -> i64 {
    code_of(RecordState::ALL, state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_right() {
        let (columns, _) = RECORDS.strip_prefix("SELECT ").unwrap().split_once(" FROM ").unwrap();
        let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
        assert_eq!(columns.len(), COLUMNS);
        assert_eq!(columns[SEQUENCE], "r.sequence");
    }
}
