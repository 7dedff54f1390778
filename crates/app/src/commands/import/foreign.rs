//! The memory of another program into one of Loci's: read, mapped, and stored item by item, or only told (`--dry-run`). Run again, it goes on where it
//! ended: what is stored is found by its key, and what the source changed since is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use loci_api::event::EventCreate;
use loci_api::file::DocumentChange;
use loci_api::record::{MetadataValue, RecordCreate, RecordUpdate, RecordsCreate, RecordsUpdate};
use loci_client::ClientError;
use loci_client::formats::{self, Becomes, FormatProblem, ImportItem, Mapping, Skipped, Takes};
use sha2::{Digest, Sha256};

use super::mapping_report::MappingReport;
use super::stored::{self, StoredRecord};
use super::{claude_folder, source};
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The format that is read by a mirror's layout.
pub(super) const CLAUDE_CODE: &str = "claude-code";
/// Records of one call.
const BATCH: usize = 100;

/// What to read, and where it goes.
pub(super) struct Foreign {
    pub(super) source: PathBuf,
    pub(super) format: &'static str,
    pub(super) namespace: String,
    pub(super) dry_run: bool,
}

/// Reads a source and stores it.
pub(super) async fn import(session: &Session, memory: &str, asked: &Foreign) -> Result<()> {
    let mapping = mapping(asked)?;
    let mut report = MappingReport::of(asked.format, asked.dry_run, &mapping);
    if !asked.dry_run {
        let progress = output::items(mapping.items.len() as u64, "importing");
        let mut storing = Storing {
            session,
            memory,
            asked,
            progress: &progress,
            report: &mut report,
            waiting: Vec::new(),
            stored: BTreeMap::new(),
            events: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        let outcome = storing.all(mapping.items).await;
        progress.finish_and_clear();
        outcome?;
    }
    output::result(session.json, &report, MappingReport::show)?;
    match report.problems.len() {
        0 => Ok(()),
        problems => bail!("{problems} parts of the source were not imported; the others are, and stay"),
    }
}

fn mapping(asked: &Foreign) -> Result<Mapping> {
    let reader = formats::reader(asked.format);
    let takes = reader.map_or(Takes::Folder(&[".md"]), |reader| reader.takes);
    let mut found = source::read(&asked.source, takes)?;
    if found.files.is_empty() && found.problems.is_empty() {
        let rule = format!("{} holds nothing of the format {}", asked.source.display(), asked.format);
        return Err(Usage(format!("{rule}: name another folder, or say another --format")).into());
    }
    let mut mapping = match reader {
        Some(reader) if !found.files.is_empty() => (reader.read)(&found.files, &asked.namespace)
            .map_err(|problem| Usage(format!("{}: {problem}", asked.source.display())))?,
        Some(_) => Mapping::default(),
        None => claude_folder::read(&found.files),
    };
    mapping.problems.append(&mut found.problems);
    if found.links > 0 {
        let why = "links are not followed".to_owned();
        mapping.skipped.push(Skipped { what: "link".to_owned(), count: found.links, why });
    }
    Ok(mapping)
}

/// A record that waits for its batch.
struct Waiting {
    place: String,
    record: RecordCreate,
}

struct Storing<'a> {
    session: &'a Session,
    memory: &'a str,
    asked: &'a Foreign,
    progress: &'a ProgressBar,
    report: &'a mut MappingReport,
    waiting: Vec<Waiting>,
    stored: BTreeMap<String, StoredRecord>,
    events: BTreeMap<(String, String), BTreeSet<String>>,
    seen: BTreeSet<String>,
}

impl Storing<'_> {
    async fn all(&mut self, items: Vec<ImportItem>) -> Result<()> {
        if items.iter().any(|item| matches!(item.becomes, Becomes::Record(_))) {
            let Foreign { format, namespace, .. } = self.asked;
            self.stored = stored::records(&self.session.client, self.memory, format, namespace).await?;
        }
        for item in items {
            let key = key(&item)?;
            let noun = item.becomes.noun();
            if !self.seen.insert(format!("{noun} {key}")) {
                self.report.skip(noun, "the source has it twice under one id, or twice the same without one");
                continue;
            }
            match item.becomes {
                Becomes::Record(record) => self.record(item.place, key, record).await?,
                Becomes::Document { path, file, raw } => self.document(item.place, &path, file, raw).await?,
                Becomes::Event(event) => self.event(item.place, key, event).await?,
            }
            self.progress.inc(1);
        }
        self.flush().await
    }

    async fn record(&mut self, place: String, key: String, mut record: RecordCreate) -> Result<()> {
        let digest = hex::encode(Sha256::digest(serde_json::to_vec(&record)?));
        let own = [(stored::FORMAT, self.asked.format), (stored::ID, &key), (stored::DIGEST, &digest)];
        for (name, value) in own {
            record.metadata.insert(name.to_owned(), MetadataValue::String(value.to_owned()));
        }
        match self.stored.get(&key).cloned() {
            None => {
                self.waiting.push(Waiting { place, record });
                if self.waiting.len() == BATCH {
                    self.flush().await?;
                }
            }
            Some(stored) if stored.digest == digest => self.report.unchanged += 1,
            Some(stored) if !stored.is_active => {
                self.report.skip("record", "it was put away here since it was imported; it stays so");
            }
            Some(stored) => self.change(&place, stored.id, record).await?,
        }
        Ok(())
    }

    async fn change(&mut self, place: &str, id: String, record: RecordCreate) -> Result<()> {
        let update = RecordUpdate {
            id,
            timestamp: record.timestamp,
            text: Some(record.text),
            namespace: None,
            strategy: None,
            metadata: Some(record.metadata),
            if_version: None,
        };
        let changes = RecordsUpdate { records: vec![update], expiry_days: None };
        match self.session.client.records_update(self.memory, &changes).await {
            Ok(outcome) => match outcome.items.into_iter().next().and_then(|item| item.error) {
                None => self.report.updated += 1,
                Some(problem) => self.report.refused(place, &problem.message),
            },
            Err(error) => self.refused_or_gone(place, error)?,
        }
        Ok(())
    }

    /// Sends what waits. Where the batch as a whole is refused, each is sent alone, so that one costs only itself.
    async fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return Ok(());
        }
        match self.create(&waiting).await {
            Ok(()) => Ok(()),
            Err(ClientError::Refused { status: 400 | 413 | 422, .. }) if waiting.len() > 1 => {
                for one in waiting {
                    let one = [one];
                    if let Err(error) = self.create(&one).await {
                        let place = one.first().map(|one| one.place.clone()).unwrap_or_default();
                        self.refused_or_gone(&place, error)?;
                    }
                }
                Ok(())
            }
            Err(error) => {
                let place = waiting.first().map(|one| one.place.clone()).unwrap_or_default();
                self.refused_or_gone(&place, error)
            }
        }
    }

    async fn create(&mut self, waiting: &[Waiting]) -> Result<(), ClientError> {
        let records = waiting.iter().map(|one| one.record.clone()).collect();
        let new = RecordsCreate { records, expiry_days: None };
        let outcome = self.session.client.records_create(self.memory, &new).await?;
        for (item, one) in outcome.items.iter().zip(waiting) {
            match &item.error {
                None => self.report.created += 1,
                Some(problem) => self.report.refused(&one.place, &problem.message),
            }
        }
        Ok(())
    }

    async fn document(&mut self, place: String, path: &str, file: String, raw: bool) -> Result<()> {
        let change = DocumentChange {
            namespace: Some(self.asked.namespace.clone()),
            force: Some("1".to_owned()),
            raw: raw.then(|| "1".to_owned()),
            reason: Some(format!("imported from {}", self.asked.format)),
        };
        match self.session.client.document_put_file(self.memory, path, &change, file).await {
            Ok(written) => {
                match written.operation.as_deref() {
                    None => self.report.unchanged += 1,
                    Some(_) if written.version == 1 => self.report.created += 1,
                    Some(_) => self.report.updated += 1,
                }
                self.report.warned(&place, &written.warnings);
                Ok(())
            }
            Err(error) => self.refused_or_gone(&place, error),
        }
    }

    async fn event(&mut self, place: String, key: String, mut event: EventCreate) -> Result<()> {
        let session = event.session.clone().unwrap_or_default();
        let of = (event.actor.clone(), session);
        if !self.events.contains_key(&of) {
            let known = stored::events(&self.session.client, self.memory, &of.0, &of.1).await?;
            self.events.insert(of.clone(), known);
        }
        // Metadata of events takes few characters only: the key as a digest.
        let key = hex::encode(Sha256::digest(format!("{} {key}", self.asked.format)));
        if self.events.get(&of).is_some_and(|known| known.contains(&key)) {
            self.report.unchanged += 1;
            return Ok(());
        }
        event.metadata.insert(stored::ID.to_owned(), key.clone());
        let client = self.session.client.clone().with_idempotency_key(&format!("import-{key}"))?;
        match client.event_create(self.memory, &event).await {
            Ok(_) => {
                self.report.created += 1;
                Ok(())
            }
            Err(error) => self.refused_or_gone(&place, error),
        }
    }

    /// A refusal costs this item; a server that is gone ends the import.
    fn refused_or_gone(&mut self, place: &str, error: ClientError) -> Result<()> {
        match error {
            ClientError::Refused { status: 400 | 403 | 409 | 413 | 422, problem } => {
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

/// The same for the same item, whenever it is imported.
fn key(item: &ImportItem) -> Result<String> {
    if !item.id.is_empty() {
        return Ok(item.id.clone());
    }
    let said = match &item.becomes {
        Becomes::Record(record) => serde_json::to_vec(record)?,
        Becomes::Document { path, .. } => return Ok(path.clone()),
        Becomes::Event(event) => serde_json::to_vec(event)?,
    };
    Ok(format!("sha256:{}", hex::encode(Sha256::digest(said))))
}

/// A problem that the server tells.
pub(super) fn refusal(place: &str, message: &str) -> FormatProblem {
    FormatProblem {
        place: place.to_owned(),
        field: String::new(),
        rule: message.to_owned(),
        remedy: "correct it in the source, and import again".to_owned(),
    }
}
