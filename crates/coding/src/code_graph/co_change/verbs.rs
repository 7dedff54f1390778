//! The verbs of the co-change graph: files that change with a file, files that always change
//! together, missing files. `impact` is in `impact_query`.

use loci_api::coding::graph::{CoChangeList, FileSet, FileSetList, MissingList};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::file_change::HistoryWindow;
use loci_model::{Error, JobId, MemoryId, Result, limits};
use loci_verified::find_repository;

use super::graph::FileId;
use super::graph_view::{CoChange, QueriedFiles, Scene, check, rows};
use super::history_job::{ask_for_history, progress_of};
use super::measures::Thresholds;
use super::missing_files::missing;
use crate::Coding;
use crate::tasks::task_namespaces;

impl Coding {
    /// Returns the files that often change with a file. An unknown file has none.
    ///
    /// # Errors
    /// `Invalid`; `REPO_UNKNOWN`; `Denied`.
    pub async fn co_changes(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        path: &str,
        (thresholds, limit): (Thresholds, u32),
    ) -> Result<CoChangeList> {
        check(std::slice::from_ref(&path.to_owned()), &thresholds).map_err(|error| named(error, "path"))?;
        let (path, rows) = (path.trim().trim_start_matches("./").to_owned(), rows(limit)?);
        let ((pairs, n_a, path), (graph, mut warnings)) = self
            .ask_graph(caller, standing, repo, move |scene| {
                let graph = &scene.counted.graph;
                let file = graph.file(&path);
                let pairs = file.map(|file| graph.often_with(file, &thresholds)).unwrap_or_default();
                let shown = pairs.iter().take(rows).filter_map(|one| graph.shown(file?, one));
                let path = file.and_then(|file| graph.path(file)).unwrap_or(&path).to_owned();
                let pairs: Vec<_> = shown.map(CoChange::told).collect();
                Ok((pairs, file.map_or(0, |file| graph.count_of(file)), path))
            })
            .await?;
        if n_a == 0 {
            let rule = "PATH_UNKNOWN: no change of this path is counted; generated and vendored files and lock files never are";
            warnings.push(rule.to_owned());
        }
        Ok(CoChangeList { n: graph.n, path, n_a, pairs, graph, warnings })
    }

    /// Returns the groups of files that always change together, those with the most changes first.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied`.
    pub async fn always_together(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<FileSetList> {
        let answer = |scene: &Scene<'_>| {
            let graph = &scene.counted.graph;
            let path = |file: &FileId| graph.path(*file).map(str::to_owned);
            let sets = scene.counted.sets();
            let shown = sets.iter().take(limits::RELATED_ROWS_MAX as usize).map(|set| FileSet {
                files: set.files.iter().filter_map(path).collect(),
                support: set.support,
                confidence: rounded(set.confidence),
            });
            Ok(shown.collect())
        };
        let (sets, (graph, warnings)) = self.ask_graph(caller, standing, repo, answer).await?;
        Ok(FileSetList { sets, graph, warnings })
    }

    /// Returns the files that usually change with the given ones and are not among them.
    /// Directories and patterns stand for the files that they match.
    ///
    /// # Errors
    /// `Invalid`; `REPO_UNKNOWN`; `Denied`.
    pub async fn missing_files(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        paths: Vec<String>,
        (thresholds, limit): (Thresholds, u32),
    ) -> Result<MissingList> {
        check(&paths, &thresholds)?;
        let rows = rows(limit)?;
        let answer = move |scene: &Scene<'_>| Ok(absent(scene, &paths, &thresholds, rows));
        let (files, (graph, warnings)) = self.ask_graph(caller, standing, repo, answer).await?;
        Ok(MissingList { files: files.into_iter().map(CoChange::told).collect(), graph, warnings })
    }

    /// Requests reading the history of a repository again, within a window.
    ///
    /// # Errors
    /// `Invalid`; `REPO_UNKNOWN`; `Denied` if the caller may not write all of the repository's
    /// data.
    pub async fn graph_rebuild(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        window: HistoryWindow,
    ) -> Result<(MemoryId, JobId)> {
        let (commits, months) = (limits::HISTORY_COMMITS_MAX, limits::HISTORY_MONTHS_MAX);
        if !(1..=commits).contains(&window.commits_max) {
            return Err(Error::invalid("commits", format!("commits must be 1 to {commits}")));
        }
        if window.months > months {
            return Err(Error::invalid("months", format!("months must be at most {months}; 0: all")));
        }
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        let of = memory.clone();
        let fresh = uuid7(self.engine.ids().as_ref(), now.millis());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let asked = self.engine.store().write(move |tx| {
            existing(tx, &memory)?;
            let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
            task_namespaces::require_all(
                &caller,
                &memory,
                &task_namespaces::actor_of(&repository)?,
                Capability::Write,
            )?;
            let mut progress = progress_of(tx, &repository, &fresh, now)?;
            progress.wanted = Some(window);
            progress.updated_at = now;
            tx.ledger_mut().put_noun(&progress)?;
            ask_for_history(tx, &memory, &repository.id, &job, now)
        });
        let job = asked.await?;
        self.engine.wake().call();
        Ok((of, job))
    }
}

pub(super) fn named(mut error: Error, field: &'static str) -> Error {
    if error.field.as_deref() == Some("paths") {
        error = error.on(field);
    }
    error
}

/// Returns the files that are missing from a change of these paths.
pub(crate) fn absent(
    scene: &Scene<'_>,
    paths: &[String],
    thresholds: &Thresholds,
    rows: usize,
) -> Vec<CoChange> {
    let graph = &scene.counted.graph;
    let QueriedFiles { files, beside } = graph.meant(paths);
    let found = missing(graph, &files, &beside, thresholds);
    found.iter().take(rows).filter_map(|one| graph.shown(one.because, &one.together)).collect()
}

/// Returns the paths of files that often change with one, the highest confidence first.
pub(crate) fn often_beside(scene: &Scene<'_>, path: &str) -> Vec<String> {
    let graph = &scene.counted.graph;
    let Some(file) = graph.file(path) else { return Vec::new() };
    let often = graph.often_with(file, &Thresholds::default());
    often.iter().filter_map(|one| graph.path(one.file).map(str::to_owned)).collect()
}
