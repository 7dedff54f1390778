//! The allowed origins and forms of a request. Pages of other hosts, and names that others resolve
//! to this machine, are rejected with any token.

use axum::response::Response;
use http::{HeaderMap, StatusCode, header};

use super::reply;
use crate::auth::gate::Peer;
use crate::auth::site::{is_cross_site, is_loopback_host, is_loopback_origin, values};
use crate::mcp::options::Guard;

/// Rejects foreign origins and foreign host names.
pub(super) fn check(guard: &Guard, peer: Peer, headers: &HeaderMap) -> Result<(), &'static str> {
    let is_known = |origin: &str| {
        is_loopback_origin(origin) || guard.origins.iter().any(|known| known == origin || known == "*")
    };
    let mut origins = values(headers, "origin").peekable();
    let is_foreign = if origins.peek().is_some() {
        !origins.all(is_known)
    } else {
        is_cross_site(headers) // of which browsers do not say the origin with everything
    };
    if is_foreign {
        return Err("requests from pages of this origin are not allowed: see [mcp] allowed_origins");
    }
    let is_allowed = |host: &str| match (&guard.hosts, peer) {
        (_, Peer::Process | Peer::Socket) | (None, Peer::Network) => true,
        (None, Peer::Loopback) => is_loopback_host(host),
        (Some(hosts), Peer::Loopback | Peer::Network) => {
            let bare = without_port(host);
            is_loopback_host(host)
                || hosts.iter().any(|known| known.eq_ignore_ascii_case(bare) || known == "*")
        }
    };
    if values(headers, "host").all(is_allowed) {
        Ok(())
    } else {
        Err("this host name is not allowed: add it to allowed_hosts in [mcp]")
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Rejects bodies that are not JSON, and clients that accept neither form of response. Returns true
/// if the client reads streams.
pub(super) fn forms(headers: &HeaderMap) -> Result<bool, Box<Response>> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(reply::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "messages are application/json"));
    }
    let mut accepted =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    if accepted.peek().is_none() {
        return Ok(true);
    }
    let (mut json, mut stream) = (false, false);
    for part in accepted.flat_map(|value| value.split(',')) {
        match part.split(';').next().unwrap_or_default().trim() {
            "application/json" | "application/*" => json = true,
            "text/event-stream" | "text/*" => stream = true,
            "*/*" => (json, stream) = (true, true),
            _ => {}
        }
    }
    if json || stream {
        return Ok(stream);
    }
    let rule = "answers are application/json or text/event-stream: accept both";
    Err(reply::refused(StatusCode::NOT_ACCEPTABLE, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn origins_and_hosts() {
        let check = |hosts: Option<&[&str]>, peer: Peer, pairs: &[(&'static str, &str)], expect: bool| {
            let guard = Guard {
                origins: vec!["https://app.example".to_owned()],
                hosts: hosts.map(|hosts| hosts.iter().map(|host| (*host).to_owned()).collect()),
            };
            assert_eq!(
                super::check(&guard, peer, &headers(pairs)).is_ok(),
                expect,
                "{hosts:?} {peer:?} {pairs:?}"
            );
        };
        check(None, Peer::Loopback, &[], true);
        check(None, Peer::Loopback, &[("host", "127.0.0.1:8411")], true);
        check(None, Peer::Loopback, &[("host", "[::1]:8411")], true);
        check(None, Peer::Loopback, &[("host", "evil.example")], false);
        check(None, Peer::Network, &[("host", "memory.example")], true);
        check(Some(&["memory.example"]), Peer::Network, &[("host", "memory.example:443")], true);
        check(Some(&["memory.example"]), Peer::Network, &[("host", "MEMORY.example")], true);
        check(Some(&["memory.example"]), Peer::Network, &[("host", "evil.example")], false);
        check(Some(&["memory.example"]), Peer::Loopback, &[("host", "localhost:1")], true);
        check(None, Peer::Socket, &[("host", "anything")], true);
        check(None, Peer::Network, &[("origin", "https://evil.example")], false);
        check(None, Peer::Network, &[("origin", "https://app.example")], true);
        check(None, Peer::Network, &[("origin", "https://app.example.evil.example")], false);
        check(None, Peer::Loopback, &[("origin", "http://localhost:6274")], true);
        check(None, Peer::Loopback, &[("origin", "null")], false);
        check(None, Peer::Socket, &[("origin", "https://evil.example")], false);
        check(None, Peer::Loopback, &[("host", "[::1].evil.example")], false);
        check(None, Peer::Loopback, &[("host", "localhost"), ("host", "evil.example")], false);
        check(None, Peer::Loopback, &[("sec-fetch-site", "cross-site")], false);
        check(
            None,
            Peer::Network,
            &[("sec-fetch-site", "cross-site"), ("origin", "https://app.example")],
            true,
        );
    }

    #[test]
    fn forms_of_messages() {
        let check = |pairs: &[(&'static str, &str)], expect: Result<bool, u16>| {
            let said = forms(&headers(pairs)).map_err(|response| response.status().as_u16());
            assert_eq!(said, expect, "{pairs:?}");
        };
        check(&[("content-type", "application/json")], Ok(true));
        check(&[("content-type", "application/json; charset=utf-8"), ("accept", "*/*")], Ok(true));
        check(&[("content-type", "application/json"), ("accept", "application/json")], Ok(false));
        check(
            &[("content-type", "application/json"), ("accept", "application/json, text/event-stream")],
            Ok(true),
        );
        check(&[("content-type", "application/json"), ("accept", "text/html")], Err(406));
        check(&[("content-type", "text/plain")], Err(415));
        check(&[], Err(415));
    }
}
