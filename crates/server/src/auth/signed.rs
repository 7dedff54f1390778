//! The caller of a request signed by AWS's method: the key looked up, the signature verified, or the mode in which nobody
//! asks. Used by the doors that speak AWS's language; bearer tokens are another file's. Spec: agentcore-wire §1.2.

use std::borrow::Cow;

use loci_engine::Engine;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, ErrorKind, Timestamp};

use super::sigv4::{Claim, Envelope, PathEncoding, Rules, SignatureError};

/// The service both planes of the wire are signed for.
pub const SIGNING_NAME: &str = "bedrock-agentcore";
/// In open mode, the name by which a caller goes.
const USER_HEADER: &str = "x-loci-user";
/// Characters of a name given by that header.
const USER_CHARS_MAX: usize = 128;

/// Whether credentials are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessMode {
    /// Any or no credentials: everyone is this principal, under the name of `X-Loci-User` if given. For loopback only.
    Open(Principal),
    /// A valid signature of a known key. `unsigned`: who callers without any signature are, if they are served at all.
    Verified {
        /// The principal of unsigned requests.
        unsigned: Option<Principal>,
    },
}

/// The head of a request, and how its service signs.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// The signed part.
    pub envelope: Envelope<'a>,
    /// The service in the credential scope.
    pub service: &'a str,
    /// How the service's clients encode paths.
    pub path: PathEncoding,
    /// Whether bodies may be left unsigned.
    pub unsigned_payload: bool,
    /// Bytes a chunked body may decode to.
    pub body_bytes_max: usize,
}

/// Who calls, and the body they sent.
///
/// # Errors
/// `Unauthenticated` for every failure of key or signature; what the key store itself says if it fails.
pub async fn signed_caller<'b>(
    engine: &Engine,
    mode: &AccessMode,
    request: &SignedRequest<'_>,
    body: &'b [u8],
    now: Timestamp,
) -> Result<(Principal, Cow<'b, [u8]>), Error> {
    let unsigned = match mode {
        AccessMode::Open(principal) => {
            return Ok((named(principal, request), Cow::Borrowed(body)));
        }
        AccessMode::Verified { unsigned } => unsigned,
    };
    let rules = Rules {
        service: request.service,
        now_unix_s: now.millis() / 1000,
        path: request.path,
        unsigned_payload: request.unsigned_payload,
        body_bytes_max: request.body_bytes_max,
    };
    let claim = match (Claim::read(&request.envelope, &rules), unsigned) {
        (Err(SignatureError::Absent), Some(principal)) => {
            return Ok((principal.clone(), Cow::Borrowed(body)));
        }
        (Err(error), _) => return Err(refused(error)),
        (Ok(claim), _) => claim,
    };
    let unknown = || Error::new(ErrorKind::Unauthenticated, "The access key id is not known to this server");
    let key = AccessKeyId::parse(claim.access_key_id()).map_err(|_| unknown())?;
    let (principal, secret) = engine.pair_lookup(&key).await?.ok_or_else(unknown)?;
    let body = claim.verify(&request.envelope, &rules, secret.expose(), body).map_err(refused)?;
    Ok((principal, body))
}

fn refused(error: SignatureError) -> Error {
    Error::new(ErrorKind::Unauthenticated, error.to_string())
}

fn named(principal: &Principal, request: &SignedRequest<'_>) -> Principal {
    let given = request.envelope.headers.get(USER_HEADER).and_then(|value| value.to_str().ok());
    match given.filter(|name| !name.is_empty() && name.len() <= USER_CHARS_MAX) {
        Some(name) => Principal { name: name.to_owned(), grants: principal.grants.clone() },
        None => principal.clone(),
    }
}
