//! The trace of the caller: what the header `traceparent` (W3C Trace Context) says, for as long as a request is worked on. Spans that
//! are made meanwhile belong to it.

use http::HeaderMap;

tokio::task_local! {
    static PARENT: TraceParent;
}

/// A span of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace.
    pub trace: [u8; 16],
    /// The span in it.
    pub span: [u8; 8],
}

/// The span of the caller whose request this task works on.
pub fn current() -> Option<TraceParent> {
    PARENT.try_with(|parent| *parent).ok()
}

/// The span of the caller that a request's headers name.
pub(super) fn of(headers: &HeaderMap) -> Option<TraceParent> {
    headers.get("traceparent").and_then(|value| read(value.to_str().ok()?))
}

/// Works on a request of this span of the caller.
pub(super) async fn within<T>(parent: Option<TraceParent>, work: impl Future<Output = T>) -> T {
    match parent {
        Some(parent) => PARENT.scope(parent, work).await,
        None => work.await,
    }
}

/// What is no `traceparent` counts as none, as the recommendation says. Later versions may have more members.
fn read(text: &str) -> Option<TraceParent> {
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
    let mut parent = TraceParent { trace: [0; 16], span: [0; 8] };
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

    #[test]
    fn it_holds_for_the_request_alone() {
        let mut headers = HeaderMap::new();
        headers.insert(
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap(),
        );
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let seen = runtime.block_on(within(of(&headers), async { current() }));
        assert_eq!(seen.unwrap().span, [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
        assert_eq!(runtime.block_on(within(of(&HeaderMap::new()), async { current() })), None);
        assert_eq!(current(), None);
    }
}
