//! A signature in the query: reads it as a claim. It verifies nothing. The canonical request
//! excludes the signature itself.

use percent_encoding::percent_decode_str;

use super::sigv4::{
    ALGORITHM, Claim, Envelope, PayloadHash, Rules, SKEW_SECONDS, Scope, SignatureError, header_names,
    is_lower_hex, unix_seconds,
};

const SIGNATURE: &str = "X-Amz-Signature";
/// The maximum lifetime of such a signature, in seconds: a week, as in AWS.
const EXPIRES_MAX: i64 = 7 * 24 * 3600;

/// Returns true for a query that contains a signature.
pub(super) fn is_in(query: &str) -> bool {
    let names = query.split('&').filter_map(|part| part.split('=').next());
    names.into_iter().any(|name| {
        ["x-amz-signature", "x-amz-algorithm"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Returns the query in its signed form.
pub(super) fn without_signature(query: &str) -> String {
    let is_signature = |part: &&str| part.split('=').next() == Some(SIGNATURE);
    query.split('&').filter(|part| !is_signature(part)).collect::<Vec<_>>().join("&")
}

/// Reads the claim, and checks everything that needs no secret.
pub(super) fn read(envelope: &Envelope<'_>, rules: &Rules<'_>) -> Result<Claim, SignatureError> {
    let member = |name: &'static str| member(envelope.query, name);
    if member("X-Amz-Algorithm")? != ALGORITHM {
        return Err(SignatureError::Algorithm);
    }
    let credential = member("X-Amz-Credential")?;
    let scope = Scope::read(&credential)?;
    if scope.service != rules.service {
        return Err(SignatureError::Service);
    }
    let signed_headers = header_names(&member("X-Amz-SignedHeaders")?)?;
    if !signed_headers.iter().any(|name| name == "host") {
        return Err(SignatureError::SignedHeaderRequired);
    }
    let amz_date = member("X-Amz-Date")?;
    if !amz_date.starts_with(scope.day) {
        return Err(SignatureError::ScopeDate);
    }
    let expires: i64 = member("X-Amz-Expires")?.parse().unwrap_or_default();
    if !(1..=EXPIRES_MAX).contains(&expires) {
        return Err(SignatureError::Malformed("X-Amz-Expires is not 1 to 604800"));
    }
    let age = rules.now_unix_s.saturating_sub(unix_seconds(&amz_date)?);
    if age < -SKEW_SECONDS {
        return Err(SignatureError::Skew(age));
    }
    if age > expires {
        return Err(SignatureError::Expired);
    }
    let signature = member(SIGNATURE)?;
    if signature.len() != 64 || !is_lower_hex(&signature) {
        return Err(SignatureError::Malformed("X-Amz-Signature is not 64 lower-case hexadecimal digits"));
    }
    let payload = match PayloadHash::read(envelope.headers, rules)? {
        PayloadHash::OfBody => PayloadHash::Unsigned,
        told => told,
    };
    Ok(Claim {
        access_key_id: scope.access_key_id.to_owned(),
        region: scope.region.to_owned(),
        day: scope.day.to_owned(),
        service: scope.service.to_owned(),
        amz_date,
        signed_headers,
        signature,
        payload,
        is_presigned: true,
    })
}

/// Returns a member of the query, decoded. It must occur once.
fn member(query: &str, name: &'static str) -> Result<String, SignatureError> {
    let values = query.split('&').filter_map(|part| part.split_once('=')).filter(|(key, _)| *key == name);
    let mut values = values.map(|(_, value)| value);
    match (values.next(), values.next()) {
        (Some(value), None) => percent_decode_str(value)
            .decode_utf8()
            .map(|text| text.into_owned())
            .map_err(|_| SignatureError::Malformed("a member of the query is not UTF-8 text")),
        (None, _) => Err(SignatureError::Malformed("a member of the query signature is missing")),
        (Some(_), Some(_)) => {
            Err(SignatureError::Malformed("a member of the query signature is given twice"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sigv4::PathEncoding;
    use super::*;
    use http::HeaderMap;

    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    /// The example in AWS's documentation of signatures in queries.
    const QUERY: &str = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F\
                         aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&\
                         X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
    /// The time at which the signature of the example was created, in seconds since the epoch.
    const MADE: i64 = 1_369_353_600;

    fn verify(query: &str, now_unix_s: i64) -> Result<(), SignatureError> {
        let mut headers = HeaderMap::new();
        headers.insert("host", "examplebucket.s3.amazonaws.com".parse().unwrap());
        let envelope = Envelope { method: "GET", path: "/test.txt", query, headers: &headers };
        let rules = Rules {
            service: "s3",
            now_unix_s,
            path: PathEncoding::Once,
            presigned: true,
            unsigned_payload: true,
            body_bytes_max: 10,
        };
        Claim::read(&envelope, &rules)?.verify(&envelope, &rules, SECRET, b"").map(drop)
    }

    #[test]
    fn the_documented_example_holds_and_nothing_near_it() {
        assert_eq!(verify(QUERY, MADE), Ok(()));
        assert_eq!(verify(QUERY, MADE + 86_400), Ok(()));
        assert_eq!(verify(QUERY, MADE + 86_401), Err(SignatureError::Expired));
        assert_eq!(verify(QUERY, MADE - 901), Err(SignatureError::Skew(-901)));
        assert_eq!(verify(&format!("{QUERY}&x=1"), MADE), Err(SignatureError::Mismatch));
        let changed = |from: &str, to: &str| verify(&QUERY.replace(from, to), MADE).unwrap_err();
        assert_eq!(changed("86400", "86401"), SignatureError::Mismatch);
        assert!(matches!(changed("86400", "604801"), SignatureError::Malformed(_)));
        assert!(matches!(changed("&X-Amz-Expires=86400", ""), SignatureError::Malformed(_)));
        assert!(matches!(changed("X-Amz-Date=", "X-Amz-Date=1&X-Amz-Date="), SignatureError::Malformed(_)));
        assert_eq!(changed("%2Fs3%2F", "%2Fec2%2F"), SignatureError::Service);
        assert_eq!(changed("SignedHeaders=host", "SignedHeaders=date"), SignatureError::SignedHeaderRequired);
        assert_eq!(changed("20130524%2F", "20130525%2F"), SignatureError::ScopeDate);
    }
}
