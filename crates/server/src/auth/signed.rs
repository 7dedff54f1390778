//! The caller of a request signed by AWS's method: the key looked up, the signature verified. Who needs no credentials is
//! decided before; bearer tokens are another file's. Spec: agentcore-wire §1.2.

use loci_engine::Engine;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, ErrorKind, Timestamp};

use super::sigv4::{Claim, Envelope, PathEncoding, Rules, SignatureError, VerifiedBody};

/// The service both planes of the wire are signed for.
pub const SIGNING_NAME: &str = "bedrock-agentcore";

/// The head of a request, and how its service signs.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// The signed part.
    pub envelope: Envelope<'a>,
    /// The service in the credential scope.
    pub service: &'a str,
    /// How the service's clients encode paths.
    pub path: PathEncoding,
    /// Whether the signature may be in the query.
    pub presigned: bool,
    /// Whether bodies may be left unsigned.
    pub unsigned_payload: bool,
    /// Bytes a chunked body may decode to.
    pub body_bytes_max: usize,
}

/// Who calls, and the body they sent, decoded if it came in chunks.
///
/// # Errors
/// `Unauthenticated` for every failure of key or signature; what the key store itself says if it fails.
pub async fn signed_caller<'b>(
    engine: &Engine,
    request: &SignedRequest<'_>,
    body: &'b [u8],
    now: Timestamp,
) -> Result<(Principal, VerifiedBody<'b>), Error> {
    let rules = Rules {
        service: request.service,
        now_unix_s: now.millis() / 1000,
        path: request.path,
        presigned: request.presigned,
        unsigned_payload: request.unsigned_payload,
        body_bytes_max: request.body_bytes_max,
    };
    let claim = Claim::read(&request.envelope, &rules).map_err(refused)?;
    let unknown = || Error::new(ErrorKind::Unauthenticated, "The access key id is not known to this server");
    let key = AccessKeyId::parse(claim.access_key_id()).map_err(|_| unknown())?;
    let (principal, secret) = engine.pair_lookup(&key).await?.ok_or_else(unknown)?;
    let body = claim.verify(&request.envelope, &rules, secret.expose(), body).map_err(refused)?;
    Ok((principal, body))
}

fn refused(error: SignatureError) -> Error {
    Error::new(ErrorKind::Unauthenticated, error.to_string()).caused_by(error)
}
