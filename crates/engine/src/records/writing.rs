//! How a record comes to be: built from what it is to say, through safety and within the caller's grants, and written with its
//! note. For records that clients write themselves, and for those that Loci makes of what an agent reports. What a batch is,
//! and which texts are too long, is the verbs' matter.

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::provenance::Provenance;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{Error, FieldName, RecordId, Result, Timestamp};

use super::NewRecord;
use super::changes::{self, Change};
use super::create::one_namespace;
use crate::access::View;
use crate::safety::{self, SafeText, SafetyPolicy, secrets};

/// Where a record comes from.
pub struct Origin {
    /// Who, and which session.
    pub provenance: Provenance,
    /// How.
    pub origin: RecordOrigin,
    /// What the index reads, where that is not the text.
    pub index_text: Option<String>,
}

impl Default for Origin {
    /// A client wrote it.
    fn default() -> Self {
        Self { provenance: Provenance::default(), origin: RecordOrigin::BatchCreated, index_text: None }
    }
}

/// What records are built with.
pub struct Building<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Where the caller may write.
    pub view: &'a View,
    /// What safety does.
    pub policy: SafetyPolicy,
    /// When they vanish.
    pub expiry: Option<ExpirySpecification>,
    /// Who writes them.
    pub by: &'a str,
    /// When.
    pub now: Timestamp,
}

impl Building<'_> {
    /// The first version of a record.
    ///
    /// # Errors
    /// `Invalid` for more or fewer than one namespace, or an unknown strategy; `Denied` outside the caller's grants.
    pub fn build(&self, new: &NewRecord, id: &RecordId, from: Origin) -> Result<(Record, SafeText)> {
        self.build_from(new, id, from, None)
    }

    /// Returns the record with the text that was made safe before the write, where it was.
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
    /// What the store says.
    pub fn insert(&self, tx: &mut dyn Tx, record: &Record) -> Result<()> {
        tx.records_mut().insert(record)?;
        self.note(tx, record, None, "created")
    }

    /// Puts a record, built anew, in the place of one that is there: the same id, the next version.
    ///
    /// # Errors
    /// `Conflict` where the record has too many versions; what the store says.
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
        let change = Change { record, from, to: record.state, reason, by: self.by, at: self.now };
        changes::note(tx, self.memory, &change)
    }
}
