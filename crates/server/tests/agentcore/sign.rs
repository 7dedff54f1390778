//! Client-side signing (AWS Signature Version 4): in headers and in the query, for both planes and
//! for buckets, with bodies whole and in chunks. The product's verifier checks the result; botocore
//! checks the verifier.

use std::collections::BTreeMap;

use axum::body::Body;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderValue, Request};
use sha2::{Digest, Sha256};

/// The host of the requests.
const HOST: &str = "127.0.0.1:8411";
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// An access key pair.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The transfer of a body, and the signed part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Whole, without a header for its hash.
    Whole,
    /// Whole, its hash in a header.
    Hashed,
    /// Whole, and not signed.
    Unsigned,
    /// In signed chunks of this number of bytes.
    Chunks(usize),
    /// In signed chunks of this number of bytes, followed by a signed checksum.
    ChunksAndTrailer(usize),
    /// In unsigned chunks, followed by a checksum.
    UnsignedChunks(usize),
}

impl Payload {
    pub(crate) const ALL: [Self; 6] = [
        Self::Whole,
        Self::Hashed,
        Self::Unsigned,
        Self::Chunks(8192),
        Self::ChunksAndTrailer(8192),
        Self::UnsignedChunks(8192),
    ];

    /// Returns the header `x-amz-content-sha256`.
    fn told(self, body: &[u8]) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Hashed => Some(digest(body)),
            Self::Unsigned => Some("UNSIGNED-PAYLOAD".to_owned()),
            Self::Chunks(_) => Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD".to_owned()),
            Self::ChunksAndTrailer(_) => Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER".to_owned()),
            Self::UnsignedChunks(_) => Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER".to_owned()),
        }
    }
}

/// The key, service and time of a signature.
#[derive(Debug, Clone)]
pub(crate) struct Signer<'a> {
    pub(crate) pair: &'a Pair,
    pub(crate) service: &'static str,
    pub(crate) amz_date: String,
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Encodes Base64 in the form of checksums.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte));
        let word = word << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= three.len() { letter as char } else { '=' });
        }
    }
    text
}

/// Percent-encodes a member of a query.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

impl Signer<'_> {
    fn scope(&self) -> String {
        format!("{}/us-west-2/{}/aws4_request", &self.amz_date[..8], self.service)
    }

    fn key(&self) -> Vec<u8> {
        let first = format!("AWS4{}", self.pair.secret).into_bytes();
        self.scope().split('/').fold(first, |key, part| hmac(&key, part))
    }

    fn signature(
        &self,
        method: &str,
        (path, query): (&str, &str),
        headers: &BTreeMap<String, String>,
        payload: &str,
    ) -> String {
        // Buckets sign the path as sent, all other services sign it encoded once more.
        let path = if self.service == "s3" { path.to_owned() } else { path.replace('%', "%25") };
        let mut members: Vec<String> = query
            .split('&')
            .filter(|part| !part.is_empty())
            .map(|part| if part.contains('=') { part.to_owned() } else { format!("{part}=") })
            .collect();
        members.sort();
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let names: Vec<&str> = headers.keys().map(String::as_str).collect();
        let canonical =
            format!("{method}\n{path}\n{}\n{lines}\n{}\n{payload}", members.join("&"), names.join(";"));
        let to_sign =
            format!("{ALGORITHM}\n{}\n{}\n{}", self.amz_date, self.scope(), digest(canonical.as_bytes()));
        hex::encode(hmac(&self.key(), &to_sign))
    }

    /// Returns a request for an encoded path and query, with these headers signed.
    pub(crate) fn request(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        payload: Payload,
    ) -> Request<Body> {
        let mut signed: BTreeMap<String, String> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        signed.insert("host".to_owned(), HOST.to_owned());
        signed.insert("x-amz-date".to_owned(), self.amz_date.clone());
        let told = payload.told(body);
        signed.extend(told.clone().map(|told| ("x-amz-content-sha256".to_owned(), told)));
        match payload {
            Payload::Whole | Payload::Hashed | Payload::Unsigned => {}
            Payload::Chunks(_) | Payload::ChunksAndTrailer(_) | Payload::UnsignedChunks(_) => {
                signed.insert("content-encoding".to_owned(), "aws-chunked".to_owned());
                signed.insert("x-amz-decoded-content-length".to_owned(), body.len().to_string());
            }
        }
        if matches!(payload, Payload::ChunksAndTrailer(_) | Payload::UnsignedChunks(_)) {
            signed.insert("x-amz-trailer".to_owned(), "x-amz-checksum-sha256".to_owned());
        }
        let at = target.split_once('?').unwrap_or((target, ""));
        let hash = told.unwrap_or_else(|| digest(body));
        let signature = self.signature(method, at, &signed, &hash);
        let names: Vec<&str> = signed.keys().map(String::as_str).collect();
        let authorization = format!(
            "{ALGORITHM} Credential={}/{}, SignedHeaders={}, Signature={signature}",
            self.pair.id,
            self.scope(),
            names.join(";")
        );
        let mut request =
            Request::builder().method(method).uri(target).header("authorization", authorization);
        for (name, value) in &signed {
            request = request.header(name, value);
        }
        request.body(Body::from(self.sent(body, payload, signature))).unwrap()
    }

    /// Returns the bytes that are sent.
    fn sent(&self, body: &[u8], payload: Payload, seed: String) -> Vec<u8> {
        let (size, is_signed) = match payload {
            Payload::Whole | Payload::Hashed | Payload::Unsigned => return body.to_vec(),
            Payload::Chunks(size) | Payload::ChunksAndTrailer(size) => (size, true),
            Payload::UnsignedChunks(size) => (size, false),
        };
        let (key, mut previous, mut out) = (self.key(), seed, Vec::new());
        let mut sign = |algorithm: &str, hashes: &str| {
            let to_sign = format!("{algorithm}\n{}\n{}\n{previous}\n{hashes}", self.amz_date, self.scope());
            previous = hex::encode(hmac(&key, &to_sign));
            previous.clone()
        };
        for chunk in body.chunks(size).chain([&[][..]]) {
            let mut line = format!("{:x}", chunk.len());
            if is_signed {
                let hashes = format!("{}\n{}", digest(b""), digest(chunk));
                line.push_str(&format!(";chunk-signature={}", sign("AWS4-HMAC-SHA256-PAYLOAD", &hashes)));
            }
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(b"\r\n");
            out.extend_from_slice(chunk);
            if !chunk.is_empty() {
                out.extend_from_slice(b"\r\n");
            }
        }
        if !matches!(payload, Payload::Chunks(_)) {
            let trailer = format!("x-amz-checksum-sha256:{}", base64(&Sha256::digest(body)));
            out.extend_from_slice(format!("{trailer}\r\n").as_bytes());
            if is_signed {
                let signature = sign("AWS4-HMAC-SHA256-TRAILER", &digest(format!("{trailer}\n").as_bytes()));
                out.extend_from_slice(format!("x-amz-trailer-signature:{signature}\r\n").as_bytes());
            }
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    /// Returns a request with its signature in the query, as in links.
    pub(crate) fn presigned(&self, method: &str, path: &str, expires_s: u32, body: &[u8]) -> Request<Body> {
        let credential = encoded(&format!("{}/{}", self.pair.id, self.scope()));
        let query = format!(
            "X-Amz-Algorithm={ALGORITHM}&X-Amz-Credential={credential}&X-Amz-Date={}&X-Amz-Expires={expires_s}&X-Amz-SignedHeaders=host",
            self.amz_date
        );
        let headers = BTreeMap::from([("host".to_owned(), HOST.to_owned())]);
        let signature = self.signature(method, (path, &query), &headers, "UNSIGNED-PAYLOAD");
        let target = format!("{path}?{query}&X-Amz-Signature={signature}");
        let request = Request::builder().method(method).uri(target).header("host", HOST);
        request.body(Body::from(body.to_vec())).unwrap()
    }
}

/// Signs an AgentCore request for either plane.
pub(crate) fn sign<B>(request: &mut Request<B>, body: &[u8], pair: &Pair, amz_date: &str) {
    let signer = Signer { pair, service: "bedrock-agentcore", amz_date: amz_date.to_owned() };
    let headers = BTreeMap::from([
        ("host".to_owned(), HOST.to_owned()),
        ("x-amz-date".to_owned(), amz_date.to_owned()),
    ]);
    // The transcripts' clients send no query, so it is not signed.
    let signature =
        signer.signature(request.method().as_str(), (request.uri().path(), ""), &headers, &digest(body));
    let authorization = format!(
        "{ALGORITHM} Credential={}/{}, SignedHeaders=host;x-amz-date, Signature={signature}",
        pair.id,
        signer.scope()
    );
    request.headers_mut().insert("authorization", HeaderValue::try_from(authorization).unwrap());
    request.headers_mut().insert("x-amz-date", HeaderValue::try_from(amz_date).unwrap());
}
