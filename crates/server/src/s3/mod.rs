//! The S3 interface: the operations that stock bucket clients need to store memory files and
//! sessions in Loci. Every other S3 request yields 501.
//!
//! | file | idea |
//! |---|---|
//! | `route` | the operation, from method, path and query |
//! | `authentication`, `body`, `checksums` | the caller, and the bytes of the body |
//! | `buckets` | the memory and namespace of a bucket's name |
//! | `objects`, `range` | one key |
//! | `listing`, `delete_objects` | many keys |
//! | `xml`, `fault` | responses and errors in the form of S3 |
//!
//! `loci_documents` (`bucket`) decides what a key stands for and how its bytes are stored.

mod authentication;
mod body;
mod buckets;
mod checksums;
mod delete_objects;
mod fault;
mod listing;
mod objects;
mod range;
mod route;
mod scanners;
mod xml;

use std::borrow::Cow;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use http::HeaderMap;
use loci_documents::bucket::Bucket;
use loci_model::principal::Principal;

pub use buckets::{BucketAlias, S3Options};
pub use scanners::SCANNERS;

use crate::auth::gate::Peer;
use crate::bodies::check_declared;
use crate::doors::Doors;
use crate::operations::observe::{ErrorType, Operation, OwnListener, RequestId};
use fault::S3Fault;
use route::{Action, ObjectRequestLine};

/// A request with a known caller and bucket.
struct Call<'a> {
    doors: &'a Doors,
    caller: Principal,
    bucket: Bucket,
    asked: &'a ObjectRequestLine,
    headers: &'a HeaderMap,
    body: Vec<u8>,
}

/// Returns the routes of buckets alone, at the root.
pub(crate) fn routes_at_root() -> Router<Doors> {
    Router::new().fallback(door)
}

pub(crate) fn routes() -> Router<Doors> {
    Router::new().route("/s3", any(door)).route("/s3/", any(door)).route("/s3/{*path}", any(door))
}

async fn door(State(doors): State<Doors>, request: Request) -> Response {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.to_string()).unwrap_or_default();
    let path = request.uri().path().to_owned();
    let is_head = request.method() == http::Method::HEAD;
    let is_at_root = request.extensions().get::<OwnListener>().is_some();
    let rest = if is_at_root { path.as_str() } else { path.strip_prefix("/s3").unwrap_or(&path) };
    let asked = route::read(request.method(), rest, request.uri().query().unwrap_or_default());
    let operation = asked.as_ref().map_or("NotImplemented", |asked| asked.action.name());
    let outcome = match asked {
        Ok(asked) => served(&doors, &asked, request).await,
        Err(fault) => Err(fault),
    };
    let mut response = match outcome {
        Ok(response) => response,
        Err(fault) => {
            let code = ErrorType(Cow::Borrowed(fault.code));
            let mut response = fault.response(&path, &id, is_head);
            response.extensions_mut().insert(code);
            response
        }
    };
    response.extensions_mut().insert(Operation(Cow::Borrowed(operation)));
    response
}

/// Checks the declared size, then the caller, then the body, then the existence of the bucket, then
/// the rest.
async fn served(doors: &Doors, asked: &ObjectRequestLine, request: Request) -> Result<Response, S3Fault> {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let (parts, body) = request.into_parts();
    let bytes_max = doors.options.body_bytes_max;
    check_declared(&body, bytes_max).map_err(body::unread)?;
    let asker = authentication::asker(doors, peer, &parts).await?;
    let read = doors.bodies.read_as(asker.proof(), body, bytes_max).await.map_err(body::unread)?;
    let (caller, sent) = asker.verified(&read.bytes)?;
    drop(read.unverified);
    let body = body::checked(&parts.headers, sent, bytes_max)?;
    let bucket = buckets::find(doors, &caller, &asked.bucket).await?;
    let call = Call { doors, caller, bucket, asked, headers: &parts.headers, body };
    match asked.action {
        Action::PutObject => objects::put(call).await,
        Action::GetObject | Action::HeadObject => objects::get(call).await,
        Action::DeleteObject => objects::delete(call).await,
        Action::ListObjectsV2 => listing::list(call).await,
        Action::DeleteObjects => delete_objects::delete(call).await,
        Action::HeadBucket => Ok(Response::default()),
        Action::GetBucketLocation => Ok(xml::response(xml::location())),
    }
}
