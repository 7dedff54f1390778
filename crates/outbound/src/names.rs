//! Resolves host names, and checks every address. The connection uses a checked address, so a name
//! that resolves to another address the second time gains nothing.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use loci_model::ports::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::guard::{self, Rules};
use crate::request::AddressRefusal;

/// A resolver of host names.
pub trait Lookup: Send + Sync {
    /// Returns all addresses of a name.
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl Lookup for SystemNames {
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((host.as_str(), 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

/// The error that carries a rejection through the HTTP client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal(pub(crate) AddressRefusal);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the address is refused ({})", self.0.as_str())
    }
}

impl std::error::Error for Refusal {}

/// A resolver for the HTTP client that rejects forbidden IP addresses.
#[derive(Clone)]
pub(crate) struct GuardedNames {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) rules: Rules,
}

impl GuardedNames {
    /// Returns the IP addresses of a name. A single forbidden address rejects the name, because
    /// whoever adds that address can also return it alone.
    pub(crate) async fn addresses(
        self,
        host: String,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        guard::name(&host, self.rules).map_err(Refusal)?;
        let found = self.lookup.lookup(host).await?;
        if let Some(why) = found.iter().find_map(|ip| guard::forbidden(*ip, self.rules)) {
            return Err(Refusal(why).into());
        }
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address").into());
        }
        Ok(found.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect())
    }
}

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.clone().addresses(name.as_str().to_owned());
        Box::pin(async move { Ok(Box::new(found.await?.into_iter()) as Addrs) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::request::AddressOrigin;

    /// A resolver that returns its answers in order, and repeats the last one.
    struct InTurn(Mutex<Vec<Vec<IpAddr>>>);

    impl Lookup for InTurn {
        fn lookup(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let mut answers = self.0.lock().unwrap();
            let next = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
            Box::pin(async move { Ok(next) })
        }
    }

    fn names(reach: AddressOrigin, answers: &[&[&str]]) -> GuardedNames {
        let answers = answers.iter().map(|ips| ips.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        GuardedNames {
            lookup: Arc::new(InTurn(Mutex::new(answers))),
            rules: Rules { reach, allow_metadata: false },
        }
    }

    fn ask(names: &GuardedNames, host: &str) -> String {
        match loci_testkit_ports::block_on(names.clone().addresses(host.to_owned())) {
            Ok(found) => format!("{} addresses", found.len()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn resolved_addresses_are_judged_every_time() {
        let check = |reach, answers: &[&str], expect: &str| {
            assert_eq!(ask(&names(reach, &[answers]), "example.org"), expect, "{answers:?}");
        };
        check(AddressOrigin::Public, &["93.184.216.34", "2606:2800:220:1::1"], "2 addresses");
        check(AddressOrigin::Public, &["93.184.216.34", "10.0.0.1"], "the address is refused (private)");
        check(AddressOrigin::Public, &["::ffff:10.0.0.1"], "the address is refused (private)");
        check(AddressOrigin::Configured, &["10.0.0.1"], "1 addresses");
        check(
            AddressOrigin::Configured,
            &["10.0.0.1", "169.254.169.254"],
            "the address is refused (metadata)",
        );
        check(AddressOrigin::Public, &[], "the name has no address");

        let rebound = names(AddressOrigin::Public, &[&["93.184.216.34"], &["127.0.0.1"]]);
        assert_eq!(ask(&rebound, "example.org"), "1 addresses");
        assert_eq!(ask(&rebound, "example.org"), "the address is refused (loopback)");
        assert_eq!(
            ask(&names(AddressOrigin::Public, &[&["93.184.216.34"]]), "localhost"),
            "the address is refused (loopback)"
        );
    }
}
