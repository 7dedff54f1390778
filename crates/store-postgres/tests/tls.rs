//! TLS to the database, and URLs with which no connection can succeed: the error is immediate, with
//! the member of the URL and the remedy. The certificates in `tls/` were made for these tests and
//! are trusted by nothing else.
#![expect(clippy::expect_used, reason = "a failure of the proxy or the database is the test's failure")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::ErrorKind;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio_rustls::TlsAcceptor;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// A TLS endpoint that uses the certificate for `localhost`, and forwards the data to a database.
struct Proxy {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    fn start(database: SocketAddr) -> Self {
        let certificate = CertificateDer::from_pem_file(file("server.pem")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(file("server.key")).expect("a key");
        let config =
            rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .expect("versions")
                .with_no_client_auth()
                .with_single_cert(vec![certificate], key)
                .expect("a configuration");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
                while let Ok((mut plain, _)) = listener.accept().await {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let acceptor = acceptor.clone();
                    tokio::spawn(async move {
                        // The SSLRequest message of eight bytes.
                        plain.read_exact(&mut [0; 8]).await?;
                        plain.write_all(b"S").await?;
                        let mut secured = acceptor.accept(plain).await?;
                        let mut behind = tokio::net::TcpStream::connect(database).await?;
                        copy_bidirectional(&mut secured, &mut behind).await
                    });
                }
            });
        });
        Self { port, connections }
    }
}

/// Returns the error of opening a store with that URL, and its kind.
fn refusal(url: &str) -> String {
    let options = PostgresOptions::parse(url).expect("an address");
    let error = PostgresStore::open(options).err().expect("a refusal");
    assert_eq!(error.kind, ErrorKind::Unavailable, "{error:?}");
    assert!(!error.message.contains("secret"), "{}", error.message);
    error.message
}

#[test]
fn the_certificate_is_checked() {
    let server = PostgresServer::shared().expect("a server");
    let database = server.fresh_database().expect("a database");
    let database = database.rsplit('/').next().expect("a name");
    let proxy = Proxy::start(SocketAddr::from(([127, 0, 0, 1], server.port())));
    let url = |host: &str, root: &str, mode: &str| {
        let root = file(root).display().to_string();
        format!(
            "postgres://loci:secret@{host}:{}/{database}?partitions=0&sslmode={mode}&sslrootcert={root}",
            proxy.port
        )
    };
    let right = url("localhost", "root.pem", "verify-full");
    let store = PostgresStore::open(PostgresOptions::parse(&right).expect("an address")).expect("a store");
    drop(store);
    for (url, expected) in [
        (url("localhost", "other-root.pem", "require"), ["UnknownIssuer", "`sslrootcert`"]),
        (url("localhost", "other-root.pem", "prefer"), ["UnknownIssuer", "`sslmode=disable`"]),
        (url("127.0.0.1", "root.pem", "require"), ["not valid for name", "name the host"]),
    ] {
        let before = proxy.connections.load(Ordering::SeqCst);
        let said = refusal(&url);
        for part in expected {
            assert!(said.contains(part), "{url}: {said}");
        }
        assert_eq!(proxy.connections.load(Ordering::SeqCst) - before, 1, "it is not tried again: {url}");
    }
}

#[test]
fn what_no_connection_can_be_made_by_says_why() {
    let check = |url: &str, expected: &str| {
        let said = refusal(url);
        assert!(said.contains(expected) && said.contains("LOCI_STORE"), "{url}: {said}");
    };
    let server = PostgresServer::shared().expect("a server");
    let plain = server.fresh_database().expect("a database");
    check(&format!("{plain}?sslmode=require"), "does not offer TLS");
    check("postgres:///nowhere", "host");
    // A database that requests a password and receives none.
    let asking = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = asking.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in asking.incoming() {
            let mut stream = stream.expect("a connection");
            let mut length = [0; 4];
            stream.read_exact(&mut length).expect("a greeting");
            let rest = usize::try_from(u32::from_be_bytes(length)).expect("small") - 4;
            stream.read_exact(&mut vec![0; rest]).expect("a greeting");
            stream.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).expect("a question");
        }
    });
    check(&format!("postgres://ann@127.0.0.1:{port}/nowhere?sslmode=disable"), "password missing");
    check(&format!("{}_not", plain), "does not exist");
}
