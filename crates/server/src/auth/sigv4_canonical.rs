//! The canonical request of AWS Signature Version 4, the text that both sides hash. The module
//! checks nothing and knows no key.

use std::borrow::Cow;

use http::HeaderMap;
use percent_encoding::percent_decode_str;

use super::sigv4::{Envelope, PathEncoding, SignatureError};

/// Returns the canonical request (method, path, query, headers, header names, payload hash), lines
/// joined by `\n`.
pub(super) fn request(
    envelope: &Envelope<'_>,
    path: PathEncoding,
    signed_headers: &[String],
    payload_hash: &str,
) -> Result<String, SignatureError> {
    let mut text = String::with_capacity(512);
    text.push_str(envelope.method);
    text.push('\n');
    text.push_str(&uri(envelope.path, path));
    text.push('\n');
    text.push_str(&query(envelope.query, path));
    text.push('\n');
    for name in signed_headers {
        text.push_str(name);
        text.push(':');
        text.push_str(&header(envelope.headers, name)?);
        text.push('\n');
    }
    text.push('\n');
    text.push_str(&signed_headers.join(";"));
    text.push('\n');
    text.push_str(payload_hash);
    Ok(text)
}

/// Returns the path as clients sign it. `Twice` removes dot segments and empty segments from the
/// received path, and encodes each segment once more. `Once` (S3) brings every segment to its
/// canonical encoding and removes nothing.
fn uri(raw: &str, encoding: PathEncoding) -> String {
    let raw = if raw.is_empty() { "/" } else { raw };
    match encoding {
        PathEncoding::Once => raw
            .split('/')
            .map(|segment| encode(&percent_decode_str(segment).collect::<Vec<u8>>()))
            .collect::<Vec<_>>()
            .join("/"),
        PathEncoding::Twice => {
            let mut kept: Vec<&str> = Vec::new();
            for segment in raw.split('/') {
                match segment {
                    "" | "." => {}
                    ".." => {
                        kept.pop();
                    }
                    other => kept.push(other),
                }
            }
            let mut text = String::with_capacity(raw.len() + 16);
            for segment in &kept {
                text.push('/');
                text.push_str(&encode(segment.as_bytes()));
            }
            if kept.is_empty() || raw.ends_with('/') {
                text.push('/');
            }
            text
        }
    }
}

/// Returns names and values, decoded, encoded again in canonical form, and sorted by name, then
/// value.
///
/// S3 reads a plus as the space of form-encoded clients and signs it so, because the signed query
/// must equal the one that is read. SDKs write `%20` and `%2B`. All other services read a plus
/// literally.
fn query(raw: &str, encoding: PathEncoding) -> String {
    let raw = match encoding {
        PathEncoding::Once => Cow::Owned(raw.replace('+', "%20")),
        PathEncoding::Twice => Cow::Borrowed(raw),
    };
    let mut pairs: Vec<(String, String)> = raw
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (canonical(name), canonical(value))
        })
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

fn canonical(part: &str) -> String {
    encode(&percent_decode_str(part).collect::<Vec<u8>>())
}

/// Returns all values of one header joined by `,`, each trimmed and with runs of blanks collapsed.
fn header(headers: &HeaderMap, name: &str) -> Result<String, SignatureError> {
    let mut values = Vec::new();
    for value in headers.get_all(name) {
        let value = std::str::from_utf8(value.as_bytes())
            .map_err(|_| SignatureError::Malformed("a signed header is not UTF-8 text"))?;
        values.push(value.split_ascii_whitespace().collect::<Vec<_>>().join(" "));
    }
    if values.is_empty() { Err(SignatureError::SignedHeaderAbsent) } else { Ok(values.join(",")) }
}

/// Returns the percent-encoding with the unreserved set of RFC 3986 and upper-case digits.
fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut text = String::with_capacity(bytes.len() + 8);
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text.push('%');
            for nibble in [byte >> 4, byte & 15] {
                text.push(DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded_as_clients_do() {
        for (raw, twice, once) in [
            ("", "/", "/"),
            ("/memories/", "/memories/", "/memories/"),
            ("/a%2Fb/c", "/a%252Fb/c", "/a%2Fb/c"),
            ("/a//b/./c/../d", "/a/b/d", "/a//b/./c/../d"),
            ("/é~x", "/%C3%A9~x", "/%C3%A9~x"),
        ] {
            assert_eq!(uri(raw, PathEncoding::Twice), twice, "{raw}");
            assert_eq!(uri(raw, PathEncoding::Once), once, "{raw}");
        }
    }

    #[test]
    fn queries_are_sorted_after_encoding() {
        for (raw, expect) in [
            ("", ""),
            ("b=2&a=1", "a=1&b=2"),
            ("tagKeys=b&tagKeys=a", "tagKeys=a&tagKeys=b"),
            ("list-type=2&prefix=a/b", "list-type=2&prefix=a%2Fb"),
            ("flag", "flag="),
            ("x=%2fy&x=+", "x=%2B&x=%2Fy"),
        ] {
            assert_eq!(query(raw, PathEncoding::Twice), expect, "{raw}");
        }
    }

    #[test]
    fn s3_reads_a_plus_as_the_space_that_its_form_means() {
        for raw in ["prefix=a+b%2Bc", "prefix=a%20b%2Bc", "prefix=a%20b%2bc"] {
            assert_eq!(query(raw, PathEncoding::Once), "prefix=a%20b%2Bc", "{raw}");
        }
        assert_eq!(query("x=%2fy&x=+", PathEncoding::Once), "x=%20&x=%2Fy");
    }
}
