//! AWS Signature Version 4, the signing side: Bedrock, Kinesis, S3. Pure: the time is an argument.
//!
//! The signature covers method, path, query, body, and all headers of the request except
//! `authorization`, `accept` and `user-agent`. Presigned URLs and chunked bodies are not supported.

use std::collections::BTreeMap;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderName, HeaderValue};
use loci_model::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;
use sha2::{Digest, Sha256};

use crate::request::OutboundRequest;
use crate::secret::Secret;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The characters to percent-encode: all except the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The credentials and scope of a signature.
#[derive(Clone)]
pub struct Signer {
    /// The AWS access key id.
    pub access_key: String,
    /// The AWS secret access key.
    pub secret: Secret,
    /// The session token of temporary credentials.
    pub session_token: Option<Secret>,
    /// The AWS region, for example `us-east-1`.
    pub region: String,
    /// The name of the AWS service, for example `bedrock`.
    pub service: &'static str,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer")
            .field("region", &self.region)
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

/// The encoding of the path in the signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRule {
    /// The path is percent-encoded a second time, as all services except S3 require.
    Twice,
    /// The path is signed as it is sent, and a header contains the digest of the body, as S3
    /// requires.
    Once,
}

/// The data with which a request is signed when it is sent.
#[derive(Debug, Clone)]
pub struct Signing {
    /// The credentials and the scope of the signature.
    pub by: Signer,
    /// The encoding of the path in the signature.
    pub path: PathRule,
}

/// The reason for which a request cannot be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningError {
    /// The URL of the request is invalid.
    Address,
    /// A header or the credentials contain a character that a header cannot contain.
    Characters,
}

impl fmt::Display for SigningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Address => "the address cannot be read",
            Self::Characters => "a header or the credentials hold characters that no header takes",
        })
    }
}

impl std::error::Error for SigningError {}

impl Signer {
    /// Adds the headers of a signature created at `at`, and replaces those of an earlier signature.
    ///
    /// # Errors
    /// If a part of the request or the credentials cannot be signed.
    pub fn sign(
        &self,
        request: &mut OutboundRequest,
        at: Timestamp,
        path: PathRule,
    ) -> Result<(), SigningError> {
        let url = Url::parse(&request.url).map_err(|_| SigningError::Address)?;
        let stamp = compact(at);
        let day = stamp.get(..8).unwrap_or_default().to_owned();
        let body_digest = hex::encode(Sha256::digest(&request.body));
        let own = |name: &HeaderName| {
            matches!(
                name.as_str(),
                "authorization" | "x-amz-date" | "x-amz-security-token" | "x-amz-content-sha256"
            )
        };
        request.headers.retain(|(name, _)| !own(name));
        push(request, "x-amz-date", HeaderValue::from_str(&stamp).ok())?;
        if let Some(token) = &self.session_token {
            push(request, "x-amz-security-token", token.header(""))?;
        }
        if path == PathRule::Once {
            push(request, "x-amz-content-sha256", HeaderValue::from_str(&body_digest).ok())?;
        }
        let headers = signed_headers(request, &url)?;
        let names: Vec<&str> = headers.keys().map(String::as_str).collect();
        let names = names.join(";");
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical = format!(
            "{}\n{}\n{}\n{lines}\n{names}\n{body_digest}",
            request.method,
            canonical_path(url.path(), path),
            canonical_query(url.query().unwrap_or_default()),
        );
        let scope = format!("{day}/{}/{}/aws4_request", self.region, self.service);
        let to_sign = format!("{ALGORITHM}\n{stamp}\n{scope}\n{}", hex::encode(Sha256::digest(canonical)));
        let signature = hex::encode(hmac(&self.key(&day)?, to_sign.as_bytes())?);
        let authorization = Secret::from(
            format!(
                "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
                self.access_key
            )
            .as_str(),
        );
        push(request, "authorization", authorization.header(""))
    }

    fn key(&self, day: &str) -> Result<[u8; 32], SigningError> {
        let start = zeroize::Zeroizing::new(format!("AWS4{}", self.secret.expose()));
        let mut key = hmac(start.as_bytes(), day.as_bytes())?;
        for part in [self.region.as_str(), self.service, "aws4_request"] {
            key = hmac(&key, part.as_bytes())?;
        }
        Ok(key)
    }
}

fn push(
    request: &mut OutboundRequest,
    name: &'static str,
    value: Option<HeaderValue>,
) -> Result<(), SigningError> {
    let value = value.ok_or(SigningError::Characters)?;
    request.headers.push((HeaderName::from_static(name), value));
    Ok(())
}

/// Returns the header names in order, and the values with single spaces; several of one name are
/// joined.
fn signed_headers(request: &OutboundRequest, url: &Url) -> Result<BTreeMap<String, String>, SigningError> {
    let host = url.host_str().ok_or(SigningError::Address)?;
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut found = BTreeMap::from([("host".to_owned(), host)]);
    for (name, value) in &request.headers {
        if matches!(name.as_str(), "authorization" | "accept" | "user-agent" | "host") {
            continue;
        }
        let value = value.to_str().map_err(|_| SigningError::Characters)?;
        let value = value.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        found
            .entry(name.as_str().to_owned())
            .and_modify(|known| {
                known.push(',');
                known.push_str(&value);
            })
            .or_insert(value);
    }
    Ok(found)
}

fn canonical_path(raw: &str, rule: PathRule) -> String {
    let raw = if raw.is_empty() { "/" } else { raw };
    match rule {
        PathRule::Once => raw.to_owned(),
        PathRule::Twice => raw
            .split('/')
            .map(|segment| utf8_percent_encode(segment, ENCODED).to_string())
            .collect::<Vec<_>>()
            .join("/"),
    }
}

fn canonical_query(raw: &str) -> String {
    let encode = |text: &str| {
        let plain: Vec<u8> = percent_decode_str(text).collect();
        percent_encoding::percent_encode(&plain, ENCODED).to_string()
    };
    let mut pairs: Vec<(String, String)> = raw
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (encode(name), encode(value))
        })
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// Returns the time in the form `20150830T123600Z`.
fn compact(at: Timestamp) -> String {
    let seconds = at.to_rfc3339();
    let digits: String = seconds.chars().take(19).filter(|c| c.is_ascii_digit() || *c == 'T').collect();
    digits + "Z"
}

fn hmac(key: &[u8], message: &[u8]) -> Result<[u8; 32], SigningError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| SigningError::Characters)?;
    mac.update(message);
    Ok(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::request::{AddressOrigin, Retry};

    fn request(method: Method, url: &str, headers: &[(&'static str, &str)], body: &str) -> OutboundRequest {
        let headers = headers
            .iter()
            .map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_str(v).unwrap()))
            .collect();
        OutboundRequest {
            method,
            url: url.to_owned(),
            headers,
            body: body.as_bytes().to_vec(),
            reach: AddressOrigin::Configured,
            retry: Retry::Safe,
            timeout_ms: None,
            signing: None,
        }
    }

    fn signer(secret: &str, access_key: &str, service: &'static str) -> Signer {
        Signer {
            access_key: access_key.to_owned(),
            secret: Secret::from(secret),
            session_token: None,
            region: "us-east-1".to_owned(),
            service,
        }
    }

    fn authorization(request: &OutboundRequest) -> &str {
        let found = request.headers.iter().find(|(name, _)| name == "authorization");
        found.unwrap().1.to_str().unwrap()
    }

    /// Tests with AWS's published test suite of Signature Version 4.
    #[test]
    fn the_vendors_vectors() {
        let signer = signer("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AKIDEXAMPLE", "service");
        let at = Timestamp::parse("2015-08-30T12:36:00Z").unwrap();
        let check = |mut request: OutboundRequest, names: &str, signature: &str| {
            signer.sign(&mut request, at, PathRule::Twice).unwrap();
            assert_eq!(
                authorization(&request),
                format!(
                    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                     SignedHeaders={names}, Signature={signature}"
                )
            );
        };
        let host = "https://example.amazonaws.com";
        check(
            request(Method::GET, &format!("{host}/"), &[], ""),
            "host;x-amz-date",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        );
        check(
            request(Method::POST, &format!("{host}/"), &[], ""),
            "host;x-amz-date",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        );
        check(
            request(Method::GET, &format!("{host}/?Param2=value2&Param1=value1"), &[], ""),
            "host;x-amz-date",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        );
        check(
            request(
                Method::POST,
                &format!("{host}/"),
                &[("content-type", "application/x-www-form-urlencoded")],
                "Param1=value1",
            ),
            "content-type;host;x-amz-date",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        );
    }

    /// Tests with the example in the documentation of S3.
    #[test]
    fn the_example_of_s3() {
        let signer = signer("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AKIAIOSFODNN7EXAMPLE", "s3");
        let at = Timestamp::parse("2013-05-24T00:00:00Z").unwrap();
        let url = "https://examplebucket.s3.amazonaws.com/test.txt";
        let mut request = request(Method::GET, url, &[("range", "bytes=0-9")], "");
        signer.sign(&mut request, at, PathRule::Once).unwrap();
        assert!(
            authorization(&request).ends_with(
                "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, \
                 Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            "{}",
            authorization(&request)
        );
    }

    #[test]
    fn signing_again_replaces_and_tokens_are_signed() {
        let mut signer = signer("secret", "KEY", "bedrock");
        signer.session_token = Some(Secret::from("token"));
        let at = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let mut request = request(Method::POST, "http://127.0.0.1:9/model/a%3A0/converse", &[], "{}");
        signer.sign(&mut request, at, PathRule::Twice).unwrap();
        let first = authorization(&request).to_owned();
        assert!(first.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"), "{first}");
        signer.sign(&mut request, at, PathRule::Twice).unwrap();
        assert_eq!((authorization(&request), request.headers.len()), (first.as_str(), 3));
        signer.sign(&mut request, at.plus_millis(1_000), PathRule::Twice).unwrap();
        assert_ne!(authorization(&request), first);
        assert!(!format!("{signer:?}").contains("KEY"));
    }

    #[test]
    fn paths_and_queries() {
        assert_eq!(canonical_path("/model/a%3A0/converse", PathRule::Twice), "/model/a%253A0/converse");
        assert_eq!(canonical_path("/model/a%3A0/converse", PathRule::Once), "/model/a%3A0/converse");
        assert_eq!(canonical_path("", PathRule::Twice), "/");
        assert_eq!(canonical_query("b=2&a=%20x&a=%7E&flag"), "a=%20x&a=~&b=2&flag=");
    }
}
