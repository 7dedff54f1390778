//! Reflections over episodes, and over the tasks of a repository, started on request.

use loci_api::coding::reflection as shape;
use loci_api::coding::table as api;
use loci_engine::jobs::ReflectionAsk;
use loci_model::{Namespace, Result, StrategyId};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::STRATEGY_REFLECT, reflect).json(api::REPOSITORY_REFLECT, repository_reflect)
}

async fn reflect(call: Call, asked: shape::Reflect) -> Result<shape::ReflectAsked> {
    let strategy = StrategyId::parse(call.path("strategy")?).map_err(|error| error.on("strategy"))?;
    let namespace =
        asked.namespace.map(Namespace::parse).transpose().map_err(|error| error.on("namespace"))?;
    let ask = ReflectionAsk { window: asked.window, namespace };
    let job = call.doors.engine.strategy_reflect(&call.caller, &call.memory().await?, &strategy, ask).await?;
    Ok(shape::ReflectAsked { job: job.to_string() })
}

async fn repository_reflect(
    call: Call,
    ask: shape::RepositoryReflect,
) -> Result<shape::RepositoryReflectAsked> {
    let engine = &call.doors.engine;
    engine.coding.repository_reflect(&call.caller, &standing(&call)?, &repo(&call)?, ask).await
}
