//! Encodes parts of URLs, so that any name remains one part of the path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to percent-encode: all except the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes one part, including slashes. Returns `None` for an empty part, `.` and `..`, which no
/// encoding makes safe.
pub(crate) fn part(text: &str) -> Option<String> {
    (!matches!(text, "" | "." | "..")).then(|| utf8_percent_encode(text, ENCODED).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_parts() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(part(text).as_deref(), expect, "{text}");
        check("ripgrep", Some("ripgrep"));
        check("feature/x?ref=main#f", Some("feature%2Fx%3Fref%3Dmain%23f"));
        check("a b\r\nhost: evil", Some("a%20b%0D%0Ahost%3A%20evil"));
        check("%2e%2e", Some("%252e%252e"));
        check("ä", Some("%C3%A4"));
        check("...", Some("..."));
        check("..", None);
        check(".", None);
        check("", None);
    }
}
