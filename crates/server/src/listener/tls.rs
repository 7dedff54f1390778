//! TLS from two PEM files, by rustls with ring. Certificates are read once, at the start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_model::{Error, Result};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::{regular_file, secret_file};

/// A certificate chain and its key, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The path of the chain, the server's certificate first.
    pub certificate: PathBuf,
    /// The path of the private key.
    pub key: PathBuf,
}

/// Accepts TLS connections.
#[derive(Clone)]
pub(super) struct Tls(pub(super) TlsAcceptor);

impl Tls {
    pub(super) fn load(files: &TlsFiles) -> Result<Self> {
        let bad = |what: &str, path: &PathBuf, error: String| {
            Error::invalid("tls", format!("the {what} {} cannot be used: {error}", path.display()))
        };
        let read = |what: &str, path: &PathBuf| {
            regular_file::read(path).map_err(|error| bad(what, path, error.to_string()))
        };
        let certificate = read("certificate", &files.certificate)?;
        let chain = CertificateDer::pem_slice_iter(&certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| bad("certificate", &files.certificate, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_slice(&read("key", &files.key)?)
            .map_err(|error| bad("key", &files.key, error.to_string()))?;
        if let Some(fault) = warning(&files.key) {
            tracing::warn!(key = %files.key.display(), "{fault}");
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| bad("certificate", &files.certificate, error.to_string()))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

/// Returns the warning about a private key that others may read, by the rule for every file with a
/// secret. The key is accepted nevertheless, because orchestrators mount secrets this way.
fn warning(key: &Path) -> Option<String> {
    let about = std::fs::metadata(key).ok()?;
    secret_file::fault("the private key of TLS", &about)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// The guide's rule for every file with a secret except the master key: it is accepted, with a
    /// warning.
    #[test]
    fn a_private_key_that_others_can_read_is_taken_with_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            TlsFiles { certificate: folder.path().join("server.pem"), key: folder.path().join("server.key") };
        let pem = include_str!("../../../store-postgres/tests/tls/server.pem");
        std::fs::write(&files.certificate, pem).unwrap();
        std::fs::write(&files.key, include_str!("../../../store-postgres/tests/tls/server.key")).unwrap();
        for (mode, is_told) in [(0o644, true), (0o640, true), (0o602, true), (0o600, false), (0o400, false)] {
            std::fs::set_permissions(&files.key, Permissions::from_mode(mode)).unwrap();
            assert!(Tls::load(&files).is_ok(), "{mode:o}");
            let told = warning(&files.key);
            assert_eq!(told.is_some(), is_told, "{mode:o}: {told:?}");
            if let Some(told) = told {
                assert!(told.contains(&format!("the private key of TLS has the mode {mode:04o}")), "{told}");
                assert!(told.contains("chmod 600"), "{told}");
            }
        }
        // A common mistake is the wrong order of the two files.
        let swapped = TlsFiles { certificate: files.key.clone(), key: files.certificate.clone() };
        assert!(Tls::load(&swapped).is_err());
    }
}
