//! The position of a call in a trace: the header `traceparent` of W3C Trace Context, requested from
//! the program at each call. The program may use any tracing library.

use std::sync::Arc;

use http::HeaderValue;

/// Returns the `traceparent` of the current span, such as
/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
pub type TraceSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Returns the header's value. An invalid `traceparent` is omitted, because tracing never breaks a
/// call.
pub(crate) fn header(source: Option<&TraceSource>) -> Option<HeaderValue> {
    let text = source?()?;
    if is_trace_parent(&text) { HeaderValue::from_str(&text).ok() } else { None }
}

fn is_trace_parent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, span, flags] = parts[..] else { return false };
    let hex = |part: &str, length: usize| {
        part.len() == length
            && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_some = |part: &str| part.bytes().any(|byte| byte != b'0');
    hex(version, 2)
        && version != "ff"
        && hex(trace, 32)
        && is_some(trace)
        && hex(span, 16)
        && is_some(span)
        && hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_one_is_sent() {
        let check = |text: Option<&str>, expect: bool| {
            let text = text.map(str::to_owned);
            let source: TraceSource = Arc::new(move || text.clone());
            assert_eq!(header(Some(&source)).is_some(), expect);
        };
        check(Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), true);
        check(Some("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), false);
        check(Some("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"), false);
        check(Some("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), false);
        check(Some("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"), false);
        check(Some("no\nheader"), false);
        check(None, false);
        assert!(header(None).is_none());
    }
}
