//! The allowed origins of requests without credentials.
//!
//! Development mode trusts every client that reaches loopback, and so do the metrics and the API
//! description. A web page in a browser on this machine reaches loopback too: directly, with or
//! without stating its origin (`Origin`, `Sec-Fetch-Site`), or through a name that it resolves to
//! this machine (`Host`). So does every client of a proxy on this machine. All of these are
//! rejected.

use http::HeaderMap;
use loci_model::{Error, Result};

use super::gate::Peer;

/// Headers that proxies add. A request with one of them came through a proxy, from an unknown
/// address.
const PROXY_HEADERS: &[&str] = &["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
const HOST: &str = "host";
const ORIGIN: &str = "origin";
/// Headers by which browsers state the cause of a request.
const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";
const FETCH_DEST: &str = "sec-fetch-dest";

/// Rejects every request in development mode that does not come from a program, or a page, of this
/// machine.
///
/// # Errors
/// `Denied`, with the remedy.
pub(crate) fn require_own_machine(headers: &HeaderMap) -> Result<()> {
    if let Some(name) = PROXY_HEADERS.iter().find(|name| headers.contains_key(**name)) {
        return Err(Error::denied(format!(
            "without keys, requests that came through a proxy ({name}) are refused: make a key with `loci key create \
             NAME` and start the server with --behind-proxy, or ask it without a proxy"
        )));
    }
    refuse_foreign_origin(headers)?;
    if has_loopback_host(headers) {
        return Ok(());
    }
    Err(Error::denied(
        "without keys, this server answers to localhost and loopback addresses only: use one, or make a key",
    ))
}

/// Endpoints that need no credentials, with or without keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenEndpoint {
    /// `/healthz` and `/readyz`. They reveal only the state of the server, under any host name.
    Health,
    /// `/openapi.json`, which people open in a browser, also by a link on a page of another site.
    Description,
    /// `/metrics`, for programs. Beyond loopback it needs a key, which `operations::health` checks.
    Figures,
}

/// Rejects pages of other hosts for an open endpoint, and on loopback also other host names.
///
/// # Errors
/// `Denied`, with the remedy.
pub(crate) fn require_own_site(endpoint: OpenEndpoint, peer: Peer, headers: &HeaderMap) -> Result<()> {
    if matches!(peer, Peer::Process | Peer::Socket) {
        return Ok(());
    }
    if endpoint == OpenEndpoint::Figures || !is_navigation(headers) {
        refuse_foreign_origin(headers)?;
    }
    if endpoint == OpenEndpoint::Health || peer == Peer::Network || has_loopback_host(headers) {
        return Ok(());
    }
    Err(Error::denied(
        "on loopback this endpoint answers under localhost and loopback addresses only: use one, or --behind-proxy",
    ))
}

/// Returns true if a person followed a link in a browser. Then no page can read the response.
fn is_navigation(headers: &HeaderMap) -> bool {
    values(headers, FETCH_MODE).any(|mode| mode == "navigate")
        && values(headers, FETCH_DEST).all(|kind| kind == "document")
}

/// Rejects pages of other hosts. Browsers do not send the origin with every request of a page, but
/// they state that the page is of another site.
fn refuse_foreign_origin(headers: &HeaderMap) -> Result<()> {
    let foreign =
        || Error::denied("requests from pages of other hosts are refused: send them from a program");
    let mut origins = values(headers, ORIGIN).peekable();
    if origins.peek().is_none() {
        return if is_cross_site(headers) { Err(foreign()) } else { Ok(()) };
    }
    if origins.all(is_loopback_origin) { Ok(()) } else { Err(foreign()) }
}

fn has_loopback_host(headers: &HeaderMap) -> bool {
    values(headers, HOST).all(is_loopback_host)
}

/// Returns true if the browser states that a page of another site caused the request.
pub(crate) fn is_cross_site(headers: &HeaderMap) -> bool {
    values(headers, FETCH_SITE).any(|site| !matches!(site, "same-origin" | "same-site" | "none"))
}

/// Returns all values of a header. A value that is not text becomes `?`, which is not a valid name.
pub(crate) fn values<'h>(headers: &'h HeaderMap, name: &'static str) -> impl Iterator<Item = &'h str> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"))
}

/// Returns true for an origin on this machine.
pub(crate) fn is_loopback_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, host)| is_loopback_host(host))
}

/// Returns true for a name or address of this machine, with or without a port.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let (name, rest) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or(("", "")),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = rest.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    if !rest.is_empty() && !is_port {
        return false;
    }
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (http::HeaderName::from_static(name), http::HeaderValue::from_bytes(value.as_bytes()).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn hosts_of_this_machine() {
        for host in [
            "127.0.0.1:8411",
            "127.0.0.1",
            "localhost",
            "LOCALHOST:1",
            "[::1]:8411",
            "[::1]",
            "data.localhost:1",
        ] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in [
            "",
            "?",
            "evil.example:8411",
            "127.0.0.1.evil.example",
            "[::1].evil.example",
            "[::1].evil.example:8411",
            "[::1]evil",
            "[::1",
            "::1",
            "[localhost.evil.example]",
            "localhost:evil.example",
            "localhost:80:evil.example",
            "localhost.evil.example",
            "evil@localhost.example",
        ] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }

    #[test]
    fn pages_foreign_names_and_proxies_are_refused_in_development_mode() {
        let check = |pairs: &[(&'static str, &str)], expect: bool| {
            assert_eq!(require_own_machine(&headers(pairs)).is_ok(), expect, "{pairs:?}");
        };
        let own = ("host", "127.0.0.1:8411");
        check(&[own], true);
        check(&[], true);
        check(&[("host", "evil.example:8411")], false);
        check(&[("host", "[::1].evil.example")], false);
        check(&[own, ("host", "evil.example")], false);
        check(&[("host", "ev\u{ed}l")], false);
        check(&[own, ("origin", "http://localhost:3000")], true);
        check(&[own, ("origin", "https://evil.example")], false);
        check(&[own, ("origin", "http://localhost:3000"), ("origin", "https://evil.example")], false);
        check(&[own, ("origin", "null")], false);
        check(&[own, ("origin", "localhost")], false);
        for site in ["same-origin", "same-site", "none"] {
            check(&[own, ("sec-fetch-site", site)], true);
        }
        check(&[own, ("sec-fetch-site", "cross-site")], false);
        check(&[own, ("sec-fetch-site", "another")], false);
        // A page of localhost requests 127.0.0.1: that is another site, but this machine.
        check(&[own, ("sec-fetch-site", "cross-site"), ("origin", "http://localhost:3000")], true);
        check(&[own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], false);
        for name in PROXY_HEADERS.iter().copied() {
            check(&[own, (name, "127.0.0.1")], false);
            let said = require_own_machine(&headers(&[(name, "1.2.3.4")])).unwrap_err().message;
            assert!(said.contains("--behind-proxy"), "{said}");
        }
    }

    #[test]
    fn what_is_shown_without_credentials_is_shown_to_no_page_of_others() {
        use OpenEndpoint::{Description, Figures, Health};
        let check = |peer: Peer, pairs: &[(&'static str, &str)], expect: &[OpenEndpoint]| {
            for shown in [Health, Description, Figures] {
                let found = require_own_site(shown, peer, &headers(pairs)).is_ok();
                assert_eq!(found, expect.contains(&shown), "{shown:?} {peer:?} {pairs:?}");
            }
        };
        let all = &[Health, Description, Figures][..];
        let cross = ("sec-fetch-site", "cross-site");
        let link = [cross, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        check(Peer::Loopback, &[("host", "localhost:8411")], all);
        check(Peer::Loopback, &[("host", "evil.example")], &[Health]);
        check(Peer::Loopback, &[&[("host", "evil.example")][..], &link].concat(), &[Health]);
        check(Peer::Loopback, &[("host", "localhost"), cross], &[]);
        check(Peer::Loopback, &[&[("host", "localhost")][..], &link].concat(), &[Health, Description]);
        check(Peer::Network, &[("host", "memory.example")], all);
        check(Peer::Network, &[("host", "memory.example"), cross], &[]);
        check(Peer::Network, &link, &[Health, Description]);
        check(Peer::Network, &[("origin", "https://evil.example")], &[]);
        check(Peer::Loopback, &[("host", "localhost"), ("x-forwarded-for", "1.2.3.4")], all);
        check(Peer::Socket, &[("host", "anything"), ("origin", "https://evil.example")], all);
    }

    #[test]
    fn links_are_told_from_what_pages_load() {
        let check = |pairs: &[(&'static str, &str)], expect: bool| {
            assert_eq!(is_navigation(&headers(pairs)), expect, "{pairs:?}");
        };
        check(&[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")], true);
        check(&[("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")], false);
        check(&[("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")], false);
        check(&[], false);
    }
}
