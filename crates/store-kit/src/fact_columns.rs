//! The values of the columns of facts and fact events. SQLite and PostgreSQL differ only in the
//! widths of the numbers. `fact_rows` reads the same columns.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::record::RecordState;
use loci_model::{Result, Timestamp};

use crate::codes::{code_of, json, key_of, short_of};
use crate::fact_rules;

/// The values of the columns of a fact, and of its row in the table that counts reads.
pub struct FactColumns {
    /// The stored key of the fact's record.
    pub key: Vec<u8>,
    /// The stored form of the repository's id.
    pub repository: Vec<u8>,
    /// The digest of the fact's content.
    pub hash: String,
    /// The status of the fact, as the code of a record state.
    pub status: i64,
    /// True for a proposed fact: its citations are not verified yet.
    pub proposed: bool,
    /// The number of citations of the fact.
    pub citations: i64,
    /// The time of the fact's last confirmation, in Unix milliseconds.
    pub refreshed: i64,
    /// The creation time of the fact, in Unix milliseconds.
    pub created: i64,
    /// The time at which the fact was last used, in Unix milliseconds; `None` if it was never
    /// used.
    pub used: Option<i64>,
    /// The time at which the fact expires, in Unix milliseconds.
    pub expires: i64,
    /// The number of times that the fact was verified.
    pub verifications: i64,
    /// The number of times that the fact was rejected.
    pub rejections: i64,
    /// The number of times that an agent reported the use of the fact.
    pub applied: i64,
    /// The number of times that searches returned the fact, as the table of reads counts them.
    pub retrieved: i64,
    /// The part of the retrievals whose fact events retention has removed.
    pub swept: i64,
    /// The paths of the fact's citations, one row each in the table of paths.
    pub paths: Vec<String>,
    /// The citations and all members of the fact without a column, as JSON.
    pub body: String,
}

impl FactColumns {
    /// Returns the values of the columns for a fact.
    ///
    /// # Errors
    /// As [`fact_rules::paths_of`].
    pub fn of(fact: &Fact) -> Result<Self> {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let counters = &fact.counters;
        Ok(Self {
            key: key_of(&fact.record),
            repository: short_of(fact.repository.as_str()),
            hash: fact.content_hash.clone(),
            status: code_of(RecordState::ALL, fact.status),
            proposed: fact.proposed,
            citations: count(fact.detail.citations.len() as u64),
            refreshed: fact.refreshed_at.millis(),
            created: fact.created_at.millis(),
            used: fact.last_used_at.map(Timestamp::millis),
            expires: fact.expires_at.millis(),
            verifications: count(counters.verifications),
            rejections: count(counters.rejections),
            applied: count(counters.applied),
            retrieved: count(counters.retrieved),
            swept: count(counters.retrieved_swept),
            paths: fact_rules::paths_of(fact)?,
            body: json(&fact.detail)?,
        })
    }
}

/// The values of the columns of a fact event that need a conversion. Texts are taken from the
/// event, and the caller decides about the column `kept`, which exempts an event from retention.
pub struct FactEventColumns<'a> {
    /// The stored form of the event's id.
    pub id: Vec<u8>,
    /// The stored form of the repository's id.
    pub repository: Vec<u8>,
    /// The stored key of the fact's record; `None` for an event without a fact.
    pub key: Option<Vec<u8>>,
    /// The code of the event's kind.
    pub kind: i64,
    /// The time of the event, in Unix milliseconds.
    pub at: i64,
    /// The code of the verdict; `None` for an event without a verdict.
    pub verdict: Option<i64>,
    /// The duration of the verification, in milliseconds; `None` if it was not measured.
    pub duration: Option<i64>,
    /// The commit at which the fact was verified, if any.
    pub revision: Option<&'a [u8]>,
    /// The code of the method of the verification, if any.
    pub method: Option<i64>,
    /// The details of the event as JSON, if any.
    pub details: Option<&'a str>,
}

impl<'a> FactEventColumns<'a> {
    /// Returns the values of the columns for a fact event.
    pub fn of(event: &'a FactEvent) -> Self {
        Self {
            id: short_of(&event.id),
            repository: short_of(event.repository.as_str()),
            key: event.record.as_ref().map(key_of),
            kind: code_of(FactEventKind::ALL, event.kind),
            at: event.at.millis(),
            verdict: event.verdict.map(|verdict| code_of(Verdict::ALL, verdict)),
            duration: event.duration_ms.map(i64::from),
            revision: event.commit.as_ref().map(ObjectId::as_bytes),
            method: event.method.map(|method| code_of(Method::ALL, method)),
            details: event.details.as_ref().map(|details| details.as_str()),
        }
    }
}
