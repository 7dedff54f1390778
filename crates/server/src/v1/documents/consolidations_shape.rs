//! Consolidation runs in the shapes of the native API.

use loci_api::documents::consolidation as shape;
use loci_documents::TreeAsk;
use loci_documents::upkeep::{ConsolidationAsk, ConsolidationRun, PlannerChoice, RunLimits, RunScope};
use loci_engine::consolidation::plan::Operation;
use loci_model::trees::consolidation_run::RunStatus;
use loci_model::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses the request.
pub(super) fn asked(tree: TreeAsk, start: shape::ConsolidationStart) -> Result<ConsolidationAsk> {
    let operations = match start.operations {
        Some(words) => Some(words.iter().map(|word| operation(word)).collect::<Result<Vec<_>>>()?),
        None => None,
    };
    let planner = match start.planner.as_deref() {
        None | Some("auto") => PlannerChoice::Auto,
        Some("deterministic") => PlannerChoice::Deterministic,
        Some("llm") => PlannerChoice::Llm,
        Some(_) => return Err(Error::invalid("planner", "planner must be auto, deterministic or llm")),
    };
    Ok(ConsolidationAsk {
        tree,
        operations,
        scope: scope(start.scope)?,
        planner,
        dry_run: start.dry_run.unwrap_or(true),
        instructions: start.instructions,
        limits: limits(start.limits.unwrap_or_default()),
    })
}

fn operation(name: &str) -> Result<Operation> {
    worded::<Operation>(name).ok_or_else(|| {
        let rule =
            "operations must be of resolve_contradictions, deduplicate, derive_insights, reorganize, prune";
        Error::invalid("operations", rule)
    })
}

fn scope(scope: Option<shape::ConsolidationScope>) -> Result<RunScope> {
    let Some(shape::ConsolidationScope { kind, paths }) = scope else { return Ok(RunScope::default()) };
    match kind.as_str() {
        "paths" => Ok(RunScope::Paths(paths)),
        "since_last" | "all" if !paths.is_empty() => {
            Err(Error::invalid("scope.paths", "scope.paths belong to kind paths: leave them out"))
        }
        "since_last" => Ok(RunScope::SinceLast),
        "all" => Ok(RunScope::All),
        _ => Err(Error::invalid("scope.kind", "scope.kind must be since_last, all or paths")),
    }
}

fn limits(asked: shape::ConsolidationLimits) -> RunLimits {
    let usual = RunLimits::default();
    RunLimits {
        max_files: asked.max_files.unwrap_or(usual.max_files),
        max_input_bytes: asked.max_input_bytes.unwrap_or(usual.max_input_bytes),
        max_actions: asked.max_actions.unwrap_or(usual.max_actions),
        max_directories: asked.max_directories.unwrap_or(usual.max_directories),
        max_turns: asked.max_turns.unwrap_or(usual.max_turns),
        max_tokens: asked.max_tokens.or(usual.max_tokens),
        timeout_ms: asked.timeout_ms.or(usual.timeout_ms),
        cluster: asked.cluster.unwrap_or(usual.cluster),
    }
}

/// Parses the status of runs.
pub(super) fn status(word: &str) -> Result<RunStatus> {
    RunStatus::parse(word).ok_or_else(|| {
        let words: Vec<&str> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
        Error::invalid("status", format!("status must be one of {}", words.join(", ")))
    })
}

/// Returns a run.
pub(super) fn run(
    run: ConsolidationRun,
    differences: Vec<shape::ConsolidationDifference>,
) -> Result<shape::ConsolidationRun> {
    let (kind, paths) = match run.scope {
        RunScope::SinceLast => ("since_last", Vec::new()),
        RunScope::All => ("all", Vec::new()),
        RunScope::Paths(paths) => ("paths", paths),
    };
    let mut plan = Vec::with_capacity(run.actions.len());
    for one in run.actions {
        plan.push(shape::ConsolidationAction {
            id: one.id,
            status: one.status.as_str().to_owned(),
            operation: word(&one.operation)?,
            reason: one.action.reason().to_owned(),
            action: value(&one.action)?,
            held: one.held,
        });
    }
    let reviews = run.reviews.into_iter();
    let reviews = reviews.map(|one| shape::ConsolidationReview { reason: one.reason, paths: one.paths });
    Ok(shape::ConsolidationRun {
        id: run.id,
        namespace: run.namespace,
        status: run.status.as_str().to_owned(),
        operations: run.operations.iter().map(word).collect::<Result<_>>()?,
        scope: shape::ConsolidationScope { kind: kind.to_owned(), paths },
        planner: run.planner,
        dry_run: run.dry_run,
        plan,
        reviews: reviews.collect(),
        violations: run.violations,
        summary: run.summary,
        report: run.report,
        usage: run.usage,
        replans: run.replans,
        conflicts: run.conflicts,
        differences,
        reverts: run.reverts,
        reverted_by: run.reverted_by,
        failure: run.failure,
        by: run.by,
        created_at: run.created_at.to_rfc3339(),
        updated_at: run.updated_at.to_rfc3339(),
    })
}

/// Parses a value of a closed list.
fn worded<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_owned())).ok()
}

fn word<T: Serialize>(one: &T) -> Result<String> {
    Ok(value(one)?.as_str().unwrap_or_default().to_owned())
}

fn value<T: Serialize>(one: &T) -> Result<Value> {
    serde_json::to_value(one).map_err(|error| Error::bug("an action cannot be shown").caused_by(error))
}
