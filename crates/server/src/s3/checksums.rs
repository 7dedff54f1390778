//! Checksums that clients send with a body, in headers or trailers. CRC32, CRC32C, SHA-1 and
//! SHA-256 are compared; others are ignored.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::body::text;
use super::fault::S3Fault;

/// The polynomials in reflected bit order.
const CRC32: u32 = 0xEDB8_8320;
const CRC32C: u32 = 0x82F6_3B78;
const NAMES: [&str; 4] =
    ["x-amz-checksum-crc32", "x-amz-checksum-crc32c", "x-amz-checksum-sha1", "x-amz-checksum-sha256"];

/// Compares every checksum of a known kind.
///
/// # Errors
/// `BadDigest`; `InvalidRequest` for a malformed checksum.
pub(super) fn check(headers: &HeaderMap, trailers: &str, body: &[u8]) -> Result<(), S3Fault> {
    for name in NAMES {
        let behind = trailers.lines().filter_map(|line| line.split_once(':'));
        let behind = behind.filter(|(told, _)| *told == name).map(|(_, value)| value);
        for told in text(headers, name)?.into_iter().chain(behind) {
            let Ok(told) = BASE64_STANDARD.decode(told) else {
                return Err(S3Fault::bad("InvalidRequest", format!("the value of {name} is no base64")));
            };
            if told != of(name, body) {
                let rule = format!("the checksum of the body differs from {name}");
                return Err(S3Fault::bad("BadDigest", rule));
            }
        }
    }
    Ok(())
}

fn of(name: &str, body: &[u8]) -> Vec<u8> {
    match name {
        "x-amz-checksum-crc32" => crc(CRC32, body).to_be_bytes().to_vec(),
        "x-amz-checksum-crc32c" => crc(CRC32C, body).to_be_bytes().to_vec(),
        "x-amz-checksum-sha1" => Sha1::digest(body).to_vec(),
        _ => Sha256::digest(body).to_vec(),
    }
}

/// Computes a CRC, a byte at a time, by a table. Ten megabytes take some tens of milliseconds.
fn crc(polynomial: u32, body: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (at, entry) in (0_u32..).zip(table.iter_mut()) {
        *entry = (0..8).fold(at, |value, _| (value >> 1) ^ if value & 1 == 1 { polynomial } else { 0 });
    }
    let next = |value: u32, byte: &u8| {
        let at = usize::from(value.to_le_bytes()[0] ^ byte);
        (value >> 8) ^ table.get(at).copied().unwrap_or_default()
    };
    !body.iter().fold(!0, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(crc(CRC32, b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(CRC32C, b"123456789"), 0xE306_9283);
        assert_eq!(crc(CRC32, b""), 0);
    }

    #[test]
    fn every_kind_is_compared() {
        let body = b"123456789";
        let good: Vec<String> = NAMES.iter().map(|name| BASE64_STANDARD.encode(of(name, body))).collect();
        for (name, value) in NAMES.iter().zip(&good) {
            let mut headers = HeaderMap::new();
            headers.insert(*name, value.parse().unwrap());
            assert!(check(&headers, "", body).is_ok(), "{name}");
            assert_eq!(check(&headers, "", b"other").unwrap_err().code, "BadDigest", "{name}");
            let trailer = format!("x-amz-checksum-crc64nvme:AA==\n{name}:{value}\n");
            assert!(check(&HeaderMap::new(), &trailer, body).is_ok(), "{name}");
            assert_eq!(check(&HeaderMap::new(), &trailer, b"other").unwrap_err().code, "BadDigest", "{name}");
            headers.insert(*name, "no base64!".parse().unwrap());
            assert_eq!(check(&headers, "", body).unwrap_err().code, "InvalidRequest", "{name}");
        }
    }
}
