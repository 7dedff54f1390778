//! Files that change together: those that change with a file, those that always change together,
//! the reach of a change, and the files missing from it.

use loci_api::coding::graph as shape;
use loci_api::coding::table as api;
use loci_coding::{ImpactOf, Thresholds};
use loci_model::tasks::file_change::HistoryWindow;
use loci_model::{Error, Result};

use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::{asking, repo};

/// The default number of rows.
const ROWS: u32 = 20;
const IMPACT_ROWS: u32 = 50;
/// The default number of steps.
const DEPTH: u32 = 2;
const ALWAYS: &str = "always";

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::CO_CHANGES, co_change)
        .query(api::FILE_SETS, sets)
        .query(api::IMPACT, impact)
        .json(api::MISSING_FILES, missing)
        .json(api::GRAPH_REBUILD, rebuild)
}

async fn co_change(call: Call, asked: shape::CoChangeAsk) -> Result<shape::CoChangeList> {
    let asking = asking(&call)?;
    let wanted = (thresholds(asked.min_support, asked.min_confidence), asked.limit.unwrap_or(ROWS));
    let repo = repo(&call)?;
    asking.engine.coding.co_changes(asking.caller, &asking.standing, &repo, &asked.path, wanted).await
}

async fn sets(call: Call, asked: shape::FileSetListing) -> Result<shape::FileSetList> {
    if asked.mode.as_deref().is_some_and(|mode| mode != ALWAYS) {
        return Err(Error::invalid("mode", "mode must be always"));
    }
    let asking = asking(&call)?;
    let repo = repo(&call)?;
    asking.engine.coding.always_together(asking.caller, &asking.standing, &repo).await
}

async fn impact(call: Call, asked: shape::ImpactAsk) -> Result<shape::ImpactList> {
    let of = match (asked.path, asked.module) {
        (Some(path), None) => ImpactOf::Paths(vec![path]),
        (None, Some(module)) => ImpactOf::Module(module),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("path", "either path or module must be given"));
        }
    };
    let wanted = (asked.depth.unwrap_or(DEPTH), asked.limit.unwrap_or(IMPACT_ROWS));
    let asking = asking(&call)?;
    let repo = repo(&call)?;
    asking.engine.coding.impact(asking.caller, &asking.standing, &repo, of, wanted).await
}

async fn missing(call: Call, asked: shape::MissingAsk) -> Result<shape::MissingList> {
    absent(&asking(&call)?, &repo(&call)?, asked).await
}

/// Returns files that usually change with the given ones.
pub(crate) async fn absent(
    asking: &AuthenticatedCall<'_>,
    repo: &str,
    asked: shape::MissingAsk,
) -> Result<shape::MissingList> {
    let wanted = (thresholds(asked.min_support, asked.min_confidence), asked.limit.unwrap_or(ROWS));
    asking.engine.coding.missing_files(asking.caller, &asking.standing, repo, asked.paths, wanted).await
}

async fn rebuild(call: Call, asked: shape::GraphRebuild) -> Result<shape::GraphRebuildAsked> {
    let usual = HistoryWindow::default();
    let window = HistoryWindow {
        commits_max: asked.commits.unwrap_or(usual.commits_max),
        months: asked.months.unwrap_or(usual.months),
    };
    let asking = asking(&call)?;
    let repo = repo(&call)?;
    let (memory, job) =
        asking.engine.coding.graph_rebuild(asking.caller, &asking.standing, &repo, window).await?;
    Ok(shape::GraphRebuildAsked { job: job.to_string(), memory: memory.to_string() })
}

fn thresholds(support: Option<u32>, confidence: Option<f64>) -> Thresholds {
    let usual = Thresholds::default();
    Thresholds {
        support: support.unwrap_or(usual.support),
        confidence: confidence.unwrap_or(usual.confidence),
    }
}
