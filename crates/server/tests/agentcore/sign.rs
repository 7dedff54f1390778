//! Signing as clients do it, for the transcripts of verified mode. Checked by the verifier, which botocore checks.

use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderValue, Request};
use sha2::{Digest, Sha256};

/// An access key pair.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) secret: String,
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Signs a request whose path needs no canonical order or second encoding beyond `%`.
pub(crate) fn sign<B>(request: &mut Request<B>, body: &[u8], pair: &Pair, amz_date: &str) {
    let day = &amz_date[..8];
    let path = request.uri().path().replace('%', "%25");
    let canonical = format!(
        "{}\n{path}\n\nhost:127.0.0.1:8411\nx-amz-date:{amz_date}\n\nhost;x-amz-date\n{}",
        request.method(),
        hex::encode(Sha256::digest(body))
    );
    let scope = format!("{day}/us-west-2/bedrock-agentcore/aws4_request");
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{amz_date}\n{scope}\n{}",
        hex::encode(Sha256::digest(canonical.as_bytes()))
    );
    let mut key = format!("AWS4{}", pair.secret).into_bytes();
    for part in scope.split('/') {
        key = hmac(&key, part);
    }
    let signature = hex::encode(hmac(&key, &to_sign));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders=host;x-amz-date, Signature={signature}",
        pair.id
    );
    request.headers_mut().insert("authorization", HeaderValue::try_from(authorization).unwrap());
    request.headers_mut().insert("x-amz-date", HeaderValue::try_from(amz_date).unwrap());
}
