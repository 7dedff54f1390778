//! `mirror_sync`: synchronises one mirror and its tree once. A mirror has one sync at a time, over
//! all processes; it writes under its own name. The report is stored. `two_way_sync` syncs files,
//! and `git` syncs repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_engine::jobs::lease::Chore;
use loci_model::ports::files::FileBackend;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::mirror::{Mirror, MirrorKind, MirrorRemark, MirrorReport, MirrorState};
use loci_model::{Error, MemoryId, RecordId, Result};

use super::adopted_secrets;
use super::file_intake::writer_of;
use super::layouts::{Layout, LayoutState};
use super::spelling::{ComposedFiles, Spellings};
use super::sync_state::{self, SyncState};
use crate::Documents;

/// The time in milliseconds after which the sync of a process that died no longer blocks a mirror.
const LEASE_MS: i64 = 30_000;
/// The time in milliseconds that a caller waits for a running sync. It is longer than the time
/// after which a dead process stops blocking.
pub(super) const PATIENCE_MS: u64 = 35_000;
/// The maximum number of remarks of one kind in a report.
const REMARKS_MAX: usize = 100;

/// A sync of a mirror, while it runs.
pub(super) struct Sync<'a> {
    pub(super) documents: &'a Documents,
    pub(super) mirror: Mirror,
    pub(super) layout: Layout,
    /// The principal with which the sync reads and writes documents.
    pub(super) writer: Principal,
    pub(super) backend: Arc<dyn FileBackend>,
    pub(super) state: MirrorState,
    pub(super) kept: SyncState,
    pub(super) report: MirrorReport,
    /// The new file names of documents that were created or renamed in this sync.
    pub(super) names_taken: BTreeMap<RecordId, String>,
    /// The files that stay with their secrets, whose documents the layout has not rendered since
    /// they were taken.
    pub(super) unrendered: BTreeSet<String>,
    /// The indexes that stay with their secrets and were taken in this sync, with their texts, by
    /// path.
    pub(super) indexes_taken: BTreeMap<String, String>,
    /// The digests of the files that stayed at the start.
    pub(super) adopted_contents: BTreeSet<String>,
    /// The committed paths of the taken files that are not composed, by composed path. `None`: the
    /// taken files were not committed.
    pub(super) committed: Option<Spellings>,
    /// True if the process ends after this sync.
    pub(super) is_last: bool,
    /// True if the sync state is not stored here because the other side records it, as for a pull.
    pub(super) is_passing: bool,
    /// The count of removals from the store at the start: all rendered content is without them.
    pub(super) outdated_by: u64,
    /// The identity of the store.
    pub(super) store: String,
    /// True if the last agreement was with another store, as before a restore: it does not count.
    pub(super) is_of_other_store: bool,
    /// True if files without a document are not imported, because it is unknown who wrote them.
    pub(super) holds_new: bool,
    /// The layout's state in its stored form.
    laid_kept: Option<serde_json::Value>,
}

impl Documents {
    /// Synchronises a mirror and its tree, and returns the report.
    ///
    /// # Errors
    /// `NotFound`; `Denied` without a grant of write on the tree; `Conflict` if another sync of the
    /// mirror runs for more than half a minute; the errors of stores and disks.
    pub async fn mirror_sync(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        name: &str,
    ) -> Result<MirrorReport> {
        let mirror = self.mirror_of(caller, memory, name, Capability::Write).await?;
        self.mirror_sync_within(PATIENCE_MS, mirror, false).await
    }

    /// Syncs a mirror for a caller that retries later: `Conflict` while another sync holds it.
    pub(super) async fn mirror_sync_now(&self, mirror: Mirror, is_last: bool) -> Result<MirrorReport> {
        self.mirror_sync_within(0, mirror, is_last).await
    }

    async fn mirror_sync_within(
        &self,
        patience_ms: u64,
        mirror: Mirror,
        is_last: bool,
    ) -> Result<MirrorReport> {
        let mut answer = None;
        let work = async {
            answer = Some(self.mirror_synced(mirror.clone(), is_last).await?);
            Ok(())
        };
        self.mirror_alone(&mirror, patience_ms, work).await?;
        answer.ok_or_else(|| Error::bug("a sync that ended without a report"))
    }

    /// Runs work on a mirror exclusively. It waits this long for a running sync.
    pub(super) async fn mirror_alone(
        &self,
        mirror: &Mirror,
        patience_ms: u64,
        work: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let chore = Chore {
            engine: &self.engine,
            name: format!("mirror {} {}", mirror.memory, mirror.name),
            holder: self.engine.next_claim(),
            lease_ms: LEASE_MS,
        };
        let done = chore.run_within(patience_ms, work).await;
        if !matches!(done, Ok(false)) {
            chore.give_up().await;
        }
        if done? {
            return Ok(());
        }
        let rule = format!("the mirror {} is being brought up by another: try again", mirror.name);
        Err(Error::conflict(rule))
    }

    async fn mirror_synced(&self, mirror: Mirror, is_last: bool) -> Result<MirrorReport> {
        let mut sync = self.sync_of(mirror, is_last).await?;
        sync.report.began_at = Some(self.engine.now());
        let done = match sync.mirror.kind {
            MirrorKind::Git => sync.render_git().await,
            MirrorKind::Directory | MirrorKind::S3 => sync.two_way().await,
        };
        if let Err(error) = &done {
            sync.report.error = Some(error.message.clone());
        }
        let report = sync.end().await?;
        done.map(|()| report)
    }

    pub(super) async fn sync_of(&self, mirror: Mirror, is_last: bool) -> Result<Sync<'_>> {
        let (mirror, mut state, kept) = self.mirror_held(&mirror).await?;
        let store = self.engine.store().read(|tx| tx.memories().identity_of_store()).await?;
        let is_of_other_store = state.is_of_other_store(&store);
        if !is_of_other_store {
            state.store = Some(store.clone());
        }
        let layout = Layout::named(&mirror.layout)
            .ok_or_else(|| Error::invalid("layout", "the mirror's layout is not known here"))?;
        let place = self.mirror_backend(&mirror)?;
        let backend: Arc<dyn FileBackend> = match mirror.kind {
            MirrorKind::Directory | MirrorKind::S3 => Arc::new(ComposedFiles::new(place)),
            MirrorKind::Git => place,
        };
        let (writer, report) = (writer_of(&mirror), MirrorReport::default());
        let laid_kept = state.laid.clone();
        let outdated_by = state.outdated_by;
        let adopted_contents = adopted_secrets::contents(&kept);
        Ok(Sync {
            documents: self,
            mirror,
            layout,
            writer,
            backend,
            state,
            kept,
            report,
            is_last,
            names_taken: BTreeMap::new(),
            unrendered: BTreeSet::new(),
            indexes_taken: BTreeMap::new(),
            adopted_contents,
            committed: None,
            is_passing: false,
            outdated_by,
            store,
            is_of_other_store,
            holds_new: false,
            laid_kept,
        })
    }
}

impl Sync<'_> {
    /// Returns the layout's state.
    pub(super) fn laid_state(&self) -> LayoutState {
        let state = self.state.laid.clone().and_then(|laid| serde_json::from_value(laid).ok());
        state.unwrap_or_default()
    }

    pub(super) fn remember_laid(&mut self, state: &LayoutState) -> Result<()> {
        let unwritten = |error| Error::bug("what a layout remembers cannot be written").caused_by(error);
        let is_empty = *state == LayoutState::default();
        self.state.laid = if is_empty { None } else { Some(serde_json::to_value(state).map_err(unwritten)?) };
        Ok(())
    }

    /// Stores the sync state of the paths.
    pub(super) async fn keep(&mut self) -> Result<()> {
        if self.is_passing {
            return Ok(());
        }
        let mut laid = self.laid_state();
        laid.names.extend(self.names_taken.clone());
        self.remember_laid(&laid)?;
        let parts = self.kept.changes(&self.mirror, self.documents.engine.now());
        let is_laid_kept = self.laid_kept == self.state.laid;
        if parts.is_empty() && is_laid_kept {
            return Ok(());
        }
        self.laid_kept.clone_from(&self.state.laid);
        let (mirror, state) = (self.mirror.clone(), self.state.clone());
        self.documents
            .engine
            .store()
            .write(move |tx| {
                if !is_there(tx, &mirror)? {
                    return Ok(());
                }
                if !is_laid_kept {
                    put_state(tx, &state)?;
                }
                sync_state::put(tx, &parts)
            })
            .await
    }

    /// Records that everything is rendered from the store since this sync began.
    pub(super) fn renewed(&mut self) {
        self.state.renewed_to = self.outdated_by;
    }

    /// Stores everything, with the report. A mirror that was removed meanwhile leaves nothing.
    pub(super) async fn end(mut self) -> Result<MirrorReport> {
        let now = self.documents.engine.now();
        self.report.ended_at = Some(now);
        self.keep().await?;
        tell(&self.mirror, &self.report);
        let Self { documents, mirror, mut state, report, .. } = self;
        state.syncs += 1;
        state.at = now;
        state.report = report.clone();
        documents
            .engine
            .store()
            .write(move |tx| {
                if !is_there(tx, &mirror)? {
                    return Ok(());
                }
                put_state(tx, &state)
            })
            .await?;
        Ok(report)
    }

    pub(super) fn note(&mut self, path: &str, what: impl Into<String>) {
        remark(&mut self.report.notes, path, what);
    }

    pub(super) fn refuse(&mut self, path: &str, why: impl Into<String>) {
        remark(&mut self.report.refused, path, why);
    }

    pub(super) fn conflict(&mut self, path: &str, beside: impl Into<String>) {
        remark(&mut self.report.conflicts, path, beside);
    }
}

/// True for a mirror that was neither removed nor restarted meanwhile.
fn is_there(tx: &dyn ReadTx, mirror: &Mirror) -> Result<bool> {
    let known = tx.ledger().noun::<Mirror>(&mirror.memory, &mirror.name)?;
    Ok(known.is_some_and(|known| known.id == mirror.id))
}

/// Content that was removed during a sync may be in the files that it wrote. A separate count
/// records that, and stays.
fn put_state(tx: &mut dyn Tx, state: &MirrorState) -> Result<()> {
    let now = tx.ledger().noun::<MirrorState>(&state.memory, &state.mirror)?;
    let outdated_by = now.map_or(state.outdated_by, |now| now.outdated_by);
    tx.ledger_mut().put_noun(&MirrorState { outdated_by, ..state.clone() })
}

fn remark(remarks: &mut Vec<MirrorRemark>, path: &str, what: impl Into<String>) {
    if remarks.len() < REMARKS_MAX {
        remarks.push(MirrorRemark { path: path.to_owned(), what: what.into() });
    } else if remarks.len() == REMARKS_MAX {
        remarks.push(MirrorRemark { path: String::new(), what: "and more".to_owned() });
    }
}

fn tell(mirror: &Mirror, report: &MirrorReport) {
    let (written, taken) = (report.written, report.taken + report.created);
    let trouble = report.conflicts.len() + report.refused.len();
    tracing::debug!(
        mirror = mirror.name,
        finding = report.finding,
        written,
        taken,
        trouble,
        waiting = report.waiting_deletes,
        error = report.error,
        "a mirror was brought up"
    );
}
