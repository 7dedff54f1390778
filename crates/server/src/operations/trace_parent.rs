//! The header `traceparent` (W3C Trace Context) of a request: the span of the caller.

use http::HeaderMap;
use loci_model::ports::trace::SpanContext;

/// Returns the span of the caller in a request's headers.
pub(super) fn of(headers: &HeaderMap) -> Option<SpanContext> {
    headers.get("traceparent").and_then(|value| read(value.to_str().ok()?))
}

/// Parses the header. A malformed one counts as absent, as the recommendation requires. Later
/// versions may have more members.
fn read(text: &str) -> Option<SpanContext> {
    let mut parts = text.split('-');
    let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let is_small = |part: &str| part.bytes().all(|byte| !byte.is_ascii_uppercase());
    let mut byte = [0];
    hex::decode_to_slice(version, &mut byte).ok()?;
    let version = byte;
    hex::decode_to_slice(flags, &mut byte).ok()?;
    if version == [0xff] || (version == [0] && parts.next().is_some()) || !is_small(text) {
        return None;
    }
    let mut parent = SpanContext { trace: [0; 16], span: [0; 8] };
    hex::decode_to_slice(trace, &mut parent.trace).ok()?;
    hex::decode_to_slice(span, &mut parent.span).ok()?;
    (parent.trace != [0; 16] && parent.span != [0; 8]).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let check = |text: &str, expect: bool| assert_eq!(read(text).is_some(), expect, "{text}");
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        check(&format!("00-{trace}-{span}-01"), true);
        check(&format!("01-{trace}-{span}-01-later"), true);
        check(&format!("00-{trace}-{span}-01-later"), false);
        check(&format!("ff-{trace}-{span}-01"), false);
        check(&format!("00-{}-{span}-01", "0".repeat(32)), false);
        check(&format!("00-{trace}-{}-01", "0".repeat(16)), false);
        check(&format!("00-{}-{span}-01", trace.to_uppercase()), false);
        check(&format!("00-{trace}-{span}"), false);
        check("", false);
    }
}
