//! What of a fact, and of what happened to one, goes into which column: the same in both stores but for the widths of numbers. The
//! way back is in `fact_rows`.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::record::RecordState;
use loci_model::{Result, Timestamp};

use crate::codes::{code_of, json, key_of, short_of};
use crate::fact_rules;

/// The columns of a fact, with those of how often it was read.
pub struct FactColumns {
    /// Of the record.
    pub key: Vec<u8>,
    /// The repository's id.
    pub repository: Vec<u8>,
    /// Of the content.
    pub hash: String,
    /// As states of records.
    pub status: i64,
    /// Nobody vouches for its citations.
    pub proposed: bool,
    /// How many it has.
    pub citations: i64,
    /// Times in milliseconds.
    pub refreshed: i64,
    /// See above.
    pub created: i64,
    /// See above.
    pub used: Option<i64>,
    /// See above.
    pub expires: i64,
    /// Counters.
    pub verifications: i64,
    /// See above.
    pub rejections: i64,
    /// See above.
    pub applied: i64,
    /// Of the row of reads.
    pub retrieved: i64,
    /// Of the row of reads.
    pub swept: i64,
    /// Its rows among the paths.
    pub paths: Vec<String>,
    /// Citations and the rest, as JSON.
    pub body: String,
}

impl FactColumns {
    /// Those of a fact.
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

/// The columns of something that happened, but whether it is kept. Texts and details are those of the event.
pub struct FactEventColumns<'a> {
    /// Its id.
    pub id: Vec<u8>,
    /// The repository's id.
    pub repository: Vec<u8>,
    /// Of the record.
    pub key: Option<Vec<u8>>,
    /// Place in the closed list.
    pub kind: i64,
    /// In milliseconds.
    pub at: i64,
    /// Place in the closed list.
    pub verdict: Option<i64>,
    /// In milliseconds.
    pub duration: Option<i64>,
    /// The commit.
    pub revision: Option<&'a [u8]>,
    /// Place in the closed list.
    pub method: Option<i64>,
    /// As JSON.
    pub details: Option<&'a str>,
}

impl<'a> FactEventColumns<'a> {
    /// Those of an event.
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
