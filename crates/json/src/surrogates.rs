//! The search for lone surrogates in JSON text, as escapes (`\ud83d`) and as bytes (`ED A0 BD`). It
//! makes one pass over the text. A replacement has the length of the surrogate, so lines, columns
//! and lengths do not change.

use std::string::FromUtf8Error;

/// The first byte of a JSON escape such as `\ud83d`.
const BACKSLASH: u8 = b'\\';
/// First byte of a surrogate that is encoded as UTF-8 would encode it.
const SURROGATE_BYTE: u8 = 0xed;
/// Length of an escape such as `\ud83d`, in bytes.
const ESCAPE_BYTES: usize = 6;
/// Number of bytes after an escape that the search checks one by one for the next escape.
const NEAR_BYTES: usize = 16;
/// U+FFFD, which replaces a lone surrogate, as a JSON escape.
const REPLACED_ESCAPE: &[u8; ESCAPE_BYTES] = br"\ufffd";
/// U+FFFD, which replaces a lone surrogate, in UTF-8.
const REPLACED_BYTES: [u8; 3] = [0xef, 0xbf, 0xbd];

/// Text in which lone surrogates were replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedText {
    /// The text, in which each lone surrogate is U+FFFD.
    pub text: Vec<u8>,
    /// Number of surrogates that were replaced.
    pub replaced: usize,
}

/// Replaces each lone surrogate by U+FFFD and logs a warning; `None` if the text has none.
#[must_use]
pub fn repair(text: &[u8]) -> Option<RepairedText> {
    let found = lone(text);
    if found.is_empty() {
        return None;
    }
    let mut repaired = text.to_vec();
    for at in &found {
        let replacement: &[u8] =
            if repaired.get(*at) == Some(&BACKSLASH) { REPLACED_ESCAPE } else { &REPLACED_BYTES };
        if let Some(place) = repaired.get_mut(*at..at.saturating_add(replacement.len())) {
            place.copy_from_slice(replacement);
        }
    }
    tracing::warn!(replaced = found.len(), "JSON of others holds lone surrogates: each became U+FFFD");
    Some(RepairedText { text: repaired, replaced: found.len() })
}

/// Text of a file that another program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignText {
    /// The text, in which each lone surrogate is U+FFFD.
    pub text: String,
    /// Number of surrogates that the file held as bytes and that were replaced.
    pub replaced: usize,
}

/// Returns the bytes of a file of any format as text. Some programs write half a letter as bytes
/// (`ED A0 BD`), which is not UTF-8: each becomes U+FFFD, and the function logs a warning. Escapes
/// stay unchanged, because a text that is not JSON may describe them.
///
/// # Errors
/// The strict decoder's error, if the bytes are not UTF-8 for another reason.
pub fn text_of(bytes: Vec<u8>) -> Result<ForeignText, FromUtf8Error> {
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(ForeignText { text, replaced: 0 }),
        Err(error) => error,
    };
    let mut repaired = error.as_bytes().to_vec();
    let (mut replaced, mut at) = (0, 0);
    while at < repaired.len() {
        let is_half = repaired.get(at) == Some(&SURROGATE_BYTE) && is_surrogate(&repaired, at);
        let place = repaired.get_mut(at..at.saturating_add(REPLACED_BYTES.len())).filter(|_| is_half);
        at += match place {
            Some(place) => {
                place.copy_from_slice(&REPLACED_BYTES);
                replaced += 1;
                REPLACED_BYTES.len()
            }
            None => 1,
        };
    }
    let text = String::from_utf8(repaired).map_err(|_| error)?;
    tracing::warn!(replaced, "a file of others holds lone surrogates: each became U+FFFD");
    Ok(ForeignText { text, replaced })
}

/// Returns the positions of lone surrogates.
fn lone(text: &[u8]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    // Nearly all text has no such escape, and UTF-8 has no surrogates. Such text costs only two
    // searches that compare whole machine words.
    let utf8 = std::str::from_utf8(text).ok();
    if utf8.is_some_and(|text| !text.contains(r"\u")) {
        return found;
    }
    loop {
        at += plain(text, utf8, at);
        let Some(byte) = text.get(at) else { break };
        at += match *byte {
            BACKSLASH => match unit(text, at) {
                Some(0xd800..=0xdbff) if matches!(unit(text, at + ESCAPE_BYTES), Some(0xdc00..=0xdfff)) => {
                    2 * ESCAPE_BYTES
                }
                Some(0xd800..=0xdfff) => {
                    found.push(at);
                    ESCAPE_BYTES
                }
                // Another escape: a backslash inside it begins no escape. It ends at a character
                // boundary.
                Some(_) | None if text.get(at + 1).is_some_and(u8::is_ascii) => 2,
                Some(_) | None => 1,
            },
            SURROGATE_BYTE if is_surrogate(text, at) => {
                found.push(at);
                REPLACED_BYTES.len()
            }
            _ => 1,
        };
    }
    found
}

/// Returns the number of bytes from `at` on in which no escape and no surrogate begins. In text
/// with escapes close to each other, a search costs more than checking the first bytes one by one.
fn plain(text: &[u8], utf8: Option<&str>, at: usize) -> usize {
    let Some(whole) = utf8 else { return 0 };
    let near = text.get(at..).unwrap_or_default().iter().take(NEAR_BYTES);
    let count = near.take_while(|byte| **byte != BACKSLASH).count();
    if count < NEAR_BYTES {
        return count;
    }
    let rest = whole.get(at..).unwrap_or_default();
    rest.find('\\').unwrap_or(rest.len())
}

/// Returns the UTF-16 unit that an escape at this position encodes.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at.checked_add(ESCAPE_BYTES)?)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit * 16 + u16::try_from(digit).ok()?)
    })
}

/// True if the bytes at this position are a surrogate. Valid UTF-8 has none.
fn is_surrogate(text: &[u8], at: usize) -> bool {
    let byte = |more: usize| text.get(at.saturating_add(more)).copied();
    matches!((byte(1), byte(2)), (Some(0xa0..=0xbf), Some(0x80..=0xbf)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_has_no_partner_is_replaced() {
        let check = |text: &[u8], expect: Option<(&[u8], usize)>| {
            let got = repair(text);
            let expect = expect.map(|(text, replaced)| RepairedText { text: text.to_vec(), replaced });
            assert_eq!(got, expect, "{}", String::from_utf8_lossy(text));
        };
        check(b"", None);
        check(br#"{"a":"\ud83d\ude00 \u00e9 \n"}"#, None);
        check(br"\\ud83d", None);
        check("\\é\\ud83d é\\".as_bytes(), Some(("\\é\\ufffd é\\".as_bytes(), 1)));
        check(br"\\\ud83d", Some((br"\\\ufffd", 1)));
        check(br"\uD83D", Some((br"\ufffd", 1)));
        check(br"\ud83dx\ude00", Some((br"\ufffdx\ufffd", 2)));
        check(br"\ude00\ud83d", Some((br"\ufffd\ufffd", 2)));
        check(br"\ud83d\ud83d\ude00", Some((br"\ufffd\ud83d\ude00", 1)));
        check(br"\ud83d\u0041", Some((br"\ufffd\u0041", 1)));
        check(br"\ud83", None);
        check(br"\ud83d\ude0", Some((br"\ufffd\ude0", 1)));
        check("한국어 \u{d7ff}".as_bytes(), None);
        check(b"a\xed\xa0\xbdb\xed", Some((b"a\xef\xbf\xbdb\xed", 1)));
    }

    #[test]
    fn bytes_of_half_a_letter_cost_no_file() {
        let check = |bytes: &[u8], expect: Option<(&str, usize)>| {
            let expect = expect.map(|(text, replaced)| ForeignText { text: text.to_owned(), replaced });
            assert_eq!(text_of(bytes.to_vec()).ok(), expect, "{bytes:x?}");
        };
        check("a 😀 한".as_bytes(), Some(("a 😀 한", 0)));
        check(b"cut \xed\xa0\xbd, \xed\xbe\x80.", Some(("cut \u{fffd}, \u{fffd}.", 2)));
        check(br"the escape \ud83d stays", Some((r"the escape \ud83d stays", 0)));
        check(b"\xed\xa0\xbd of \\ud83d", Some(("\u{fffd} of \\ud83d", 1)));
        check(b"latin \xe9", None);
        check(b"\xed\xa0\xbd and latin \xe9", None);
        check(b"\xed\xa0", None);
    }

    proptest! {
        /// For any text, the repair ends, keeps the length, and finds nothing the second time.
        #[test]
        fn repairing_twice_changes_nothing_more(text in "(\\\\|u|d83d|DE00|\"|x|é|한|\\\\ud83d|\\\\ude00){0,40}") {
            if let Some(once) = repair(text.as_bytes()) {
                prop_assert_eq!(once.text.len(), text.len());
                prop_assert!(once.replaced > 0);
                prop_assert_eq!(repair(&once.text), None);
            }
        }

        /// Text that the strict parser accepts holds no lone surrogate.
        #[test]
        fn text_without_halves_is_left_alone(text in ".{0,40}") {
            let json = serde_json::Value::String(text).to_string();
            prop_assert_eq!(repair(json.as_bytes()), None);
        }
    }
}
