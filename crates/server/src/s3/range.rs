//! One range of bytes (`Range: bytes=…`). Several ranges, and malformed ones, yield the whole
//! object, as in S3.

use std::ops::Range;

/// Returns the requested range of `bytes` bytes; `None` for the whole object. Errors if the range
/// is empty.
pub(super) fn read(asked: Option<&str>, bytes: usize) -> Result<Option<Range<usize>>, ()> {
    let Some((first, last)) = asked.and_then(|text| text.trim().strip_prefix("bytes=")?.split_once('-'))
    else {
        return Ok(None);
    };
    // A number that does not fit exceeds every length.
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let range = match (number(first), number(last), first.is_empty(), last.is_empty()) {
        (Some(first), Some(last), _, _) if first <= last => first..last.saturating_add(1).min(bytes),
        (Some(first), None, _, true) => first..bytes,
        (None, Some(length), true, _) => bytes.saturating_sub(length)..bytes,
        _ => return Ok(None),
    };
    if range.is_empty() { Err(()) } else { Ok(Some(range)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (asked, expect) in [
            ("bytes=0-4", Ok(Some(0..5))),
            ("bytes=5-", Ok(Some(5..10))),
            ("bytes=-3", Ok(Some(7..10))),
            ("bytes=-99", Ok(Some(0..10))),
            ("bytes=8-99", Ok(Some(8..10))),
            ("bytes=9-18446744073709551616", Ok(Some(9..10))),
            ("bytes=10-", Err(())),
            ("bytes=-0", Err(())),
            ("bytes=4-3", Ok(None)),
            ("bytes=0-1,4-5", Ok(None)),
            ("bytes=a-b", Ok(None)),
            ("lines=0-1", Ok(None)),
            ("", Ok(None)),
        ] {
            assert_eq!(read(Some(asked), 10), expect, "{asked}");
        }
        assert_eq!(read(None, 10), Ok(None));
        assert_eq!(read(Some("bytes=0-"), 0), Err(()));
    }
}
