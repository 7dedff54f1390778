//! `tree_restore`: restores documents from an earlier state of their tree. It writes new versions
//! with the old content and never removes history. By default it only returns the plan.

use loci_api::documents::tree::{RestoredDocument, TreeRestored};
use loci_engine::access;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::calls::reason_text;
use loci_engine::document_text::areas::check_writable;
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, EntryStanding};
use loci_model::{Error, ErrorKind, RecordId, Result};

use super::diff::{Between, Point};
use super::versions::Versions;
use crate::Documents;
use crate::document::document_write::{DocumentWriter, LiveDocument, says_the_same};
use crate::trees::list::is_below;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;

/// The maximum number of documents that one call restores.
const DOCUMENTS_MAX: usize = 5_000;

/// A request to restore documents of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRestore {
    /// The tree to restore.
    pub tree: TreeAsk,
    /// The state to restore the documents from.
    pub to: Point,
    /// The paths to restore, with all paths below them. An empty list means the whole tree.
    pub paths: Vec<String>,
    /// True to return only the plan.
    pub dry_run: bool,
    /// The reason for the change, stored with the versions.
    pub reason: Option<String>,
}

impl Documents {
    /// Restores documents from an earlier state of their tree.
    ///
    /// # Errors
    /// `NotFound` for an unknown label; `Invalid` for a path; `TooLarge` if too many documents
    /// differ; `Denied` without grants of read and write, because the plan reveals current and
    /// former content.
    pub async fn tree_restore(
        &self,
        caller: &Principal,
        asked: TreeRestore,
        token: Option<ClientToken>,
    ) -> Result<TreeRestored> {
        let reason = reason_text::optional(asked.reason)?;
        let parse = |path: &String| {
            let path = DocumentPath::parse(path).map_err(|error| error.on("paths"))?;
            Ok(path.key().as_str().to_owned())
        };
        let keys = asked.paths.iter().map(parse).collect::<Result<Vec<_>>>()?;
        let TreeAsk { memory, namespace } = &asked.tree;
        access::tree_view(caller, memory, namespace, Capability::Write)?;
        access::tree_view(caller, memory, namespace, Capability::Read)
            .map_err(|_| access::needs_reading("a restore"))?;
        let write = TreeWrite::of(&asked.tree, "RestoreTree", token);
        let to = self.located(&asked.tree, asked.to, "state").await?;
        let dry_run = asked.dry_run;
        self.tree_write(caller, write, move |tx, writing| {
            writing.require_reading("a restore")?;
            let sequence = writing.tree.sequence_of(tx, &to, "state")?;
            let mut documents = writing.to_restore(tx, sequence, &keys)?;
            if !dry_run {
                writing.restore(tx, &mut documents, reason.as_deref())?;
            }
            let mut documents: Vec<_> = documents.into_iter().map(|one| one.shown).collect();
            documents.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.record.cmp(&b.record)));
            Ok(TreeRestored { dry_run, documents })
        })
        .await
    }
}

/// A document that differs from the state to restore.
struct Returning {
    shown: RestoredDocument,
    current: Record,
    /// The version to restore. `None` if the document did not exist at that state.
    was: Option<Record>,
}

impl DocumentWriter<'_> {
    /// Returns the documents that differ from their versions at a sequence of the memory.
    fn to_restore(&self, tx: &mut dyn Tx, sequence: u64, keys: &[String]) -> Result<Vec<Returning>> {
        let now = self.tree.progress(tx)?.sequence;
        let mut out = Vec::new();
        for (record, between) in self.tree.between(tx, sequence, now)? {
            out.extend(self.returning(tx, &record, between, keys)?);
            if out.len() > DOCUMENTS_MAX {
                let rule = format!("more than {DOCUMENTS_MAX} documents differ: name paths, some at a time");
                return Err(Error::new(ErrorKind::TooLarge, rule).on("paths"));
            }
        }
        Ok(out)
    }

    fn returning(
        &self,
        tx: &mut dyn Tx,
        record: &RecordId,
        Between { before, .. }: Between,
        keys: &[String],
    ) -> Result<Option<Returning>> {
        let versions = Versions::of(tx, self.tree, record)?;
        let Some((versions, current)) = versions.and_then(|all| Some((all.clone(), all.all.last()?.clone())))
        else {
            return Ok(None);
        };
        let was = before.and_then(|before| versions.get(before)).cloned();
        let path = was.as_ref().and_then(|was| versions.path(was)).or_else(|| versions.path(&current));
        let key = path.as_deref().and_then(|path| DocumentPath::check(path).ok()).map(|path| path.key());
        let is_asked = |asked: &String| {
            key.as_ref().is_some_and(|key| key.as_str() == asked || is_below(key.as_str(), asked))
        };
        if !keys.is_empty() && !keys.iter().any(is_asked) {
            return Ok(None);
        }
        let is_gone = was.as_ref().map(|was| self.is_taken_out(tx, was)).transpose()?.unwrap_or_default();
        let gap = match (&was, before) {
            (Some(_), _) if is_gone => Some("its content was taken out".to_owned()),
            (None, Some(version)) => Some(format!("version {version} is no longer kept")),
            (Some(_), _) | (None, None) => None,
        };
        let operation = if was.is_some() { DocumentOperation::Restored } else { DocumentOperation::Archived };
        // Newer documents are archived; archived ones stay archived, and unchanged ones are
        // skipped.
        let is_nothing = match &was {
            None => gap.is_none() && current.state != RecordState::Active,
            Some(was) => gap.is_none() && says_the_same(&current, was),
        };
        if is_nothing {
            return Ok(None);
        }
        let shown = RestoredDocument {
            record: record.to_string(),
            path,
            operation: gap.is_none().then(|| operation.as_str().to_owned()),
            from_version: before,
            version: None,
            gap,
        };
        Ok(Some(Returning { shown, current, was }))
    }

    /// Archives documents that did not exist at that state first, so that their paths become free.
    /// Then restores the others. A document whose path is still in use waits for the next round.
    fn restore(&self, tx: &mut dyn Tx, documents: &mut [Returning], reason: Option<&str>) -> Result<()> {
        let mut waiting: Vec<&mut Returning> = Vec::new();
        for one in documents.iter_mut().filter(|one| one.shown.gap.is_none()) {
            if one.was.is_none() {
                self.put_away(tx, one, reason)?;
            } else {
                waiting.push(one);
            }
        }
        loop {
            let before = waiting.len();
            let mut still = Vec::new();
            for one in waiting {
                if !self.bring_back(tx, one, reason)? {
                    still.push(one);
                }
            }
            waiting = still;
            if waiting.is_empty() {
                return Ok(());
            }
            if waiting.len() == before {
                for one in waiting {
                    one.shown.operation = None;
                    one.shown.gap = Some("another document has its path: move that one first".to_owned());
                }
                return Ok(());
            }
        }
    }

    fn put_away(&self, tx: &mut dyn Tx, one: &mut Returning, reason: Option<&str>) -> Result<()> {
        let place = self.tree.place(tx, &one.current.id)?;
        let entry = match &place {
            Some(place) => self.tree.entry_of(tx, &place.key)?,
            None => None,
        };
        if let Some(entry) = entry.filter(|entry| entry.record == one.current.id) {
            let found = LiveDocument { entry, record: one.current.clone(), redirected_from: None };
            one.shown.version = Some(self.archive(tx, &found, reason)?.version);
        }
        Ok(())
    }

    /// Restores one document. Returns false if another document still has its path.
    fn bring_back(&self, tx: &mut dyn Tx, one: &mut Returning, reason: Option<&str>) -> Result<bool> {
        let Some(was) = &one.was else { return Ok(true) };
        let path = one.shown.path.as_deref().map(DocumentPath::parse).transpose()?;
        if let Some(path) = &path {
            check_writable(path, self.is_admin)?;
            let taken = self.tree.entry(tx, &path.key())?;
            let is_other = taken
                .is_some_and(|entry| entry.standing == EntryStanding::Live && entry.record != one.current.id);
            if is_other || !self.tree.has_room(tx, path, self.now, &one.current.id)? {
                return Ok(false);
            }
        }
        let full = || Error::conflict("the document has too many versions");
        let record = Record {
            version: one.current.version.checked_add(1).ok_or_else(full)?,
            sequence: 0,
            namespace: one.current.namespace.clone(),
            state: RecordState::Active,
            state_reason: None,
            superseded_by: None,
            supersedes: one.current.supersedes.clone(),
            valid_to: None,
            created_at: one.current.created_at,
            updated_at: self.now,
            ..was.clone()
        };
        let written = self.put(tx, &one.current, record, (DocumentOperation::Restored, reason))?;
        one.shown.version = Some(written.version);
        Ok(true)
    }
}
