//! Who asks: the caller of development mode and of the socket without more, everybody else by a signature for the service `s3`, in headers or in
//! the query.

use std::borrow::Cow;

use http::request::Parts;
use loci_model::principal::Principal;

use super::body;
use super::fault::Fault;
use crate::auth::gate::Peer;
use crate::auth::signed::{SignedRequest, signed_caller};
use crate::auth::sigv4::{Envelope, PathEncoding, VerifiedBody};
use crate::doors::Doors;

const SERVICE: &str = "s3";

/// The caller, and the body as it was meant.
pub(super) async fn caller<'b>(
    doors: &Doors,
    peer: Peer,
    parts: &Parts,
    sent: &'b [u8],
) -> Result<(Principal, VerifiedBody<'b>), Fault> {
    if let Some(caller) = doors.gate.open_caller(peer, &parts.headers).await? {
        return Ok((caller, VerifiedBody { content: Cow::Borrowed(sent), trailers: None }));
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
    Ok(signed_caller(&doors.engine, &request, sent, doors.clock.now()).await?)
}
