//! Reads facts, fact events, repositories and stored verdicts from rows with the same columns in
//! both stores.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{
    Fact, FactCounters, FactDetail, FactEvent, FactEventKind, FactTally, KeptVerdict,
};
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::{Method, Verdict, Verification};
use loci_model::record::RecordState;
use loci_model::{Document, MemoryId, RepositoryId, Result};
use serde::de::DeserializeOwned;

use crate::codes::{damaged, id_of, of_code, of_short, stored};
use crate::fields::Fields;

fn json<T: DeserializeOwned>(row: &impl Fields, place: usize, what: &str) -> Result<T> {
    stored(serde_json::from_str(row.text(place)?), what)
}

fn repository_id(row: &impl Fields, place: usize) -> Result<RepositoryId> {
    stored(RepositoryId::parse(of_short(row.bytes(place)?)?), "repository id")
}

fn commit(bytes: &[u8]) -> Result<ObjectId> {
    ObjectId::from_bytes(bytes).ok_or_else(|| damaged("commit"))
}

/// Reads a repository from a row whose only column is the body.
pub fn repository(row: &impl Fields) -> Result<Repository> {
    json(row, 0, "repository")
}

/// Reads a fact from a row with these columns in this order: key, repository, hash, status,
/// proposed, refreshed, created, used, expires, verifications, rejections, applied, retrieved,
/// swept, body.
pub fn fact(memory: &MemoryId, row: &impl Fields) -> Result<Fact> {
    let detail: FactDetail = json(row, 14, "fact")?;
    Ok(Fact {
        memory: memory.clone(),
        record: id_of(row.bytes(0)?)?,
        repository: repository_id(row, 1)?,
        content_hash: row.text(2)?.to_owned(),
        status: of_code(RecordState::ALL, row.number(3)?)?,
        proposed: row.flag(4)?,
        refreshed_at: row.time(5)?,
        created_at: row.time(6)?,
        last_used_at: row.optional_time(7)?,
        expires_at: row.time(8)?,
        counters: FactCounters {
            verifications: row.count(9)?,
            rejections: row.count(10)?,
            applied: row.count(11)?,
            retrieved: row.count(12)?,
            retrieved_swept: row.count(13)?,
        },
        detail,
    })
}

/// Reads a fact event from a row with these columns in this order: id, repository, key, kind,
/// time, verdict, cause, duration, principal, agent, session, reference, revision, method,
/// details.
pub fn fact_event(memory: &MemoryId, row: &impl Fields) -> Result<FactEvent> {
    Ok(FactEvent {
        id: of_short(row.bytes(0)?)?,
        memory: memory.clone(),
        repository: repository_id(row, 1)?,
        record: row.optional_bytes(2)?.map(id_of).transpose()?,
        kind: of_code(FactEventKind::ALL, row.number(3)?)?,
        at: row.time(4)?,
        verdict: row.optional_number(5)?.map(|code| of_code(Verdict::ALL, code)).transpose()?,
        cause: row.optional_owned(6)?,
        duration_ms: row.optional_number(7)?.map(|ms| u32::try_from(ms).unwrap_or(u32::MAX)),
        principal: row.text(8)?.to_owned(),
        agent: row.optional_owned(9)?,
        session: row.optional_owned(10)?,
        reference: row.optional_owned(11)?,
        commit: row.optional_bytes(12)?.map(commit).transpose()?,
        method: row.optional_number(13)?.map(|code| of_code(Method::ALL, code)).transpose()?,
        details: row.optional_text(14)?.map(|text| stored(Document::parse(text), "event")).transpose()?,
    })
}

/// Reads the number of fact events with the same kind, verdict and cause, from a row with the
/// columns kind, verdict, cause, count.
pub fn tally(row: &impl Fields) -> Result<FactTally> {
    Ok(FactTally {
        kind: of_code(FactEventKind::ALL, row.number(0)?)?,
        verdict: row.optional_number(1)?.map(|code| of_code(Verdict::ALL, code)).transpose()?,
        cause: row.optional_owned(2)?,
        count: row.count(3)?,
    })
}

/// Reads the number of fact events of a kind, from a row with the columns kind and count.
pub fn kind_count(row: &impl Fields) -> Result<(FactEventKind, u64)> {
    Ok((of_code(FactEventKind::ALL, row.number(0)?)?, row.count(1)?))
}

/// Reads a stored verification of a fact from a row with the columns key, digest, revision, time,
/// body.
pub fn verdict(row: &impl Fields) -> Result<KeptVerdict> {
    let verification: Verification = json(row, 4, "verdict")?;
    Ok(KeptVerdict {
        record: id_of(row.bytes(0)?)?,
        digest: row.text(1)?.to_owned(),
        commit: commit(row.bytes(2)?)?,
        at: row.time(3)?,
        verification,
    })
}
