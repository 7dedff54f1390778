//! Stores items of another program in a memory, one after another. A repeated import continues
//! where it ended: it finds stored items by their key, and updates those that changed in the
//! source. `document_import` stores documents.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use indicatif::ProgressBar;
use loci_api::ErrorCode;
use loci_api::event::EventCreate;
use loci_api::record::{
    BatchOutcome, MetadataValue, RecordCreate, RecordUpdate, RecordsCreate, RecordsUpdate,
};
use loci_client::ClientError;
use loci_client::formats::{ImportItem, ItemTarget};
use sha2::{Digest, Sha256};

use super::mapping_report::MappingReport;
use super::stored_items::{self, StoredRecord};
use crate::session::Session;

/// The number of records per request.
const BATCH: usize = 100;
/// The maximum number of attempts to create a batch again whose records were all deleted, while the
/// server still remembers its idempotency key.
const REMADE_MAX: usize = 8;

/// Status codes of a healthy server that rejects a request.
const REFUSED: [u16; 5] = [400, 403, 409, 413, 422];

/// The target memory and the options of an import.
pub(super) struct Destination<'a> {
    /// The id of the target memory.
    pub(super) memory: &'a str,
    /// The name of the source's format.
    pub(super) format: &'static str,
    /// The namespace of records and documents.
    pub(super) namespace: String,
    /// True to store records also in namespaces below `namespace`, as in the source.
    pub(super) with_beneath: bool,
    /// True to overwrite documents that were changed in Loci.
    pub(super) force: bool,
    /// True to store nothing and only report.
    pub(super) dry_run: bool,
}

/// A record that waits for its batch.
struct UnstoredRecord {
    place: String,
    record: RecordCreate,
}

/// A running import.
pub(super) struct ItemImport<'a> {
    pub(super) session: &'a Session,
    pub(super) into: &'a Destination<'a>,
    pub(super) report: &'a mut MappingReport,
    progress: &'a ProgressBar,
    waiting: Vec<UnstoredRecord>,
    /// The number of records in the source so far. It determines the batches, so that the same
    /// source always gives the same batches.
    passed: usize,
    stored: Option<BTreeMap<String, StoredRecord>>,
    events: BTreeMap<(String, String), BTreeMap<String, String>>,
    seen: BTreeSet<String>,
    /// The number of equal events without an id so far, by key.
    equal: BTreeMap<String, u64>,
}

impl<'a> ItemImport<'a> {
    pub(super) fn new(
        session: &'a Session,
        into: &'a Destination<'a>,
        progress: &'a ProgressBar,
        report: &'a mut MappingReport,
    ) -> Self {
        Self {
            session,
            into,
            report,
            progress,
            waiting: Vec::new(),
            passed: 0,
            stored: None,
            events: BTreeMap::new(),
            seen: BTreeSet::new(),
            equal: BTreeMap::new(),
        }
    }

    /// Stores items, and flushes the waiting batch.
    pub(super) async fn all(&mut self, items: Vec<ImportItem>) -> Result<()> {
        for item in items {
            let mut key = key(&item)?;
            if item.id.is_empty() && matches!(item.becomes, ItemTarget::Event(_)) {
                key = self.numbered(key);
            }
            let noun = item.becomes.noun();
            if !self.seen.insert(format!("{noun} {}{key}", conversation(&item.becomes))) {
                self.report.skip(noun, "the source has it twice under one id, or twice the same without one");
                continue;
            }
            match item.becomes {
                ItemTarget::Record(record) => {
                    let content = content(&item.id, &record)?;
                    self.record(item.place, (key, content), record).await?;
                }
                ItemTarget::Document { path, file, raw } => {
                    self.document(item.place, &path, file, raw).await?
                }
                ItemTarget::Event(event) => self.event(item.place, &key, event).await?,
            }
            self.progress.inc(1);
        }
        self.flush().await
    }

    /// Returns the key of an event without an id, with its number among equal ones: repeated equal
    /// events are distinct.
    fn numbered(&mut self, key: String) -> String {
        let equal = self.equal.entry(key.clone()).or_default();
        *equal += 1;
        match *equal {
            1 => key,
            number => format!("{key} {number}"),
        }
    }

    async fn record(
        &mut self,
        place: String,
        (key, content): (String, String),
        mut record: RecordCreate,
    ) -> Result<()> {
        let Destination { memory, format, namespace, with_beneath, .. } = self.into;
        if self.stored.is_none() {
            let client = &self.session.client;
            self.stored =
                Some(stored_items::records(client, memory, format, namespace, *with_beneath).await?);
        }
        let digest = hex::encode(Sha256::digest(serde_json::to_vec(&record)?));
        let books = [
            (stored_items::FORMAT, *format),
            (stored_items::ID, key.as_str()),
            (stored_items::DIGEST, digest.as_str()),
            (stored_items::CONTENT, content.as_str()),
        ];
        for (name, value) in books {
            record.metadata.insert(name.to_owned(), MetadataValue::String(value.to_owned()));
        }
        match self.stored.as_ref().and_then(|stored| stored.get(&key)).cloned() {
            None => self.waiting.push(UnstoredRecord { place, record }),
            Some(stored) if stored.digest == digest => self.report.unchanged += 1,
            Some(stored) if !stored.is_active => {
                self.report.skip("record", "it was put away here since it was imported; it stays so");
            }
            Some(stored) => self.change(&place, stored, record).await?,
        }
        self.passed += 1;
        if self.passed.is_multiple_of(BATCH) { self.flush().await } else { Ok(()) }
    }

    async fn change(&mut self, place: &str, stored: StoredRecord, record: RecordCreate) -> Result<()> {
        let update = RecordUpdate {
            id: stored.id,
            // Without a time in the source, an update keeps the stored time, so that old content
            // does not appear new.
            timestamp: record.timestamp.or(Some(stored.timestamp)),
            text: Some(record.text),
            namespace: Some(record.namespace),
            strategy: record.strategy,
            metadata: Some(record.metadata),
            if_version: None,
        };
        let changes = RecordsUpdate { records: vec![update], expiry_days: None };
        match self.session.client.records_update(self.into.memory, &changes).await {
            Ok(outcome) => match outcome.items.into_iter().next().and_then(|item| item.error) {
                None => self.report.updated += 1,
                Some(problem) => self.report.refused(place, &problem.message),
            },
            Err(error) => self.refused_or_gone("record", place, error)?,
        }
        Ok(())
    }

    /// Sends the waiting batch. If the server rejects the whole batch, each record is sent alone,
    /// so that only invalid ones are lost.
    async fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        match self.create(&waiting).await {
            Ok(()) => Ok(()),
            Err(ClientError::Refused { status, .. }) if REFUSED.contains(&status) && waiting.len() > 1 => {
                for one in waiting {
                    let one = [one];
                    if let Err(error) = self.create(&one).await {
                        let place = one.first().map(|one| one.place.clone()).unwrap_or_default();
                        self.refused_or_gone("record", &place, error)?;
                    }
                }
                Ok(())
            }
            Err(error) => {
                let place = waiting.first().map(|one| one.place.clone()).unwrap_or_default();
                self.refused_or_gone("record", &place, error)
            }
        }
    }

    async fn create(&mut self, waiting: &[UnstoredRecord]) -> Result<(), ClientError> {
        let records = waiting.iter().map(|one| one.record.clone()).collect();
        let outcome = self.create_once(&RecordsCreate { records, expiry_days: None }).await?;
        for (item, one) in outcome.items.iter().zip(waiting) {
            match &item.error {
                None => self.report.created += 1,
                // The only possible conflict of a new record is its erasure.
                Some(problem) if problem.code == ErrorCode::Conflict.word() => {
                    self.report.skip("record", &problem.message)
                }
                Some(problem) => self.report.refused(&one.place, &problem.message),
            }
        }
        Ok(())
    }

    /// Creates the records of a batch once, even with concurrent imports: a delayed call of an
    /// interrupted import may still arrive. The idempotency token derives from the items. If its
    /// answer names a missing record, the whole batch was deleted, and the next token is used.
    async fn create_once(&self, new: &RecordsCreate) -> Result<BatchOutcome, ClientError> {
        let said = serde_json::to_vec(new).map_err(|error| ClientError::Request(error.to_string()))?;
        let mut token = hex::encode(Sha256::digest(said));
        let memory = self.into.memory;
        for _ in 0..REMADE_MAX {
            let client = self.session.client.clone().with_idempotency_key(&format!("import-{token}"))?;
            let outcome = client.records_create(memory, new).await?;
            let Some(made) = outcome.items.iter().find(|item| item.error.is_none()) else {
                return Ok(outcome);
            };
            match client.record_get(memory, &made.id).await {
                Err(ClientError::Refused { status: 404, .. }) => {
                    token = hex::encode(Sha256::digest(format!("{token} {}", made.id)));
                }
                _ => return Ok(outcome),
            }
        }
        self.session.client.records_create(memory, new).await
    }

    async fn event(&mut self, place: String, key: &str, mut event: EventCreate) -> Result<()> {
        let session = event.session.clone().unwrap_or_default();
        let of = (event.actor.clone(), session);
        let key = event_key(self.into.format, key);
        // An id of the source may occur in several conversations. Each has an event of its own.
        let token = event_key(&of.0, &format!("{} {key}", of.1));
        if !self.events.contains_key(&of) {
            let known = stored_items::events(&self.session.client, self.into.memory, &of.0, &of.1).await?;
            self.events.insert(of.clone(), known);
        }
        let known = self.events.entry(of).or_default();
        if known.contains_key(&key) {
            self.report.unchanged += 1;
            return Ok(());
        }
        if let Some(root) = event.branch.as_mut().and_then(|branch| branch.root.as_mut()) {
            let Some(own) = known.get(&event_key(self.into.format, root)) else {
                let rule = "its branch starts from an event that was not imported";
                self.report.refused(&place, rule);
                return Ok(());
            };
            root.clone_from(own);
        }
        event.metadata.insert(stored_items::ID.to_owned(), key.clone());
        let client = self.session.client.clone().with_idempotency_key(&format!("import-{token}"))?;
        match client.event_create_once(self.into.memory, &event).await {
            Ok((stored, is_replayed)) => {
                known.insert(key, stored.event.id);
                self.report.created += u64::from(!is_replayed);
                self.report.unchanged += u64::from(is_replayed);
                Ok(())
            }
            Err(error) => self.refused_or_gone("event", &place, error),
        }
    }

    /// Records a rejected item and continues. Fails if the server is unreachable or rejects
    /// everything.
    pub(super) fn refused_or_gone(&mut self, what: &str, place: &str, error: ClientError) -> Result<()> {
        match error {
            ClientError::Refused { problem, .. } if problem.error_code() == Some(ErrorCode::SourceErased) => {
                self.report.skip(what, &problem.message);
                Ok(())
            }
            ClientError::Refused { status, problem } if REFUSED.contains(&status) => {
                self.report.refused(place, &problem.message);
                Ok(())
            }
            error => {
                let done = self.report.created + self.report.updated;
                let rule = format!(
                    "stopped at {place}, {done} items are stored; the same import goes on from there"
                );
                Err(anyhow::Error::from(error).context(rule))
            }
        }
    }
}

/// Returns the conversation of an event, because an id of the source may occur in several.
fn conversation(becomes: &ItemTarget) -> String {
    match becomes {
        ItemTarget::Event(event) => {
            format!("{} {} ", event.actor, event.session.as_deref().unwrap_or_default())
        }
        ItemTarget::Record(_) | ItemTarget::Document { .. } => String::new(),
    }
}

/// Returns the digest of a key within a format or an actor, because event metadata is short.
fn event_key(within: &str, key: &str) -> String {
    hex::encode(Sha256::digest(format!("{within} {key}")))
}

/// Returns a digest of a record's id and content in the source. It is the same in all namespaces.
fn content(id: &str, record: &RecordCreate) -> Result<String> {
    let said = RecordCreate { namespace: String::new(), ..record.clone() };
    Ok(hex::encode(Sha256::digest(serde_json::to_vec(&(id, said))?)))
}

/// Returns the key of an item, which is the same in each import.
fn key(item: &ImportItem) -> Result<String> {
    if !item.id.is_empty() {
        return Ok(item.id.clone());
    }
    let said = match &item.becomes {
        ItemTarget::Record(record) => serde_json::to_vec(record)?,
        ItemTarget::Document { path, .. } => return Ok(path.clone()),
        ItemTarget::Event(event) => serde_json::to_vec(event)?,
    };
    Ok(format!("sha256:{}", hex::encode(Sha256::digest(said))))
}
