//! Import of changes of files into the tree: changed, new, renamed and deleted files. Each is one
//! write of the tree. A file that the tree rejects is reported once, and tried again when it
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_engine::safety::{RedactionMode, redact};
use loci_model::ports::files::FileBytes;
use loci_model::trees::mirror::{MirrorDirection, MirrorPending};
use loci_model::{Reason, RecordId, Result};

use super::adopted_secrets::named_in;
use super::file_intake::{FileIntake, IntakeOutcome, IntakeResult, has_secrets, holds_secrets};
use super::layouts::{FileMeaning, LaidDocument, Layout, LayoutContext};
use super::rendering::{keeps_modes, tree_of};
use super::sync::Sync;
use super::sync_plan::{SyncAction, conflict_path};
use super::sync_state::{digest_of, hex_of, state_of};
use super::two_way_sync::{SyncCheck, is_refusal, is_skipped};
use crate::document::append::{AppendTo, DocumentAppend};
use crate::removed_content::erased_documents::DELETED_IN_A_MIRROR;
use crate::{DocumentDelete, DocumentMove, Precondition};

impl Sync<'_> {
    /// Imports a file. Returns true if the tree changed, or may have changed.
    pub(super) async fn take_file(
        &mut self,
        look: &SyncCheck,
        path: &str,
        action: &SyncAction,
    ) -> Result<bool> {
        let (file, base) = match action {
            SyncAction::Take { file, .. } | SyncAction::TakeNew { file, .. } => (hex_of(file), None),
            SyncAction::KeepBoth { file, .. } => {
                let known = self.kept.get(path);
                (hex_of(file), known.and_then(|known| known.rendered.clone().or(known.agreed.clone())))
            }
            SyncAction::Write { .. } | SyncAction::Remove { .. } | SyncAction::Move { .. } => {
                return Ok(false);
            }
            SyncAction::PutAway { .. } | SyncAction::Agree { .. } | SyncAction::Forget { .. } => {
                return Ok(false);
            }
        };
        let Some((text, executable)) = self.text_of(path, &file).await? else { return Ok(false) };
        let pending = self.kept.get(path).and_then(|known| known.pending.clone());
        let Some(MirrorPending::Take { token, over, .. }) = pending else { return Ok(false) };
        let known = self.known_document(look, path).await?;
        match self.layout.read(path, &text, known.as_ref(), &look.around()) {
            FileMeaning::Document { path: at, content, warnings } => {
                warnings.into_iter().for_each(|warning| self.note(path, warning));
                let mut beside = None;
                if let SyncAction::KeepBoth { file: digest, .. } = action {
                    match DocumentPath::parse(&conflict_path(at.as_str(), digest)) {
                        Ok(path) => beside = Some((path, base)),
                        Err(error) => {
                            self.refused(path, &file, &error.message);
                            return Ok(false);
                        }
                    }
                }
                if over.is_none()
                    && let Some(other) = look.laid.other_spelling(&at)
                {
                    let why = format!("{at} and {other} differ only in case or in how they are composed");
                    self.refused(path, &file, &why);
                    return Ok(false);
                }
                let committed_path = self.committed_path(path);
                let content = DocumentContent { executable, committed_path, ..*content };
                let stays = self.is_adopted(path, &file) && holds_secrets(&content);
                let taking = FileIntake { path: at, content, over, beside, stays };
                self.take_document(path, &file, taking, &token).await
            }
            FileMeaning::Lines { into, lines } => {
                let stays = self.is_adopted(path, &file) && has_secrets(&text);
                self.take_lines((path, &file), stays, into, lines).await
            }
            FileMeaning::Index { new, preface } => {
                let stays = self.is_adopted(path, &file) && has_secrets(&text);
                let named = named_in(&text, &look.laid);
                self.take_index((path, &file), (stays, named), new, preface, &token).await?;
                if self.kept.get(path).is_some_and(|known| known.adopted) {
                    // The linked files may be taken after it.
                    self.indexes_taken.insert(path.to_owned(), text);
                }
                Ok(true)
            }
            FileMeaning::Refused { why } => {
                self.refused(path, &file, &why);
                Ok(false)
            }
        }
    }

    /// Imports the documents that only an index file contains. If one of its lines cannot become a
    /// document, the index file stays unchanged.
    async fn take_index(
        &mut self,
        (path, file): (&str, &str),
        (stays, named): (bool, BTreeMap<RecordId, u32>),
        new: Vec<(DocumentPath, DocumentContent)>,
        preface: Option<String>,
        token: &str,
    ) -> Result<()> {
        let (mut is_stale, mut refused) = (false, None);
        let mut made = self.taken_of(path);
        made.extend(named);
        for (number, (at, content)) in new.into_iter().enumerate() {
            let taking = FileIntake { path: at.clone(), content, over: None, beside: None, stays };
            let token = format!("{token} {number}");
            match self.documents.mirror_take(&self.mirror, &self.writer, taking, &token).await {
                Ok(taken) => {
                    self.report.created += u64::from(taken.taken_as != IntakeOutcome::Known);
                    made.insert(taken.written.record, taken.written.version);
                }
                Err(error) if error.reason == Some(Reason::StaleVersion) => is_stale = true,
                Err(error) if is_refusal(&error) => refused = Some(format!("{at}: {}", error.message)),
                Err(error) => return Err(error),
            }
        }
        // Lines that became documents are not read again with the others.
        let known_of = made.clone();
        self.kept.edit(path, |known| {
            if known.adopted {
                known.taken = known_of;
            }
        });
        if let Some(why) = refused {
            self.refused(path, file, &why);
        } else if is_stale {
            self.kept.edit(path, |known| known.pending = None);
        } else {
            let mut state = self.laid_state();
            state.preface = preface;
            self.remember_laid(&state)?;
            self.kept.agree(path, file, None);
            self.stay(path, stays, made);
        }
        Ok(())
    }

    /// Returns the committed path of a file, if it may differ from its composed form.
    fn committed_path(&self, path: &str) -> Option<String> {
        let committed = self.committed.as_ref().filter(|_| !path.is_ascii())?;
        Some(committed.get(path).map_or(path, String::as_str).to_owned())
    }

    /// Returns the text of a file, if it still equals the planned one. The flag is true if it is
    /// executable; `None` if the mirror has no modes.
    async fn text_of(&mut self, path: &str, file: &str) -> Result<Option<(String, Option<bool>)>> {
        let found = match self.backend.read(path).await {
            Ok(found) => found,
            Err(error) => {
                self.note(path, error.message);
                return Ok(None);
            }
        };
        let keeps_modes = keeps_modes(&self.mirror);
        let state = |found: &FileBytes| state_of(&found.sha256, found.executable && keeps_modes);
        let Some(found) = found.filter(|found| hex_of(&state(found)) == file) else {
            self.kept.edit(path, |known| known.pending = None);
            return Ok(None);
        };
        match String::from_utf8(found.bytes) {
            Ok(text) => Ok(Some((text, keeps_modes.then_some(found.executable)))),
            Err(_) => {
                self.refused(path, file, "the file is no UTF-8 text");
                Ok(None)
            }
        }
    }

    async fn known_document(&self, look: &SyncCheck, path: &str) -> Result<Option<LaidDocument>> {
        let Some(one) = look.laid.files.get(path) else { return Ok(None) };
        if self.layout != Layout::Native || self.mirror.render_ids {
            let mut all = look.laid.documents.iter();
            return Ok(all.find(|document| Some(&document.record) == one.record.as_ref()).cloned());
        }
        let Some(entry) = look.laid.entry(path) else { return Ok(None) };
        let found = self.documents.mirror_documents(&self.mirror, std::slice::from_ref(entry)).await?;
        Ok(found.into_iter().next())
    }

    async fn take_document(
        &mut self,
        path: &str,
        file: &str,
        taking: FileIntake,
        token: &str,
    ) -> Result<bool> {
        let (is_new, executable) = (taking.over.is_none(), taking.content.is_executable());
        let (at, stays) = (taking.path.clone(), taking.stays);
        let done = self.documents.mirror_take(&self.mirror, &self.writer, taking, token).await;
        match done {
            Ok(taken) => {
                self.count(path, is_new, &taken);
                self.taken(path, file, &taken, executable);
                let made = (taken.written.record.clone(), taken.written.version);
                self.stay(path, stays, BTreeMap::from([made]));
                if stays && self.layout != Layout::Native && is_the_document(&taken) {
                    self.unrendered.insert(path.to_owned());
                }
                let writes_back = self.is_passing || self.mirror.direction != MirrorDirection::Import;
                if !is_new && !stays && writes_back && taken.taken_as == IntakeOutcome::Document {
                    self.describe(path, &at).await;
                }
                Ok(true)
            }
            Err(error) if error.reason == Some(Reason::StaleVersion) => {
                // The tree changed since the check: the next one sees both.
                self.kept.edit(path, |known| known.pending = None);
                if is_new {
                    self.note(
                        path,
                        "another document lies where this file would: it waits for the next look",
                    );
                }
                Ok(true)
            }
            Err(error) if is_refusal(&error) => {
                self.refused(path, file, &error.message);
                Ok(false)
            }
            Err(error) => {
                // The outcome is unknown: the next check repeats the write under the same token.
                self.note(path, error.message);
                Ok(false)
            }
        }
    }

    /// Updates the description of an imported file's document. The import stays valid if that
    /// fails.
    async fn describe(&mut self, path: &str, at: &DocumentPath) {
        if let Err(error) = self.documents.mirror_describe(&self.mirror, at).await {
            self.note(path, format!("the description is that of the text before: {}", error.message));
        }
    }

    /// Repeats the import that an interrupted sync started. If it was already written, it gets the
    /// same result.
    pub(super) async fn take_again(
        &mut self,
        path: &str,
        file: &str,
        token: &str,
        over: Option<String>,
    ) -> Result<()> {
        let Some((text, executable)) = self.text_of(path, file).await? else { return Ok(()) };
        if self.layout != Layout::Native {
            return self.settle_laid(path, file, &text).await;
        }
        let meaning = self.layout.read(path, &text, None, &LayoutContext::nothing());
        let FileMeaning::Document { path: at, content, .. } = meaning else {
            self.kept.edit(path, |known| known.pending = None);
            return Ok(());
        };
        let before = match &over {
            // It may be a document whose file is its text.
            Some(_) => self.content_at(&at).await?.filter(|before| before.is_raw),
            None => None,
        };
        let content = before.map_or(*content, |before| before.with_body(text));
        let committed_path = self.committed_path(path);
        let content = DocumentContent { executable, committed_path, ..content };
        let stays = self.is_adopted(path, file) && holds_secrets(&content);
        let taking = FileIntake { path: at, content, over, beside: None, stays };
        self.take_document(path, file, taking, token).await.map(drop)
    }

    /// Decides about an interrupted import in other layouts, where the path in the tree depends on
    /// other documents. The file was imported if a document has the same content.
    async fn settle_laid(&mut self, path: &str, file: &str, text: &str) -> Result<()> {
        let state = self.laid_state();
        let laid = self.documents.mirror_laid(&self.mirror, self.layout, &state).await?;
        let files = BTreeSet::new();
        let around = LayoutContext { documents: &laid.documents, state: &laid.state, files: &files };
        self.kept.edit(path, |known| known.pending = None);
        let FileMeaning::Document { content, .. } = self.layout.read(path, text, None, &around) else {
            return Ok(());
        };
        let bare = |content: &DocumentContent| DocumentContent {
            lowered_to: None,
            granted: None,
            committed_path: None,
            written_head: None,
            ..content.clone()
        };
        let content = bare(&content);
        let is_named =
            |document: &&LaidDocument| state.names.get(&document.record).is_some_and(|name| name != path);
        let mut same = laid.documents.iter().filter(|document| bare(&document.content) == content);
        if let Some(arrived) = same.find(|document| !is_named(document)) {
            self.names_taken.insert(arrived.record.clone(), path.to_owned());
            let mut state = state;
            state.names.insert(arrived.record.clone(), path.to_owned());
            self.remember_laid(&state)?;
            self.kept.agree(path, file, None);
        }
        Ok(())
    }

    async fn content_at(&self, path: &DocumentPath) -> Result<Option<DocumentContent>> {
        match self.documents.document_unread(&self.writer, &tree_of(&self.mirror), path.as_str()).await {
            Ok(found) => Ok(Some(found.content)),
            Err(error) if error.kind == loci_model::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn count(&mut self, path: &str, is_new: bool, taken: &IntakeResult) {
        for warning in &taken.written.warnings {
            self.note(path, warning.clone());
        }
        match taken.taken_as {
            IntakeOutcome::Beside => {
                let beside = taken.written.path.clone().unwrap_or_default();
                self.conflict(path, beside);
            }
            IntakeOutcome::Lines => self.report.taken += 1,
            IntakeOutcome::Document if is_new => self.report.created += 1,
            IntakeOutcome::Document => self.report.taken += 1,
            IntakeOutcome::Known => {}
        }
    }

    fn taken(&mut self, path: &str, file: &str, taken: &IntakeResult, executable: bool) {
        if taken.written.path.is_none() {
            // The document is stored and quarantined until a person reviews it: its file stays
            // unchanged.
            self.refused(path, file, "the document is held back: see loci record quarantine");
            self.kept.edit(path, |known| known.agreed = Some(file.to_owned()));
            return;
        }
        let rendered = match taken.taken_as {
            IntakeOutcome::Document | IntakeOutcome::Known => {
                let sha256 = taken.written.file_sha256.as_deref().and_then(digest_of);
                let executable = executable && keeps_modes(&self.mirror);
                sha256.map(|sha256| hex_of(&state_of(&sha256, executable)))
            }
            // The file is written from the document, regardless of its content.
            IntakeOutcome::Lines | IntakeOutcome::Beside => None,
        };
        if self.layout != Layout::Native && is_the_document(taken) {
            self.names_taken.insert(taken.written.record.clone(), path.to_owned());
        }
        self.kept.agree(path, file, rendered.filter(|_| self.layout == Layout::Native));
    }

    async fn take_lines(
        &mut self,
        (path, file): (&str, &str),
        stays: bool,
        into: DocumentPath,
        lines: Vec<String>,
    ) -> Result<bool> {
        let mut made = self.taken_of(path);
        // Lines of a file that stays are recorded in masked form, as an earlier mirror took them.
        let masked = |line: String| if stays { redact(line, RedactionMode::Mask).0 } else { line };
        let lines: Vec<String> = lines.into_iter().map(masked).collect();
        if !lines.is_empty() {
            let append = DocumentAppend {
                tree: tree_of(&self.mirror),
                to: AppendTo::Path(into.to_string()),
                lines,
                if_absent_create: false,
                precondition: None,
                reason: Some("lines of a file in a mirror".to_owned()),
            };
            // Lines are added once: no token is needed.
            match self.documents.document_append(&self.writer, append, None).await {
                Ok(written) => {
                    self.report.taken += 1;
                    made.insert(written.record, written.version);
                }
                Err(error) if is_refusal(&error) => {
                    self.refused(path, file, &error.message);
                    return Ok(false);
                }
                Err(error) => {
                    self.note(path, error.message);
                    return Ok(false);
                }
            }
        }
        self.kept.agree(path, file, None);
        self.stay(path, stays, made);
        Ok(true)
    }

    /// Moves the document whose file was renamed.
    pub(super) async fn move_document(&mut self, look: &SyncCheck, from: &str, to: &str) -> Result<bool> {
        let (Some(entry), Some(known)) = (look.laid.entry(from).cloned(), look.laid.files.get(from)) else {
            return Ok(false);
        };
        let file = hex_of(&known.digest);
        let Some((text, _)) = self.text_of(to, &file).await? else { return Ok(false) };
        if self.layout != Layout::Native {
            // A name in that layout does not affect the tree: only the file is renamed.
            if let Some(record) = &known.record {
                self.names_taken.insert(record.clone(), to.to_owned());
            }
            self.kept.forget(from);
            self.kept.agree(to, &file, None);
            return Ok(true);
        }
        let at = match self.layout.read(to, &text, None, &look.around()) {
            FileMeaning::Document { path, .. } => path,
            FileMeaning::Refused { why } => {
                self.refused(to, &file, &why);
                return Ok(false);
            }
            FileMeaning::Lines { .. } | FileMeaning::Index { .. } => return Ok(false),
        };
        let asked = DocumentMove {
            tree: tree_of(&self.mirror),
            from: entry.path.clone(),
            to: at.to_string(),
            precondition: Some(matches(&entry.file_sha256)),
            reason: Some("renamed in a mirror".to_owned()),
        };
        match self.documents.document_move(&self.writer, asked, None).await {
            Ok(_) => {
                self.report.moved += 1;
                self.kept.forget(from);
                self.kept.agree(to, &file, None);
                Ok(true)
            }
            Err(error) if error.reason == Some(Reason::StaleVersion) => Ok(true),
            Err(error) if is_refusal(&error) => {
                self.refused(to, &file, &error.message);
                Ok(false)
            }
            Err(error) => {
                self.note(to, error.message);
                Ok(false)
            }
        }
    }

    /// Archives documents whose files are deleted, after checking the marker and each file once
    /// more.
    pub(super) async fn put_away(&mut self, look: &SyncCheck, actions: &[&SyncAction]) -> Result<()> {
        let gone: Vec<&String> = actions
            .iter()
            .filter_map(|action| match action {
                SyncAction::PutAway { path, .. } => Some(path),
                _ => None,
            })
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let now = self.backend.list().await?;
        if now.marker != look.listing.marker || !now.has_root {
            self.note("", "the mirror changed while it was looked at: nothing is put away");
            return Ok(());
        }
        let lies: BTreeSet<&str> = now.entries.iter().map(|entry| entry.path.as_str()).collect();
        for path in gone {
            let is_back = lies.contains(path.as_str()) || is_skipped(&now.skipped, path);
            let Some(entry) = look.laid.entry(path).filter(|_| !is_back) else { continue };
            let delete = DocumentDelete {
                tree: tree_of(&self.mirror),
                path: entry.path.clone(),
                precondition: Some(matches(&entry.file_sha256)),
                reason: Some(DELETED_IN_A_MIRROR.to_owned()),
            };
            match self.documents.document_delete(&self.writer, delete, None).await {
                Ok(_) => {
                    self.report.put_away += 1;
                    self.kept.forget(path);
                }
                Err(error) if error.reason == Some(Reason::StaleVersion) => {}
                Err(error) if is_refusal(&error) => {
                    self.refuse(path, error.message);
                    // The document stays, and so does its file.
                    self.kept.edit(path, |known| (known.agreed, known.missing_since) = (None, None));
                }
                Err(error) => self.note(path, error.message),
            }
        }
        Ok(())
    }
}

/// True if a document now has the content of its file.
fn is_the_document(taken: &IntakeResult) -> bool {
    match taken.taken_as {
        IntakeOutcome::Document => true,
        IntakeOutcome::Known => taken.written.file_sha256.is_some(),
        IntakeOutcome::Lines | IntakeOutcome::Beside => false,
    }
}

fn matches(hex: &str) -> Precondition {
    Precondition::Matches(vec![format!("sha256:{hex}")])
}
