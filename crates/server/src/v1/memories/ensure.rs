//! Ensures that a memory exists: 201 if it was created.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use loci_api::memory::ensure as shape;
use loci_api::table as api;
use loci_engine::memories::profiles::MemoryEnsure;
use loci_model::Result;

use super::strategies::new_strategy;
use crate::doors::Doors;
use crate::v1::protocol::call::{self, Call};
use crate::v1::protocol::table::{Described, SchemaForm, Table};
use crate::v1::protocol::values::flag;

pub(in crate::v1) fn operations(table: Table) -> Table {
    let ensure = Described {
        place: api::MEMORY_ENSURE.place,
        request: SchemaForm::json::<shape::MemoryEnsure>().and_query::<shape::MemoryEnsureQuery>(),
        answer: SchemaForm::json::<shape::MemoryEnsured>(),
    };
    table.stream(ensure, |doors, request| async move { memory_ensure(doors, request).await })
}

async fn memory_ensure(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let how: shape::MemoryEnsureQuery = call::query(&parts)?;
    let asked: shape::MemoryEnsure = call.json()?;
    let ensure = MemoryEnsure {
        name: call.path("memory")?.to_owned(),
        description: asked.description,
        profile: asked.profile,
        strategies: asked.strategies.into_iter().map(new_strategy).collect::<Result<_>>()?,
        update: flag("update", how.update.as_deref())?,
    };
    let done = call.doors.engine.memory_ensure(&call.caller, ensure).await?;
    // A strategy is active as soon as it is stored.
    let standing =
        |name: &str| shape::StrategyStanding { name: name.to_owned(), status: "ACTIVE".to_owned() };
    let shown = shape::MemoryEnsured {
        memory_id: done.memory.id.to_string(),
        created: done.created,
        added: done.added,
        strategies: done.memory.strategies.iter().map(|one| standing(&one.name)).collect(),
        warnings: done.warnings,
    };
    let status = if done.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(shown)).into_response())
}
