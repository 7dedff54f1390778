//! Decodes the bytes of a blob to text: line ends as LF, NFC. `file_lines` splits it into lines and
//! normalises them.

use loci_model::facts::verdict::Unverifiable;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::verifier::thresholds::{BINARY_PROBE_BYTES, FILE_BYTES_MAX};

/// Returns the text, or the reason why these bytes have none: too large, binary.
pub(super) fn decoded(bytes: &[u8]) -> Result<String, Unverifiable> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES_MAX) {
        return Err(Unverifiable::TooLarge);
    }
    text_of(bytes)
}

/// Returns the text in any length, unless it is binary.
pub(super) fn text_of(bytes: &[u8]) -> Result<String, Unverifiable> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => narrow(rest)?,
        _ => narrow(bytes)?,
    };
    Ok(composed(line_feeds(text)))
}

fn narrow(bytes: &[u8]) -> Result<String, Unverifiable> {
    if bytes.iter().take(BINARY_PROBE_BYTES).any(|byte| *byte == 0) {
        return Err(Unverifiable::Binary);
    }
    // The whole text is checked first, which is several times faster than a search for the next bad
    // byte.
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    })
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0,
    });
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

fn composed(text: String) -> String {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    text.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_or_say_why_not() {
        let late_nul = [vec![b'a'; BINARY_PROBE_BYTES], vec![0]].concat();
        let late_text = format!("{}\0", "a".repeat(BINARY_PROBE_BYTES));
        for (bytes, expect) in [
            (&b"a\r\nb\rc\n"[..], Ok("a\nb\nc\n")),
            (b"\xef\xbb\xbfa", Ok("a")),
            (b"\xff\xfea\0\r\0\n\0", Ok("a\n")),
            (b"\xfe\xff\0a\0\n", Ok("a\n")),
            (b"e\xcc\x81", Ok("\u{e9}")),
            (b"caf\xe9", Ok("caf\u{fffd}")),
            (b"a\0b", Err(Unverifiable::Binary)),
            (&late_nul, Ok(late_text.as_str())),
            (&vec![b'\n'; (FILE_BYTES_MAX as usize) + 1], Err(Unverifiable::TooLarge)),
        ] {
            let start = &bytes[..bytes.len().min(12)];
            assert_eq!(decoded(bytes), expect.map(str::to_owned), "{start:?}");
        }
    }
}
