//! JSON that other programs wrote: requests, hooks, exports, answers of models and services.
//!
//! Programs cut text at a number of UTF-16 units and thereby cut emoji in two. The half is a lone
//! surrogate: `\ud83d` is JSON by its grammar, but no Unicode text. Every reader of foreign JSON
//! uses this crate. It replaces a lone surrogate by U+FFFD and logs a warning, so that half a
//! letter never costs a request, a line or a conversation. For the same reason foreign files of
//! every format become text here ([`text_of`]) and lose their byte order mark ([`without_mark`]).
//!
//! `serde_json` reads the text that Loci wrote itself (rows of a store). This crate does *not*
//! repair JSON in any other way: malformed JSON stays an error.

mod byte_order_mark;
mod surrogates;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Result;

pub use byte_order_mark::{BYTE_ORDER_MARK, bytes_without_mark, without_mark};
pub use surrogates::{ForeignText, Repaired, repair, text_of};

/// Reads a value. The strict parser runs first. The function searches only a text that this parser
/// rejects for lone surrogates.
///
/// A type that keeps parts as raw text (`RawValue`) accepts lone surrogates in them: read
/// [`repaired`] text for such a type.
///
/// # Errors
/// The strict parser's error, if the text is not JSON or does not match the type.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T> {
    serde_json::from_slice(text).or_else(|error| match repair(text) {
        Some(repaired) => serde_json::from_slice(&repaired.text),
        None => Err(error),
    })
}

/// Reads a value from text, like [`from_slice`].
///
/// # Errors
/// Like [`from_slice`].
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).or_else(|error| match repair(text.as_bytes()) {
        Some(repaired) => serde_json::from_slice(&repaired.text),
        None => Err(error),
    })
}

/// Returns the text without lone surrogates; the text itself if it has none. For types that borrow
/// from it.
#[must_use]
pub fn repaired(text: &[u8]) -> Cow<'_, [u8]> {
    repair(text).map_or(Cow::Borrowed(text), |repaired| Cow::Owned(repaired.text))
}

/// Returns text without lone surrogates, like [`repaired`].
#[must_use]
pub fn repaired_text(text: &str) -> Cow<'_, str> {
    let repaired = repair(text.as_bytes()).and_then(|repaired| String::from_utf8(repaired.text).ok());
    repaired.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn values_are_read_whether_or_not_a_letter_is_cut() {
        let text = |json: &str| from_str::<Value>(json).map(|value| value["a"].clone());
        for (json, expect) in [
            (r#"{"a":"plain"}"#, "plain"),
            (r#"{"a":"\ud83d\ude00"}"#, "😀"),
            (r#"{"a":"cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"a":"\ude00 cut","b":{"\ud83d":1}}"#, "\u{fffd} cut"),
        ] {
            assert_eq!(text(json).unwrap(), expect, "{json}");
            assert_eq!(from_slice::<Value>(json.as_bytes()).unwrap()["a"], expect, "{json}");
        }
        for json in ["", "{", r#"{"a":"\ud83d"#, r#"{"a":"\ud8"}"#] {
            assert!(text(json).is_err(), "{json}");
        }
        assert_eq!(from_slice::<Value>(b"{\"a\":\"\xed\xa0\xbd\"}").unwrap()["a"], "\u{fffd}");
    }

    #[test]
    fn text_that_needs_no_repair_is_the_same_text() {
        assert!(matches!(repaired(br#"{"a":"\ud83d\ude00\n"}"#), Cow::Borrowed(_)));
        assert!(matches!(repaired_text("\\u00e9 é"), Cow::Borrowed(_)));
        assert_eq!(repaired_text(r#""x\udead""#), r#""x\ufffd""#);
    }
}
