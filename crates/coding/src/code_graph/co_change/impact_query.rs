//! The verb `impact`: the files that a change of a file, a directory or a module may affect. It
//! uses three sources: imports at the tip of the default branch, files that change together, and
//! failed tasks that changed both.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::coding::graph::{ImpactList, ImpactRow, ImportSite, ImportsAbout};
use loci_engine::access::{self, View};
use loci_engine::calls::call_context::CallContext;
use loci_model::facts::repository::Repository;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::outcome::Polarity;
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::{Error, RecordId, Result, TaskId, limits};

use super::graph::FileId;
use super::graph_view::{QueriedFiles, Scene, check, rows};
use super::impact::{AffectedFile, Failed, touched};
use super::measures::Thresholds;
use super::verbs::named;
use crate::Coding;
use crate::code_graph::dependencies::{Basis, Dependent, ImportGraph, Imports, ModuleName};
use crate::hydration::{Candidate, HydrationKind, RequestPaths, outcome_of};

/// The maximum number of tasks that are checked for failure: the newest.
const TASKS_MAX: usize = 100;

/// The subject of an impact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactOf {
    /// Files, directories, patterns.
    Paths(Vec<String>),
    /// All files of a module: a name, a directory, or segments in the notation of a language.
    Module(String),
}

/// The part of the answer that comes from the history.
struct HistoryImpact {
    repository: Repository,
    rows: Vec<ImpactRow>,
    meant: BTreeSet<String>,
}

impl Coding {
    /// Returns the files that a change may affect.
    ///
    /// # Errors
    /// `Invalid`; `REPO_UNKNOWN`; `Denied`.
    pub async fn impact(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        of: ImpactOf,
        (depth, limit): (u32, u32),
    ) -> Result<ImpactList> {
        let most = limits::IMPACT_DEPTH_MAX;
        if !(1..=most).contains(&depth) {
            return Err(Error::invalid("depth", format!("depth must be 1 to {most}")));
        }
        let thresholds = Thresholds::default();
        match &of {
            ImpactOf::Paths(paths) => check(paths, &thresholds).map_err(|error| named(error, "path"))?,
            ImpactOf::Module(module) => {
                check(std::slice::from_ref(module), &thresholds).map_err(|error| named(error, "module"))?;
            }
        }
        let limit = rows(limit)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let asked = of.clone();
        let answer = move |scene: &Scene<'_>| of_history(scene, &asked, depth, &thresholds, &view);
        let (history, (graph, mut warnings)) = self.ask_graph(caller, standing, repo, answer).await?;
        let mut read = None;
        let (mut found, mut meant) = (history.rows, history.meant);
        match self.imports_of(&history.repository, standing).await {
            Ok(imports) => {
                let files = of_imports(&imports, &of, &meant);
                meant.extend(files.iter().map(|file| imports.graph.path(*file).to_owned()));
                found = joined(found, imports.graph.dependents(&files, depth));
                let (commit, files) = (imports.commit.to_string(), imports.graph.file_count());
                read = Some(ImportsAbout { commit, files });
                let left_out = imports.graph.left_out;
                if left_out > 0 {
                    let rule = "files are too large, too many, no text, or of too many names: not all of their \
                                imports are read";
                    warnings.push(format!("IMPORTS_CUT: {left_out} {rule}"));
                }
            }
            Err(error) => warnings.push(format!("IMPORTS_UNREAD: {}", error.detail)),
        }
        if meant.is_empty() {
            let rule = "no file of the history or of the default branch has this path or module";
            warnings.push(format!("PATH_UNKNOWN: {rule}"));
        }
        found.retain(|row| !meant.contains(&row.path));
        found.sort_by(strongest);
        let more = count(found.len().saturating_sub(limit));
        found.truncate(limit);
        for row in &mut found {
            for part in [&mut row.confidence, &mut row.lift, &mut row.certainty] {
                *part = part.map(rounded);
            }
        }
        let files = count(meant.len());
        Ok(ImpactList { rows: found, graph, more, files, imports: read, warnings })
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Returns the files that change with the given ones, and those that failed tasks changed with
/// them.
fn of_history(
    scene: &Scene<'_>,
    of: &ImpactOf,
    depth: u32,
    thresholds: &Thresholds,
    view: &View,
) -> Result<HistoryImpact> {
    let graph = &scene.counted.graph;
    let QueriedFiles { files, beside } = match of {
        ImpactOf::Paths(paths) => graph.meant(paths),
        ImpactOf::Module(module) => graph.of_module(module),
    };
    let failed = failed(scene, &files, view)?;
    let path = |file: FileId| graph.path(file).map(str::to_owned);
    let row = |row: &AffectedFile| {
        let reasons = [
            row.together.is_some().then_some("co_change"),
            (!row.episodes.is_empty()).then_some("failed_episode"),
        ];
        Some(ImpactRow {
            path: path(row.file)?,
            reasons: reasons.into_iter().flatten().map(str::to_owned).collect(),
            distance: row.distance,
            confidence: row.together.map(|together| together.confidence),
            support: row.together.map(|together| together.support),
            lift: row.together.map(|together| together.lift),
            episodes: row.episodes.iter().map(ToString::to_string).collect(),
            ..ImpactRow::default()
        })
    };
    let rows = touched(graph, &files, depth, thresholds, &failed).iter().filter_map(row).collect();
    let meant = files.iter().chain(&beside).filter_map(|file| path(*file)).collect();
    Ok(HistoryImpact { repository: scene.repository.clone(), rows, meant })
}

/// Returns the files of the default branch that a query names: those that the history resolves, and
/// those that match its paths or module.
fn of_imports(imports: &Imports, of: &ImpactOf, known: &BTreeSet<String>) -> BTreeSet<FileId> {
    let graph = &imports.graph;
    let mut files = match of {
        ImpactOf::Paths(paths) => paths.iter().flat_map(|path| at_path(graph, path)).collect(),
        ImpactOf::Module(module) => {
            let module = ModuleName::parse(module);
            let files = graph.matching(|path| module.has(path));
            match module.without_first().filter(|_| files.is_empty()) {
                Some(rest) => graph.matching(|path| rest.has(path)),
                None => files,
            }
        }
    };
    files.extend(known.iter().filter_map(|path| graph.file(path)));
    files
}

/// Returns the file at a path, else the files of a directory or a pattern. Only a pattern is
/// compared with each file.
fn at_path(graph: &ImportGraph, path: &str) -> BTreeSet<FileId> {
    let plain = path.trim().trim_start_matches("./").trim_end_matches('/');
    if let Some(file) = graph.file(plain) {
        return [file].into();
    }
    if plain.contains(['*', '?', '[', '{']) {
        let asked = RequestPaths::new(std::slice::from_ref(&path.to_owned()));
        return graph.matching(|path| !asked.is_empty() && asked.meet(path));
    }
    let directory = format!("{plain}/");
    graph.matching(|path| path.starts_with(&directory))
}

/// Merges the rows of the history with those of imports: a file in both is one row.
fn joined(history: Vec<ImpactRow>, imports: Vec<Dependent>) -> Vec<ImpactRow> {
    let mut rows: BTreeMap<String, ImpactRow> =
        history.into_iter().map(|row| (row.path.clone(), row)).collect();
    for Dependent { path, distance, certainty, sites, site_count } in imports {
        let row =
            rows.entry(path.clone()).or_insert_with(|| ImpactRow { path, distance, ..ImpactRow::default() });
        let is_named = sites.iter().all(|site| site.basis == Basis::Reference);
        row.reasons.insert(0, if is_named { "references" } else { "imports" }.to_owned());
        row.distance = row.distance.min(distance);
        row.certainty = Some(certainty);
        let shown = sites.into_iter().map(|site| ImportSite {
            of: site.of,
            line: site.line,
            by: site.basis.as_str().to_owned(),
        });
        row.sites = shown.collect();
        row.site_count = site_count;
    }
    rows.into_values().collect()
}

/// Orders rows by the strongest reason, the shortest path, the most common changes, and the file's
/// path.
fn strongest(a: &ImpactRow, b: &ImpactRow) -> std::cmp::Ordering {
    let evidence = |row: &ImpactRow| {
        let failed = f64::from(count(row.episodes.len()));
        let of_history = row.confidence.unwrap_or_default().max(failed / (failed + 1.0));
        of_history.max(row.certainty.unwrap_or_default())
    };
    evidence(b)
        .total_cmp(&evidence(a))
        .then_with(|| a.distance.cmp(&b.distance))
        .then_with(|| b.support.cmp(&a.support))
        .then_with(|| a.path.cmp(&b.path))
}

/// Returns the failed tasks that changed some of these files, if the caller may read their
/// episodes.
fn failed(scene: &Scene<'_>, files: &BTreeSet<FileId>, view: &View) -> Result<Vec<Failed>> {
    let graph = &scene.counted.graph;
    let ids: BTreeSet<u32> = files.iter().flat_map(|file| graph.transactions_of(*file)).copied().collect();
    let mut tasks: Vec<(i64, &TaskId, &[FileId])> = ids
        .iter()
        .filter_map(|id| graph.transaction(*id))
        .flat_map(|one| one.tasks.iter().map(|task| (one.at_s, task, one.files.as_slice())))
        .collect();
    tasks.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut found = Vec::new();
    for (_, task, files) in tasks.into_iter().take(TASKS_MAX) {
        let memory = &scene.repository.memory;
        let Some(task) = scene.tx.tasks().get(memory, task)? else { continue };
        if let Some(episode) = failed_episode(scene, &task, view)? {
            found.push(Failed { episode, files: files.iter().copied().collect() });
        }
    }
    Ok(found)
}

/// Returns the episode of a task, if the task failed.
fn failed_episode(scene: &Scene<'_>, task: &Task, view: &View) -> Result<Option<RecordId>> {
    let Some(id) = &task.written.episode else { return Ok(None) };
    let record = scene.tx.records().get(&task.memory, id)?;
    let seen = record.filter(|record| record.state == RecordState::Active && view.admits(record));
    let Some(record) = seen else { return Ok(None) };
    let candidate = Candidate::new(HydrationKind::Episodes, record, 1.0);
    let ended_badly = matches!(task.status, TaskStatus::Failed | TaskStatus::TimedOut);
    let did_not_work = match outcome_of(&candidate).1 {
        Polarity::Negative => true,
        Polarity::Positive => false,
        Polarity::Neutral => ended_badly,
    };
    Ok(did_not_work.then(|| id.clone()))
}
