//! Protection of a local server from pages in a browser: both the host name of a request and the
//! page that sends it must be on this machine. A Loci server has the same rule.

use http::HeaderMap;

use super::storage_error::{StorageError, StorageErrorKind};

/// Checks the headers of a request.
///
/// # Errors
/// `Denied` for a host name of another machine, and for a page of another site.
pub(super) fn check_site(headers: &HeaderMap) -> Result<(), StorageError> {
    let denied = |rule: &str| Err(StorageError::new(StorageErrorKind::Denied, rule));
    let mut hosts = values(headers, "host").peekable();
    if hosts.peek().is_none() || !hosts.all(is_loopback_host) {
        return denied("this server answers the host names of its own machine: use http://127.0.0.1:<port>");
    }
    let mut origins = values(headers, "origin").peekable();
    let is_foreign = match origins.peek() {
        Some(_) => !origins.all(is_loopback_origin),
        None => values(headers, "sec-fetch-site")
            .any(|site| !matches!(site, "same-origin" | "same-site" | "none")),
    };
    if is_foreign {
        return denied("requests from pages of other hosts are refused: send them from a program");
    }
    Ok(())
}

/// Returns all values of a header. A value that is no text is `?`, which is no valid host name.
fn values<'h>(headers: &'h HeaderMap, name: &'static str) -> impl Iterator<Item = &'h str> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?"))
}

fn is_loopback_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(_, host)| is_loopback_host(host))
}

/// Returns true for a name or address of this machine, with or without a port.
fn is_loopback_host(host: &str) -> bool {
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
