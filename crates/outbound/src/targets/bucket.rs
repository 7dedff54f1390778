//! Writes an object to a bucket of S3, or of a service with the same protocol: one signed PUT.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};
use loci_model::{Error, Result, Timestamp};

use super::address::encoded;
use super::{Target, accepted};
use crate::request::{AddressOrigin, OutboundRequest, Retry, Transport};
use crate::secret::Secret;
use crate::sign_v4::{PathRule, Signer};

/// The timeout of writing an object, in milliseconds. A payload may have eleven megabytes.
const TIMEOUT_MS: u64 = 60_000;

/// Writes the object once. The outbox repeats failures, and a repeat with the same key replaces the
/// object.
pub(super) async fn put(
    transport: &dyn Transport,
    target: &Target,
    bucket: &str,
    key: &str,
    bytes: Vec<u8>,
    at: Timestamp,
) -> Result<()> {
    let mut request = OutboundRequest {
        method: Method::PUT,
        url: url(target, bucket, key)?,
        headers: vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
        body: bytes,
        reach: AddressOrigin::Configured,
        retry: Retry::Never,
        timeout_ms: Some(TIMEOUT_MS),
        signing: None,
    };
    sign(target, "s3", PathRule::Once, &mut request, at)?;
    accepted(transport.send(request).await)
}

pub(super) fn url(target: &Target, bucket: &str, key: &str) -> Result<String> {
    let aws = || format!("https://s3.{}.amazonaws.com", target.region);
    let endpoint = target.endpoint.clone().unwrap_or_else(aws);
    let endpoint = endpoint.trim_end_matches('/');
    if target.path_style {
        return Ok(format!("{endpoint}/{bucket}/{}", encoded(key)));
    }
    let (scheme, host) = endpoint.split_once("://").ok_or_else(|| {
        Error::invalid(
            "target.endpoint",
            "the endpoint of a target must be a URL like https://s3.example.org",
        )
    })?;
    Ok(format!("{scheme}://{bucket}.{host}/{}", encoded(key)))
}

/// Signs a request with the target's keys, if it has any.
pub(super) fn sign(
    target: &Target,
    service: &'static str,
    path: PathRule,
    request: &mut OutboundRequest,
    at: Timestamp,
) -> Result<()> {
    let Some(signer) = signer(target, service)? else { return Ok(()) };
    signer.sign(request, at, path).map_err(|why| {
        Error::unavailable("the request cannot be signed: look at the target's keys and endpoint")
            .caused_by(why)
    })
}

/// Returns the signer with the target's keys, if it has any.
pub(super) fn signer(target: &Target, service: &'static str) -> Result<Option<Signer>> {
    let (Some(access_key), Some(secret)) = (target.access_key.get()?, target.secret_key.get()?) else {
        return Ok(None);
    };
    Ok(Some(Signer {
        access_key: access_key.expose().to_owned(),
        secret: Secret::clone(secret),
        session_token: target.session_token.get()?.cloned(),
        region: target.region.clone(),
        service,
    }))
}
