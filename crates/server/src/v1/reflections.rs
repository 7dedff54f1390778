//! Reflections over episodes, asked for by name.

use loci_api::reflection::{Reflect, ReflectAsked};
use loci_engine::jobs::ReflectionAsk;
use loci_model::{Namespace, Result, StrategyId};

use super::call::Call;
use super::table::{Table, post};

pub(super) fn operations(table: Table) -> Table {
    table.json(
        post(
            "/v1/memories/{memory}/strategies/{strategy}/reflect",
            "Ask for a reflection over the newest episodes of a strategy.",
        ),
        reflect,
    )
}

async fn reflect(call: Call, asked: Reflect) -> Result<ReflectAsked> {
    let strategy = StrategyId::parse(call.path("strategy")?).map_err(|error| error.on("strategy"))?;
    let namespace =
        asked.namespace.map(Namespace::parse).transpose().map_err(|error| error.on("namespace"))?;
    let ask = ReflectionAsk { window: asked.window, namespace };
    let job = call.doors.engine.strategy_reflect(&call.caller, &call.memory()?, &strategy, ask).await?;
    Ok(ReflectAsked { job: job.to_string() })
}
