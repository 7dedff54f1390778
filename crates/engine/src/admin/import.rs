//! `import_lines`: writes the content of an export into memories that do not exist yet.
//!
//! The import keeps ids, times, versions, states and trust: the caller vouches for the file. It
//! only checks texts against the digests that Loci stores of them, which does not detect an edit of
//! both. It schedules extraction of imported sessions again. Extraction finds existing records by
//! their source and writes only missing ones.

use loci_model::event::Event;
use loci_model::job::DueRule;
use loci_model::ledger::LedgerEntry;
use loci_model::memory::{Memory, MemoryImport};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::trees::parked_object::{ParkedObject, object_key};
use loci_model::{Error, JobId, MemoryId, Result, Timestamp, limits};
use sha2::{Digest, Sha256};

use super::import_run::{ImportPart, hold};
use super::{ExportLine, ExportedObject, ImportReport};
use crate::events::content;
use crate::events::scheduling::{extracting, extraction_job};
use crate::hooks::write_context;
use crate::memories::{any, check_given};
use crate::records::batch;
use crate::records::text_digest::{DIGEST, digest};
use crate::{Engine, access};

/// The version of the export format that this version writes and reads.
pub const EXPORT_FORMAT: u32 = 1;

impl Engine {
    /// Writes lines, all or none of them. The line of a memory precedes its content. Its id must be
    /// free, unless an earlier call of this import (`resuming`) created the same memory. Data
    /// erased from an earlier memory of that id is omitted and counted.
    pub async fn import_lines(
        &self,
        caller: &Principal,
        lines: Vec<ExportLine>,
        resuming: &[MemoryId],
    ) -> Result<ImportReport> {
        self.import_part(caller, lines, ImportPart { resuming, ..ImportPart::default() }).await
    }

    /// Writes lines as a part of an import. Its memories are served after [`Engine::import_finish`]
    /// ends the import.
    ///
    /// # Errors
    /// See [`Engine::import_lines`]; `Conflict` if another import replaced this one.
    pub async fn import_part(
        &self,
        caller: &Principal,
        lines: Vec<ExportLine>,
        part: ImportPart<'_>,
    ) -> Result<ImportReport> {
        access::require_server_admin(caller)?;
        let now = self.clock.now();
        let mark = part.run.map(|run| MemoryImport { run: run.to_owned(), at: now });
        let sifted = self.without_erased(lines, part.if_erased, now).await?;
        let jobs = sifted
            .lines
            .iter()
            .map(|_| JobId::parse(uuid7(self.ids.as_ref(), now.millis())))
            .collect::<Result<Vec<_>>>()?;
        let (resuming, vault) = (part.resuming.to_vec(), self.vault.clone());
        let report = self
            .store
            .write(move |tx| {
                if let Some(mark) = &mark {
                    hold(tx, &sifted.lines, &resuming, mark)?;
                }
                let mut open = resuming.clone();
                let mut report = sifted.report.clone();
                for (line, job) in sifted.lines.iter().zip(&jobs) {
                    if let ExportLine::Memory { memory } = line {
                        import_memory(tx, memory, mark.as_ref())?;
                    }
                    import_line(tx, line, job, &mut open, &mut report, now)?;
                }
                sifted.settle(tx, vault.as_ref(), now)?;
                Ok(report)
            })
            .await?;
        self.wake.call();
        Ok(report)
    }
}

fn import_line(
    tx: &mut dyn Tx,
    line: &ExportLine,
    job: &JobId,
    open: &mut Vec<MemoryId>,
    report: &mut ImportReport,
    now: Timestamp,
) -> Result<()> {
    match line {
        ExportLine::Header { format, .. } if *format == EXPORT_FORMAT => Ok(()),
        ExportLine::Header { format, .. } => Err(Error::invalid(
            "format",
            format!("this is format {format}; this server reads format {EXPORT_FORMAT}"),
        )),
        ExportLine::Memory { memory } => {
            open.push(memory.id.clone());
            report.memories += 1;
            batch::ask_for_vectors(tx, &memory.id, job, now)
        }
        ExportLine::Repository { repository } => {
            require_open(open, &repository.memory)?;
            tx.repositories_mut().put(repository)
        }
        ExportLine::Task { task } => {
            require_open(open, &task.memory)?;
            tx.tasks_mut().put(task)
        }
        ExportLine::Exposure { exposure } => {
            require_open(open, &exposure.memory)?;
            tx.exposures_mut().put(exposure)
        }
        ExportLine::Commit { commit } => import_commit(tx, open, commit),
        ExportLine::TaskSession { session } => import_session(tx, open, session),
        ExportLine::SessionItem { item } => import_session_item(tx, open, item),
        ExportLine::Prompt { prompt } => {
            require_open(open, &prompt.memory)?;
            tx.prompts_mut().put(prompt)
        }
        ExportLine::Fact { fact } => {
            require_open(open, &fact.memory)?;
            tx.facts_mut().put(fact)
        }
        ExportLine::FactEvent { event } => {
            require_open(open, &event.memory)?;
            tx.fact_events_mut().append(std::slice::from_ref(&**event))
        }
        ExportLine::Ledger { entry } => import_entry(tx, open, entry),
        ExportLine::Event { event } => {
            require_open(open, &event.memory)?;
            import_event(tx, event, job, now)?;
            report.events += 1;
            Ok(())
        }
        ExportLine::Record { record, current } => {
            import_record(tx, open, (record, *current), job, now)?;
            report.records += 1;
            Ok(())
        }
        ExportLine::Change { change } => {
            require_open(open, &change.memory)?;
            tx.telemetry_mut().append(change)
        }
        ExportLine::Object { object } => import_object(tx, open, object, now),
        ExportLine::End { .. } => Ok(()),
    }
}

/// Imports a parked object. An expired one is omitted, as an export omits it.
fn import_object(tx: &mut dyn Tx, open: &[MemoryId], object: &ExportedObject, now: Timestamp) -> Result<()> {
    require_open(open, &object.head.memory)?;
    let bad = |rule: &str| {
        Error::invalid("object", format!("a parked object {rule}: import the file as it was exported"))
    };
    let content = match (&object.text, &object.hex) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(hex)) => {
            hex::decode(hex).map_err(|error| bad("is not in hex digits").caused_by(error))?
        }
        (Some(_), Some(_)) | (None, None) => return Err(bad("must have text or hex, one of them")),
    };
    let head = &object.head;
    let is_whole = head.bytes == content.len() as u64 && hex::encode(Sha256::digest(&content)) == head.sha256;
    if !is_whole || content.len() > limits::OBJECT_BYTES_MAX || object_key(&head.key)? != head.key {
        return Err(bad("is not the one that its head names"));
    }
    if head.expires_at <= now {
        Ok(())
    } else {
        tx.parked_mut().put(&ParkedObject { head: head.clone(), content })
    }
}

fn import_record(
    tx: &mut dyn Tx,
    open: &[MemoryId],
    (record, is_current): (&Record, bool),
    job: &JobId,
    now: Timestamp,
) -> Result<()> {
    require_open(open, &record.memory)?;
    check_digest(record)?;
    tx.records_mut().import(record, is_current)?;
    if is_current { batch::ask_for_vectors(tx, &record.memory, job, now) } else { Ok(()) }
}

/// Rejects a text that does not match its digest. Digests that clients store are not checked.
fn check_digest(record: &Record) -> Result<()> {
    let kept = record.metadata.get(DIGEST).filter(|_| record.origin == RecordOrigin::Extracted);
    let Some(MetadataValue::String(kept)) = kept else { return Ok(()) };
    if record.state == RecordState::Erased || digest(&record.text) == *kept {
        return Ok(());
    }
    let (id, version) = (&record.id, record.version);
    let rule = format!("the text of record {id}, version {version}, is not the one of its {DIGEST}: ");
    let remedy = "the file was changed or damaged; import it as it was exported, or without that digest";
    Err(Error::invalid("record", rule + remedy))
}

fn import_entry(tx: &mut dyn Tx, open: &[MemoryId], entry: &LedgerEntry) -> Result<()> {
    require_open(open, &entry.memory)?;
    let products = write_context::products()?;
    if products.is_local(entry) {
        // Records arrive in a different order here: their trees are rebuilt.
        return Ok(());
    }
    products.check_entry(entry)?;
    tx.ledger_mut().put(entry)
}

fn import_commit(tx: &mut dyn Tx, open: &[MemoryId], commit: &TaskCommit) -> Result<()> {
    require_open(open, &commit.memory)?;
    tx.commits_mut().put(commit)
}

fn import_session(tx: &mut dyn Tx, open: &[MemoryId], session: &TaskSession) -> Result<()> {
    require_open(open, &session.memory)?;
    tx.task_sessions_mut().put(session)
}

fn import_session_item(tx: &mut dyn Tx, open: &[MemoryId], item: &SessionItem) -> Result<()> {
    require_open(open, &item.memory)?;
    tx.task_sessions_mut().put_item(item)
}

fn require_open(open: &[MemoryId], memory: &MemoryId) -> Result<()> {
    if open.contains(memory) {
        Ok(())
    } else {
        let rule = "a line belongs to a memory whose own line did not come before: import the whole file";
        Err(Error::invalid("memory", rule))
    }
}

fn import_memory(tx: &mut dyn Tx, memory: &Memory, mark: Option<&MemoryImport>) -> Result<()> {
    check_given(memory)?;
    if tx.memories().get(&memory.id)?.is_some() || tx.memories().by_name(&memory.name)?.is_some() {
        let message = format!("a memory named {} is here already: delete it first", memory.name);
        return Err(Error::conflict(message).on("memory"));
    }
    tx.memories_mut().insert(&Memory { import: mark.cloned(), ..memory.clone() })
}

fn import_event(tx: &mut dyn Tx, event: &Event, job: &JobId, now: Timestamp) -> Result<()> {
    let memory = any(tx, &event.memory)?;
    if !event.branch.is_main()
        && tx.events().branch(&event.memory, &event.actor, &event.session, &event.branch.name)?.is_none()
    {
        tx.events_mut().insert_branch(&event.memory, &event.actor, &event.session, &event.branch)?;
    }
    // Exports from before loads were counted contain no load.
    let event = &Event { load: content::load(&event.payload, &event.notes.repeated), ..event.clone() };
    tx.events_mut().insert(event)?;
    for (place, strategy) in extracting(&memory).enumerate() {
        let id = JobId::parse(format!("{job}-{place}"))?;
        tx.jobs_mut().enqueue(&extraction_job(strategy, event, id, now, DueRule::Earlier), now)?;
    }
    Ok(())
}
