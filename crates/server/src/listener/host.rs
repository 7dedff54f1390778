//! The host of a request. The protection against pages of other sites checks `Host`, so a request
//! over TCP must have one, and its target must not name another.

use axum::body::Body;
use http::request::Parts;
use http::{StatusCode, Version, header};

use crate::auth::gate::Peer;

/// Returns the rule that a request breaks by the hosts that it names.
pub(super) fn fault(head: &Parts, peer: Peer) -> Option<&'static str> {
    if matches!(peer, Peer::Process | Peer::Socket) {
        return None;
    }
    let mut hosts = head.headers.get_all(header::HOST).iter();
    let (host, another) = (hosts.next(), hosts.next());
    if another.is_some() {
        return Some("the header Host must occur only once\n");
    }
    match (host, head.uri.authority()) {
        (Some(host), Some(target)) if !host.as_bytes().eq_ignore_ascii_case(target.as_str().as_bytes()) => {
            Some("the header Host must name the host of the target: send the path alone as target\n")
        }
        (None, Some(_)) => {
            Some("a target with a host needs the header Host, which names the same: send it\n")
        }
        (None, None) if head.version >= Version::HTTP_11 => {
            Some("a request of HTTP/1.1 must have the header Host: send it\n")
        }
        (_, _) => None,
    }
}

/// Returns the response to such a request.
pub(super) fn refused(rule: &'static str) -> hyper::Response<Body> {
    let mut response = hyper::Response::new(Body::from(rule));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_host() {
        let check = |version: Version, target: &str, hosts: &[&str], expect: Option<&str>| {
            let mut request = http::Request::builder().version(version).uri(target);
            for host in hosts {
                request = request.header("host", *host);
            }
            let (head, ()) = request.body(()).unwrap().into_parts();
            for peer in [Peer::Loopback, Peer::Network] {
                let found = fault(&head, peer);
                assert_eq!(found.is_some(), expect.is_some(), "{target} {hosts:?}: {found:?}");
                let is_named = expect.is_none_or(|word| found.is_some_and(|rule| rule.contains(word)));
                assert!(is_named, "{target} {hosts:?}: {found:?}");
            }
            for peer in [Peer::Process, Peer::Socket] {
                assert_eq!(fault(&head, peer), None, "{target} {hosts:?}");
            }
        };
        let new = Version::HTTP_11;
        check(new, "/v1/search", &["localhost:8411"], None);
        check(new, "/v1/search", &[], Some("HTTP/1.1"));
        check(Version::HTTP_10, "/healthz", &[], None);
        check(new, "/v1/search", &["localhost", "localhost"], Some("once"));
        check(new, "http://localhost:8411/v1/search", &["LOCALHOST:8411"], None);
        check(new, "http://evil.example/v1/search", &["localhost:8411"], Some("host of the target"));
        check(new, "http://localhost/v1/search", &["evil.example"], Some("host of the target"));
        check(Version::HTTP_10, "http://evil.example/v1/search", &[], Some("names the same"));
    }
}
