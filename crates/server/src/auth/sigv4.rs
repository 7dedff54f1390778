//! AWS Signature Version 4, verifying side: reads the `Authorization` header and checks scope,
//! clock and signature.
//!
//! It knows neither the storage of secrets nor the rights of a caller. The interface looks up the
//! secret of [`Claim::access_key_id`], and the engine decides the rest. It reads no clock: `now` is
//! an argument. `sigv4_chunks` handles bodies in signed chunks. `sigv4_query_claim` reads
//! signatures in the query, if the rules allow them.

use std::borrow::Cow;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::sigv4_canonical;
use super::sigv4_chunks::{ChunkDecoder, Signing};
use super::sigv4_query_claim;

/// The tolerance for a client's clock in both directions, in seconds. AWS allows 15 minutes.
pub const SKEW_SECONDS: i64 = 15 * 60;

pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const TERMINATOR: &str = "aws4_request";

/// The signed part of a request, as received: nothing decoded, nothing normalised.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The HTTP method, upper case.
    pub method: &'a str,
    /// The raw path, percent-encoded as received.
    pub path: &'a str,
    /// The raw query, without `?`; empty if there is none.
    pub query: &'a str,
    /// All headers.
    pub headers: &'a HeaderMap,
}

/// The requirements for a signature in addition to its correctness.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// The service name required in the credential scope, for example `bedrock-agentcore`. Any
    /// region is accepted.
    pub service: &'a str,
    /// The server's time, seconds since the epoch.
    pub now_unix_s: i64,
    /// The path encoding of the service's clients.
    pub path: PathEncoding,
    /// True if the signature may be in the query.
    pub presigned: bool,
    /// True if `UNSIGNED-PAYLOAD` and unsigned chunks are accepted. The signature then does not
    /// protect the body.
    pub unsigned_payload: bool,
    /// The maximum number of bytes of a decoded chunked body.
    pub body_bytes_max: usize,
}

/// The form of the path in the canonical request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEncoding {
    /// All services but S3: dot segments removed, then encoded a second time.
    Twice,
    /// S3: encoded once, nothing removed.
    Once,
}

/// The reason why a request is not authenticated. The AgentCore API answers each with 403
/// `AccessDeniedException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureError {
    /// The request has no `Authorization` header.
    Absent,
    /// The signature is in the query string, which is not allowed.
    Presigned,
    /// The scheme is not `AWS4-HMAC-SHA256`.
    Algorithm,
    /// The header is malformed; the text names the part.
    Malformed(&'static str),
    /// The credential scope names another service.
    Service,
    /// The scope's date and the request's date differ.
    ScopeDate,
    /// The request's time is outside the allowed skew, in seconds (server minus client).
    Skew(i64),
    /// The signature in the query has expired.
    Expired,
    /// `host` or `x-amz-date` is not among the signed headers.
    SignedHeaderRequired,
    /// A signed header is not in the request.
    SignedHeaderAbsent,
    /// The body is unsigned, but the rules require a signed one.
    UnsignedPayload,
    /// The body's hash differs from the signed one.
    BodyHash,
    /// The chunked body is malformed; the text is the reason.
    Chunk(&'static str),
    /// The decoded chunked body exceeds the limit, in bytes.
    ChunkedBodyTooLarge(usize),
    /// The signature is not that of this key.
    Mismatch,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("The request is not signed: the Authorization header is missing"),
            Self::Presigned => f.write_str(
                "Signatures in the query string are not accepted: sign with the Authorization header instead",
            ),
            Self::Algorithm => write!(f, "The Authorization header must use {ALGORITHM}"),
            Self::Malformed(part) => write!(f, "The signature cannot be read: {part}"),
            Self::Service => f.write_str("The credential scope names another service"),
            Self::ScopeDate => f.write_str("The date of the credential scope is not the date of x-amz-date"),
            Self::Skew(seconds) => write!(
                f,
                "The request time differs from the server's by {} seconds, more than {SKEW_SECONDS}",
                seconds.unsigned_abs()
            ),
            Self::Expired => {
                f.write_str("The signature in the query is past the time that X-Amz-Expires gives it")
            }
            Self::SignedHeaderRequired => {
                f.write_str("host and x-amz-date must be present and among the signed headers")
            }
            Self::SignedHeaderAbsent => f.write_str("A header named in SignedHeaders is not in the request"),
            Self::UnsignedPayload => f.write_str("The body must be signed"),
            Self::BodyHash => f.write_str("The body is not the one that was signed"),
            Self::Chunk(part) => write!(f, "The chunked body cannot be read: {part}"),
            Self::ChunkedBodyTooLarge(max) => write!(f, "The chunked body decodes to more than {max} bytes"),
            Self::Mismatch => f.write_str(
                "The request signature does not match: check the secret access key and the signing method",
            ),
        }
    }
}

impl std::error::Error for SignatureError {}

/// The signature as the request claims it: parsed, its scope and clock checked, not yet verified.
#[derive(Debug, Clone)]
pub struct Claim {
    pub(super) access_key_id: String,
    pub(super) region: String,
    pub(super) day: String,
    pub(super) amz_date: String,
    pub(super) service: String,
    pub(super) signed_headers: Vec<String>,
    pub(super) signature: String,
    pub(super) payload: PayloadHash,
    /// True if the signature is in the query, of which it covers everything but itself.
    pub(super) is_presigned: bool,
}

/// The value that represents the body in the canonical request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PayloadHash {
    /// No header: the hash of the body as received.
    OfBody,
    /// A hex SHA-256 from the client, to be compared with the body's.
    Given(String),
    Unsigned,
    SignedChunks {
        trailer: bool,
    },
    UnsignedChunks,
}

impl Claim {
    /// Reads the `Authorization` header and checks everything that needs no secret: shape, service,
    /// date, skew, header names.
    pub fn read(envelope: &Envelope<'_>, rules: &Rules<'_>) -> Result<Self, SignatureError> {
        let Some(value) = single(envelope.headers, "authorization")? else {
            return match (sigv4_query_claim::is_in(envelope.query), rules.presigned) {
                (true, true) => sigv4_query_claim::read(envelope, rules),
                (true, false) => Err(SignatureError::Presigned),
                (false, _) => Err(SignatureError::Absent),
            };
        };
        let fields = value.strip_prefix(ALGORITHM).ok_or(SignatureError::Algorithm)?;
        if !fields.starts_with(' ') {
            return Err(SignatureError::Algorithm);
        }
        let [credential, signed_headers, signature] = authorization_fields(fields)?;
        let scope = Scope::read(credential)?;
        if scope.service != rules.service {
            return Err(SignatureError::Service);
        }
        let signed_headers = header_names(signed_headers)?;
        let amz_date = single(envelope.headers, "x-amz-date")?.ok_or(SignatureError::SignedHeaderRequired)?;
        if !["host", "x-amz-date"].iter().all(|name| signed_headers.iter().any(|known| known == name)) {
            return Err(SignatureError::SignedHeaderRequired);
        }
        if !amz_date.starts_with(scope.day) {
            return Err(SignatureError::ScopeDate);
        }
        let skew = rules.now_unix_s.saturating_sub(unix_seconds(amz_date)?);
        if skew.unsigned_abs() > SKEW_SECONDS.unsigned_abs() {
            return Err(SignatureError::Skew(skew));
        }
        if signature.len() != 64 || !is_lower_hex(signature) {
            return Err(SignatureError::Malformed("Signature is not 64 lower-case hexadecimal digits"));
        }
        Ok(Self {
            access_key_id: scope.access_key_id.to_owned(),
            region: scope.region.to_owned(),
            day: scope.day.to_owned(),
            amz_date: amz_date.to_owned(),
            service: scope.service.to_owned(),
            signed_headers,
            signature: signature.to_owned(),
            payload: PayloadHash::read(envelope.headers, rules)?,
            is_presigned: false,
        })
    }

    /// Returns the access key id of the request, which is public. Look up its secret before
    /// [`Claim::verify`].
    pub fn access_key_id(&self) -> &str {
        &self.access_key_id
    }

    /// Returns the region of the credential scope, as the client wrote it.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// Verifies the signature and the body with the key's secret. Returns the body, decoded if it
    /// came in chunks.
    pub fn verify<'b>(
        &self,
        envelope: &Envelope<'_>,
        rules: &Rules<'_>,
        secret: &str,
        body: &'b [u8],
    ) -> Result<VerifiedBody<'b>, SignatureError> {
        let body_hash = hex::encode(Sha256::digest(body));
        self.begin(envelope, rules, secret, &body_hash)?.verified_by(body, || body_hash)
    }

    /// Verifies the signature before the body has arrived, and returns the checks that remain for
    /// the body. `body_hash` (hex SHA-256 of the body as received) is read only if
    /// [`Claim::needs_body_hash`].
    pub fn begin(
        &self,
        envelope: &Envelope<'_>,
        rules: &Rules<'_>,
        secret: &str,
        body_hash: &str,
    ) -> Result<BodyCheck, SignatureError> {
        let payload_hash = self.payload.text().unwrap_or(body_hash);
        let query = self.is_presigned.then(|| sigv4_query_claim::without_signature(envelope.query));
        let envelope = &Envelope { query: query.as_deref().unwrap_or(envelope.query), ..*envelope };
        let canonical = sigv4_canonical::request(envelope, rules.path, &self.signed_headers, payload_hash)?;
        let scope = format!("{}/{}/{}/{TERMINATOR}", self.day, self.region, self.service);
        let to_sign = format!(
            "{ALGORITHM}\n{}\n{scope}\n{}",
            self.amz_date,
            hex::encode(Sha256::digest(canonical.as_bytes()))
        );
        let key = self.signing_key(secret)?;
        let expected = hex::encode(hmac_sha256(&key, to_sign.as_bytes())?);
        if !bool::from(expected.as_bytes().ct_eq(self.signature.as_bytes())) {
            return Err(SignatureError::Mismatch);
        }
        Ok(match &self.payload {
            PayloadHash::OfBody => BodyCheck::Sha256(body_hash.to_owned()),
            PayloadHash::Given(hash) => BodyCheck::Sha256(hash.clone()),
            PayloadHash::Unsigned => BodyCheck::Unsigned,
            PayloadHash::UnsignedChunks => {
                BodyCheck::Chunks(Box::new(ChunkDecoder::new(None, rules.body_bytes_max)))
            }
            PayloadHash::SignedChunks { trailer } => BodyCheck::Chunks(Box::new(ChunkDecoder::new(
                Some(Signing::new(key, &self.amz_date, &scope, &self.signature, *trailer)),
                rules.body_bytes_max,
            ))),
        })
    }

    /// Returns true if the signature covers a hash of the whole body that the head does not
    /// contain. The body must then be read first.
    pub fn needs_body_hash(&self) -> bool {
        self.payload == PayloadHash::OfBody
    }

    fn signing_key(&self, secret: &str) -> Result<[u8; 32], SignatureError> {
        let day = hmac_sha256(format!("AWS4{secret}").as_bytes(), self.day.as_bytes())?;
        let region = hmac_sha256(&day, self.region.as_bytes())?;
        let service = hmac_sha256(&region, self.service.as_bytes())?;
        hmac_sha256(&service, TERMINATOR.as_bytes())
    }
}

/// A body with a valid signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedBody<'b> {
    /// The bytes of the body, decoded if it came in chunks.
    pub content: Cow<'b, [u8]>,
    /// Lines `name:value` after a body in chunks; `None` for a body sent whole.
    pub trailers: Option<String>,
}

impl BodyCheck {
    /// Returns the decoded body, if it is the signed one.
    pub fn verified(self, body: &[u8]) -> Result<VerifiedBody<'_>, SignatureError> {
        self.verified_by(body, || hex::encode(Sha256::digest(body)))
    }

    fn verified_by<'b>(
        self,
        body: &'b [u8],
        body_hash: impl FnOnce() -> String,
    ) -> Result<VerifiedBody<'b>, SignatureError> {
        let (content, trailers) = match self {
            Self::Sha256(expected) => {
                let found = body_hash();
                if !bool::from(expected.as_bytes().ct_eq(found.as_bytes())) {
                    return Err(SignatureError::BodyHash);
                }
                (Cow::Borrowed(body), None)
            }
            Self::Unsigned => (Cow::Borrowed(body), None),
            Self::Chunks(decoder) => {
                let (decoded, trailers) = decoder.decoded(body)?;
                (Cow::Owned(decoded), Some(trailers))
            }
        };
        Ok(VerifiedBody { content, trailers })
    }
}

/// The check of the body that remains after the signature is verified.
#[derive(Debug)]
pub enum BodyCheck {
    /// The SHA-256 digest of the body must equal this one (lower-case hex digits).
    Sha256(String),
    /// The body needs no check, because the client left it unsigned and the rules allow this.
    Unsigned,
    /// The body comes in chunks; this decoder verifies each of them.
    Chunks(Box<ChunkDecoder>),
}

impl PayloadHash {
    pub(super) fn read(headers: &HeaderMap, rules: &Rules<'_>) -> Result<Self, SignatureError> {
        let Some(value) = single(headers, "x-amz-content-sha256")? else { return Ok(Self::OfBody) };
        let found = match value {
            "UNSIGNED-PAYLOAD" => Self::Unsigned,
            "STREAMING-UNSIGNED-PAYLOAD-TRAILER" => Self::UnsignedChunks,
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" => Self::SignedChunks { trailer: false },
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" => Self::SignedChunks { trailer: true },
            hash if hash.len() == 64 && is_lower_hex(hash) => Self::Given(hash.to_owned()),
            _ => return Err(SignatureError::Malformed("x-amz-content-sha256 is neither a hash nor known")),
        };
        match found {
            Self::Unsigned | Self::UnsignedChunks if !rules.unsigned_payload => {
                Err(SignatureError::UnsignedPayload)
            }
            other => Ok(other),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::OfBody => None,
            Self::Given(hash) => Some(hash),
            Self::Unsigned => Some("UNSIGNED-PAYLOAD"),
            Self::UnsignedChunks => Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
            Self::SignedChunks { trailer: false } => Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
            Self::SignedChunks { trailer: true } => Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
        }
    }
}

/// `access-key/day/region/service/aws4_request`.
pub(super) struct Scope<'a> {
    pub(super) access_key_id: &'a str,
    pub(super) day: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
}

impl<'a> Scope<'a> {
    pub(super) fn read(credential: &'a str) -> Result<Self, SignatureError> {
        let mut parts = credential.split('/');
        let (Some(access_key_id), Some(day), Some(region), Some(service), Some(end), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(SignatureError::Malformed("Credential is not key/date/region/service/aws4_request"));
        };
        if end != TERMINATOR || access_key_id.is_empty() || region.is_empty() {
            return Err(SignatureError::Malformed("Credential is not key/date/region/service/aws4_request"));
        }
        if day.len() != 8 || !day.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SignatureError::Malformed("the date of Credential is not YYYYMMDD"));
        }
        Ok(Self { access_key_id, day, region, service })
    }
}

/// Returns `Credential`, `SignedHeaders` and `Signature`, in any order, each once.
fn authorization_fields(fields: &str) -> Result<[&str; 3], SignatureError> {
    let mut found: [Option<&str>; 3] = [None; 3];
    for field in fields.split(',') {
        let (name, value) = field
            .trim()
            .split_once('=')
            .ok_or(SignatureError::Malformed("a field of Authorization has no value"))?;
        let [credential, signed_headers, signature] = &mut found;
        let place = match name {
            "Credential" => credential,
            "SignedHeaders" => signed_headers,
            "Signature" => signature,
            _ => return Err(SignatureError::Malformed("Authorization has an unknown field")),
        };
        if place.replace(value).is_some() {
            return Err(SignatureError::Malformed("a field of Authorization is given twice"));
        }
    }
    match found {
        [Some(credential), Some(signed_headers), Some(signature)] => {
            Ok([credential, signed_headers, signature])
        }
        _ => Err(SignatureError::Malformed("Authorization lacks Credential, SignedHeaders or Signature")),
    }
}

/// Returns header names in lower case, strictly ascending.
pub(super) fn header_names(list: &str) -> Result<Vec<String>, SignatureError> {
    let names: Vec<String> = list.split(';').map(str::to_owned).collect();
    let readable = names.iter().all(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase())
    });
    if !readable || !names.is_sorted_by(|a, b| a < b) {
        return Err(SignatureError::Malformed("SignedHeaders is not a sorted list of lower-case names"));
    }
    Ok(names)
}

fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, SignatureError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            value.to_str().map(Some).map_err(|_| SignatureError::Malformed("a header is not ASCII text"))
        }
        (Some(_), Some(_)) => Err(SignatureError::Malformed("a header of the signature is given twice")),
    }
}

/// Converts `YYYYMMDDTHHMMSSZ` to seconds since the epoch.
pub(super) fn unix_seconds(amz_date: &str) -> Result<i64, SignatureError> {
    const WRONG: SignatureError = SignatureError::Malformed("x-amz-date is not YYYYMMDDTHHMMSSZ");
    if amz_date.len() != 16 {
        return Err(WRONG);
    }
    let civil = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", amz_date).map_err(|_| WRONG)?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| WRONG)?;
    Ok(zoned.timestamp().as_second())
}

pub(super) fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

pub(super) fn hmac_sha256(key: &[u8], message: &[u8]) -> Result<[u8; 32], SignatureError> {
    // HMAC accepts keys of every length; the error cannot occur.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| SignatureError::Mismatch)?;
    mac.update(message);
    Ok(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests;
