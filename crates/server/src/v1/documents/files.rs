//! Documents by their paths: read and written as JSON or as the file itself, with entity tags and
//! preconditions in HTTP headers.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use loci_api::documents::file as shape;
use loci_api::documents::table as api;
use loci_documents::{
    AppendTo, DocumentAppend, DocumentDelete, DocumentEdit, DocumentMove, DocumentPut, DocumentWritten, Edit,
    Precondition, PutContent, RecordRedact, RedactWhich,
};
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Error, RecordId, Result};
use serde_json::json;

use super::files_shape::{content, document, tree, written};
use crate::doors::Doors;
use crate::v1::protocol::call::{self, Call};
use crate::v1::protocol::table::{Described, SchemaForm, Table};
use crate::v1::protocol::values::flag;

pub(super) fn operations(table: Table) -> Table {
    let read = Described {
        place: api::DOCUMENT_GET.place,
        request: SchemaForm::query::<shape::DocumentAsk>(),
        answer: SchemaForm::json::<shape::FileDocument>(),
    };
    let put = Described {
        place: api::DOCUMENT_PUT.place,
        request: SchemaForm::json::<shape::DocumentPut>().and_query::<shape::DocumentChange>(),
        answer: SchemaForm::json::<shape::DocumentWritten>(),
    };
    let delete = Described {
        place: api::DOCUMENT_DELETE.place,
        request: SchemaForm::query::<shape::DocumentChange>(),
        answer: SchemaForm::json::<shape::DocumentWritten>(),
    };
    table
        .stream(read, |doors, request| async move { document_get(doors, request).await })
        .stream(put, |doors, request| async move { document_put(doors, request).await })
        .stream(delete, |doors, request| async move { document_delete(doors, request).await })
        .json(api::DOCUMENT_ADD, document_add)
        .json(api::DOCUMENT_APPEND, document_append)
        .json(api::DOCUMENT_EDIT, document_edit)
        .json(api::DOCUMENT_MOVE, document_move)
        .json(api::RECORD_REDACT, record_redact)
}

async fn document_get(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::DocumentAsk = call::query(&parts)?;
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let shown = call.doors.engine.documents.document_get(&call.caller, &tree, call.path("path")?).await?;
    let etag = shown.etag();
    // A client that knows the content under an old path must still learn of the new one.
    let is_known = shown.redirected_from.is_none() && call.header("if-none-match")? == Some(etag.as_str());
    if is_known {
        return with_etag(StatusCode::NOT_MODIFIED.into_response(), &etag);
    }
    if flag("raw", asked.raw.as_deref())? {
        let kind = [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")];
        return with_etag((kind, shown.file).into_response(), &etag);
    }
    with_etag(Json(document(shown)).into_response(), &etag)
}

async fn document_put(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::DocumentChange = call::query(&parts)?;
    let is_json = call.header("content-type")?.is_some_and(|kind| kind.starts_with("application/json"));
    let (content, token, reason) = if is_json {
        let put: shape::DocumentPut = call.json()?;
        let reason = put.reason.clone();
        (PutContent::Parts(content(put)), call.token()?, reason)
    } else {
        let text = call.text()?;
        let token = call.token_of(&json!(text))?;
        let is_raw = flag("raw", asked.raw.as_deref())?;
        (if is_raw { PutContent::Raw(text) } else { PutContent::File(text) }, token, None)
    };
    let put = DocumentPut {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        path: Some(call.path("path")?.to_owned()),
        content,
        precondition: precondition(&call, asked.force.as_deref())?,
        reason: asked.reason.or(reason),
    };
    let (engine, if_erased) = (&call.doors.engine, call.if_erased()?);
    let done = engine.documents.document_put_if_erased(&call.caller, put, token, if_erased).await?;
    let is_new = done.operation == Some(DocumentOperation::Created);
    answered(done, if is_new { StatusCode::CREATED } else { StatusCode::OK })
}

async fn document_delete(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::DocumentChange = call::query(&parts)?;
    let delete = DocumentDelete {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        path: call.path("path")?.to_owned(),
        precondition: precondition(&call, asked.force.as_deref())?,
        reason: asked.reason,
    };
    let token = call.token_of(&serde_json::Value::Null)?;
    let done = call.doors.engine.documents.document_delete(&call.caller, delete, token).await?;
    answered(done, StatusCode::OK)
}

fn answered(done: DocumentWritten, status: StatusCode) -> Result<Response> {
    let etag = done.etag();
    let response = (status, Json(written(done))).into_response();
    match etag {
        Some(etag) => with_etag(response, &etag),
        None => Ok(response),
    }
}

/// Returns a response with an entity tag, for private caches only.
pub(super) fn with_etag(mut response: Response, etag: &str) -> Result<Response> {
    let value = HeaderValue::from_str(etag)
        .map_err(|error| Error::bug("an entity tag that cannot stand in a header").caused_by(error))?;
    response.headers_mut().insert(header::ETAG, value);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

fn precondition(call: &Call, force: Option<&str>) -> Result<Option<Precondition>> {
    if flag("force", force)? {
        return Ok(Some(Precondition::Any));
    }
    Precondition::of_headers(call.header("if-match")?, call.header("if-none-match")?)
}

async fn document_add(call: Call, asked: shape::DocumentAdd) -> Result<shape::DocumentWritten> {
    let token = call.token()?;
    let put = DocumentPut {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        path: None,
        content: PutContent::Parts(content(shape::DocumentPut {
            body: asked.body,
            title: asked.title,
            description: asked.description,
            scope: asked.scope,
            ..shape::DocumentPut::default()
        })),
        precondition: None,
        reason: asked.reason,
    };
    call.doors.engine.documents.document_put(&call.caller, put, token).await.map(written)
}

async fn document_append(call: Call, asked: shape::DocumentAppend) -> Result<shape::DocumentWritten> {
    let token = call.token()?;
    let to = match (asked.path, asked.title) {
        (Some(path), None) => AppendTo::Path(path),
        (None, Some(title)) => AppendTo::Title(title),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("path", "send either path or title"));
        }
    };
    let append = DocumentAppend {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        to,
        lines: asked.lines,
        if_absent_create: asked.if_absent_create,
        precondition: asked.if_match.as_deref().map(Precondition::of_tags),
        reason: asked.reason,
    };
    call.doors.engine.documents.document_append(&call.caller, append, token).await.map(written)
}

async fn document_edit(call: Call, asked: shape::DocumentEdit) -> Result<shape::DocumentWritten> {
    let token = call.token()?;
    let edit = DocumentEdit {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        edit: edit_of(&asked)?,
        path: asked.path,
        precondition: asked.if_match.as_deref().map(Precondition::of_tags),
        reason: asked.reason,
    };
    call.doors.engine.documents.document_edit(&call.caller, edit, token).await.map(written)
}

fn edit_of(asked: &shape::DocumentEdit) -> Result<Edit> {
    let need = |name: &'static str, value: &Option<String>| {
        value.clone().ok_or_else(|| Error::invalid(name, format!("{name} is needed for op {}", asked.op)))
    };
    let text = || need("text", &asked.text);
    let heading = || need("heading", &asked.heading);
    Ok(match asked.op.as_str() {
        "append" => Edit::Append { text: text()? },
        "prepend" => Edit::Prepend { text: text()? },
        "replace" => {
            Edit::Replace { old: need("old", &asked.old)?, new: asked.new.clone().unwrap_or_default() }
        }
        "insert" => {
            let missing = || Error::invalid("line", "line is needed for op insert");
            let line = usize::try_from(asked.line.ok_or_else(missing)?).unwrap_or(usize::MAX);
            Edit::Insert { line, text: text()? }
        }
        "replace_section" => Edit::ReplaceSection { heading: heading()?, text: text()? },
        "insert_before_section" => Edit::InsertBefore { heading: heading()?, text: text()? },
        "insert_after_section" => Edit::InsertAfter { heading: heading()?, text: text()? },
        _ => {
            let rule = "op must be append, prepend, replace, insert, replace_section, insert_before_section or \
                        insert_after_section";
            return Err(Error::invalid("op", rule));
        }
    })
}

async fn document_move(call: Call, asked: shape::DocumentMove) -> Result<shape::DocumentWritten> {
    let token = call.token()?;
    let moved = DocumentMove {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        from: asked.from,
        to: asked.to,
        precondition: asked.if_match.as_deref().map(Precondition::of_tags),
        reason: asked.reason,
    };
    call.doors.engine.documents.document_move(&call.caller, moved, token).await.map(written)
}

async fn record_redact(call: Call, asked: shape::RedactionAsk) -> Result<shape::Redaction> {
    let which = match asked.matching {
        Some(text) if asked.versions.is_empty() => RedactWhich::Match(text),
        None => RedactWhich::Versions(asked.versions),
        Some(_) => return Err(Error::invalid("match", "send either versions or match")),
    };
    let redact = RecordRedact {
        memory: call.memory().await?,
        record: RecordId::parse(asked.record).map_err(|error| error.on("record"))?,
        which,
        reason: asked.reason,
    };
    call.doors.engine.documents.record_redact(&call.caller, redact).await
}
