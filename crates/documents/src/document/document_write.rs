//! The writes of documents: every operation on a tree changes records through these functions.
//! Each makes a new version with its telemetry row and its tree entry, in the caller's transaction.
//! The caller selects the document and checks preconditions first.

use std::cell::{Cell, RefCell};

use loci_engine::access::View;
use loci_engine::document_text::areas::check_writable;
use loci_engine::document_text::content::{DocumentContent, has_readable_head, is_redacted};
use loci_engine::document_text::path::DocumentPath;
use loci_engine::records::NewRecord;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{self, SafetyPolicy, Tally, secrets};
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, EntryStanding, TreeEntry};
use loci_model::{Error, Reason, RecordId, Result, Timestamp};

use super::write_answer::DocumentWritten;
use crate::removed_content::redacted_content;
use crate::trees::reconciliation::RecordChangeDetails;
use crate::trees::tree::Tree;

/// A writer of documents in one tree, for one transaction.
pub(crate) struct DocumentWriter<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) tree: &'a Tree,
    /// The part of the tree to which the caller may write.
    pub(crate) view: &'a View,
    /// True if the caller has a grant of admin on the namespace.
    pub(crate) is_admin: bool,
    /// True if the caller may read the tree. Answers to other callers must not depend on stored
    /// content.
    pub(crate) may_read: bool,
    pub(crate) by: &'a str,
    pub(crate) policy: SafetyPolicy,
    /// The vault whose key computes the digests of redacted contents, which must not be stored
    /// again.
    pub(crate) vault: &'a dyn Vault,
    pub(crate) now: Timestamp,
    /// The id of the consolidation run that makes the changes. `None` outside of a run.
    pub(crate) run: Option<&'a str>,
    /// The sequence of the memory before the first change.
    pub(crate) behind: u64,
    /// The ids for records to create, in order.
    pub(crate) ids: &'a [RecordId],
    /// The number of `ids` that are used.
    pub(crate) used: Cell<usize>,
    /// The findings of safety checks in this transaction.
    pub(crate) found: RefCell<Tally>,
}

/// A document that is not archived, with its record.
#[derive(Debug, Clone)]
pub(crate) struct LiveDocument {
    pub(crate) entry: TreeEntry,
    pub(crate) record: Record,
    /// The path that the caller requested, if the document has moved away from there.
    pub(crate) redirected_from: Option<String>,
}

/// Returns the document at a path, or the one that moved away from that path. `None` if there is
/// none.
///
/// # Errors
/// The errors of the store.
pub(crate) fn find(
    tx: &dyn ReadTx,
    tree: &Tree,
    path: &DocumentPath,
    now: Timestamp,
) -> Result<Option<LiveDocument>> {
    let Some(mut entry) = tree.entry(tx, &path.key())? else { return Ok(None) };
    let mut redirected_from = None;
    if entry.standing == EntryStanding::Alias {
        let place = tree.place(tx, &entry.record)?.filter(|place| place.namespace == tree.normal);
        let Some(place) = place else { return Ok(None) };
        redirected_from = Some(std::mem::take(&mut entry.path));
        let Some(now_at) = tree.entry_of(tx, &place.key)?.filter(|there| there.record == entry.record) else {
            return Ok(None);
        };
        entry = now_at;
    }
    if !entry.is_live(now) {
        return Ok(None);
    }
    let record = tx
        .records()
        .get(&tree.memory, &entry.record)?
        .filter(|record| record.is_readable(now) && record.namespace.normal() == tree.normal);
    Ok(record.map(|record| LiveDocument { entry, record, redirected_from }))
}

impl DocumentWriter<'_> {
    /// Returns the document at a path. `None` if there is none.
    pub(crate) fn find(&self, tx: &dyn ReadTx, path: &DocumentPath) -> Result<Option<LiveDocument>> {
        find(tx, self.tree, path, self.now)
    }

    /// Creates a document at a path that no other document has.
    ///
    /// # Errors
    /// `PATH_CONFLICT` if another document has the path; `Denied` if the caller may not write;
    /// `Invalid` and `TooLarge` for the content.
    pub(crate) fn create(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        content: &DocumentContent,
        reason: Option<&str>,
    ) -> Result<DocumentWritten> {
        self.create_marked(tx, path, content, reason, |_| {})
    }

    /// Creates a document whose record has additional members that are not part of the content.
    ///
    /// # Errors
    /// See [`DocumentWriter::create`].
    pub(crate) fn create_marked(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        content: &DocumentContent,
        reason: Option<&str>,
        mark: impl FnOnce(&mut Record),
    ) -> Result<DocumentWritten> {
        check_writable(path, self.is_admin)?;
        let content = &content.clone().at(path);
        self.check_content(content, RecordKind::Document, None)?;
        redacted_content::check(tx, self.vault, &self.memory.id, &content.body)?;
        let taken = self.tree.entry(tx, &path.key())?;
        if let Some(taken) = taken.filter(|entry| entry.is_live(self.now)) {
            return Err(path_conflict(path, &taken));
        }
        self.check_directories(tx, path, None)?;
        let id = self.next_id()?;
        let new = NewRecord {
            kind: RecordKind::Document,
            title: content.title.clone(),
            description: content.description.clone(),
            scope: content.scope.clone(),
            path: Some(path.as_str().to_owned()),
            metadata: self.metadata_of(content, &Metadata::new())?,
            ..NewRecord::fact(
                String::new(),
                vec![self.tree.namespace.clone()],
                content.body.clone(),
                self.now,
            )
        };
        let policy = self.policy;
        let building = Building {
            memory: self.memory,
            view: self.view,
            policy,
            expiry: None,
            by: self.by,
            now: self.now,
        };
        let (mut record, safe) = building.build(&new, id, Origin::default())?;
        self.found.borrow_mut().add(&safe);
        content.apply_standing(&mut record, None);
        mark(&mut record);
        record.state_reason = record.state_reason.take().or_else(|| reason.map(ToOwned::to_owned));
        record.sequence = tx.records_mut().insert(&record)?;
        self.changing().note(tx, &record, None, record.state, &told(DocumentOperation::Created, reason))?;
        self.settled(tx, record, DocumentOperation::Created)
    }

    /// Writes the next version of a document, unless it would equal the current one.
    ///
    /// # Errors
    /// `Denied` if the caller may not write; `Invalid` and `TooLarge` for the content.
    pub(crate) fn replace(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        content: &DocumentContent,
        told: (DocumentOperation, Option<&str>),
    ) -> Result<DocumentWritten> {
        self.replace_marked(tx, found, content, told, |_| {})
    }

    /// Writes the next version of a document, with record members that are not part of the content.
    ///
    /// # Errors
    /// See [`DocumentWriter::replace`].
    pub(crate) fn replace_marked(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        content: &DocumentContent,
        told: (DocumentOperation, Option<&str>),
        mark: impl FnOnce(&mut Record),
    ) -> Result<DocumentWritten> {
        let path = DocumentPath::parse(&found.entry.path)?;
        check_writable(&path, self.is_admin)?;
        let content = &content.clone().at(&path);
        self.check_content(content, found.record.kind, Some(&DocumentContent::of(&found.record)))?;
        redacted_content::check(tx, self.vault, &self.memory.id, &content.body)?;
        let mut record = self.next_version(&found.record, content)?;
        mark(&mut record);
        self.put(tx, &found.record, record, told)
    }

    /// Checks the new content of a document. `before` is the document that it replaces. Content
    /// that has already expired is rejected, because the document and its file would vanish at
    /// once.
    fn check_content(
        &self,
        content: &DocumentContent,
        kind: RecordKind,
        before: Option<&DocumentContent>,
    ) -> Result<()> {
        content.check(kind)?;
        let expires_at = content.time("expires_at");
        let is_new = expires_at != before.and_then(|before| before.time("expires_at"));
        if is_new && expires_at.is_some_and(|at| at <= self.now) {
            let rule = "expires_at lies in the past: leave it out of the head, or name a time to come";
            return Err(Error::invalid("expires_at", rule));
        }
        Ok(())
    }

    /// Returns true if a version must not be restored because its content was redacted, in this
    /// document or in another one with the same content.
    pub(crate) fn is_taken_out(&self, tx: &dyn ReadTx, was: &Record) -> Result<bool> {
        Ok(is_redacted(was) || redacted_content::is_taken_out(tx, self.vault, &self.memory.id, &was.text)?)
    }

    /// Archives a document.
    ///
    /// # Errors
    /// `Denied` if the caller may not write.
    pub(crate) fn archive(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        reason: Option<&str>,
    ) -> Result<DocumentWritten> {
        check_writable(&DocumentPath::parse(&found.entry.path)?, self.is_admin)?;
        let mut record = self.next_version(&found.record, &DocumentContent::of(&found.record))?;
        record.state = RecordState::Archived;
        record.state_reason = Some(reason.unwrap_or("archived").to_owned());
        self.put(tx, &found.record, record, (DocumentOperation::Archived, reason))
    }

    /// Moves a document to another path and leaves an alias at the old one.
    ///
    /// # Errors
    /// `PATH_CONFLICT` if another document has the path; `Denied` if the caller may not write.
    pub(crate) fn move_to(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        to: &DocumentPath,
        reason: Option<&str>,
    ) -> Result<DocumentWritten> {
        check_writable(&DocumentPath::parse(&found.entry.path)?, self.is_admin)?;
        check_writable(to, self.is_admin)?;
        let taken = self.tree.entry(tx, &to.key())?;
        let is_other = |entry: &TreeEntry| entry.is_live(self.now) && entry.record != found.record.id;
        if let Some(taken) = taken.filter(is_other) {
            return Err(path_conflict(to, &taken));
        }
        self.check_directories(tx, to, Some(&found.record.id))?;
        let mut record = self.next_version(&found.record, &DocumentContent::of(&found.record))?;
        record.path = Some(to.as_str().to_owned());
        self.put(tx, &found.record, record, (DocumentOperation::Moved, reason))
    }

    /// Writes the next version of a record, as the caller built it, unless it would equal the
    /// current one. For a caller without read access an equal version is written, too, because
    /// otherwise the answer would reveal the stored content.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) fn put(
        &self,
        tx: &mut dyn Tx,
        old: &Record,
        mut record: Record,
        (operation, reason): (DocumentOperation, Option<&str>),
    ) -> Result<DocumentWritten> {
        if self.may_read && says_the_same(old, &record) {
            let place = self.tree.place(tx, &old.id)?;
            let entry = match &place {
                Some(place) => self.tree.entry_of(tx, &place.key)?,
                None => None,
            };
            return Ok(DocumentWritten::unchanged(old, entry.as_ref()));
        }
        if record.state == RecordState::Active {
            record.state_reason = reason.map(ToOwned::to_owned);
        }
        record.sequence = tx.records_mut().put_version(&record)?;
        let (from, to) = (Some(old.state), record.state);
        self.changing().note(tx, &record, from, to, &told(operation, reason))?;
        self.settled(tx, record, operation)
    }

    /// Returns the next version of a record with a new content. Its path and state stay the same.
    pub(crate) fn next_version(&self, stored: &Record, content: &DocumentContent) -> Result<Record> {
        let full = || Error::conflict("the document has too many versions: move it away and write a new one");
        let masked =
            |text: &Option<String>| text.clone().map(|text| secrets::redact(text, self.policy.secrets).0);
        let mut record = Record {
            version: stored.version.checked_add(1).ok_or_else(full)?,
            title: masked(&content.title),
            description: masked(&content.description),
            scope: masked(&content.scope),
            metadata: self.metadata_of(content, &stored.metadata)?,
            updated_at: self.now,
            ..stored.clone()
        };
        if content.body != stored.text {
            let safe = safety::prepare(content.body.clone(), None, &self.policy);
            self.found.borrow_mut().add(&safe);
            record.trust = safe.trust();
            record.tier = safe.tier;
            record.state = safe.state;
            record.state_reason = safe.state_reason();
            record.findings = safe.findings;
            record.provenance.verbatim = false;
            record.text = safe.text;
            record.index_text = safe.index_text;
            record.timestamp = self.now;
            record.valid_from = self.now;
        }
        content.apply_standing(&mut record, Some(&DocumentContent::of(stored)));
        Ok(record)
    }

    /// Returns the metadata of a document with secrets masked. The texts of its head are masked one
    /// by one, because a mask across several lines could make the head unreadable.
    fn metadata_of(&self, content: &DocumentContent, before: &Metadata) -> Result<Metadata> {
        let mode = self.policy.secrets;
        let mut mask = |text: String| secrets::redact(text, mode).0;
        let metadata = safety::masked_values(&content.metadata_changed(before, &mut mask), mode);
        if mode == secrets::RedactionMode::Off || has_readable_head(&metadata) {
            return Ok(metadata);
        }
        let rule = "the head of the file holds what looks like a secret and is no head without it";
        Err(Error::invalid("head", format!("{rule}: take the secret out of the head")))
    }

    /// Checks that no directory of the path is itself a document, and that no document is below the
    /// path: a file system could represent neither.
    fn check_directories(
        &self,
        tx: &dyn ReadTx,
        path: &DocumentPath,
        moving: Option<&RecordId>,
    ) -> Result<()> {
        if let Some(entry) = self.tree.live_above(tx, path, self.now, moving)? {
            let rule = format!("{} is a document and no directory: choose another path", entry.path);
            return Err(Error::conflict(rule).because(Reason::PathConflict).on("path"));
        }
        self.check_no_directory(tx, path, moving)
    }

    fn check_no_directory(
        &self,
        tx: &dyn ReadTx,
        path: &DocumentPath,
        moving: Option<&RecordId>,
    ) -> Result<()> {
        let Some(entry) = self.tree.live_below(tx, &path.key(), self.now, moving)? else { return Ok(()) };
        let with = if self.may_read { format!(", with {}", entry.path) } else { String::new() };
        let rule = format!("{path} is a directory{with}: choose another path, like {path}.md");
        Err(Error::conflict(rule).because(Reason::PathConflict).on("path"))
    }

    fn settled(
        &self,
        tx: &mut dyn Tx,
        record: Record,
        operation: DocumentOperation,
    ) -> Result<DocumentWritten> {
        let behind = Some(self.behind);
        let told =
            RecordChangeDetails { operation: Some(operation), by: Some(self.by), run: self.run, behind };
        let entry = self.tree.settle(tx, &record, told)?;
        self.tree.reached(tx, record.sequence, Some(record.sequence))?;
        Ok(DocumentWritten::of(&record, entry.as_ref(), operation))
    }

    fn next_id(&self) -> Result<&RecordId> {
        let used = self.used.get();
        self.used.set(used + 1);
        self.ids.get(used).ok_or_else(|| Error::bug("a write of a tree has no id left"))
    }

    pub(crate) fn changing(&self) -> StateTransition<'_> {
        StateTransition { memory: self.memory, by: self.by, at: self.now }
    }
}

/// Returns the telemetry detail that describes a change.
fn told(operation: DocumentOperation, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{}: {reason}", operation.as_str()),
        None => operation.as_str().to_owned(),
    }
}

/// Returns true if a new version equals the current one.
pub(crate) fn says_the_same(old: &Record, new: &Record) -> bool {
    old.text == new.text
        && old.title == new.title
        && old.description == new.description
        && old.scope == new.scope
        && old.metadata == new.metadata
        && old.path == new.path
        && old.state == new.state
        && old.tier == new.tier
        && old.expires_at == new.expires_at
}

/// Returns the error for a path that another document has.
pub(crate) fn path_conflict(path: &DocumentPath, taken: &TreeEntry) -> Error {
    let rule = if taken.path == path.as_str() {
        format!("a document lies at {path}: read it and replace it with If-Match, or choose another path")
    } else {
        format!(
            "{path} and {} differ only in case or in how they are composed: choose another path",
            taken.path
        )
    };
    Error::conflict(rule).because(Reason::PathConflict).on("path")
}
