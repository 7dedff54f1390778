//! The job that reads a repository's history. It reads the commits added since the last run, part
//! by part, with one write for each part. It can be interrupted anywhere and resumes there. A
//! second run reads nothing twice.
//!
//! A rewritten history, or one that a caller requests to read again, is read next to the shown one
//! and replaces it when it is complete.

use std::sync::Arc;

use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ledger::LedgerNoun;
use loci_model::ports::code::{CodePlace, CodeSource};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::tasks::code_history::HistoryAsk;
use loci_model::tasks::file_change::{HistoryPart, HistoryProgress, HistoryReading, HistoryWindow};
use loci_model::{JobId, MemoryId, RepositoryId, Result, Timestamp};
use loci_verified::{DefaultTip, read_place};

use super::commit_groups::{PlannedCommit, planned};
use super::history_parts::{CommitsPart, next_part};
use crate::Coding;
use crate::tasks::task_namespaces;

/// The prefix of a job's key, before the repository's id.
const JOB_KEY: &str = "co_change:";
/// The mean length of a month, in seconds.
const MONTH_S: i64 = 2_629_746;
/// The reason reported if no place of the repository is readable.
const UNREADABLE: &str = "no place of the repository can be read here, or none tells its default branch: loci repo add, from a clone";
/// The reason reported if the code is readable without its history.
const NO_HISTORY: &str = "its history is read in clones alone: loci repo add, from a clone";
/// The reason reported if reading stopped before the end.
const INTERRUPTED: &str = "the history could not be read to its end";

/// A reading in progress.
struct HistoryRead {
    place: CodePlace,
    commits: Arc<Vec<PlannedCommit>>,
    is_cut: bool,
}

/// The result of determining the next reading.
enum NextReading {
    /// The history has no new commits.
    Done,
    /// The next reading could not be determined.
    Unread(String),
    /// The reading to continue or to start.
    Reading(HistoryReading),
}

impl Coding {
    /// Reads the new commits of the history of a job's repository.
    pub(crate) async fn read_history(&self, job: &Job) -> Result<()> {
        let named = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default();
        let Ok(id) = RepositoryId::parse(named) else { return Ok(()) };
        let memory = job.memory.clone();
        let found = self.engine.store().read(move |tx| tx.repositories().get(&memory, &id)).await?;
        let Some(repository) = found else { return Ok(()) };
        let Some(DefaultTip { place, tip, .. }) = self.verified.default_tip(&repository).await else {
            return self.note_unread(&repository, UNREADABLE).await;
        };
        let reading = match self.begin(&repository, &place, tip).await? {
            NextReading::Done => return Ok(()),
            NextReading::Unread(why) => return self.note_unread(&repository, &why).await,
            NextReading::Reading(reading) => reading,
        };
        let Some(way) = self.way(&repository, &place, &reading).await? else { return Ok(()) };
        self.go(&repository, reading, way).await
    }

    /// Determines the next reading, and writes it before the reading begins.
    async fn begin(&self, repository: &Repository, place: &CodePlace, tip: ObjectId) -> Result<NextReading> {
        let progress = self.history_progress(repository).await?;
        let is_wanted = progress.as_ref().is_some_and(|progress| progress.wanted.is_some());
        let under_way = progress.and_then(|progress| progress.next.or(progress.shown));
        let mut goes_on = true;
        if let Some(reading) = under_way.filter(|_| !is_wanted) {
            if reading.is_done() && reading.target == tip {
                return Ok(NextReading::Done);
            }
            let (known, target) = (reading.tip, if reading.is_done() { tip } else { reading.target });
            match self.is_ahead(place, known, target).await {
                Ok(is_ahead) => goes_on = is_ahead,
                Err(why) => return Ok(NextReading::Unread(why)),
            }
        }
        let fresh = uuid7(self.engine.ids().as_ref(), self.engine.now().millis());
        let (repository, now) = (repository.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let mut progress = progress_of(tx, &repository, &fresh, now)?;
                let reading = chosen(tx, &mut progress, tip, goes_on, &fresh)?;
                progress.updated_at = now;
                tx.ledger_mut().put_noun(&progress)?;
                Ok(NextReading::Reading(reading))
            })
            .await
    }

    /// True if a tip descends from the newest commit read, or if no commit was read yet.
    async fn is_ahead(
        &self,
        place: &CodePlace,
        known: Option<ObjectId>,
        target: ObjectId,
    ) -> std::result::Result<bool, String> {
        let Some(code) = self.engine.code() else { return Err(UNREADABLE.to_owned()) };
        let work = move |source: &dyn CodeSource| {
            let is_here = |id: &ObjectId| source.resolve(&id.to_string()).map(|found| found.is_some());
            if !is_here(&target)? {
                return Ok(false);
            }
            Ok(match &known {
                Some(known) => is_here(known)? && source.is_ancestor(known, &target).unwrap_or(false),
                None => true,
            })
        };
        read_place(code.as_ref(), place, Arc::new(work)).await.map_err(|error| error.detail)
    }

    /// Returns the commits of a reading, in order. `None` if they cannot be determined; the reason
    /// is recorded.
    async fn way(
        &self,
        repository: &Repository,
        place: &CodePlace,
        reading: &HistoryReading,
    ) -> Result<Option<HistoryRead>> {
        let Some(code) = self.engine.code() else { return Ok(None) };
        let ask = HistoryAsk {
            tip: reading.target,
            without: reading.tip,
            commits_max: reading.window.commits_max as usize,
            span_s: (reading.window.months > 0).then(|| i64::from(reading.window.months) * MONTH_S),
        };
        let work = move |source: &dyn CodeSource| {
            let found = source.history(&ask)?;
            Ok(found.map(|found| (planned(&found.commits, &ask.tip), found.is_cut)))
        };
        match read_place(code.as_ref(), place, Arc::new(work)).await {
            Ok(Some((commits, is_cut))) => {
                Ok(Some(HistoryRead { place: place.clone(), commits: Arc::new(commits), is_cut }))
            }
            Ok(None) => self.note_unread(repository, NO_HISTORY).await.map(|()| None),
            Err(error) => self.note_unread(repository, &error.detail).await.map(|()| None),
        }
    }

    /// Reads part after part, and writes each one.
    async fn go(&self, repository: &Repository, mut reading: HistoryReading, way: HistoryRead) -> Result<()> {
        let Some(code) = self.engine.code() else { return Ok(()) };
        loop {
            let (commits, from) = (Arc::clone(&way.commits), reading.done as usize);
            let work = move |source: &dyn CodeSource| next_part(source, &commits, from);
            let part = match read_place(code.as_ref(), &way.place, Arc::new(work)).await {
                Ok(part) => part,
                Err(error) => {
                    tracing::warn!(why = error.why.as_str(), "a history could not be read to its end");
                    return self.note_unread(repository, INTERRUPTED).await;
                }
            };
            let (repository, before, now) = (repository.clone(), reading.clone(), self.engine.now());
            let (is_cut, all) = (way.is_cut, u32::try_from(way.commits.len()).unwrap_or(u32::MAX));
            let write = self
                .engine
                .store()
                .write(move |tx| write(tx, &repository, &before, &part, (all, is_cut), now));
            match write.await? {
                Some(next) if !next.is_done() => reading = next,
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// Returns the progress of reading the history of a repository.
    pub(super) async fn history_progress(&self, repository: &Repository) -> Result<Option<HistoryProgress>> {
        let (memory, key) = (repository.memory.clone(), HistoryProgress::key_of(&repository.id));
        self.engine.store().read(move |tx| tx.ledger().noun(&memory, &key)).await
    }

    async fn note_unread(&self, repository: &Repository, why: &str) -> Result<()> {
        let (repository, why, now) = (repository.clone(), why.to_owned(), self.engine.now());
        let fresh = uuid7(self.engine.ids().as_ref(), now.millis());
        self.engine
            .store()
            .write(move |tx| {
                let mut progress = progress_of(tx, &repository, &fresh, now)?;
                progress.problem = Some(why.clone());
                progress.updated_at = now;
                tx.ledger_mut().put_noun(&progress)
            })
            .await
    }
}

/// Returns the progress of a repository, or a new one if none exists.
pub(super) fn progress_of(
    tx: &dyn ReadTx,
    repository: &Repository,
    fresh: &str,
    now: Timestamp,
) -> Result<HistoryProgress> {
    let known = tx.ledger().noun(&repository.memory, &HistoryProgress::key_of(&repository.id))?;
    Ok(match known {
        Some(known) => known,
        None => HistoryProgress {
            memory: repository.memory.clone(),
            actor: task_namespaces::actor_of(repository)?,
            repository: repository.id.clone(),
            epoch: fresh.to_owned(),
            revision: 0,
            wanted: None,
            shown: None,
            next: None,
            problem: None,
            updated_at: now,
        },
    })
}

/// Returns the reading to continue, or a new one.
fn chosen(
    tx: &mut dyn Tx,
    progress: &mut HistoryProgress,
    tip: ObjectId,
    goes_on: bool,
    fresh: &str,
) -> Result<HistoryReading> {
    let begun = |window: HistoryWindow| HistoryReading {
        id: fresh.to_owned(),
        window,
        tip: None,
        target: tip,
        on_the_way: 0,
        done: 0,
        parts: 0,
        commits: 0,
        is_cut: false,
    };
    if let Some(window) = progress.wanted.take() {
        if let Some(given_up) = progress.next.take() {
            remove_parts(tx, progress, &given_up)?;
        }
        return Ok(put(progress, begun(window)));
    }
    if let Some(next) = progress.next.clone() {
        if goes_on {
            return Ok(next);
        }
        remove_parts(tx, progress, &next)?;
        return Ok(put(progress, begun(next.window)));
    }
    match progress.shown.clone() {
        None => Ok(put(progress, begun(HistoryWindow::default()))),
        Some(shown) if !goes_on => Ok(put(progress, begun(shown.window))),
        Some(mut shown) => {
            if shown.is_done() && shown.target != tip {
                shown = HistoryReading { target: tip, on_the_way: 0, done: 0, ..shown };
                progress.shown = Some(shown.clone());
            }
            Ok(shown)
        }
    }
}

/// Stores a new reading. It is shown at once if no other reading is shown, else when it is
/// complete.
fn put(progress: &mut HistoryProgress, reading: HistoryReading) -> HistoryReading {
    if progress.shown.is_none() {
        progress.shown = Some(reading.clone());
    } else {
        progress.next = Some(reading.clone());
    }
    reading
}

/// Writes a part and the new progress of its reading. `None` if another process continued the
/// reading.
fn write(
    tx: &mut dyn Tx,
    repository: &Repository,
    before: &HistoryReading,
    part: &CommitsPart,
    (all, is_cut): (u32, bool),
    now: Timestamp,
) -> Result<Option<HistoryReading>> {
    let key = HistoryProgress::key_of(&repository.id);
    let Some(mut progress) = tx.ledger().noun::<HistoryProgress>(&repository.memory, &key)? else {
        return Ok(None); // It was forgotten meanwhile.
    };
    let is_next = progress.next.as_ref() == Some(before);
    if !is_next && progress.shown.as_ref() != Some(before) {
        return Ok(None);
    }
    let mut reading = before.clone();
    if !part.commits.is_empty() {
        tx.ledger_mut().put_noun(&HistoryPart {
            memory: repository.memory.clone(),
            actor: progress.actor.clone(),
            repository: repository.id.clone(),
            reading: reading.id.clone(),
            number: reading.parts,
            at: now,
            paths: part.paths.clone(),
            commits: part.commits.clone(),
        })?;
        reading.parts += 1;
        reading.commits =
            reading.commits.saturating_add(u32::try_from(part.commits.len()).unwrap_or(u32::MAX));
    }
    reading.done = reading.done.saturating_add(part.taken);
    reading.on_the_way = all;
    if reading.tip.is_none() {
        reading.is_cut = is_cut;
    }
    if reading.done >= all {
        reading.tip = Some(reading.target);
    }
    if is_next && reading.is_done() {
        if let Some(old) = progress.shown.take() {
            remove_parts(tx, &progress, &old)?;
        }
        progress.next = None;
        progress.shown = Some(reading.clone());
    } else if is_next {
        progress.next = Some(reading.clone());
    } else {
        progress.shown = Some(reading.clone());
    }
    progress.revision += 1;
    progress.problem = None;
    progress.updated_at = now;
    tx.ledger_mut().put_noun(&progress)?;
    Ok(Some(reading))
}

fn remove_parts(tx: &mut dyn Tx, progress: &HistoryProgress, reading: &HistoryReading) -> Result<()> {
    for number in 0..reading.parts {
        let key = HistoryPart::key_of(&progress.repository, &reading.id, number);
        tx.ledger_mut().remove(&progress.memory, &HistoryPart::SHELF, &key)?;
    }
    Ok(())
}

/// Requests reading the history of a repository, if its tip differs from the last tip read and its
/// settings allow the graph.
pub(crate) fn ask_where_unread(
    tx: &mut dyn Tx,
    repository: &Repository,
    tip: &ObjectId,
    id: &JobId,
    now: Timestamp,
) -> Result<()> {
    if repository.settings.tiers.graph == Some(false) {
        return Ok(());
    }
    let key = HistoryProgress::key_of(&repository.id);
    let progress = tx.ledger().noun::<HistoryProgress>(&repository.memory, &key)?;
    let read = progress.as_ref().filter(|one| one.wanted.is_none() && one.next.is_none());
    let read = read.and_then(|progress| progress.shown.as_ref()).and_then(|shown| shown.tip);
    if read.as_ref() == Some(tip) {
        return Ok(());
    }
    ask_for_history(tx, &repository.memory, &repository.id, id, now).map(drop)
}

/// Requests reading the new commits of a repository's history.
pub(super) fn ask_for_history(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    repository: &RepositoryId,
    id: &JobId,
    now: Timestamp,
) -> Result<JobId> {
    let job = NewJob {
        id: id.clone(),
        memory: memory.clone(),
        kind: crate::jobs::co_change::KIND,
        unique_key: format!("{JOB_KEY}{repository}"),
        strategy: None,
        actor: None,
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&job, now)
}
