//! Applies an action of a plan: it writes new versions of documents, in the write of the run. The
//! plan was validated before; [`preflight`](super::preflight) checks that it is still applicable.

use loci_engine::consolidation::plan::{Action, Words};
use loci_engine::consolidation::relate::rank;
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::store::Tx;
use loci_model::record::{Record, RecordState, TrustTier};
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Error, RecordId, Result};

use crate::document::document_write::{DocumentWriter, LiveDocument};
use crate::document::read_counts;
use crate::document::write_answer::DocumentWritten;
use crate::upkeep::document_builder::{MergedDocumentPart, last_expiry, united, worded};
use crate::upkeep::run::{RunAction, RunChange};

impl DocumentWriter<'_> {
    /// Applies an action and adds the written versions to `changed`.
    ///
    /// # Errors
    /// The errors of the operations on documents.
    pub(super) fn carry(&self, tx: &mut dyn Tx, one: &RunAction, changed: &mut Vec<RunChange>) -> Result<()> {
        let why = self.why(one);
        match &one.action {
            Action::Merge { sources, target, words, .. } => {
                self.merge(tx, one, (sources, target, words), changed)
            }
            Action::Update { path, words, .. } => {
                let found = self.at(tx, path)?;
                let content = worded(DocumentContent::of(&found.record), words);
                let told = (DocumentOperation::Modified, Some(why.as_str()));
                let mark = |record: &mut Record| stay_as_it_was(record, &found.record, one.by_model);
                let written = self.replace_marked(tx, &found, &content, told, mark)?;
                note(changed, &found, &written)
            }
            Action::Supersede { path, by, .. } => {
                let by = self.at(tx, by)?.record;
                let found = self.at(tx, path)?;
                self.retire(tx, &found, (RecordState::Superseded, Some(&by)), &why, changed)
            }
            Action::Create { path, words, derived_from, .. } => {
                let mut sources = Vec::new();
                for source in derived_from {
                    sources.push(self.at(tx, source)?.record);
                }
                let content = worded(DocumentContent::default(), words);
                let written = self.made_of(tx, (path, &content), &sources, one)?;
                changed.push(made(path, &written));
                Ok(())
            }
            Action::Move { from, to, .. } => {
                let found = self.at(tx, from)?;
                let written = self.move_to(tx, &found, &DocumentPath::parse(to)?, Some(why.as_str()))?;
                note(changed, &found, &written)
            }
            Action::Archive { path, covered_by, .. } => {
                let by = covered_by.as_deref().map(|by| self.at(tx, by)).transpose()?;
                let found = self.at(tx, path)?;
                let by = by.as_ref().map(|by| &by.record);
                self.retire(tx, &found, (RecordState::Archived, by), &why, changed)
            }
        }
    }

    /// Returns the reason that versions keep permanently. A model's words stay in the run, because
    /// they may quote a document that is redacted later.
    fn why(&self, one: &RunAction) -> String {
        match self.run.filter(|_| one.by_model) {
            Some(run) => format!("a model planned it: {run} says why"),
            None => one.action.reason().to_owned(),
        }
    }

    /// Returns the document at exactly this path.
    fn at(&self, tx: &dyn Tx, path: &str) -> Result<LiveDocument> {
        let path = DocumentPath::parse(path)?;
        let found = self.find(tx, &path)?.filter(|found| found.redirected_from.is_none());
        found.ok_or_else(|| Error::conflict(format!("no document lies at {path} any more")).on("actions"))
    }

    fn merge(
        &self,
        tx: &mut dyn Tx,
        one: &RunAction,
        (sources, target, words): (&[String], &str, &Words),
        changed: &mut Vec<RunChange>,
    ) -> Result<()> {
        let mut found = Vec::new();
        for source in sources {
            found.push(self.at(tx, source)?);
        }
        let records: Vec<Record> = found.iter().map(|one| one.record.clone()).collect();
        let key = DocumentPath::parse(target)?.key();
        let why = self.why(one);
        let reason = why.as_str();
        let into = found.iter().position(|one| one.entry.key == key.as_str());
        let kept = match into.and_then(|at| found.get(at)) {
            Some(own) => {
                let content = united(worded(DocumentContent::of(&own.record), words), &said(&records));
                let mark = |record: &mut Record| stand_for(record, &records, &content.body, one.by_model);
                let told = (DocumentOperation::Modified, Some(reason));
                let written = self.replace_marked(tx, own, &content, told, mark)?;
                stays(&written)?;
                note(changed, own, &written)?;
                written.record
            }
            None => {
                let content = united(worded(DocumentContent::default(), words), &said(&records));
                let written = self.made_of(tx, (target, &content), &records, one)?;
                changed.push(made(target, &written));
                written.record
            }
        };
        let kept = self.record(tx, &kept)?;
        read_counts::unite(tx, &records, &kept)?;
        for (at, source) in found.iter().enumerate() {
            if Some(at) != into {
                self.retire(tx, source, (RecordState::Superseded, Some(&kept)), reason, changed)?;
            }
        }
        Ok(())
    }

    /// Creates a document that is based on others.
    fn made_of(
        &self,
        tx: &mut dyn Tx,
        (path, content): (&str, &DocumentContent),
        sources: &[Record],
        one: &RunAction,
    ) -> Result<DocumentWritten> {
        let (path, why) = (DocumentPath::parse(path)?, self.why(one));
        let mark = |record: &mut Record| {
            record.derived_from = sources.iter().map(|source| source.id.clone()).collect();
            record.strategy = sources.first().and_then(|first| first.strategy.clone());
            stand_for(record, sources, &content.body, one.by_model);
        };
        let written = self.create_marked(tx, &path, content, Some(why.as_str()), mark)?;
        stays(&written)?;
        Ok(written)
    }

    /// Removes a document from the tree: its text stays, with a reference to its successor.
    pub(super) fn retire(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        (state, by): (RecordState, Option<&Record>),
        reason: &str,
        changed: &mut Vec<RunChange>,
    ) -> Result<()> {
        loci_engine::document_text::areas::check_writable(
            &DocumentPath::parse(&found.entry.path)?,
            self.is_admin,
        )?;
        let mut record = self.next_version(&found.record, &DocumentContent::of(&found.record))?;
        record.state = state;
        record.state_reason = Some(reason.to_owned());
        record.superseded_by = by.map(|by| by.id.clone());
        if state == RecordState::Superseded {
            record.valid_to = Some(by.map_or(self.now, |by| by.valid_from));
        }
        let operation = match state {
            RecordState::Superseded => DocumentOperation::Superseded,
            _ => DocumentOperation::Archived,
        };
        let written = self.put(tx, &found.record, record, (operation, Some(reason)))?;
        note(changed, found, &written)
    }

    fn record(&self, tx: &dyn Tx, id: &RecordId) -> Result<Record> {
        let record = tx.records().get(&self.memory.id, id)?;
        record.ok_or_else(|| Error::bug("a document that was written is not there"))
    }
}

/// Returns the content of documents, with its time and its expiry.
fn said(records: &[Record]) -> Vec<MergedDocumentPart> {
    let said = |one: &Record| MergedDocumentPart {
        content: DocumentContent::of(one),
        at: one.timestamp,
        expires_at: one.expires_at,
    };
    records.iter().map(said).collect()
}

/// Sets the marks of a document that represents several. Its trust is that of the most trusted
/// source with its text. A model's text has the lowest trust of all sources. It is valid as long as
/// any of them.
fn stand_for(record: &mut Record, sources: &[Record], body: &str, by_model: bool) {
    let trusted = |one: &&Record| (rank(one.tier), one.id.clone());
    let of_text = sources.iter().filter(|source| source.text == body).max_by_key(trusted);
    let is_told = of_text.is_some() && !by_model;
    let source = if is_told { of_text } else { sources.iter().min_by_key(trusted) };
    if let Some(source) = source.filter(|source| is_told || rank(source.tier) < rank(record.tier)) {
        record.tier = if record.tier == TrustTier::Flagged { record.tier } else { source.tier };
        record.trust = source.trust;
    }
    let expires_at = last_expiry(sources.iter().map(|one| one.expires_at));
    if expires_at != record.expires_at {
        (record.expires_at, record.expiry_days) = (expires_at, None);
    }
    if let Some(newest) = sources.iter().map(|one| one.valid_from).max() {
        record.valid_from = newest;
    }
    for source in sources.iter().filter(|source| source.id != record.id) {
        if !record.supersedes.contains(&source.id) {
            record.supersedes.push(source.id.clone());
        }
    }
}

/// Keeps the marks of a tidied document: it is no newer, and its trust is unchanged, or the low
/// trust of a model's text.
fn stay_as_it_was(record: &mut Record, was: &Record, by_model: bool) {
    (record.timestamp, record.valid_from) = (was.timestamp, was.valid_from);
    let is_lower = rank(was.tier) < rank(record.tier);
    if record.tier != TrustTier::Flagged && (!by_model || is_lower) {
        (record.tier, record.trust) = (was.tier, was.trust);
    }
}

/// Rejects replacing several documents by one that is quarantined.
fn stays(written: &DocumentWritten) -> Result<()> {
    if written.state == RecordState::Active {
        return Ok(());
    }
    let rule = "the new document looks like instructions to its reader and would be held back: decide about it by hand";
    Err(Error::conflict(rule).on("actions"))
}

fn note(changed: &mut Vec<RunChange>, found: &LiveDocument, written: &DocumentWritten) -> Result<()> {
    if written.operation.is_some() {
        changed.push(RunChange {
            record: written.record.clone(),
            path: written.path.clone().unwrap_or_else(|| found.entry.path.clone()),
            before: Some(found.record.version),
            after: written.version,
        });
    }
    Ok(())
}

fn made(path: &str, written: &DocumentWritten) -> RunChange {
    RunChange {
        record: written.record.clone(),
        path: written.path.clone().unwrap_or_else(|| path.to_owned()),
        before: None,
        after: written.version,
    }
}
