//! Messages for a call without a response: one sentence with its remedy for each possible failure
//! on the way to a server.

use std::error::Error as StdError;
use std::io::ErrorKind;

use rustls::CertificateError;

/// Returns the failure on the way to the server at `place`, and its remedy.
pub(super) fn message(place: &str, error: &reqwest::Error) -> String {
    if error.is_timeout() && error.is_connect() {
        return format!(
            "the host of {place} did not take a connection in time: check the address, and whether a firewall \
             drops it"
        );
    }
    if error.is_timeout() {
        return format!("the server at {place} took the call and did not answer in time");
    }
    if error.is_dns() {
        return format!(
            "the name in {place} has no address: check its spelling, and the DNS of this machine"
        );
    }
    if let Some(tls) = chain(error).find_map(tls) {
        return of_tls(place, tls);
    }
    let io = chain(error).find_map(|cause| cause.downcast_ref::<std::io::Error>());
    of_connection(place, io.map(std::io::Error::kind))
}

fn of_connection(place: &str, kind: Option<ErrorKind>) -> String {
    match kind {
        Some(ErrorKind::ConnectionRefused | ErrorKind::NotFound) => {
            format!("no server answers at {place}: is `loci serve` running there?")
        }
        Some(ErrorKind::PermissionDenied) => format!(
            "this user may not connect to {place}: use the user that the server runs as, or give a URL and a key"
        ),
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown) => {
            format!("there is no route to {place}: check the network of this machine, or its VPN")
        }
        _ if place.starts_with("http://") => format!(
            "the server at {place} broke the call off before it answered: where it expects TLS, use https://"
        ),
        _ => {
            format!("the server at {place} broke the call off before it answered: see its log, and try again")
        }
    }
}

/// Returns the failure of TLS. The server responds, but the connection is not trusted.
fn of_tls(place: &str, error: &rustls::Error) -> String {
    let rustls::Error::InvalidCertificate(why) = error else {
        return match error {
            rustls::Error::InvalidMessage(_) => {
                format!("the server at {place} does not speak TLS: use http://, or start it with --tls-cert")
            }
            _ => format!(
                "TLS with {place} failed ({error}): check what the server, or a proxy before it, allows"
            ),
        };
    };
    let wrong = match why {
        CertificateError::UnknownIssuer => {
            "comes from an authority that this machine does not trust: name the file with the authority's \
             certificate with --ca-cert or in SSL_CERT_FILE, or add it to those of the operating system"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "has expired: renew it, or correct the clock of this machine"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet: correct the clock of this machine"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is for another name: use a name that the certificate has"
        }
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "is that of an authority: issue a certificate for the server, and trust the authority with --ca-cert"
        }
        CertificateError::Revoked => "was revoked: the server needs another one",
        _ => {
            return format!(
                "the certificate of {place} is not accepted ({why}): the server needs another one"
            );
        }
    };
    format!("the certificate of {place} {wrong}")
}

/// Returns an error of TLS, also from inside an I/O error.
fn tls<'e>(cause: &'e (dyn StdError + 'static)) -> Option<&'e rustls::Error> {
    let mut inner = cause;
    loop {
        if let Some(found) = inner.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        // I/O errors wrap I/O errors, and neither is a source of the other.
        inner = inner.downcast_ref::<std::io::Error>()?.get_ref()?;
    }
}

fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |cause: &&'e (dyn StdError + 'static)| (*cause).source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates() {
        let check = |why: CertificateError, part: &str| {
            let told = of_tls("https://memory.example", &rustls::Error::InvalidCertificate(why));
            assert!(told.starts_with("the certificate of https://memory.example"), "{told}");
            assert!(told.contains(part) && !told.contains("no server answers"), "{told}");
        };
        check(CertificateError::UnknownIssuer, "SSL_CERT_FILE");
        check(CertificateError::Expired, "has expired");
        check(CertificateError::NotValidYet, "clock");
        check(CertificateError::NotValidForName, "another name");
        check(CertificateError::Revoked, "revoked");
        check(CertificateError::BadSignature, "not accepted");
        let other = of_tls("https://h", &rustls::Error::HandshakeNotComplete);
        assert!(other.starts_with("TLS with https://h failed"), "{other}");
    }

    #[test]
    fn connections() {
        let check = |place: &str, kind: Option<ErrorKind>, part: &str| {
            let told = of_connection(place, kind);
            assert!(told.contains(part) && told.contains(place), "{told}");
        };
        check("http://h", Some(ErrorKind::ConnectionRefused), "is `loci serve` running there?");
        check("/data/loci.sock", Some(ErrorKind::PermissionDenied), "this user may not");
        check("http://h", Some(ErrorKind::NetworkUnreachable), "no route");
        check("http://h", Some(ErrorKind::ConnectionReset), "use https://");
        check("https://h", None, "broke the call off");
    }
}
