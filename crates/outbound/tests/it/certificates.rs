//! Tests a system without root certificates: a sender can be created, and its calls report what to
//! install. On Linux the certificates come from the files named by two variables.

#![cfg(target_os = "linux")]

use std::process::Command;

use loci_outbound::client::OutboundOptions;
use loci_outbound::request::{OutboundError, Transport};

use crate::{request, world};

/// The part that runs in a separate process, which finds no certificates.
#[tokio::test]
#[ignore = "a part of `the_first_call_names_what_to_install`"]
async fn calls() {
    let outcome = world(OutboundOptions::default()).outbound.send(request("https://127.0.0.1:1/")).await;
    let Err(OutboundError::Connect(why)) = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("install the root certificates"), "{why}");
}

#[test]
fn the_first_call_names_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.pem");
    std::fs::write(&file, "").unwrap();
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--ignored", "--exact", "certificates::calls"]);
    process.env("SSL_CERT_FILE", &file).env("SSL_CERT_DIR", folder.path());
    let output = process.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
