//! The columns of facts and fact events: equal in both stores except for the widths of numbers.
//! `fact_rows` reads them.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::record::RecordState;
use loci_model::{Result, Timestamp};

use crate::codes::{code_of, json, key_of, short_of};
use crate::fact_rules;

/// The columns of a fact, with those of its reads.
pub struct FactColumns {
    /// The key of the record.
    pub key: Vec<u8>,
    /// The repository's id.
    pub repository: Vec<u8>,
    /// The digest of the content.
    pub hash: String,
    /// The status, with the codes of record states.
    pub status: i64,
    /// True if it is proposed, with citations that are not verified.
    pub proposed: bool,
    /// The number of citations.
    pub citations: i64,
    /// The time of the last confirmation, in milliseconds.
    pub refreshed: i64,
    /// The creation time, in milliseconds.
    pub created: i64,
    /// The time of the last use, in milliseconds.
    pub used: Option<i64>,
    /// The expiry time, in milliseconds.
    pub expires: i64,
    /// The number of verifications.
    pub verifications: i64,
    /// The number of rejections.
    pub rejections: i64,
    /// The number of reported uses.
    pub applied: i64,
    /// The number of retrievals in the row of reads.
    pub retrieved: i64,
    /// The number of retrievals in the row of reads whose events retention removed.
    pub swept: i64,
    /// Its rows in the table of paths.
    pub paths: Vec<String>,
    /// The citations and other members, as JSON.
    pub body: String,
}

impl FactColumns {
    /// Returns the columns of a fact.
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

/// The columns of a fact event, without the mark for keeping it. Texts and details are taken from
/// the event.
pub struct FactEventColumns<'a> {
    /// The id.
    pub id: Vec<u8>,
    /// The repository's id.
    pub repository: Vec<u8>,
    /// The key of the record.
    pub key: Option<Vec<u8>>,
    /// The code of the kind.
    pub kind: i64,
    /// The time, in milliseconds.
    pub at: i64,
    /// The code of the verdict.
    pub verdict: Option<i64>,
    /// The duration, in milliseconds.
    pub duration: Option<i64>,
    /// The commit.
    pub revision: Option<&'a [u8]>,
    /// The code of the method.
    pub method: Option<i64>,
    /// The details, as JSON.
    pub details: Option<&'a str>,
}

impl<'a> FactEventColumns<'a> {
    /// Returns the columns of an event.
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
