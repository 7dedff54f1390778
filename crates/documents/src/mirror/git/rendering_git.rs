//! Adding commits to a mirror's repository for the changes in the log since its newest commit. The
//! repository may be behind the log of its store and never ahead. `restore_commit` handles a
//! repository of another store's log, as after a restore. After a redaction or erasure, a
//! repository is written again from the start.

use loci_model::ports::files::{ChangeNote, FileStep, FilesCommit};
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::MirrorDirection;
use loci_model::trees::tree_entry::TreeChange;
use loci_model::{Error, Result, Timestamp};

use super::commit_groups::groups;
use super::file_changes::{TreeChangeEffect, files, told};
use super::message::{author_email, author_name, message, state_of};
use super::rendered_commits::{Timeline, changelog_change};
use crate::mirror::guards::{MarkerState, marker_of, memory_in};
use crate::mirror::rendering::tree_of;
use crate::mirror::sync::Sync;
use crate::trees::state_names::StateNames;
use crate::trees::tree::Tree;
use crate::upkeep::Changelog;

/// The number of changes per read.
const CHANGES_PER_READ: usize = 2_000;
/// The maximum of changes whose files are in memory at once, unless one transaction has more.
pub(super) const CHANGES_PER_CALL: usize = 500;
/// The author of a commit without another one.
pub(super) const AUTHOR: &str = "loci";

impl Sync<'_> {
    pub(in crate::mirror) async fn render_git(&mut self) -> Result<()> {
        if self.mirror.direction == MirrorDirection::Import || !self.begin_git().await? {
            return Ok(());
        }
        self.documents.caught_up(&tree_of(&self.mirror)).await?;
        let names = self.documents.commit_names(&tree_of(&self.mirror)).await?;
        let newest = self.backend.newest().await?;
        let has_commits = newest.is_some();
        let since = match newest {
            None => {
                self.state.joined = None;
                0
            }
            Some(newest) => match self.goes_on_behind(&newest, &names).await? {
                Some(since) => since,
                None => self.join(&names).await?,
            },
        };
        let mut timeline = self.timeline(since, has_commits).await?;
        let changes = self.changes_behind(since).await?;
        self.commit_all(&changes, &names, &mut timeline).await?;
        self.end_timeline(timeline, &names).await?;
        self.state.store = Some(self.store.clone());
        self.report.commit = self.backend.newest().await?.map(|commit| commit.id);
        self.renewed();
        Ok(())
    }

    /// Returns the sequence of the newest commit; `None` if it belongs to another store's log.
    async fn goes_on_behind(&self, newest: &FilesCommit, names: &StateNames) -> Result<Option<u64>> {
        let said = state_of(&newest.message).and_then(|state| names.place(state));
        let said = said.ok_or_else(|| {
            let rule = "somebody else committed to the mirror: nothing is rendered until its branch main is where Loci \
                        left it; commits are taken by loci mirror pull";
            Error::conflict(rule)
        })?;
        if self.is_of_other_store {
            return Ok(None);
        }
        let joined = self.state.joined.as_ref().filter(|joined| joined.commit == newest.id);
        let since = joined.map_or(said, |joined| joined.sequence);
        let memory = self.mirror.memory.clone();
        let reached = self.documents.engine.store().read(move |tx| tx.memories().sequence(&memory)).await?;
        Ok((since <= reached).then_some(since))
    }

    /// Prepares the repository. Returns false if it belongs to another mirror.
    async fn begin_git(&mut self) -> Result<bool> {
        self.report.finding = "whole".to_owned();
        self.backend.begin().await?;
        let found = self.backend.marker().await?;
        let has_commits = self.backend.newest().await?.is_some();
        match self.marked_by(found.as_deref()).await? {
            MarkerState::Own => {
                // A marker of an earlier version gets the memory's name.
                if found.as_deref().is_some_and(|text| memory_in(text).is_none()) {
                    self.backend.mark(&marker_of(&self.mirror.id, &self.mirror.memory)).await?;
                }
            }
            MarkerState::Missing if self.state.is_started && !has_commits => {
                self.report.finding = "gone".to_owned();
                self.begin_again().await?;
            }
            MarkerState::Missing if !has_commits || self.mirror.adopt => {
                // The store of an adopted repository's log is unknown.
                self.is_of_other_store |= has_commits;
                self.backend.mark(&marker_of(&self.mirror.id, &self.mirror.memory)).await?;
            }
            MarkerState::Missing | MarkerState::Other => {
                self.report.finding = "not_ours".to_owned();
                self.note("", "the repository is no mirror's, or another's, as one is that was away meanwhile: move it aside, or choose another path");
                return Ok(false);
            }
        }
        self.state.is_started = true;
        if self.state.is_outdated() {
            self.backend.renew().await?;
        }
        Ok(true)
    }

    /// Returns all changes of the log after a sequence, without texts.
    pub(super) async fn changes_behind(&self, since: u64) -> Result<Vec<TreeChange>> {
        let mut all: Vec<TreeChange> = Vec::new();
        loop {
            let tree = Tree::of(&tree_of(&self.mirror));
            let reached = all.last().map_or(since, |last| last.sequence);
            let read = move |tx: &dyn loci_model::ports::store::ReadTx| {
                tree.changes_since(tx, reached, CHANGES_PER_READ)
            };
            let some = self.documents.engine.store().read(read).await?;
            let is_last = some.len() < CHANGES_PER_READ;
            all.extend(some);
            if is_last {
                return Ok(all);
            }
        }
    }

    async fn commit_all(
        &mut self,
        changes: &[TreeChange],
        names: &StateNames,
        timeline: &mut Timeline,
    ) -> Result<()> {
        let now = self.documents.engine.now();
        let (mut groups, is_open) = groups(changes, self.mirror.debounce_ms, now);
        if is_open && !self.is_last {
            // The group may still grow: it gives one commit, whenever it is rendered.
            if let Some(open) = groups.pop() {
                let (count, pause_ms) = (open.len(), self.mirror.debounce_ms);
                self.note(
                    "",
                    format!("{count} changes wait: they are one commit {pause_ms} ms behind the last"),
                );
            }
        }
        let mut rest = groups.as_slice();
        while let Some(first) = rest.first() {
            let fits = |count: &usize| {
                let end = rest.get(*count - 1).map_or(first.end, |last| last.end);
                *count == 1 || end - first.start <= CHANGES_PER_CALL
            };
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (some, others) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            let end = some.last().map_or(first.end, |last| last.end);
            let of = changes.get(first.start..end).unwrap_or_default().to_vec();
            let tree = Tree::of(&tree_of(&self.mirror));
            let told = self.documents.engine.store().read(move |tx| told(tx, &tree, &of)).await?;
            let mut steps = Vec::with_capacity(some.len());
            for group in some {
                let range = group.start - first.start..group.end - first.start;
                let told = told.get(range).unwrap_or_default();
                let of = changes.get(group.clone()).unwrap_or_default();
                let Some(last) = of.last() else { continue };
                steps.extend(self.session_steps(timeline, names, Some(last.at)));
                steps.extend(self.step(of, told, names, &timeline.changelog));
                timeline.reached = last.sequence;
            }
            self.commit_steps(steps).await?;
            rest = others;
        }
        Ok(())
    }

    /// Makes a commit of each step, and counts the changes in the report.
    pub(super) async fn commit_steps(&mut self, steps: Vec<FileStep>) -> Result<()> {
        let applied = self.backend.apply_all(steps).await?;
        self.report.commits += applied.iter().filter(|one| one.commit.is_some()).count() as u64;
        self.report.written += applied.iter().map(|one| one.changed.len() as u64).sum::<u64>();
        Ok(())
    }

    /// Returns a commit.
    fn step(
        &self,
        changes: &[TreeChange],
        told: &[TreeChangeEffect],
        names: &StateNames,
        changelog: &Changelog,
    ) -> Option<FileStep> {
        let last = changes.last()?;
        let run = changes.iter().find_map(|change| change.run.as_deref());
        let by = told.iter().find_map(|one| one.by.as_deref()).or(run).unwrap_or(AUTHOR);
        let happened: Vec<_> = told.iter().map(|one| one.happened.clone()).collect();
        let note = self.change_note(by, last.at, message(&happened, run, &names.seal(last.sequence)));
        let mut files = files(told);
        files.extend(run.and_then(|_| changelog_change(changelog, last.sequence)));
        Some(FileStep { changes: files, note })
    }

    /// Returns the author, the committer, the time and the message of a commit.
    pub(super) fn change_note(&self, by: &str, at: Timestamp, message: String) -> ChangeNote {
        let instance = &self.documents.settings().mirrors.instance;
        ChangeNote {
            author_name: author_name(by),
            author_email: author_email(by, instance),
            committer_email: format!("loci@{instance}"),
            at,
            message,
        }
    }
}
