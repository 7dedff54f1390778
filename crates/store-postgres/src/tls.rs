//! TLS to the database with rustls and the root certificates of the machine or of a file. The
//! server's certificate is always verified; there is no mode with encryption only.

use std::path::Path;
use std::sync::Arc;

use loci_model::{Error, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns the TLS connector. Without `is_used` no certificates are loaded, because that takes
/// longer than a connection.
pub(crate) fn connector(root_certificates: Option<&Path>, is_used: bool) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let failed =
        |error: rustls::Error| Error::unavailable("TLS to the database cannot be set up").caused_by(error);
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let config = match root_certificates {
        None if !is_used => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
        Some(path) => builder.with_root_certificates(roots(path)?).with_no_client_auth(),
        None => builder.with_platform_verifier().map_err(failed)?.with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(path: &Path) -> Result<RootCertStore> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let path = path.display();
        Error::invalid(
            "store",
            format!("`sslrootcert` {path} cannot be read as certificates in PEM: {error}"),
        )
    };
    // Check before opening it: opening a pipe would block.
    if !std::fs::metadata(path).map_err(|error| unreadable(&error))?.is_file() {
        return Err(unreadable(&"it is not a regular file"));
    }
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        store.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if store.is_empty() { Err(unreadable(&"there is none in it")) } else { Ok(store) }
}
