//! Tests of the verifier with requests signed by botocore (`fixtures/sigv4_vectors.py` creates
//! them), and with damaged ones.

use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;
use serde::Deserialize;

use super::*;

const VECTORS: &str = include_str!("../../../fixtures/sigv4_vectors.json");

#[derive(Deserialize)]
struct Vectors {
    secret: String,
    access_key_id: String,
    now: i64,
    vectors: Vec<Vector>,
}

#[derive(Deserialize, Clone)]
struct Vector {
    name: String,
    service: String,
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(VECTORS).unwrap()
}

fn headers(pairs: &[(String, String)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| {
            (HeaderName::try_from(name).unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        })
        .fold(HeaderMap::new(), |mut map, (name, value)| {
            map.append(name, value);
            map
        })
}

fn rules(vector: &Vector, now_unix_s: i64) -> Rules<'_> {
    let s3 = vector.service == "s3";
    Rules {
        service: &vector.service,
        now_unix_s,
        path: if s3 { PathEncoding::Once } else { PathEncoding::Twice },
        presigned: s3,
        unsigned_payload: s3,
        body_bytes_max: 1 << 20,
    }
}

/// Encodes standard base64, as far as the fixture needs it.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter(|b| *b != b'=')
        .map(|b| u32::try_from(ALPHABET.iter().position(|known| *known == b).unwrap()).unwrap());
    let (mut bits, mut count, mut out) = (0u32, 0, Vec::new());
    for digit in digits {
        bits = bits << 6 | digit;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    out
}

fn verify(vector: &Vector, secret: &str, now: i64) -> Result<Vec<u8>, SignatureError> {
    let headers = headers(&vector.headers);
    let envelope =
        Envelope { method: &vector.method, path: &vector.path, query: &vector.query, headers: &headers };
    let rules = rules(vector, now);
    let claim = Claim::read(&envelope, &rules)?;
    claim.verify(&envelope, &rules, secret, &base64(&vector.body)).map(|body| body.content.into_owned())
}

#[test]
fn requests_signed_by_botocore_verify() {
    let all = vectors();
    assert!(all.vectors.len() >= 15);
    for vector in &all.vectors {
        let body = verify(vector, &all.secret, all.now).unwrap_or_else(|e| panic!("{}: {e}", vector.name));
        let expect = if vector.name == "s3_put_unsigned_chunks" {
            b"chunked ".repeat(40)
        } else {
            base64(&vector.body)
        };
        assert_eq!(body, expect, "{}", vector.name);
        let headers = headers(&vector.headers);
        let envelope =
            Envelope { method: &vector.method, path: &vector.path, query: &vector.query, headers: &headers };
        let claim = Claim::read(&envelope, &rules(vector, all.now)).unwrap();
        assert_eq!(claim.access_key_id(), all.access_key_id);
        assert_eq!(claim.region(), if vector.name == "other_region" { "eu-central-1" } else { "us-west-2" });
    }
}

#[test]
fn every_damage_is_refused() {
    let all = vectors();
    let good = all.vectors.first().unwrap().clone();
    let refused = |change: &dyn Fn(&mut Vector)| {
        let mut vector = good.clone();
        change(&mut vector);
        verify(&vector, &all.secret, all.now).unwrap_err()
    };
    let set = |vector: &mut Vector, name: &str, to: &dyn Fn(&str) -> String| {
        for (key, value) in &mut vector.headers {
            if key.eq_ignore_ascii_case(name) {
                *value = to(value);
            }
        }
    };
    use SignatureError as E;
    assert_eq!(refused(&|v| v.method = "PUT".into()), E::Mismatch);
    assert_eq!(refused(&|v| v.path.push('x')), E::Mismatch);
    assert_eq!(refused(&|v| v.query = "a=b".into()), E::Mismatch);
    assert_eq!(refused(&|v| v.body = "e30=".into()), E::Mismatch);
    assert_eq!(
        refused(&|v| v.headers.retain(|(k, _)| !k.eq_ignore_ascii_case("host"))),
        E::SignedHeaderAbsent
    );
    assert_eq!(refused(&|v| set(v, "content-type", &|_| "text/plain".into())), E::Mismatch);
    assert_eq!(refused(&|v| v.headers.retain(|(k, _)| !k.eq_ignore_ascii_case("authorization"))), E::Absent);
    assert_eq!(
        refused(&|v| {
            v.headers.retain(|(k, _)| !k.eq_ignore_ascii_case("authorization"));
            v.query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00".into();
        }),
        E::Presigned
    );
    assert_eq!(refused(&|v| set(v, "authorization", &|_| "Bearer abc".into())), E::Algorithm);
    assert_eq!(
        refused(&|v| set(v, "authorization", &|old| old.replace("/bedrock-agentcore/", "/s3/"))),
        E::Service
    );
    assert_eq!(
        refused(&|v| set(v, "authorization", &|old| old.replace("host;", ""))),
        E::SignedHeaderRequired
    );
    assert_eq!(
        refused(&|v| set(v, "authorization", &|old| old.replace("/20260314/", "/20260313/"))),
        E::ScopeDate
    );
    assert!(matches!(refused(&|v| set(v, "x-amz-date", &|_| "20260314T".into())), E::Malformed(_)));
    assert!(matches!(refused(&|v| v.headers.push(("x-amz-date".into(), "x".into()))), E::Malformed(_)));
    assert!(matches!(refused(&|v| set(v, "authorization", &|old| format!("{old}0"))), E::Malformed(_)));
    assert!(matches!(
        refused(&|v| set(v, "authorization", &|old| format!("{old}, Signature=0"))),
        E::Malformed(_)
    ));
    assert_eq!(
        refused(&|v| v.headers.push(("x-amz-content-sha256".into(), "UNSIGNED-PAYLOAD".into()))),
        E::UnsignedPayload
    );
}

#[test]
fn a_given_hash_must_be_the_bodys() {
    let all = vectors();
    let mut vector = all.vectors.iter().find(|v| v.name == "s3_put_signed_trailerless").unwrap().clone();
    vector.body = "aGVsbE8=".into();
    assert_eq!(verify(&vector, &all.secret, all.now), Err(SignatureError::BodyHash));
}

#[test]
fn another_secret_is_refused() {
    let all = vectors();
    for vector in &all.vectors {
        assert_eq!(verify(vector, "other", all.now), Err(SignatureError::Mismatch), "{}", vector.name);
    }
}

#[test]
fn the_clock_may_be_a_quarter_of_an_hour_off() {
    let all = vectors();
    let vector = all.vectors.first().unwrap();
    for (shift, good) in
        [(0, true), (900, true), (-900, true), (901, false), (-901, false), (i64::MAX / 2, false)]
    {
        let found = verify(vector, &all.secret, all.now + shift);
        assert_eq!(found.is_ok(), good, "{shift}");
        if !good {
            assert!(matches!(found, Err(SignatureError::Skew(_))));
        }
    }
}

#[test]
fn headers_that_are_not_signed_may_change() {
    let all = vectors();
    let mut vector = all.vectors.first().unwrap().clone();
    vector.headers.push(("amz-sdk-request".into(), "attempt=9".into()));
    vector.headers.push(("x-forwarded-for".into(), "1.2.3.4".into()));
    assert!(verify(&vector, &all.secret, all.now).is_ok());
}

proptest! {
    #[test]
    fn arbitrary_headers_never_panic(authorization in "\\PC{0,80}", date in "\\PC{0,20}", path in "\\PC{0,40}", query in "\\PC{0,40}") {
        let mut map = HeaderMap::new();
        for (name, value) in [("authorization", &authorization), ("x-amz-date", &date), ("host", &path)] {
            if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
                map.insert(name, value);
            }
        }
        let envelope = Envelope { method: "POST", path: &path, query: &query, headers: &map };
        let rules = Rules { service: "s3", now_unix_s: 0, path: PathEncoding::Twice, presigned: true, unsigned_payload: true, body_bytes_max: 10 };
        prop_assert!(Claim::read(&envelope, &rules).is_err());
    }

    #[test]
    fn one_changed_byte_of_the_signature_is_refused(at in 0usize..64, digit in "[0-9a-f]") {
        let all = vectors();
        let mut vector = all.vectors.first().unwrap().clone();
        let mut same = false;
        for (name, value) in &mut vector.headers {
            if name.eq_ignore_ascii_case("authorization") {
                let start = value.len() - 64 + at;
                same = value[start..=start] == digit;
                value.replace_range(start..=start, &digit);
            }
        }
        prop_assert_eq!(verify(&vector, &all.secret, all.now).is_ok(), same);
    }
}
