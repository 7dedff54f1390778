//! Variables that container platforms set for each service of a namespace: `LOCI_SERVICE_HOST`,
//! `LOCI_PORT` and others for a service called `loci`. They configure nothing here.

/// The suffixes of a port's variables. The variable with its URL has none.
const PARTS: &[&str] = &["", "_PROTO", "_PORT", "_ADDR"];
/// Protocols in names, and in values as `tcp://`.
const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];

/// True for a variable with the address of a service, regardless of the service's name.
pub(super) fn is_service_link(name: &str, value: &str) -> bool {
    let is_host = name.ends_with("_SERVICE_HOST");
    let is_port = name.split_once("_SERVICE_PORT").is_some_and(|(_, port)| {
        // The name of a named port follows.
        port.is_empty() || port.starts_with('_')
    });
    is_host || is_port || is_port_url(name, value) || is_port_part(name)
}

/// True for `LOCI_PORT=tcp://10.0.0.1:8411`.
fn is_port_url(name: &str, value: &str) -> bool {
    let is_url = |protocol: &&str| value.starts_with(&format!("{}://", protocol.to_ascii_lowercase()));
    name.ends_with("_PORT") && PROTOCOLS.iter().any(is_url)
}

/// True for `LOCI_PORT_8411_TCP` and `LOCI_PORT_8411_TCP_ADDR`.
fn is_port_part(name: &str) -> bool {
    name.match_indices("_PORT_").any(|(at, found)| {
        let rest = name.get(at + found.len()..).unwrap_or_default();
        let behind = rest.trim_start_matches(|char: char| char.is_ascii_digit());
        let is_part = |protocol: &&str| {
            let part = behind.strip_prefix('_').and_then(|behind| behind.strip_prefix(*protocol));
            part.is_some_and(|part| PARTS.contains(&part))
        };
        behind.len() < rest.len() && PROTOCOLS.iter().any(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_services() {
        let check = |name: &str, value: &str, expect: bool| {
            assert_eq!(is_service_link(name, value), expect, "{name}={value}");
        };
        check("LOCI_SERVICE_HOST", "10.0.0.1", true);
        check("LOCI_SERVICE_PORT", "8411", true);
        check("LOCI_SERVICE_PORT_HTTP", "8411", true);
        check("LOCI_PORT", "tcp://10.0.0.1:8411", true);
        check("LOCI_PORT", "8411", false);
        check("LOCI_PORT_8411_TCP", "tcp://10.0.0.1:8411", true);
        check("LOCI_PORT_8411_TCP_ADDR", "10.0.0.1", true);
        check("LOCI_PORT_53_UDP_PROTO", "udp", true);
        check("LOCI_SERVER_SERVICE_HOST", "10.0.0.1", true);
        check("LOCI_SERVER_PORT", "tcp://[fd00::1]:8411", true);
        check("LOCI_SERVER_PORT_8411_TCP_PORT", "8411", true);
        check("LOCI_SERVER_PORT_8411_TCP_TIMEOUT", "8411", false);
        check("LOCI_SERVER_PORT_TCP", "8411", false);
        check("LOCI_SERVER_SERVICE_PORTS", "8411", false);
        check("LOCI_SERVER_LISTEN", "tcp://10.0.0.1:8411", false);
    }
}
