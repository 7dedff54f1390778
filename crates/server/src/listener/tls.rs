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
    /// The chain, the server's certificate first.
    pub certificate: PathBuf,
    /// The private key.
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
        warn_of_readers(&files.key);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| bad("certificate", &files.certificate, error.to_string()))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

/// Warns where others may read the private key. It is taken all the same: orchestrators mount
/// secrets so.
fn warn_of_readers(key: &Path) {
    if let Ok(about) = std::fs::metadata(key)
        && let Some(fault) = secret_file::fault("the private key of TLS", &about)
    {
        tracing::warn!(key = %key.display(), "{fault}");
    }
}
