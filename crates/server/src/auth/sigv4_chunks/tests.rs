//! Tests of the decoder with the chunked upload of Amazon's signing documentation, cut at every
//! length.

use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;

use super::*;
use crate::auth::sigv4::{BodyCheck, Claim, Envelope, PathEncoding, Rules};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
/// Signatures of the request, of its chunks of 65,536 and 1,024 bytes `a`, and of the empty chunk.
const SEED: &str = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
const SIGNATURES: [&str; 3] = [
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
];

fn body() -> Vec<u8> {
    let mut text = Vec::new();
    for (size, signature) in [65_536usize, 1_024, 0].into_iter().zip(SIGNATURES) {
        text.extend_from_slice(format!("{size:x};chunk-signature={signature}\r\n").as_bytes());
        text.extend(std::iter::repeat_n(b'a', size));
        text.extend_from_slice(b"\r\n");
    }
    text
}

fn decoder(body_bytes_max: usize) -> ChunkDecoder {
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=\
         content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;\
         x-amz-storage-class,Signature={SEED}"
    );
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("authorization", authorization.as_str()),
        ("host", "s3.amazonaws.com"),
        ("x-amz-date", "20130524T000000Z"),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
        ("content-encoding", "aws-chunked"),
        ("x-amz-decoded-content-length", "66560"),
        ("content-length", "66824"),
    ] {
        headers.insert(name, HeaderValue::from_str(value).unwrap());
    }
    let envelope =
        Envelope { method: "PUT", path: "/examplebucket/chunkObject.txt", query: "", headers: &headers };
    let rules = Rules {
        service: "s3",
        now_unix_s: 1_369_353_600,
        path: PathEncoding::Once,
        presigned: false,
        unsigned_payload: false,
        body_bytes_max,
    };
    let claim = Claim::read(&envelope, &rules).unwrap();
    assert!(!claim.needs_body_hash());
    match claim.begin(&envelope, &rules, SECRET, "").unwrap() {
        BodyCheck::Chunks(decoder) => *decoder,
        other => panic!("{other:?}"),
    }
}

fn decode(mut decoder: ChunkDecoder, body: &[u8], piece: usize) -> Result<Vec<u8>, SignatureError> {
    let mut out = Vec::new();
    for part in body.chunks(piece) {
        decoder.feed(part, &mut out)?;
    }
    decoder.finish()?;
    Ok(out)
}

#[test]
fn the_documented_upload_decodes_in_pieces_of_any_size() {
    let body = body();
    assert_eq!(body.len(), 66_824);
    for piece in [1, 2, 7, 85, 86, 65_536, 100_000] {
        assert_eq!(decode(decoder(1 << 20), &body, piece).unwrap(), vec![b'a'; 66_560], "{piece}");
    }
}

#[test]
fn no_byte_of_a_damaged_chunk_is_given_out() {
    let mut body = body();
    let damaged = 65_536 + 200;
    body[damaged] = b'b';
    let mut out = Vec::new();
    let mut decoder = decoder(1 << 20);
    assert_eq!(decoder.feed(&body, &mut out), Err(SignatureError::Mismatch));
    assert_eq!(out.len(), 65_536);
    assert!(decoder.feed(b"\r\n", &mut out).is_err());
    assert!(decoder.finish().is_err());
}

#[test]
fn cut_lengthened_and_oversized_bodies_are_refused() {
    let body = body();
    for cut in [0, 1, 85, 65_536, 66_000, 66_730] {
        assert!(decode(decoder(1 << 20), &body[..cut], 4_096).is_err(), "{cut}");
    }
    let longer = [body.as_slice(), b"x"].concat();
    assert_eq!(decode(decoder(1 << 20), &longer, 4_096), Err(SignatureError::Chunk("bytes follow its end")));
    assert_eq!(decode(decoder(66_559), &body, 4_096), Err(SignatureError::ChunkedBodyTooLarge(66_559)));
}

#[test]
fn unsigned_chunks_with_trailers_decode() {
    for (body, expect) in [
        ("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n", Some("hello")),
        ("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", Some("hello")),
        ("5\r\nhello\r\n0\r\n", Some("hello")),
        ("0\r\n\r\n", Some("")),
        ("5\r\nhello!\r\n0\r\n\r\n", None),
        ("5\nhello\n0\n\n", None),
        ("-1\r\n", None),
        ("fffffffff\r\n", None),
        ("5\r\nhello\r\n0\r\nno colon\r\n\r\n", None),
    ] {
        let found = decode(ChunkDecoder::new(None, 100), body.as_bytes(), 3);
        assert_eq!(found.ok().as_deref(), expect.map(str::as_bytes), "{body:?}");
    }
}

#[test]
fn a_signed_trailer_is_required_and_checked() {
    let signing = || Signing::new([7; 32], "20260314T092653Z", "20260314/r/s3/aws4_request", SEED, true);
    let sign = |algorithm: &str, previous: &str, hashes: &str| {
        let text = format!("{algorithm}\n20260314T092653Z\n20260314/r/s3/aws4_request\n{previous}\n{hashes}");
        hex::encode(hmac_sha256(&[7; 32], text.as_bytes()).unwrap())
    };
    let end = sign("AWS4-HMAC-SHA256-PAYLOAD", SEED, &format!("{EMPTY_SHA256}\n{EMPTY_SHA256}"));
    let sum = hex::encode(Sha256::digest(b"x-amz-checksum-crc32:AAAAAA==\n"));
    let trailer = sign("AWS4-HMAC-SHA256-TRAILER", &end, &sum);
    let head = format!("0;chunk-signature={end}\r\nx-amz-checksum-crc32:AAAAAA==\r\n");
    let good = format!("{head}x-amz-trailer-signature:{trailer}\r\n\r\n");
    let decoded = |body: &str| decode(ChunkDecoder::new(Some(signing()), 10), body.as_bytes(), 5);
    assert_eq!(decoded(&good), Ok(Vec::new()));
    assert_eq!(decoded(&good.replace("AAAAAA", "AAAAAB")), Err(SignatureError::Mismatch));
    assert!(decoded(&format!("{head}\r\n")).is_err());
    assert!(decoded(&format!("{head}x-amz-trailer-signature:{trailer}\r\nx:y\r\n\r\n")).is_err());
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(body in prop::collection::vec(any::<u8>(), 0..200), piece in 1usize..50) {
        if let Ok(out) = decode(ChunkDecoder::new(None, 100), &body, piece) {
            prop_assert!(out.len() <= 100);
        }
        prop_assert!(decode(decoder(100), &body, piece).is_err());
    }
}
