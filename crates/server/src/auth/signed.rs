//! The caller of a request signed by AWS's method: the key looked up, the signature verified. Who needs no credentials is
//! decided before; bearer tokens are another file's.

use std::borrow::Cow;

use loci_engine::Engine;
use loci_engine::access::keys::Secret;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, ErrorKind, Timestamp};

use super::sigv4::{BodyCheck, Claim, Envelope, PathEncoding, Rules, SignatureError, VerifiedBody};
use crate::bodies::Proof;

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

/// The caller of a request, as far as its head says it.
pub enum Asker<'a> {
    /// No credentials are asked for.
    Open(Principal),
    /// A key, and a signature.
    Signed(SignedHead<'a>),
}

impl<'a> Asker<'a> {
    /// Returns the extent to which the head proves the caller.
    pub fn proof(&self) -> Proof {
        match self {
            Self::Open(_) => Proof::Complete,
            Self::Signed(head) => head.proof(),
        }
    }

    /// Returns the caller, and the body as it was meant.
    ///
    /// # Errors
    /// Like [`SignedHead::verified`].
    pub fn verified<'b>(self, sent: &'b [u8]) -> Result<(Principal, VerifiedBody<'b>), Error> {
        match self {
            Self::Open(caller) => Ok((caller, VerifiedBody { content: Cow::Borrowed(sent), trailers: None })),
            Self::Signed(head) => head.verified(sent),
        }
    }
}

/// A request whose head is checked as far as it proves who calls; its body need not be there yet.
pub struct SignedHead<'a> {
    caller: Principal,
    body: Expected<'a>,
}

/// The checks that are left when the body is there.
enum Expected<'a> {
    /// The signature holds; the body must be the one it states, or come in chunks that it signs.
    Checked(BodyCheck),
    /// The signature covers a hash of the body that the head does not state.
    Covered(Box<Covered<'a>>),
}

struct Covered<'a> {
    claim: Claim,
    envelope: Envelope<'a>,
    rules: Rules<'a>,
    secret: Secret,
}

/// Checks all that the head of a request proves: shape, service, date, a known key, and the signature where
/// it does not need the body.
///
/// # Errors
/// `Unauthenticated` for every failure of key or signature; what the key store itself says if it fails.
pub async fn signed_head<'a>(
    engine: &Engine,
    request: &SignedRequest<'a>,
    now: Timestamp,
) -> Result<SignedHead<'a>, Error> {
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
    let (caller, secret) = engine.pair_lookup(&key).await?.ok_or_else(unknown)?;
    let envelope = request.envelope;
    let body = if claim.needs_body_hash() {
        Expected::Covered(Box::new(Covered { claim, envelope, rules, secret }))
    } else {
        Expected::Checked(claim.begin(&envelope, &rules, secret.expose(), "").map_err(refused)?)
    };
    Ok(SignedHead { caller, body })
}

impl SignedHead<'_> {
    /// The extent to which the head alone proves who calls.
    pub fn proof(&self) -> Proof {
        match &self.body {
            Expected::Checked(_) => Proof::Complete,
            Expected::Covered(_) => Proof::SignedBody,
        }
    }

    /// The caller and the body they sent, decoded if it came in chunks.
    ///
    /// # Errors
    /// `Unauthenticated` where the signature or the body is not right.
    pub fn verified(self, body: &[u8]) -> Result<(Principal, VerifiedBody<'_>), Error> {
        let verified = match self.body {
            Expected::Checked(check) => check.verified(body),
            Expected::Covered(covered) => {
                let Covered { claim, envelope, rules, secret } = *covered;
                claim.verify(&envelope, &rules, secret.expose(), body)
            }
        };
        Ok((self.caller, verified.map_err(refused)?))
    }
}

fn refused(error: SignatureError) -> Error {
    Error::new(ErrorKind::Unauthenticated, error.to_string()).caused_by(error)
}
