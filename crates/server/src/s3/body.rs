//! The decoded body of a request: within the limit, extracted from chunks, and checked against the
//! declared length and checksums.

use http::{HeaderMap, header};
use loci_model::{Error, limits};
use sha2::{Digest, Sha256};

use super::checksums;
use super::fault::S3Fault;
use crate::auth::sigv4::VerifiedBody;
use crate::auth::sigv4_chunks::ChunkDecoder;
use crate::bodies::BodyError;

const CHUNKED: &str = "aws-chunked";

/// The maximum number of bytes in a decoded body, that of an object.
pub(super) fn decoded_max(body_bytes_max: usize) -> usize {
    body_bytes_max.min(limits::OBJECT_BYTES_MAX)
}

/// Returns the S3 error for a body that was not read.
pub(super) fn unread(why: BodyError) -> S3Fault {
    match why {
        BodyError::TooLarge(_) | BodyError::Full => S3Fault::from(Error::from(why)),
        BodyError::Broken(_) | BodyError::TooSlow => S3Fault::bad("IncompleteBody", Error::from(why).message),
    }
}

/// Returns the body, decoded if it was not decoded before, and checked against its headers and
/// trailers.
pub(super) fn checked(headers: &HeaderMap, sent: VerifiedBody<'_>, max: usize) -> Result<Vec<u8>, S3Fault> {
    let encodings = encodings(headers)?;
    let hash = text(headers, "x-amz-content-sha256")?.unwrap_or_default();
    let is_chunked = hash.starts_with("STREAMING-") || encodings.iter().any(|one| one == CHUNKED);
    let VerifiedBody { content, trailers } = sent;
    let (content, trailers) = match trailers {
        Some(trailers) => (content.into_owned(), trailers),
        None if is_chunked => decoded(&content, max)?,
        None => {
            // This check applies in development mode too: the hash is not a signature, but it shows
            // that the body is complete.
            if hash.len() == 64 && !hash.eq_ignore_ascii_case(&hex::encode(Sha256::digest(&content))) {
                let rule = "the body is not that of x-amz-content-sha256";
                return Err(S3Fault::bad("XAmzContentSHA256Mismatch", rule));
            }
            (content.into_owned(), String::new())
        }
    };
    if let Some(length) = text(headers, "x-amz-decoded-content-length")?
        && length.parse() != Ok(content.len())
    {
        let rule =
            format!("x-amz-decoded-content-length is {length}, but the body has {} bytes", content.len());
        return Err(S3Fault::bad("IncompleteBody", rule));
    }
    checksums::check(headers, &trailers, &content)?;
    Ok(content)
}

/// Rejects a content encoding, because it is not stored and the bytes would be misread later.
pub(super) fn refuse_encoded(headers: &HeaderMap) -> Result<(), S3Fault> {
    match encodings(headers)?.iter().find(|one| *one != CHUNKED && *one != "identity") {
        None => Ok(()),
        Some(other) => Err(S3Fault::not_implemented(&format!("Content-Encoding: {other} is not kept"))),
    }
}

fn decoded(content: &[u8], max: usize) -> Result<(Vec<u8>, String), S3Fault> {
    use crate::auth::sigv4::SignatureError;
    ChunkDecoder::unsigned(decoded_max(max)).decoded(content).map_err(|error| {
        let code = match error {
            SignatureError::ChunkedBodyTooLarge(_) => "EntityTooLarge",
            _ => "IncompleteBody",
        };
        S3Fault::bad(code, error.to_string())
    })
}

fn encodings(headers: &HeaderMap) -> Result<Vec<String>, S3Fault> {
    let told = text(headers, header::CONTENT_ENCODING.as_str())?.unwrap_or_default();
    Ok(told.split(',').map(|one| one.trim().to_ascii_lowercase()).filter(|one| !one.is_empty()).collect())
}

/// Returns a header as text.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, S3Fault> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let read = value.to_str().map(|text| Some(text.trim()));
    read.map_err(|_| S3Fault::invalid_argument(&format!("the header {name} must be printable ASCII text")))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn bodies_are_what_their_headers_say() {
        let check = |lines: &str, body: &str, expect: Result<&str, &str>| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines.lines().filter_map(|line| line.split_once(": ")) {
                headers.insert(http::HeaderName::try_from(name.trim()).unwrap(), value.parse().unwrap());
            }
            let sent = VerifiedBody { content: Cow::Borrowed(body.as_bytes()), trailers: None };
            let found = checked(&headers, sent, 1_000).map(|body| String::from_utf8(body).unwrap());
            assert_eq!(found.as_deref().map_err(|fault| fault.code), expect, "{lines} {body:?}");
        };
        let streamed = "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER";
        check("", "plain", Ok("plain"));
        check("x-amz-content-sha256: UNSIGNED-PAYLOAD", "plain", Ok("plain"));
        check(streamed, "5\r\nplain\r\n0\r\n\r\n", Ok("plain"));
        check("content-encoding: aws-chunked", "5\r\nplain\r\n0\r\n\r\n", Ok("plain"));
        check(streamed, "5\r\nplain\r\n0\r\nx-amz-checksum-crc32:1dPQzA==\r\n\r\n", Err("BadDigest"));
        check(streamed, "5\r\nplain\r\n0\r\nx-amz-checksum-crc64nvme:AAAA\r\n\r\n", Ok("plain"));
        check("content-encoding: aws-chunked", "5;chunk-signature=00\r\nplain\r\n0\r\n\r\n", Ok("plain"));
        check(streamed, "5\r\nplai", Err("IncompleteBody"));
        check(streamed, "3e9\r\n", Err("EntityTooLarge"));
        let length = |length: u32| format!("{streamed}\nx-amz-decoded-content-length: {length}");
        check(&length(5), "5\r\nplain\r\n0\r\n\r\n", Ok("plain"));
        check(&length(6), "5\r\nplain\r\n0\r\n\r\n", Err("IncompleteBody"));
        let hash = hex::encode(Sha256::digest("plain"));
        check(&format!("x-amz-content-sha256: {hash}"), "plain", Ok("plain"));
        check(&format!("x-amz-content-sha256: {hash}"), "plane", Err("XAmzContentSHA256Mismatch"));
    }

    #[test]
    fn other_encodings_are_refused() {
        let mut headers = HeaderMap::new();
        for (encoding, expect) in [("aws-chunked", true), ("identity", true), ("gzip,aws-chunked", false)] {
            headers.insert(header::CONTENT_ENCODING, encoding.parse().unwrap());
            assert_eq!(refuse_encoded(&headers).is_ok(), expect, "{encoding}");
        }
    }
}
