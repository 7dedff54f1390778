//! Entry points for fuzzing: arbitrary bytes for all code that reads a request before the engine.
//! They must not panic; their results do not matter.

use http::{HeaderMap, HeaderName, HeaderValue};
use loci_model::memory::settings::EventLimits;

use super::constraints::check;
use super::page_token;
use super::route::{Operation, Route, route};
use crate::auth::sigv4::{Claim, Envelope, PathEncoding, Rules};

/// Fuzzes the router: the first line is the method, the second the path, the rest the query.
pub fn fuzz_route(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let _ = route("", next(), next(), next());
}

/// Fuzzes the shapes: the first byte selects the operation, the rest is the body.
pub fn fuzz_shapes(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else { return };
    let operations: Vec<Operation> = Operation::all().collect();
    let Some(operation) = operations.get(usize::from(*choice) % operations.len().max(1)) else { return };
    let route = Route { operation: *operation, path: Vec::new(), query: Vec::new() };
    for limits in [EventLimits::Strict, EventLimits::Lenient] {
        let _ = check(&route, body, limits);
    }
}

/// Fuzzes page tokens.
pub fn fuzz_page_token(data: &[u8]) {
    let _ = page_token::read("0123456789abcdef", &String::from_utf8_lossy(data), 2);
}

/// Fuzzes signatures: lines `name: value` are headers, the rest after an empty line is the body.
pub fn fuzz_signature(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
        if let (Ok(name), Ok(value)) =
            (HeaderName::try_from(name.trim()), HeaderValue::from_str(value.trim()))
        {
            headers.append(name, value);
        }
    }
    let envelope = Envelope { method: "POST", path: "/a%2Fb", query: "a=b", headers: &headers };
    let rules = Rules {
        service: "bedrock-agentcore",
        now_unix_s: 1_773_480_413,
        path: PathEncoding::Twice,
        presigned: true,
        unsigned_payload: true,
        body_bytes_max: 1 << 16,
    };
    if let Ok(claim) = Claim::read(&envelope, &rules) {
        let _ = claim.verify(&envelope, &rules, "secret", body.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
            fuzz_route(&data);
            fuzz_shapes(&data);
            fuzz_signature(&data);
        }

        #[test]
        fn nearly_right_signatures_never_panic(key in "[A-Z]{0,20}", signature in "[0-9a-f]{60,66}", hash in "UNSIGNED-PAYLOAD|STREAMING-UNSIGNED-PAYLOAD-TRAILER|STREAMING-AWS4-HMAC-SHA256-PAYLOAD", body in "[0-9a-f;\r\n]{0,40}") {
            let text = format!(
                "authorization: AWS4-HMAC-SHA256 Credential={key}/20260314/r/bedrock-agentcore/aws4_request, \
                 SignedHeaders=host;x-amz-date, Signature={signature}\nhost: h\nx-amz-date: 20260314T092653Z\n\
                 x-amz-content-sha256: {hash}\n\n{body}"
            );
            fuzz_signature(text.as_bytes());
        }
    }
}
