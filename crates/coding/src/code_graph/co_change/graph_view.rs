//! Queries on a repository's graph: the access check, the progress of the history, and the rows of
//! an answer. The counting is in `graph` and `measures`.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_api::coding::graph::{self as shape, GraphAbout};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::file_change::HistoryProgress;
use loci_model::{Error, Result, Timestamp, limits};
use loci_verified::find_repository;

use super::graph::{FileId, Graph};
use super::graph_cache::CountedGraph;
use super::measures::{Measure, Thresholds};
use crate::Coding;
use crate::code_graph::dependencies::ModuleName;
use crate::hydration::RequestPaths;
use crate::tasks::task_namespaces;

/// The maximum number of files that stand for a directory or a pattern: those with the most
/// changes.
const MATCHED_MAX: usize = 100;
/// The prefix of a task's id in a list of samples.
const TASK: &str = "task:";

/// A file that changes with another one.
#[derive(Debug, Clone, PartialEq)]
pub struct CoChange {
    /// The path of the file that changes with another file.
    pub path: String,
    /// The file that it changes with.
    pub because: String,
    /// The number of changes that contain both files.
    pub support: u32,
    /// The share of the other file's changes that contain this file, 0 to 1.
    pub confidence: f64,
    /// The share of this file's changes that contain the other file, 0 to 1.
    pub reverse_confidence: f64,
    /// The ratio of the common changes to the number expected by chance.
    pub lift: f64,
    /// The time of the newest common change.
    pub last_seen: Option<Timestamp>,
    /// The newest common changes: commits, and tasks as `task:<id>`.
    pub samples: Vec<String>,
}

impl CoChange {
    /// Returns the pair as the native API shows it.
    pub(super) fn told(self) -> shape::CoChange {
        shape::CoChange {
            path: self.path,
            because: self.because,
            support: self.support,
            confidence: rounded(self.confidence),
            reverse_confidence: rounded(self.reverse_confidence),
            lift: rounded(self.lift),
            last_seen: self.last_seen.map(Timestamp::to_rfc3339),
            samples: self.samples,
        }
    }
}

/// The source of the counts of a graph, and warnings.
pub(super) type About = (GraphAbout, Vec<String>);

/// The data that answers a query.
pub(crate) struct Scene<'a> {
    pub(super) tx: &'a dyn ReadTx,
    pub(super) repository: &'a Repository,
    pub(super) counted: &'a CountedGraph,
}

impl Coding {
    /// Answers a query from the graph of a repository.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller may not read all of the repository's data: the graph
    /// counts the changes of all tasks.
    pub(super) async fn ask_graph<T: Send + 'static>(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        answer: impl Fn(&Scene<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<(T, About)> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        let coding = self.clone();
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                coding.ask_graph_of(tx, &caller, &repository, &answer)
            })
            .await
    }

    /// Answers a query like `ask_graph`, for a repository that the caller has already resolved.
    ///
    /// # Errors
    /// `Denied` under the conditions of `ask_graph`.
    pub(crate) fn ask_graph_of<T>(
        &self,
        tx: &dyn ReadTx,
        caller: &Principal,
        repository: &Repository,
        answer: &dyn Fn(&Scene<'_>) -> Result<T>,
    ) -> Result<(T, About)> {
        let actor = task_namespaces::actor_of(repository)?;
        task_namespaces::require_all(caller, &repository.memory, &actor, Capability::Read)?;
        let key = HistoryProgress::key_of(&repository.id);
        let progress = tx.ledger().noun::<HistoryProgress>(&repository.memory, &key)?;
        let counted = match &progress {
            Some(progress) => {
                let excluded = &self.parts.settings.graph_excluded;
                self.parts.graphs.caught_up(tx, repository, progress, excluded)?
            }
            None => Arc::default(),
        };
        let about = about(repository, progress.as_ref(), &counted.graph);
        let answered = answer(&Scene { tx, repository, counted: &counted })?;
        Ok((answered, about))
    }
}

fn about(repository: &Repository, progress: Option<&HistoryProgress>, graph: &Graph) -> About {
    let shown = progress.and_then(|progress| progress.shown.as_ref());
    let next = progress.and_then(|progress| progress.next.as_ref());
    let under_way = next.or(shown).filter(|reading| !reading.is_done());
    let mut warnings = Vec::new();
    let problem = progress.and_then(|progress| progress.problem.as_deref());
    if let Some(problem) = problem {
        warnings.push(format!("HISTORY_UNREAD: {problem}"));
    } else if under_way.is_some() {
        warnings.push("HISTORY_INCOMPLETE: the history is still being read".to_owned());
    } else if shown.is_none() {
        let how = "loci graph build, or wait until it is read in the background";
        warnings
            .push(format!("HISTORY_UNREAD: the history was not read yet, tasks alone are counted: {how}"));
    }
    if repository.settings.tiers.graph == Some(false) {
        let rule = "tiers.graph is off for this repository: its history is read when it is asked for alone";
        warnings.push(format!("TIER_OFF: {rule}"));
    }
    let history = match (shown, under_way) {
        (None, _) => "none",
        (Some(_), Some(_)) => "reading",
        (Some(_), None) => "read",
    };
    let about = GraphAbout {
        n: graph.count(),
        history: history.to_owned(),
        tip: shown.and_then(|shown| shown.tip).map(|tip| tip.to_string()),
        commits: shown.map_or(0, |shown| shown.commits),
        remaining: under_way.map_or(0, |reading| reading.on_the_way.saturating_sub(reading.done)),
        is_cut: shown.is_some_and(|shown| shown.is_cut),
    };
    (about, warnings)
}

impl Graph {
    /// Returns the row of a pair.
    pub(super) fn shown(&self, because: FileId, one: &Measure) -> Option<CoChange> {
        let newest = self.newest_of_both(because, one.file);
        let at_s = newest.first().and_then(|id| self.transaction(*id)).map(|newest| newest.at_s);
        let label = |id: &u32| {
            let transaction = self.transaction(*id)?;
            let task = || transaction.tasks.last().map(|task| format!("{TASK}{task}"));
            transaction.commit.map(|commit| commit.to_string()).or_else(task)
        };
        Some(CoChange {
            path: self.path(one.file)?.to_owned(),
            because: self.path(because)?.to_owned(),
            support: one.support,
            confidence: one.confidence,
            reverse_confidence: one.reverse_confidence,
            lift: one.lift,
            last_seen: at_s.map(|at_s| Timestamp::clamped(at_s.saturating_mul(1_000))),
            samples: newest.iter().filter_map(label).collect(),
        })
    }

    /// Resolves paths, directories and patterns to files. `files` holds the files themselves, and
    /// for each directory or pattern the files that change most; `beside` holds the rest of the
    /// matches.
    pub(super) fn meant(&self, paths: &[String]) -> QueriedFiles {
        let mut meant = QueriedFiles::default();
        let mut wide = Vec::new();
        for path in paths {
            match self.file(path.trim().trim_start_matches("./")) {
                Some(file) => {
                    meant.files.insert(file);
                }
                None => wide.push(path.clone()),
            }
        }
        let asked = RequestPaths::new(&wide);
        if !asked.is_empty() {
            self.widen(&mut meant, |path| asked.meet(path));
        }
        meant
    }

    /// Returns the files of a module. If there are none, the first segment of the name is dropped.
    pub(super) fn of_module(&self, module: &str) -> QueriedFiles {
        let module = ModuleName::parse(module);
        let mut meant = QueriedFiles::default();
        self.widen(&mut meant, |path| module.has(path));
        if let Some(rest) = module.without_first().filter(|_| meant.files.is_empty()) {
            self.widen(&mut meant, |path| rest.has(path));
        }
        meant
    }

    fn widen(&self, meant: &mut QueriedFiles, fits: impl Fn(&str) -> bool) {
        let mut matched: Vec<(FileId, &str)> = self.files().filter(|(_, path)| fits(path)).collect();
        meant.beside.extend(matched.iter().map(|(file, _)| *file));
        matched.sort_by(|a, b| self.count_of(b.0).cmp(&self.count_of(a.0)).then_with(|| a.1.cmp(b.1)));
        meant.files.extend(matched.into_iter().take(MATCHED_MAX).map(|(file, _)| file));
    }
}

/// The files that a query is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct QueriedFiles {
    /// The files that the query examines.
    pub(super) files: BTreeSet<FileId>,
    /// Further files that the query names and does not examine.
    pub(super) beside: BTreeSet<FileId>,
}

/// Checks the paths and thresholds of a query.
pub(super) fn check(paths: &[String], thresholds: &Thresholds) -> Result<()> {
    let most = limits::RELATED_PATHS_MAX;
    if paths.is_empty() || paths.len() > most {
        return Err(Error::invalid("paths", format!("paths must have 1 to {most} items")));
    }
    let bytes = limits::CODE_PATH_BYTES_MAX;
    if paths.iter().any(|path| path.trim().is_empty() || path.len() > bytes) {
        return Err(Error::invalid("paths", format!("a path must have 1 to {bytes} bytes")));
    }
    if thresholds.support == 0 {
        return Err(Error::invalid("min_support", "min_support must be at least 1"));
    }
    if !(0.0..=1.0).contains(&thresholds.confidence) {
        return Err(Error::invalid("min_confidence", "min_confidence must be a number from 0 to 1"));
    }
    Ok(())
}

/// Returns the number of rows of an answer.
pub(super) fn rows(limit: u32) -> Result<usize> {
    let most = limits::RELATED_ROWS_MAX;
    if !(1..=most).contains(&limit) {
        return Err(Error::invalid("limit", format!("limit must be 1 to {most}")));
    }
    Ok(limit as usize)
}
