//! Creation of records: builds a record, applies the safety checks and the caller's grants, and
//! writes the record with its state change. It serves records that clients write and records that
//! Loci derives from an agent's reports. The callers check sizes of batches and texts.

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::provenance::Provenance;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{Error, FieldName, RecordId, Result, Timestamp};

use super::NewRecord;
use super::changes::{self, RecordStateChange};
use super::create::one_namespace;
use crate::access::View;
use crate::safety::{self, SafeText, SafetyPolicy, secrets};

/// The origin of a record that is built.
pub struct Origin {
    /// The actor, session and events from which the record comes.
    pub provenance: Provenance,
    /// The kind of origin, such as a client or an extraction.
    pub origin: RecordOrigin,
    /// The text to index and embed; `None` if it is the record's text.
    pub index_text: Option<String>,
}

impl Default for Origin {
    /// Returns the origin of a record written by a client.
    fn default() -> Self {
        Self { provenance: Provenance::default(), origin: RecordOrigin::BatchCreated, index_text: None }
    }
}

/// The memory, caller and rules for building records.
pub struct Building<'a> {
    /// The memory that gets the records.
    pub memory: &'a Memory,
    /// The part of the memory in which the caller may write.
    pub view: &'a View,
    /// The safety checks that the texts must pass.
    pub policy: SafetyPolicy,
    /// The expiry of the new records; `None` for records that do not expire.
    pub expiry: Option<ExpirySpecification>,
    /// The author that the state history names.
    pub by: &'a str,
    /// The creation time of the records.
    pub now: Timestamp,
}

impl Building<'_> {
    /// Builds the first version of a record.
    ///
    /// # Errors
    /// `Invalid` for more or fewer than one namespace, or an unknown strategy; `Denied` outside the
    /// caller's grants.
    pub fn build(&self, new: &NewRecord, id: &RecordId, from: Origin) -> Result<(Record, SafeText)> {
        self.build_from(new, id, from, None)
    }

    /// Builds the first version of a record. `SafeText` of an earlier check is used if there is
    /// one, so that the text is not checked twice.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub(crate) fn build_from(
        &self,
        new: &NewRecord,
        id: &RecordId,
        from: Origin,
        safe: Option<SafeText>,
    ) -> Result<(Record, SafeText)> {
        let namespace = one_namespace(&new.namespaces)?.clone();
        if let Some(strategy) = new.strategy.as_ref().filter(|one| self.memory.strategy(one).is_none()) {
            return Err(Error::invalid(
                FieldName::Strategy,
                format!("the memory has no strategy {strategy}"),
            ));
        }
        let expiry_days = match self.expiry {
            Some(ExpirySpecification::Days(days)) => Some(days),
            Some(ExpirySpecification::Remove) | None => None,
        };
        let prepared = || safety::prepare(new.text.clone(), from.index_text, &self.policy);
        let safe = safe.unwrap_or_else(prepared);
        let masked =
            |text: &Option<String>| text.clone().map(|text| secrets::redact(text, self.policy.secrets).0);
        let mut record = Record {
            memory: self.memory.id.clone(),
            id: id.clone(),
            version: 1,
            sequence: 0,
            kind: new.kind,
            subtype: masked(&new.subtype),
            title: masked(&new.title),
            path: new.path.clone(),
            description: masked(&new.description),
            scope: masked(&new.scope),
            citations: None,
            namespace,
            strategy: new.strategy.clone(),
            trust: safe.trust(),
            tier: safe.tier,
            making: None,
            derived_from: Vec::new(),
            findings: safe.findings.clone(),
            text: safe.text.clone(),
            index_text: safe.index_text.clone(),
            metadata: safety::masked_metadata(&new.metadata, self.policy.secrets)?,
            provenance: from.provenance,
            origin: from.origin,
            state: safe.state,
            state_reason: safe.state_reason(),
            superseded_by: None,
            supersedes: Vec::new(),
            valid_from: new.timestamp,
            valid_to: None,
            timestamp: new.timestamp,
            created_at: self.now,
            updated_at: self.now,
            expires_at: expiry_days.map(|days| self.now.plus_days(days)),
            expiry_days,
        };
        self.view.take_in(&mut record)?;
        Ok((record, safe))
    }

    /// Writes a new record.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn insert(&self, tx: &mut dyn Tx, record: &Record) -> Result<()> {
        tx.records_mut().insert(record)?;
        self.note(tx, record, None, "created")
    }

    /// Replaces an existing record by a newly built one, as the next version of the same id.
    ///
    /// # Errors
    /// `Conflict` if the record has too many versions; errors of the store.
    pub fn replace(&self, tx: &mut dyn Tx, old: &Record, mut record: Record, reason: &str) -> Result<Record> {
        let full = || Error::conflict("the record has too many versions: create a new one");
        record.id = old.id.clone();
        record.version = old.version.checked_add(1).ok_or_else(full)?;
        record.created_at = old.created_at;
        record.supersedes.clone_from(&old.supersedes);
        tx.records_mut().put_version(&record)?;
        self.note(tx, &record, Some(old.state), reason)?;
        Ok(record)
    }

    fn note(&self, tx: &mut dyn Tx, record: &Record, from: Option<RecordState>, reason: &str) -> Result<()> {
        let change = RecordStateChange { record, from, to: record.state, reason, by: self.by, at: self.now };
        changes::note(tx, self.memory, &change)
    }
}
