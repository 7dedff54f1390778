//! The caller of a request with an AWS signature: looks up the key and verifies the signature.
//! `gate` decides before if credentials are required; bearer tokens are handled there too.

use std::borrow::Cow;

use loci_engine::Engine;
use loci_engine::access::keys::Secret;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, ErrorKind, Timestamp};

use super::sigv4::{BodyCheck, Claim, Envelope, PathEncoding, Rules, SignatureError, VerifiedBody};
use crate::bodies::Proof;

/// The service name in signatures for both planes of the AgentCore API.
pub const SIGNING_NAME: &str = "bedrock-agentcore";

/// The head of a request, with the signing rules of its service.
#[derive(Debug, Clone, Copy)]
pub struct SignedRequest<'a> {
    /// The part of the request that the signature covers.
    pub envelope: Envelope<'a>,
    /// The service name that the signature's credential scope must contain.
    pub service: &'a str,
    /// The path encoding of the service's clients.
    pub path: PathEncoding,
    /// True if the signature may be in the query.
    pub presigned: bool,
    /// True if bodies may be unsigned.
    pub unsigned_payload: bool,
    /// The maximum number of bytes of a decoded chunked body.
    pub body_bytes_max: usize,
}

/// The caller of a request, as far as its head proves it.
pub enum RequestCaller<'a> {
    /// A caller that needs no credentials.
    Open(Principal),
    /// A caller that signed the request with a key.
    Signed(SignedHead<'a>),
}

impl<'a> RequestCaller<'a> {
    /// Returns the extent to which the head proves the caller.
    pub fn proof(&self) -> Proof {
        match self {
            Self::Open(_) => Proof::Complete,
            Self::Signed(head) => head.proof(),
        }
    }

    /// Returns the caller and the decoded body.
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

/// A request whose head is verified as far as it proves the caller. The body may still be
/// outstanding.
pub struct SignedHead<'a> {
    caller: Principal,
    body: Expected<'a>,
}

/// The checks that remain for the body.
enum Expected<'a> {
    /// The signature is valid. The body must match the hash in the head, or come in signed chunks.
    Checked(BodyCheck),
    /// The signature covers a hash of the body that the head does not contain.
    Covered(Box<SignedClaim<'a>>),
}

struct SignedClaim<'a> {
    claim: Claim,
    envelope: Envelope<'a>,
    rules: Rules<'a>,
    secret: Secret,
}

/// Checks everything that the head of a request proves: shape, service, date, a known key, and the
/// signature if it does not need the body.
///
/// # Errors
/// `Unauthenticated` for every failure of key or signature; errors of the key store.
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
        Expected::Covered(Box::new(SignedClaim { claim, envelope, rules, secret }))
    } else {
        Expected::Checked(claim.begin(&envelope, &rules, secret.expose(), "").map_err(refused)?)
    };
    Ok(SignedHead { caller, body })
}

impl SignedHead<'_> {
    /// Returns the extent to which the head alone proves the caller.
    pub fn proof(&self) -> Proof {
        match &self.body {
            Expected::Checked(_) => Proof::Complete,
            Expected::Covered(_) => Proof::SignedBody,
        }
    }

    /// Returns the caller and the body, decoded if it came in chunks.
    ///
    /// # Errors
    /// `Unauthenticated` if the signature or the body is invalid.
    pub fn verified(self, body: &[u8]) -> Result<(Principal, VerifiedBody<'_>), Error> {
        let verified = match self.body {
            Expected::Checked(check) => check.verified(body),
            Expected::Covered(covered) => {
                let SignedClaim { claim, envelope, rules, secret } = *covered;
                claim.verify(&envelope, &rules, secret.expose(), body)
            }
        };
        Ok((self.caller, verified.map_err(refused)?))
    }
}

fn refused(error: SignatureError) -> Error {
    Error::new(ErrorKind::Unauthenticated, error.to_string()).caused_by(error)
}
