//! Hydration of a task: the memories it is shown, and those it was shown.

use loci_api::coding::hydration as shape;
use loci_api::coding::table as api;
use loci_coding::exposure_shown;
use loci_coding::hydration::{Estimator, GRAPH, Hydration, HydrationKind};
use loci_coding::prompts::task_prompt::check_times;
use loci_model::{Error, ExposureId, Result, TaskId};

use super::hydration_shape::hydrated;
use super::task_id;
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::asking;

/// A value of `include` for an item among the knowledge.
pub(crate) const THEMES: &str = "self_feedback";
const MARKDOWN: &str = "markdown";
/// The response without the block, because it is already JSON.
const JSON: &str = "json";
const NONE: &str = "none";

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::TASK_HYDRATE, hydrate).plain(api::TASK_EXPLAIN, explain).plain(api::EXPOSURE_GET, show)
}

async fn hydrate(call: Call, asked: shape::TaskHydrate) -> Result<shape::TaskHydrated> {
    of_task(&asking(&call)?, &task_id(&call)?, asked).await
}

/// Returns the hydration of a task.
pub(crate) async fn of_task(
    asking: &AuthenticatedCall<'_>,
    id: &TaskId,
    asked: shape::TaskHydrate,
) -> Result<shape::TaskHydrated> {
    let rendered = render(asked.render.as_deref())?;
    let (asked, warnings) = read(asked)?;
    let mut shown = asking.engine.coding.task_hydrate(asking.caller, &asking.standing, id, asked).await?;
    shown.warnings.extend(warnings);
    Ok(hydrated(shown, rendered))
}

/// Returns the hydration that a task of a repository would get.
pub(crate) async fn of_repository(
    asking: &AuthenticatedCall<'_>,
    repo: &str,
    asked: shape::TaskHydrate,
) -> Result<shape::TaskHydrated> {
    let rendered = render(asked.render.as_deref())?;
    let (asked, warnings) = read(asked)?;
    let mut shown =
        asking.engine.coding.repository_hydrate(asking.caller, &asking.standing, repo, asked).await?;
    shown.warnings.extend(warnings);
    Ok(hydrated(shown, rendered))
}

/// Returns true if a block is requested.
fn render(word: Option<&str>) -> Result<bool> {
    match word {
        None | Some(MARKDOWN) => Ok(true),
        Some(NONE | JSON) => Ok(false),
        Some(_) => Err(Error::invalid("render", "render must be markdown, json or none")),
    }
}

/// Parses the request, and returns its parts that are not implemented.
fn read(asked: shape::TaskHydrate) -> Result<(Hydration, Vec<String>)> {
    let mut warnings = Vec::new();
    let (mut themes, mut graph) = (false, false);
    let include = match asked.include {
        None => None,
        Some(words) => {
            let mut kinds = std::collections::BTreeSet::new();
            for word in &words {
                match HydrationKind::ALL.iter().find(|kind| kind.as_str() == word) {
                    Some(kind) => {
                        kinds.insert(*kind);
                    }
                    None if word == THEMES => themes = true,
                    None if word == GRAPH => graph = true,
                    None => return Err(unknown_kind()),
                }
            }
            Some(kinds)
        }
    };
    check_times(&asked.sources)?;
    if !asked.assemble && !asked.sources.is_empty() {
        warnings.push("SOURCES_UNUSED: sources are read with assemble alone".to_owned());
    }
    let estimator =
        asked.estimator.as_deref().map(|name| Estimator::named(name).ok_or_else(unknown_estimator));
    let hydration = Hydration {
        query: asked.query,
        paths: asked.paths,
        user: asked.user,
        reference: asked.reference,
        commit: asked.commit,
        budget_tokens: asked.budget_tokens,
        estimator: estimator.transpose()?,
        timeout_ms: asked.timeout_ms,
        excluded_docs: asked.exclude_repo_docs_sha,
        include,
        themes,
        graph,
        sources: asked.assemble.then_some(asked.sources),
    };
    Ok((hydration, warnings))
}

fn unknown_kind() -> Error {
    let kinds = HydrationKind::ALL.iter().map(|kind| kind.as_str());
    let words: Vec<&str> = kinds.chain([THEMES, GRAPH]).collect();
    Error::invalid("include", format!("include must be of {}", words.join(", ")))
}

fn unknown_estimator() -> Error {
    let rule = "estimator must be mixed, chars4 or bytes3: vocabularies are not read yet";
    Error::invalid("estimator", rule)
}

async fn explain(call: Call) -> Result<shape::TaskExplained> {
    call.doors.engine.coding.task_explain(&call.caller, &standing(&call)?, &task_id(&call)?).await
}

async fn show(call: Call) -> Result<shape::Exposure> {
    let id = ExposureId::parse(call.path("exposure")?)?;
    let found = call.doors.engine.coding.exposure_get(&call.caller, &standing(&call)?, &id).await?;
    Ok(exposure_shown(found))
}
