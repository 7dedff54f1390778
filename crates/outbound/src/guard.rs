//! The rules for addresses that Loci may call. An address in the configuration may be in a private
//! network; an address that a client sends may not. Cloud metadata services, from which machines
//! get their credentials, are forbidden for both.
//!
//! Pure: [`crate::names`] resolves names, and passes each resolved address to [`forbidden`] too.
//! IPv6 forms that embed an IPv4 address are judged by the embedded address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use crate::request::{AddressOrigin, AddressRefusal};

/// The lowest allowed port of a client's address, except 80 and 443. Lower ports belong to other
/// services of a machine.
const FREE_PORTS_FROM: u16 = 1024;

/// IPv4 addresses from which cloud instances fetch credentials.
const METADATA_V4: &[Ipv4Addr] = &[
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    // The Azure host, and Oracle.
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    // Google.
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];
/// Names of metadata services that resolve only inside their cloud.
const METADATA_NAMES: &[&str] = &["metadata.google.internal", "metadata.goog"];

/// Networks that are forbidden for clients' addresses: network, prefix length, reason.
const V4: &[(Ipv4Addr, u32, AddressRefusal)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, AddressRefusal::Special),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressRefusal::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressRefusal::Private),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressRefusal::Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressRefusal::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressRefusal::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(192, 31, 196, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(192, 52, 193, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressRefusal::Private),
    (Ipv4Addr::new(192, 175, 48, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressRefusal::Special),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressRefusal::Special),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressRefusal::Special),
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressRefusal::Special),
];
const V6: &[(Ipv6Addr, u32, AddressRefusal)] = &[
    (Ipv6Addr::LOCALHOST, 128, AddressRefusal::Loopback),
    (Ipv6Addr::UNSPECIFIED, 128, AddressRefusal::Special),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, AddressRefusal::Special),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, AddressRefusal::Private),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, AddressRefusal::Special),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, AddressRefusal::Special),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, AddressRefusal::Special),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, AddressRefusal::Special),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, AddressRefusal::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, AddressRefusal::LinkLocal),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, AddressRefusal::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, AddressRefusal::Special),
];

/// The rules that apply to an address: who specified it, and if metadata services are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The origin of the address: the configuration or a client.
    pub reach: AddressOrigin,
    /// True if the configuration allows metadata services. It never applies to clients' addresses.
    pub allow_metadata: bool,
}

/// Parses an address, and checks its text: scheme, absence of credentials, port, host.
///
/// # Errors
/// The reason if the address is forbidden.
pub fn address(text: &str, rules: Rules) -> Result<Url, AddressRefusal> {
    let url = Url::parse(text).map_err(|_| AddressRefusal::Host)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressRefusal::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressRefusal::Credentials);
    }
    let port = url.port_or_known_default().ok_or(AddressRefusal::Port)?;
    if rules.reach == AddressOrigin::Public && !matches!(port, 80 | 443) && port < FREE_PORTS_FROM {
        return Err(AddressRefusal::Port);
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or(AddressRefusal::Host)?;
    match literal(host) {
        Some(ip) => forbidden(ip, rules).map_or(Ok(()), Err)?,
        None => name(host, rules)?,
    }
    Ok(url)
}

/// Checks a host name before it is resolved.
///
/// # Errors
/// If the name is that of this machine and a client sent it, or it is that of a metadata service.
pub fn name(host: &str, rules: Rules) -> Result<(), AddressRefusal> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is = |name: &str| host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    if METADATA_NAMES.iter().any(|name| is(name)) && !metadata_allowed(rules) {
        return Err(AddressRefusal::Metadata);
    }
    if rules.reach == AddressOrigin::Public && (is("localhost") || is("localdomain")) {
        return Err(AddressRefusal::Loopback);
    }
    Ok(())
}

/// Returns the reason if an IP address is forbidden; `None` if it is allowed.
pub fn forbidden(ip: IpAddr, rules: Rules) -> Option<AddressRefusal> {
    let carried = match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(v6) => carried_v4(v6).map_or(ip, IpAddr::V4),
    };
    let is_metadata = match carried {
        IpAddr::V4(v4) => METADATA_V4.contains(&v4),
        IpAddr::V6(v6) => {
            METADATA_V6.contains(&v6) || carried_locally(v6).iter().any(|v4| METADATA_V4.contains(v4))
        }
    };
    if is_metadata && !metadata_allowed(rules) {
        return Some(AddressRefusal::Metadata);
    }
    match (rules.reach, carried) {
        (AddressOrigin::Configured, _) => None,
        (AddressOrigin::Public, IpAddr::V4(v4)) => {
            V4.iter().find(|(net, bits, _)| within_v4(v4, *net, *bits)).map(|(_, _, why)| *why)
        }
        (AddressOrigin::Public, IpAddr::V6(v6)) => {
            V6.iter().find(|(net, bits, _)| within_v6(v6, *net, *bits)).map(|(_, _, why)| *why)
        }
    }
}

fn metadata_allowed(rules: Rules) -> bool {
    rules.allow_metadata && rules.reach == AddressOrigin::Configured
}

/// Returns the host of an address as an IP address. The URL parser has already normalised octal,
/// hexadecimal and short forms.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Returns the embedded IPv4 address: mapped, compatible, NAT64 (64:ff9b::/96) or 6to4 (2002::/16).
fn carried_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let of = |high: u16, low: u16| Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) | (0, 0, 0, 0, 0xffff, 0) => of(g, h),
        // `::` and `::1` are not embedded IPv4 addresses.
        (0, 0, 0, 0, 0, 0) if g != 0 || h > 1 => of(g, h),
        (0x2002, ..) => of(b, c),
        _ => None,
    }
}

/// Returns all IPv4 addresses that an address of local-use NAT64 (64:ff9b:1::/48) may embed. The
/// position depends on the prefix length of that network (RFC 6052, section 2.2), which is unknown
/// outside it. Returns none for any other address.
fn carried_locally(ip: Ipv6Addr) -> Vec<Ipv4Addr> {
    match ip.octets() {
        [0, 0x64, 0xff, 0x9b, 0, 1, a, b, _, c, d, e, f, g, h, i] => {
            vec![
                Ipv4Addr::new(a, b, c, d),
                Ipv4Addr::new(b, c, d, e),
                Ipv4Addr::new(c, d, e, f),
                Ipv4Addr::new(f, g, h, i),
            ]
        }
        _ => Vec::new(),
    }
}

fn within_v4(ip: Ipv4Addr, net: Ipv4Addr, bits: u32) -> bool {
    (u32::from(ip) ^ u32::from(net)).leading_zeros() >= bits
}

fn within_v6(ip: Ipv6Addr, net: Ipv6Addr, bits: u32) -> bool {
    (u128::from(ip) ^ u128::from(net)).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: Rules = Rules { reach: AddressOrigin::Public, allow_metadata: true };
    const CONFIGURED: Rules = Rules { reach: AddressOrigin::Configured, allow_metadata: false };

    fn verdict(text: &str, rules: Rules) -> &'static str {
        address(text, rules).map_or_else(AddressRefusal::as_str, |_| "ok")
    }

    #[test]
    fn addresses_of_clients_and_of_the_configuration() {
        // Address, verdict for a client's address, verdict for a configured one.
        let table = [
            ("https://example.org/hook", "ok", "ok"),
            ("http://example.org:8080/", "ok", "ok"),
            ("https://93.184.216.34/", "ok", "ok"),
            ("https://[2606:2800:220:1::1]/", "ok", "ok"),
            ("ftp://example.org/", "scheme", "scheme"),
            ("file:///etc/passwd", "scheme", "scheme"),
            ("gopher://example.org/", "scheme", "scheme"),
            ("not an address", "host", "host"),
            ("https://user@example.org/", "credentials", "credentials"),
            ("https://example.org@127.0.0.1/", "credentials", "credentials"),
            ("http://example.org:22/", "port", "ok"),
            ("http://example.org:443/", "ok", "ok"),
            ("http://localhost/", "loopback", "ok"),
            ("http://LOCALHOST./", "loopback", "ok"),
            ("http://api.localhost:1234/", "loopback", "ok"),
            ("http://127.0.0.1/", "loopback", "ok"),
            ("http://127.1/", "loopback", "ok"),
            ("http://2130706433/", "loopback", "ok"),
            ("http://0x7f000001/", "loopback", "ok"),
            ("http://0177.0.0.1/", "loopback", "ok"),
            ("http://127.255.255.254/", "loopback", "ok"),
            ("http://[::1]/", "loopback", "ok"),
            ("http://[::ffff:127.0.0.1]/", "loopback", "ok"),
            ("http://[::127.0.0.1]/", "loopback", "ok"),
            ("http://[::ffff:0:127.0.0.1]/", "loopback", "ok"),
            ("http://[64:ff9b::7f00:1]/", "loopback", "ok"),
            ("http://[2002:7f00:1::]/", "loopback", "ok"),
            ("http://[2002:a00:1::]/", "private", "ok"),
            ("http://0.0.0.0/", "special", "ok"),
            ("http://[::]/", "special", "ok"),
            ("http://10.1.2.3/", "private", "ok"),
            ("http://172.16.0.1/", "private", "ok"),
            ("http://172.31.255.255/", "private", "ok"),
            ("http://172.32.0.1/", "ok", "ok"),
            ("http://192.168.1.1/", "private", "ok"),
            ("http://100.64.0.1/", "private", "ok"),
            ("http://100.128.0.1/", "ok", "ok"),
            ("http://169.254.0.1/", "link_local", "ok"),
            ("http://192.0.0.1/", "special", "ok"),
            ("http://192.0.2.1/", "special", "ok"),
            ("http://198.18.0.1/", "special", "ok"),
            ("http://198.19.255.255/", "special", "ok"),
            ("http://198.20.0.1/", "ok", "ok"),
            ("http://198.51.100.7/", "special", "ok"),
            ("http://203.0.113.7/", "special", "ok"),
            ("http://224.0.0.1/", "special", "ok"),
            ("http://240.0.0.1/", "special", "ok"),
            ("http://255.255.255.255/", "special", "ok"),
            ("http://[fe80::1]/", "link_local", "ok"),
            ("http://[fc00::1]/", "private", "ok"),
            ("http://[fd12:3456::1]/", "private", "ok"),
            ("http://[ff02::1]/", "special", "ok"),
            ("http://[2001:db8::1]/", "special", "ok"),
            ("http://[100::1]/", "special", "ok"),
            ("http://169.254.169.254/latest/", "metadata", "metadata"),
            ("http://169.254.170.2/", "metadata", "metadata"),
            ("http://100.100.100.200/", "metadata", "metadata"),
            ("http://[::ffff:169.254.169.254]/", "metadata", "metadata"),
            ("http://[64:ff9b::a9fe:a9fe]/", "metadata", "metadata"),
            ("http://[fd00:ec2::254]/", "metadata", "metadata"),
            ("http://[fd20:ce::254]/", "metadata", "metadata"),
            ("http://168.63.129.16/", "metadata", "metadata"),
            ("http://192.0.0.192/opc/v2/", "metadata", "metadata"),
            ("http://[64:ff9b:1:a9fe:a9:fe00::]/", "metadata", "metadata"),
            ("http://[64:ff9b:1:a9:fe:a9fe::]/", "metadata", "metadata"),
            ("http://[64:ff9b:1::a9:fea9:fe00:0]/", "metadata", "metadata"),
            ("http://[64:ff9b:1::a9fe:a9fe]/", "metadata", "metadata"),
            ("http://[64:ff9b:1::a00:1]/", "private", "ok"),
            ("http://metadata.google.internal/", "metadata", "metadata"),
            ("http://Metadata.Google.Internal./", "metadata", "metadata"),
        ];
        for (text, client, configuration) in table {
            assert_eq!(verdict(text, PUBLIC), client, "a client's {text}");
            assert_eq!(verdict(text, CONFIGURED), configuration, "the configuration's {text}");
        }
    }

    #[test]
    fn metadata_is_allowed_to_the_configuration_alone() {
        let allowed = Rules { reach: AddressOrigin::Configured, allow_metadata: true };
        for text in ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/"]
        {
            assert_eq!(verdict(text, allowed), "ok", "{text}");
            assert_eq!(verdict(text, PUBLIC), "metadata", "{text}");
        }
    }
}
