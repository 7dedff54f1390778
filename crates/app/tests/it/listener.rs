//! The guarantees of the listener: ports, rejections, keys, logs without content.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

/// Sends raw HTTP and reads to the end.
pub(crate) fn raw(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer); // a refused body may end in a reset
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn get(server: &Server, path: &str, headers: &str) -> String {
    raw(server, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"))
}

#[test]
fn operators_see_health_and_figures_and_no_content() {
    let home = Home::new();
    let server = home.serve(&["--log-format", "json"]);
    assert!(get(&server, "/healthz", "").starts_with("HTTP/1.1 200"));
    assert!(get(&server, "/readyz", "").contains("ready"));
    home.ok(&["memory", "create", "notes"]);
    home.ok(&["event", "create", "--memory", "notes", "--actor", "pelican", "a turn about a heron"]);
    let missing = get(&server, "/v1/memories/none-0123456789", "");
    assert!(missing.starts_with("HTTP/1.1 404") && missing.contains("x-request-id:"), "{missing}");
    let figures = get(&server, "/metrics", "");
    let line = r#"loci_requests_total{door="v1",operation="POST /v1/memories/{memory}/events",code="201"} 1"#;
    assert!(figures.contains(line), "{figures}");
    assert!(figures.contains(r#"loci_errors_total{door="v1",type="NOT_FOUND"} 1"#), "{figures}");
    assert!(figures.contains(r#"loci_jobs{state="failed"} 0"#), "{figures}");
    assert!(server.stop());
    let log = home.log();
    assert!(log.contains("\"operation\":\"POST /v1/memories/{memory}/events\""), "{log}");
    assert!(
        !log.contains("heron") && !log.contains("pelican"),
        "content and people stay out of the log: {log}"
    );
}

#[test]
fn pages_and_big_bodies_are_refused() {
    let home = Home::new();
    let server = home.serve(&[]);
    assert!(get(&server, "/v1/memories", "").starts_with("HTTP/1.1 200"));
    assert!(get(&server, "/v1/memories", "Origin: https://evil.example\r\n").starts_with("HTTP/1.1 403"));
    let under = |host: &str, path: &str| {
        raw(&server, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let image = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
    let link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    for path in ["/v1/memories", "/metrics", "/openapi.json"] {
        for host in ["evil.example", "[::1].evil.example", "127.0.0.1.evil.example:8411"] {
            assert!(under(host, path).starts_with("HTTP/1.1 403"), "{host} {path}");
        }
        assert!(under("[::1]:8411", path).starts_with("HTTP/1.1 200"), "{path}");
        assert!(get(&server, path, image).starts_with("HTTP/1.1 403"), "{path}");
        let expect = if path == "/openapi.json" { "HTTP/1.1 200" } else { "HTTP/1.1 403" };
        assert!(get(&server, path, link).starts_with(expect), "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert!(under("evil.example", path).starts_with("HTTP/1.1 200"), "{path}");
        assert!(get(&server, path, image).starts_with("HTTP/1.1 403"), "{path}");
    }
    let proxied = get(&server, "/v1/memories", "X-Forwarded-For: 127.0.0.1\r\n");
    assert!(proxied.starts_with("HTTP/1.1 403") && proxied.contains("--behind-proxy"), "{proxied}");
    let body = "x".repeat(13 * 1024 * 1024);
    let post = format!(
        "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert!(raw(&server, &post).starts_with("HTTP/1.1 413"));
}

/// A page of another host can make a browser send a `GET`. Each of these requests once had effects
/// as a `GET`.
#[test]
fn what_has_effects_is_no_get() {
    let home = Home::new();
    let server = home.serve(&[]);
    for path in ["/v1/doctor?rebuild=true", "/v1/jobs/next?wait_ms=0"] {
        let said = get(&server, path, "");
        let post = format!("send POST {}", path.split('?').next().unwrap());
        assert!(said.starts_with("HTTP/1.1 405") && said.contains("allow: POST"), "{said}");
        assert!(said.contains(&post) && said.contains("METHOD_NOT_ALLOWED"), "{said}");
        let put = format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let said = raw(&server, &put);
        assert!(said.starts_with("HTTP/1.1 405") && said.contains("allow: POST\r\n"), "{said}");
    }
    let post = |path: &str| {
        raw(
            &server,
            &format!(
                "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            ),
        )
    };
    assert!(post("/v1/doctor").starts_with("HTTP/1.1 200"));
    assert!(post("/v1/doctor?rebuild=true").starts_with("HTTP/1.1 400"), "it would not be looked at");
    assert!(post("/v1/jobs/next?wait_ms=0").starts_with("HTTP/1.1 400"));
}

#[test]
fn behind_a_proxy_figures_need_a_key() {
    let home = Home::new();
    let bearer = |key: &Value| format!("Authorization: Bearer {}\r\n", key.as_str().unwrap());
    let key = |name: &str, grant: Value| {
        bearer(&home.json(&["key", "create", name, "--grant", &grant.to_string()])["token"])
    };
    let admin = bearer(&home.json(&["key", "create", "admin"])["token"]);
    let server = home.serve(&["--behind-proxy"]);
    let made = send(&server, "POST", "/v1/repos", &admin, r#"{"name":"acme/shop"}"#);
    assert_eq!(made.0, 200, "{}", made.1);
    let task = r#"{"task_id":"t-001","repo":"acme/shop","user":"bob","description":"Add pagination"}"#;
    let (_, task) = send(&server, "POST", "/v1/tasks", &admin, task);
    let (_, listed) = send(&server, "GET", "/v1/memories", &admin, "");
    let reader = key("prometheus", json!({ "capabilities": ["read"] }));
    let writer = key("writer", json!({ "capabilities": ["write"] }));
    let memory = &listed["memories"][0]["id"];
    let narrow = key("narrow", json!({ "memory": memory, "capabilities": ["read", "admin"] }));
    for (headers, expect) in [
        (String::new(), "HTTP/1.1 401"),
        (bearer(&json!("wrong")), "HTTP/1.1 401"),
        (narrow, "HTTP/1.1 403"),
        (writer, "HTTP/1.1 403"),
        (bearer(&task["agent_token"]), "HTTP/1.1 403"),
        (reader, "HTTP/1.1 200"),
        (admin, "HTTP/1.1 200"),
    ] {
        assert!(get(&server, "/metrics", &headers).starts_with(expect), "{headers}");
    }
    assert!(get(&server, "/healthz", "").starts_with("HTTP/1.1 200"));
    assert!(server.stop(), "{}", home.log());
}

#[test]
fn without_keys_and_encryption_only_loopback_is_listened_on() {
    let home = Home::new();
    let said = home.fails(4, &["serve", "--listen", "0.0.0.0:0"]);
    assert!(said.contains("loci key create"), "{said}");
    home.ok(&["key", "create", "admin"]);
    let said = home.fails(4, &["serve", "--listen", "0.0.0.0:0"]);
    assert!(said.contains("--tls-cert") && said.contains("--behind-proxy"), "{said}");
}

#[test]
fn keys_are_needed_from_the_moment_there_is_one() {
    let home = Home::new();
    let server = home.serve(&[]);
    assert!(get(&server, "/v1/memories", "").starts_with("HTTP/1.1 200"));
    let key = home.json(&["key", "create", "reader", "--grant", r#"{"capabilities":["read"]}"#]);
    assert!(get(&server, "/v1/memories", "").starts_with("HTTP/1.1 401"));
    assert!(get(&server, "/healthz", "").starts_with("HTTP/1.1 200"));
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let token = key["token"].as_str().unwrap();
    assert!(get(&server, "/v1/memories", &bearer(token)).starts_with("HTTP/1.1 200"));
    assert!(get(&server, "/v1/memories", &bearer("wrong")).starts_with("HTTP/1.1 401"));
    assert!(get(&server, "/v1/keys", &bearer(token)).starts_with("HTTP/1.1 403"));
    let remote = ["memory", "list", "--url", &server.url, "--token", token];
    assert_eq!(home.json(&remote)["memories"], serde_json::json!([]));
    let id = key["access_key_id"].as_str().unwrap();
    let rotated = home.json(&["key", "rotate", id]);
    assert!(get(&server, "/v1/memories", &bearer(token)).starts_with("HTTP/1.1 401"));
    assert!(
        get(&server, "/v1/memories", &bearer(rotated["token"].as_str().unwrap())).starts_with("HTTP/1.1 200")
    );
    home.ok(&["key", "revoke", id]);
    assert!(
        get(&server, "/v1/memories", &bearer(rotated["token"].as_str().unwrap())).starts_with("HTTP/1.1 401")
    );
    assert!(get(&server, "/v1/memories", "").starts_with("HTTP/1.1 401"), "revoking opens no door");
    let database = std::fs::read(home.path("data/loci.db")).unwrap();
    let secret = key["secret_access_key"].as_str().unwrap().as_bytes();
    assert!(!database.windows(secret.len()).any(|window| window == secret), "secrets are sealed");
}

#[test]
fn a_file_that_a_variable_names_gives_a_command_its_token() {
    let home = Home::new();
    let key = home.json(&["key", "create", "reader", "--grant", r#"{"capabilities":["read"]}"#]);
    let server = home.serve(&[]);
    let file = home.path("token");
    let listed = |token: &str, mode: u32| {
        std::fs::write(&file, format!("{token}\n")).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let mut command = home.command(&["memory", "list", "--json", "--url", &server.url]);
        let output = command.env("LOCI_TOKEN_FILE", &file).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let token = key["token"].as_str().unwrap();
    assert_eq!(listed(token, 0o600), (Some(0), String::new()));
    let (code, said) = listed(token, 0o644);
    assert!(code == Some(0) && said.contains("0644") && said.contains("chmod 600"), "{code:?} {said}");
    assert!(!said.contains(token), "{said}");
    let (code, said) = listed("wrong", 0o600);
    assert!(code == Some(1) && said.contains("UNAUTHENTICATED"), "{code:?} {said}");
    let (code, said) = listed("", 0o600);
    assert!(code == Some(2) && said.contains("is empty: write the token into it"), "{code:?} {said}");
    let said = home.fails(1, &["memory", "list", "--url", &server.url]);
    assert!(said.contains("credentials are needed"), "{said}");
}

/// A full disk, as reported by the kernel: the file of the server's probe is a link to the device
/// that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_server_on_a_full_disk_is_not_ready_and_says_why() {
    let home = Home::new();
    let server = home.serve(&[]);
    let probe = home.path("data").join(format!("probe-{}", server.id()));
    std::os::unix::fs::symlink("/dev/full", probe).unwrap();
    let told = get(&server, "/readyz", "");
    assert!(told.starts_with("HTTP/1.1 503") && told.contains("free space on its disk"), "{told}");
    assert!(get(&server, "/healthz", "").starts_with("HTTP/1.1 200"), "it lives all the same");
    assert!(server.stop());
    // The probe removed its file, so a process with another id has space.
    let server = home.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn the_configuration_is_printed_and_never_taken_from_the_working_folder() {
    let home = Home::new();
    std::fs::write(home.path("config.toml"), "[server]\nlisten = \"127.0.0.1:1\"\n").unwrap();
    assert_eq!(home.json(&["config", "print"])["server"]["listen"], "127.0.0.1:8411");
    let path = home.path("config.toml");
    let named = home.json(&["config", "print", "--config", path.to_str().unwrap()]);
    assert_eq!(named["server"]["listen"], "127.0.0.1:1");
    std::fs::write(&path, "[server]\nlissen = 1\n").unwrap();
    let said = home.fails(1, &["config", "print", "--config", path.to_str().unwrap()]);
    assert!(said.contains("lissen"), "{said}");
}

/// Another process holds the folder's lock that the writer thread waits for, so no pending write
/// ends.
#[test]
#[expect(clippy::disallowed_methods, reason = "a process is waited for in the machine's time")]
fn a_server_ends_within_its_limit_whatever_is_running() {
    let home = Home::new();
    let server = home.serve_with(&[], &[("LOCI_SERVER_STOP_MS_MAX", "1000")]);
    home.ok(&["memory", "create", "notes"]);
    let lock = std::fs::File::open(home.path("data/write")).unwrap();
    lock.lock().unwrap();
    let mut waiting = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    let body = r#"{"name":"stuck"}"#;
    let head = "POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    write!(waiting, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    // This request is sent after the other, so its answer means that the server has received the
    // write.
    assert!(get(&server, "/healthz", "").starts_with("HTTP/1.1 200"));
    let began = std::time::Instant::now();
    assert_eq!(server.stopped(), Some(1));
    let took_ms = began.elapsed().as_millis();
    assert!((900..10_000).contains(&took_ms), "{took_ms} ms");
    assert!(home.log().contains("forced exit"), "{}", home.log());
    drop(lock);
    let server = home.serve(&[]);
    assert_eq!(home.json(&["memory", "list"])["memories"].as_array().unwrap().len(), 1);
    assert!(server.stop());
}

/// The certificates are those of the tests of TLS to a database. The server's is for `localhost`.
#[test]
fn a_client_trusts_the_authorities_that_it_is_given() {
    let file = |name: &str| format!("{}/../store-postgres/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    let home = Home::new();
    let (cert, key) = (file("server.pem"), file("server.key"));
    let server = home.serve(&["--tls-cert", &cert, "--tls-key", &key]);
    let port = server.url.rsplit_once(':').unwrap().1;
    let (right, wrong_name) = (format!("https://localhost:{port}"), format!("https://127.0.0.1:{port}"));
    let (root, other) = (file("root.pem"), file("other-root.pem"));
    let listed = home.json(&["memory", "list", "--url", &right, "--ca-cert", &root]);
    assert_eq!(listed["memories"], serde_json::json!([]));
    for (arguments, part) in [
        (&["--url", &right][..], "with --ca-cert or in SSL_CERT_FILE"),
        (&["--url", &right, "--ca-cert", &other], "does not trust"),
        (&["--url", &wrong_name, "--ca-cert", &root], "another name"),
        (&["--url", &server.url, "--ca-cert", &root], "uses no TLS"),
        (&["--url", &right, "--ca-cert", &key], "no certificate in PEM"),
    ] {
        let output = home.run(&[&["memory", "list"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(part), "{arguments:?}: {error}");
    }
}
