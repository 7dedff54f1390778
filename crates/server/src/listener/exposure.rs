//! The rules for listening: any loopback address; other addresses only with keys and encryption.

use loci_model::{Error, Result};

use super::ListenOptions;

/// Rejects an exposed listener, with the remedy.
pub(super) fn check(options: &ListenOptions, any_keys: bool) -> Result<()> {
    let beyond = !options.address.ip().is_loopback();
    let place = options.address;
    if (beyond || options.behind_proxy) && !any_keys {
        return Err(Error::conflict(format!(
            "listening on {place} needs access keys, because others can reach it: make one with `loci key create NAME`, or listen on 127.0.0.1 without --behind-proxy"
        )));
    }
    if beyond && options.tls.is_none() && !options.behind_proxy {
        return Err(Error::conflict(format!(
            "listening on {place} needs TLS: give --tls-cert and --tls-key, or --behind-proxy if a proxy before Loci ends TLS, or listen on 127.0.0.1"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::TlsFiles;
    use super::*;

    #[test]
    fn exposure() {
        let check = |address: &str, keys: bool, tls: bool, proxy: bool, expect: bool| {
            let mut options = ListenOptions::new(address.parse().unwrap());
            options.tls = tls.then(|| TlsFiles { certificate: "c".into(), key: "k".into() });
            options.behind_proxy = proxy;
            assert_eq!(super::check(&options, keys).is_ok(), expect, "{address} {keys} {tls} {proxy}");
        };
        check("127.0.0.1:0", false, false, false, true);
        check("127.9.9.9:0", false, false, false, true);
        check("[::1]:0", false, false, false, true);
        check("0.0.0.0:0", false, false, false, false);
        check("0.0.0.0:0", true, false, false, false);
        check("0.0.0.0:0", false, true, false, false);
        check("0.0.0.0:0", true, true, false, true);
        check("10.0.0.1:0", true, false, true, true);
        check("[::]:0", false, false, true, false);
        check("127.0.0.1:0", false, false, true, false);
        check("127.0.0.1:0", true, false, true, true);
    }
}
