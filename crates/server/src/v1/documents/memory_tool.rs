//! The memory tool over HTTP. Every well-formed command gets the text for the model, including
//! errors. Another operation returns the documents with which a session begins.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use loci_api::documents::memory_tool as shape;
use loci_api::documents::table as api;
use loci_documents::{MountAsk, TreeAsk};
use loci_engine::document_text::content::etag;
use loci_model::{Error, Namespace, Result};

use crate::doors::Doors;
use crate::v1::protocol::call::{self, Call};
use crate::v1::protocol::table::{Described, SchemaForm, Table};

pub(super) fn operations(table: Table) -> Table {
    let command = Described {
        place: api::MEMORY_TOOL.place,
        request: SchemaForm::json::<shape::MemoryToolCommand>().and_query::<shape::MemoryToolQuery>(),
        answer: SchemaForm::json::<shape::MemoryToolAnswer>(),
    };
    table
        .stream(command, |doors, request| async move { run(doors, request).await })
        .query(api::PROMPT_DOCUMENTS, context)
}

async fn run(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::MemoryToolQuery = call::query(&parts)?;
    let shape::MemoryToolQuery { mount, memory, namespace } = asked;
    let mount = mount_of(&call, mount, memory, namespace).await?;
    let command: shape::MemoryToolCommand = call.json()?;
    let token = call.token()?;
    let done = call.doors.engine.documents.memory_tool(&call.caller, &mount, command.0, token).await?;
    Ok(Json(shape::MemoryToolAnswer { content: done.content, is_error: done.is_error }).into_response())
}

async fn context(call: Call, asked: shape::PromptDocumentsQuery) -> Result<shape::PromptDocuments> {
    let shape::PromptDocumentsQuery { mount, memory, namespace, budget_tokens } = asked;
    let mount = mount_of(&call, mount, memory, namespace).await?;
    let found = call.doors.engine.documents.mount_context(&call.caller, &mount, budget_tokens).await?;
    Ok(shape::PromptDocuments {
        etag: etag(&found.text_sha256),
        text: found.text,
        tokens: found.tokens,
        paths: found.paths,
        omitted: found.omitted,
        files_total: found.files_total,
    })
}

async fn mount_of(
    call: &Call,
    mount: Option<String>,
    memory: Option<String>,
    namespace: Option<String>,
) -> Result<MountAsk> {
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
