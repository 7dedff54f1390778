//! Objects that agents park: the returned bytes equal the stored ones.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use loci_api::documents::object as shape;
use loci_api::documents::table as api;
use loci_documents::NewObject;
use loci_engine::document_text::content::etag;
use loci_model::Result;
use loci_model::trees::parked_object::ObjectHead;

use super::files::with_etag;
use crate::doors::Doors;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::{Described, SchemaForm, Table};

/// The default content type.
const BYTES: &str = "application/octet-stream";

pub(super) fn operations(table: Table) -> Table {
    let put = Described {
        place: api::OBJECT_PUT.place,
        request: SchemaForm::Bytes,
        answer: SchemaForm::json::<shape::ParkedObject>(),
    };
    let read =
        Described { place: api::OBJECT_GET.place, request: SchemaForm::None, answer: SchemaForm::Bytes };
    table
        .query(api::OBJECTS_LIST, list)
        .stream(put, |doors, request| async move { object_put(doors, request).await })
        .stream(read, |doors, request| async move { object_get(doors, request).await })
        .plain(api::OBJECT_DELETE, object_delete)
}

async fn object_put(doors: Doors, request: Request) -> Result<Response> {
    let (call, _) = Call::begin(doors, request).await?;
    let new = NewObject {
        key: call.path("key")?.to_owned(),
        content_type: call.header("content-type")?.map(ToOwned::to_owned),
        content: call.body().to_vec(),
    };
    let head = call.doors.engine.documents.object_put(&call.caller, &call.memory().await?, new).await?;
    let tag = etag(&head.sha256);
    with_etag(Json(shown(head)).into_response(), &tag)
}

async fn object_get(doors: Doors, request: Request) -> Result<Response> {
    let (call, _) = Call::begin(doors, request).await?;
    let found = call
        .doors
        .engine
        .documents
        .object_get(&call.caller, &call.memory().await?, call.path("key")?)
        .await?;
    let tag = etag(&found.head.sha256);
    if call.header("if-none-match")?.is_some_and(|asked| asked == tag) {
        return with_etag(StatusCode::NOT_MODIFIED.into_response(), &tag);
    }
    let kind = found.head.content_type.as_deref().and_then(|kind| HeaderValue::from_str(kind).ok());
    let mut response = found.content.into_response();
    let kind = kind.unwrap_or(HeaderValue::from_static(BYTES));
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    // The object must never act as a page of this server, with any content type.
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response.headers_mut().insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    with_etag(response, &tag)
}

async fn object_delete(call: Call) -> Result<shape::ObjectDeleted> {
    let (memory, key) = (call.memory().await?, call.path("key")?);
    let deleted = call.doors.engine.documents.object_delete(&call.caller, &memory, key).await?;
    Ok(shape::ObjectDeleted { deleted })
}

async fn list(call: Call, asked: shape::ObjectListing) -> Result<shape::ObjectList> {
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let prefix = asked.prefix.unwrap_or_default();
    let page =
        call.doors.engine.documents.objects_list(&call.caller, &call.memory().await?, &prefix, place).await?;
    Ok(shape::ObjectList {
        objects: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

fn shown(head: ObjectHead) -> shape::ParkedObject {
    shape::ParkedObject {
        etag: etag(&head.sha256),
        key: head.key,
        content_type: head.content_type,
        bytes: head.bytes,
        updated_at: head.updated_at.to_rfc3339(),
        expires_at: head.expires_at.to_rfc3339(),
    }
}
