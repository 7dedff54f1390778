//! One key: write, read, head, delete.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use loci_documents::bucket::{BucketContent, BucketPut};
use loci_documents::{NewObject, Precondition};
use loci_model::Timestamp;

use super::body::{refuse_encoded, text};
use super::fault::S3Fault;
use super::route::Action;
use super::{Call, range};

/// The default content type.
const BYTES: &str = "binary/octet-stream";
/// Headers with data that is not stored. Ignoring them would lose it.
const NOT_KEPT: [&str; 11] = [
    "content-disposition",
    "content-language",
    "expires",
    "x-amz-meta-",
    "x-amz-copy-source",
    "x-amz-tagging",
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-website-redirect-location",
    "x-amz-grant-",
    "x-amz-write-offset-bytes",
];

pub(super) async fn put(call: Call<'_>) -> Result<Response, S3Fault> {
    let names = call.headers.keys().map(http::HeaderName::as_str);
    if let Some(name) = names.into_iter().find(|name| NOT_KEPT.iter().any(|not| name.starts_with(not))) {
        return Err(S3Fault::not_implemented(&format!("PutObject with the header {name} is not answered")));
    }
    refuse_encoded(call.headers)?;
    let options = &call.doors.options.s3;
    let put = BucketPut {
        bucket: call.bucket.clone(),
        object: NewObject {
            key: call.asked.key.clone(),
            content_type: text(call.headers, "content-type")?.map(ToOwned::to_owned),
            content: call.body,
        },
        precondition: precondition(call.headers)?,
        merge_appends: options.merge_appends,
        object_ttl_ms: options.object_ttl_ms,
    };
    let written = call.doors.engine.documents.bucket_put(&call.caller, put).await?;
    for warning in &written.warnings {
        tracing::warn!(warning, "written under a key of a bucket");
    }
    let mut response = Response::default();
    tag(response.headers_mut(), &written.sha256)?;
    Ok(response)
}

pub(super) async fn get(call: Call<'_>) -> Result<Response, S3Fault> {
    let (asked, headers) = (call.asked, call.headers);
    let found = call.doors.engine.documents.bucket_get(&call.caller, &call.bucket, &asked.key).await?;
    let found = found.ok_or_else(|| S3Fault::no_such_key(&asked.key))?;
    let holds = |tags: &str| matches(tags, &found.sha256);
    if text(headers, "if-match")?.is_some_and(|tags| !holds(tags)) {
        return Err(S3Fault::precondition_failed("the object under the key has another ETag"));
    }
    if text(headers, "if-none-match")?.is_some_and(holds) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        tag(response.headers_mut(), &found.sha256)?;
        return Ok(response);
    }
    let bytes = found.content.len();
    let range = if is_as_known(headers, &found)? { text(headers, "range")? } else { None };
    let wanted = range::read(range, bytes).map_err(|()| {
        let rule = format!("nothing of the {bytes} bytes lies in the range");
        S3Fault {
            bytes: Some(bytes),
            ..S3Fault::new(StatusCode::RANGE_NOT_SATISFIABLE, "InvalidRange", rule)
        }
    })?;
    let content = match &wanted {
        Some(range) => found.content.get(range.clone()).unwrap_or_default().to_vec(),
        None => found.content.clone(),
    };
    let mut response = Response::default();
    described(response.headers_mut(), &found, content.len())?;
    if let Some(range) = wanted {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let last = range.end.saturating_sub(1);
        insert(
            response.headers_mut(),
            header::CONTENT_RANGE,
            &format!("bytes {}-{last}/{bytes}", range.start),
        )?;
    }
    if asked.action == Action::GetObject {
        *response.body_mut() = Body::from(content);
    }
    Ok(response)
}

/// Returns true if a range may be returned: without `If-Range`, or if the object is the one of
/// which the client has a part (a strong tag, or the exact time, as in RFC 9110). Otherwise the
/// whole object is returned.
fn is_as_known(headers: &HeaderMap, found: &BucketContent) -> Result<bool, S3Fault> {
    Ok(match text(headers, "if-range")? {
        None => true,
        Some(weak) if weak.starts_with("W/") => false,
        Some(tag) if tag.starts_with('"') => tag == super::xml::etag(&found.sha256),
        Some(date) => date == http_date(found.updated_at),
    })
}

pub(super) async fn delete(call: Call<'_>) -> Result<Response, S3Fault> {
    let condition = precondition(call.headers)?;
    call.doors.engine.documents.bucket_delete(&call.caller, &call.bucket, &call.asked.key, condition).await?;
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

fn precondition(headers: &HeaderMap) -> Result<Option<Precondition>, S3Fault> {
    let (if_match, if_none_match) = (text(headers, "if-match")?, text(headers, "if-none-match")?);
    Ok(Precondition::of_headers(if_match, if_none_match)?)
}

fn matches(tags: &str, sha256: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
    tags.split(',').map(bare).any(|tag| tag == "*" || tag.strip_prefix("sha256:") == Some(sha256))
}

fn described(headers: &mut HeaderMap, found: &BucketContent, bytes: usize) -> Result<(), S3Fault> {
    let kind = found.content_type.as_deref().and_then(|kind| HeaderValue::from_str(kind).ok());
    headers.insert(header::CONTENT_TYPE, kind.unwrap_or(HeaderValue::from_static(BYTES)));
    // The object must never act as a page of this server, with any content type.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    insert(headers, header::LAST_MODIFIED, &http_date(found.updated_at))?;
    tag(headers, &found.sha256)
}

fn http_date(at: Timestamp) -> String {
    at.civil().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn tag(headers: &mut HeaderMap, sha256: &str) -> Result<(), S3Fault> {
    insert(headers, header::ETAG, &super::xml::etag(sha256))
}

fn insert(headers: &mut HeaderMap, name: http::HeaderName, value: &str) -> Result<(), S3Fault> {
    let value = HeaderValue::from_str(value).map_err(|_| {
        S3Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", "a header has no text")
    })?;
    headers.insert(name, value);
    Ok(())
}
