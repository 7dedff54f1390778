//! The byte order mark that Windows editors put before a text. It is not part of the text. This
//! module handles UTF-8 only.

/// The byte order mark as a character.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the text after its byte order mark, if it begins with one. A second mark is part of the
/// text.
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Returns the bytes after their byte order mark, like [`without_mark`]. The bytes may be invalid
/// UTF-8.
#[must_use]
pub fn bytes_without_mark(text: &[u8]) -> &[u8] {
    let mut mark = [0; BYTE_ORDER_MARK.len_utf8()];
    text.strip_prefix(BYTE_ORDER_MARK.encode_utf8(&mut mark).as_bytes()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_at_the_beginning_goes() {
        for (text, expect) in [
            ("", ""),
            ("a", "a"),
            ("\u{feff}", ""),
            ("\u{feff}a\u{feff}", "a\u{feff}"),
            ("\u{feff}\u{feff}a", "\u{feff}a"),
            (" \u{feff}a", " \u{feff}a"),
        ] {
            assert_eq!(without_mark(text), expect, "{text:?}");
            assert_eq!(bytes_without_mark(text.as_bytes()), expect.as_bytes(), "{text:?}");
        }
        assert_eq!(bytes_without_mark(b"\xef\xbb\xbf\xff"), b"\xff");
        assert_eq!(bytes_without_mark(b"\xef\xbb"), b"\xef\xbb");
    }
}
