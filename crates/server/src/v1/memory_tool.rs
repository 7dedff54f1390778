//! The memory tool over HTTP: every command that can be read is answered with what the model reads, its errors included
//! (files-and-git.md §11.1).

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use loci_api::memory_tool as shape;
use loci_engine::files::{MountAsk, TreeAsk};
use loci_model::{Error, Namespace, Result};

use super::call::{self, Call};
use super::table::{Described, Table, post};
use crate::doors::Doors;

pub(super) fn operations(mut table: Table) -> Table {
    let command = Described {
        place: post(
            "/v1/memory-tool",
            "A command of the memory tool on the documents of `mount`, or of `memory` and `namespace`.",
        ),
        request: table.named::<shape::MemoryToolCommand>().and_query::<shape::MemoryToolQuery>(),
        answer: table.named::<shape::MemoryToolAnswer>(),
    };
    table.stream(command, |doors, request| async move { run(doors, request).await })
}

async fn run(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::MemoryToolQuery = call::query(&parts)?;
    let mount = mount(&call, asked).await?;
    let command: shape::MemoryToolCommand = call.json()?;
    let token = call.token()?;
    let done = call.doors.engine.memory_tool(&call.caller, &mount, command.0, token).await?;
    Ok(Json(shape::MemoryToolAnswer { content: done.content, is_error: done.is_error }).into_response())
}

async fn mount(call: &Call, asked: shape::MemoryToolQuery) -> Result<MountAsk> {
    let shape::MemoryToolQuery { mount, memory, namespace } = asked;
    match (mount, memory) {
        (mount, None) if namespace.is_none() => Ok(MountAsk::Named(mount)),
        (None, Some(memory)) => Ok(MountAsk::Tree(TreeAsk {
            memory: call.doors.engine.memory_id(&call.caller, &memory).await?,
            namespace: Namespace::parse(namespace.as_deref().unwrap_or("/"))
                .map_err(|error| error.on("namespace"))?,
        })),
        (Some(_), _) | (None, None) => {
            Err(Error::invalid("mount", "send either mount, or memory and, where it is not /, namespace"))
        }
    }
}
