//! The sync of files: it lists the files, makes a plan, and does each action with the precondition
//! of the plan. Each action is recorded before it is done, so that the next sync can complete an
//! interrupted one. A file that fails does not stop the others.

use std::collections::BTreeSet;

use loci_model::ports::files::{FileDigest, FileEntry, FileListing, FileSkipped, is_passed_over};
use loci_model::trees::mirror::{MirrorDirection, MirrorKind, MirrorPending, MirrorRefusal};
use loci_model::{Error, ErrorKind, Result};

use super::guards::{self, Finding, MarkerState, MissingSince};
use super::layouts::{LayoutContext, LayoutState};
use super::path_conflicts;
use super::rendered_area;
use super::rendering::{RenderedTree, keeps_modes};
use super::sync::Sync;
use super::sync_plan::{self, Keeping, Side, SyncAction, SyncInput, SyncPlan};
use super::sync_state::{digest_of, hex_of, state_of};

/// The number of passes of one sync. The second pass writes the files that change because of
/// imports in the first.
const ROUNDS: usize = 2;

/// The current files and the planned files at one check.
pub(super) struct SyncCheck {
    pub(super) listing: FileListing,
    /// The present files, except those that Loci renders without documents.
    pub(super) mirror: Side,
    pub(super) laid: RenderedTree,
    pub(super) plan: SyncPlan,
    /// The names of the present files.
    names: BTreeSet<String>,
}

impl SyncCheck {
    /// Returns the environment of a file.
    pub(super) fn around(&self) -> LayoutContext<'_> {
        LayoutContext { documents: &self.laid.documents, state: &self.laid.state, files: &self.names }
    }

    /// Returns the digest of the bytes at a path.
    pub(super) fn content_of(&self, path: &str) -> Option<FileDigest> {
        let entries = &self.listing.entries;
        let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        entries.get(at).map(|entry| entry.sha256)
    }
}

impl Sync<'_> {
    pub(super) async fn two_way(&mut self) -> Result<()> {
        for round in 0..ROUNDS {
            let listing = self.backend.list().await?;
            let Some(marked) = self.marked(&listing).await? else { return Ok(()) };
            if round == 0 {
                self.begin_after_restore(&listing, marked).await?;
                self.settle_pending(&listing).await?;
                self.tell_skipped(&listing.skipped);
            }
            let mut look = self.look(listing, marked).await?;
            if round > 0 {
                // One sync deletes only the files found in one check.
                look.plan.delete_later();
            }
            self.report.files = look.mirror.len() as u64;
            self.report.finding = word_of(look.plan.finding).to_owned();
            self.report.waiting_deletes = look.plan.waiting_deletes as u64;
            if look.plan.finding == Finding::NotOurs {
                self.note(
                    "",
                    "files lie here, and the marker is missing or another mirror's: nothing is done",
                );
                return Ok(());
            }
            if look.plan.finding == Finding::Gone
                && marked == MarkerState::Missing
                && self.mirror.direction != MirrorDirection::Import
            {
                self.begin_again().await?;
            }
            let has_taken = self.carry_out(&look).await?;
            self.render_rest(&look).await?;
            self.keep().await?;
            if !has_taken {
                break;
            }
        }
        self.renewed();
        Ok(())
    }

    /// Takes the changes in a listing, and writes nothing back.
    pub(super) async fn pull_look(&mut self, listing: FileListing) -> Result<()> {
        let mut look = self.look(listing, MarkerState::Own).await?;
        // The caller of a pull needs no remark about documents that the files lack.
        look.plan.notes.retain(|note| note.what != "not_exported");
        self.report.files = look.mirror.len() as u64;
        self.report.waiting_deletes = look.plan.waiting_deletes as u64;
        if look.plan.finding == Finding::Gone {
            self.note("", "all files are gone in the clone: nothing is put away, and what is new is taken");
        }
        self.carry_out(&look).await.map(drop)
    }

    /// Returns the result of reading the marker, which is written when a mirror starts. `None`: it
    /// may not start here.
    async fn marked(&mut self, listing: &FileListing) -> Result<Option<MarkerState>> {
        let marked = self.marked_by(listing.marker.as_deref()).await?;
        if self.state.is_started || marked == MarkerState::Own {
            self.state.is_started = true;
            // A marker of an earlier version gets the memory's name.
            let is_of_before = |text: &str| guards::memory_in(text).is_none();
            if marked == MarkerState::Own && listing.marker.as_deref().is_some_and(is_of_before) {
                self.backend.mark(&guards::marker_of(&self.mirror.id, &self.mirror.memory)).await?;
            }
            return Ok(Some(marked));
        }
        let is_empty = listing.entries.is_empty() && listing.skipped.is_empty();
        if marked == MarkerState::Missing && (is_empty || self.mirror.adopt) {
            // Before the marker is written: a sync that is interrupted in between adopts the files
            // again.
            let paths = listing.entries.iter().map(|entry| entry.path.as_str());
            let adopted: Vec<&str> = paths.filter(|path| !self.is_rendered_area(path)).collect();
            for path in adopted {
                self.kept.edit(path, |known| known.adopted = true);
            }
            self.keep().await?;
            self.backend.mark(&guards::marker_of(&self.mirror.id, &self.mirror.memory)).await?;
            self.state.is_started = true;
            return Ok(Some(MarkerState::Own));
        }
        self.report.finding = "not_empty".to_owned();
        self.report.files = listing.entries.len() as u64;
        let what = match marked {
            MarkerState::Other => {
                "the directory has the marker of another mirror, or is one that another memory left: choose \
                 another"
            }
            MarkerState::Own | MarkerState::Missing => {
                "files lie here that are no mirror's: choose an empty directory, or make the mirror with adopt"
            }
        };
        self.note("", what);
        Ok(None)
    }

    /// Returns the result of reading a marker. A mirror with `adopt` may start at the place of a
    /// removed mirror of its memory.
    pub(super) async fn marked_by(&self, text: Option<&str>) -> Result<MarkerState> {
        let marked = guards::marked(text, &self.mirror.id);
        if marked != MarkerState::Other || self.state.is_started || !self.mirror.adopt {
            return Ok(marked);
        }
        let Some(id) = text.and_then(guards::id_in) else { return Ok(marked) };
        // The place of another memory stays that memory's, even after its deletion.
        let of_another =
            text.and_then(guards::memory_in).is_some_and(|memory| memory != self.mirror.memory.as_str());
        if of_another || self.documents.mirror_ids().await?.contains(id) {
            return Ok(marked);
        }
        Ok(MarkerState::Missing)
    }

    fn tell_skipped(&mut self, skipped: &[FileSkipped]) {
        for one in skipped {
            self.note(&one.path, one.why);
        }
    }

    async fn look(&mut self, listing: FileListing, marked: MarkerState) -> Result<SyncCheck> {
        self.give_up_erased().await?;
        let state: LayoutState = self.laid_state();
        let mut laid = self.documents.mirror_laid(&self.mirror, self.layout, &state).await?;
        for path in laid.without(is_passed_over) {
            self.note(&path, "its name is one that directories pass over: it has no file here");
        }
        let is_left = |path: &str| is_skipped(&listing.skipped, path);
        let mirror: Side = listing
            .entries
            .iter()
            .filter(|entry| !self.is_rendered_area(&entry.path))
            .map(|entry| (entry.path.clone(), self.state_of(entry)))
            .collect();
        self.agree_on_renderings(&laid, &mirror).await?;
        // A file that cannot be read counts neither as missing nor is it overwritten.
        let shown = laid.files.iter().filter(|(path, _)| !is_left(path));
        let mut tree: Side = shown.map(|(path, one)| (path.clone(), one.digest)).collect();
        let (mut agreed, mut missing, mut stay) = (Side::new(), MissingSince::new(), Vec::new());
        let is_looked_at = |path: &str| !self.is_rendered_area(path) && !is_left(path);
        for (path, known) in self.kept.iter().filter(|(path, _)| is_looked_at(path)) {
            if let Some(since) = known.missing_since {
                missing.insert(path.clone(), since);
            }
            let Some(base) = known.agreed.as_deref().and_then(digest_of) else { continue };
            agreed.insert(path.clone(), base);
            let rendered = known.rendered.as_deref().and_then(digest_of);
            let of_tree = tree.get(path).copied();
            if known.adopted && mirror.get(path) == Some(&base) {
                tree.insert(path.clone(), base);
                stay.push((path.clone(), of_tree));
                continue;
            }
            let Some(rendered) = rendered.filter(|rendered| tree.get(path) == Some(rendered)) else {
                continue;
            };
            if mirror.get(path) != Some(&base) {
                // The file changed after the tree's version of it, which therefore is the agreed
                // one.
                agreed.insert(path.clone(), rendered);
            } else if self.mirror.direction == MirrorDirection::Import {
                // Nothing is written back: the file stays unchanged.
                tree.insert(path.clone(), base);
            }
        }
        // If there are any files, a mirror without its marker does not count as gone.
        let is_bare = listing.entries.is_empty() && listing.skipped.is_empty();
        let marked = if marked == MarkerState::Missing && !is_bare { MarkerState::Other } else { marked };
        let sides = SyncInput { tree: &tree, mirror: &mirror, agreed: &agreed, marked, missing: &missing };
        if self.holds_new {
            self.hold_unknown(&sides);
        }
        let keeping = Keeping {
            direction: self.mirror.direction,
            deletes: self.mirror.deletes,
            now: self.documents.engine.now(),
            is_last: self.is_last,
            has_directories: self.mirror.kind != MirrorKind::S3,
            is_clone: self.is_passing,
        };
        let plan = sync_plan::plan(&sides, &keeping);
        self.remember_missing(&plan);
        self.tell_staying(&laid, stay);
        let names = mirror.keys().cloned().collect();
        Ok(SyncCheck { listing, mirror, laid, plan, names })
    }

    /// True for files below the directories that Loci renders: they are not planned, because only
    /// Loci writes there.
    pub(super) fn is_rendered_area(&self, path: &str) -> bool {
        self.layout == super::layouts::Layout::Native && rendered_area(path)
    }

    /// Returns a present file in the form that syncs compare.
    pub(super) fn state_of(&self, entry: &FileEntry) -> FileDigest {
        state_of(&entry.sha256, entry.executable && keeps_modes(&self.mirror))
    }

    fn remember_missing(&mut self, plan: &SyncPlan) {
        let known: Vec<String> = self
            .kept
            .iter()
            .filter(|(path, known)| known.missing_since.is_some() && !plan.missing.contains_key(*path))
            .map(|(path, _)| path.clone())
            .collect();
        for path in known {
            self.kept.edit(&path, |known| known.missing_since = None);
        }
        if plan.finding == Finding::Whole {
            for (path, since) in &plan.missing {
                self.kept.edit(path, |known| known.missing_since = Some(*since));
            }
        }
    }

    /// Runs the plan. Returns true if the tree took something.
    async fn carry_out(&mut self, look: &SyncCheck) -> Result<bool> {
        for note in &look.plan.notes {
            self.note(&note.path, note.what);
        }
        let actions: Vec<&SyncAction> =
            look.plan.actions.iter().filter(|action| !self.is_refused(action)).collect();
        self.note_pending(look, &actions);
        self.keep().await?;
        let (first, rest) = path_conflicts::parted(&actions);
        let mut has_taken = false;
        self.put_away(look, &first).await?;
        for action in first.iter().chain(&rest) {
            match action {
                SyncAction::Move { from, to, .. } => has_taken |= self.move_document(look, from, to).await?,
                SyncAction::Take { path, .. }
                | SyncAction::TakeNew { path, .. }
                | SyncAction::KeepBoth { path, .. } => {
                    has_taken |= self.take_file(look, path, action).await?;
                }
                SyncAction::Agree { path, file } => self.kept.agree(path, &hex_of(file), None),
                SyncAction::Forget { path } => self.kept.forget(path),
                SyncAction::Write { .. } | SyncAction::PutAway { .. } | SyncAction::Remove { .. } => {}
            }
        }
        self.remove_files(look, &first).await?;
        // A taken file must not be overwritten by an earlier plan.
        self.write_files(look, &actions).await?;
        self.put_away(look, &rest).await?;
        self.remove_files(look, &rest).await?;
        Ok(has_taken)
    }

    /// True for a file whose content the tree rejected: it is retried when it changes.
    fn is_refused(&self, action: &SyncAction) -> bool {
        let (path, file) = match action {
            SyncAction::Take { path, file, .. }
            | SyncAction::TakeNew { path, file }
            | SyncAction::KeepBoth { path, file, .. }
            | SyncAction::Remove { path, over: file } => (path, file),
            SyncAction::Write { .. }
            | SyncAction::Move { .. }
            | SyncAction::PutAway { .. }
            | SyncAction::Agree { .. }
            | SyncAction::Forget { .. } => return false,
        };
        let refused = self.kept.get(path).and_then(|known| known.refused.as_ref());
        refused.is_some_and(|refused| refused.file == hex_of(file))
    }

    /// Records the actions that are about to run.
    fn note_pending(&mut self, look: &SyncCheck, actions: &[&SyncAction]) {
        let sync = self.state.syncs;
        for action in actions {
            let (path, pending) = match action {
                SyncAction::Write { path, .. } => {
                    let Some(one) = look.laid.files.get(path) else { continue };
                    (path, MirrorPending::Write { file: hex_of(&one.digest) })
                }
                SyncAction::Take { path, file, .. }
                | SyncAction::TakeNew { path, file }
                | SyncAction::KeepBoth { path, file, .. } => {
                    let over = look.laid.entry(path).map(|entry| entry.file_sha256.clone());
                    let file = hex_of(file);
                    let on = over.as_deref().unwrap_or("-");
                    let token = format!("{} {sync} {file} {on} {path}", self.mirror.id);
                    let token = loci_engine::document_text::content::sha256(&token);
                    let is_beside = matches!(action, SyncAction::KeepBoth { .. });
                    (path, MirrorPending::Take { file, token, over, is_beside })
                }
                SyncAction::Move { .. }
                | SyncAction::Remove { .. }
                | SyncAction::PutAway { .. }
                | SyncAction::Agree { .. }
                | SyncAction::Forget { .. } => continue,
            };
            self.kept.edit(path, |known| known.pending = Some(pending));
        }
    }

    /// Settles the actions of an interrupted sync by the present files.
    async fn settle_pending(&mut self, listing: &FileListing) -> Result<()> {
        let pending: Vec<(String, MirrorPending)> = self
            .kept
            .iter()
            .filter_map(|(path, known)| Some((path.clone(), known.pending.clone()?)))
            .collect();
        for (path, pending) in pending {
            let lies = listing.entries.iter().find(|entry| entry.path == path);
            let lies = lies.map(|entry| hex_of(&self.state_of(entry)));
            match pending {
                MirrorPending::Write { file } if lies.as_ref() == Some(&file) => {
                    self.kept.agree(&path, &file, None);
                }
                // A conflict copy has the digest in its name, so storing it again is harmless. It
                // must not be taken as the document.
                MirrorPending::Take { file, token, over, is_beside: false }
                    if lies.as_ref() == Some(&file) =>
                {
                    self.take_again(&path, &file, &token, over).await?;
                }
                MirrorPending::Write { .. } | MirrorPending::Take { .. } => {
                    self.kept.edit(&path, |known| known.pending = None);
                }
            }
        }
        Ok(())
    }

    /// Records that the tree did not take a file.
    pub(super) fn refused(&mut self, path: &str, file: &str, why: &str) {
        self.refuse(path, why);
        self.kept.edit(path, |known| {
            known.pending = None;
            known.refused = Some(MirrorRefusal { file: file.to_owned(), why: why.to_owned() });
        });
    }
}

/// True for a path that a listing omitted, and for those below one.
pub(super) fn is_skipped(skipped: &[FileSkipped], path: &str) -> bool {
    skipped.iter().any(|one| {
        path.strip_prefix(one.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// True for an error that the file itself causes: a retry without a change would repeat it.
pub(super) fn is_refusal(error: &Error) -> bool {
    match error.kind {
        ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::Denied | ErrorKind::NotFound => true,
        ErrorKind::Conflict => error.reason != Some(loci_model::Reason::StaleVersion),
        ErrorKind::Unauthenticated
        | ErrorKind::Throttled
        | ErrorKind::Unavailable
        | ErrorKind::Upstream
        | ErrorKind::Bug => false,
    }
}

fn word_of(finding: Finding) -> &'static str {
    match finding {
        Finding::Whole => "whole",
        Finding::Gone => "gone",
        Finding::NotOurs => "not_ours",
    }
}
