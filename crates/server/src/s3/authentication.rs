//! Authentication of requests: the caller of development mode and of the socket needs no
//! credentials, all others need a signature for the service `s3`, in headers or in the query.

use http::request::Parts;

use super::body;
use super::fault::S3Fault;
use crate::auth::gate::Peer;
use crate::auth::signed_request::{RequestCaller, SignedRequest, signed_head};
use crate::auth::sigv4::{Envelope, PathEncoding};
use crate::doors::Doors;

const SERVICE: &str = "s3";

/// Checks the head of a request.
pub(super) async fn asker<'a>(
    doors: &Doors,
    peer: Peer,
    parts: &'a Parts,
) -> Result<RequestCaller<'a>, S3Fault> {
    if let Some(caller) = doors.gate.open_caller(peer, &parts.headers).await? {
        return Ok(RequestCaller::Open(caller));
    }
    let request = SignedRequest {
        envelope: Envelope {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            headers: &parts.headers,
        },
        service: SERVICE,
        path: PathEncoding::Once,
        presigned: true,
        unsigned_payload: true,
        body_bytes_max: body::decoded_max(doors.options.body_bytes_max),
    };
    Ok(RequestCaller::Signed(signed_head(&doors.engine, &request, doors.clock.now()).await?))
}
