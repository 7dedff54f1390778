//! Buckets at their own address: the path begins with the bucket, and nothing else answers there.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::program::Home;

fn ask(address: &str, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn buckets_may_have_an_address_of_their_own() {
    let home = Home::new();
    let config = home.path("config.toml");
    // The name of the second bucket begins like the path of the shared interface.
    let text = "[s3]\nlisten = \"127.0.0.1:0\"\n[s3.buckets.desk]\nmemory = \"notes\"\n[s3.buckets.s3x]\nmemory = \"notes\"\nnamespace = \"/x\"\n";
    std::fs::write(&config, text).unwrap();
    let server = home.serve(&["--config", config.to_str().unwrap()]);
    home.ok(&["memory", "create", "notes"]);
    let log = home.log();
    let address = log.lines().find_map(|line| line.strip_prefix("buckets alone on http://")).unwrap();
    let check = |request: &str, body: &str, status: &str, part: &str| {
        let answer = ask(address, request, body);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(part),
            "{request}: {answer}"
        );
    };
    check("PUT /desk/memory/agent/boats.md", "# Boats\nGull lies in Largs.\n", "200", "etag");
    check("GET /desk/memory/agent/boats.md", "", "200", "Gull lies in Largs.");
    check("PUT /s3x/session/1.json", "{}", "200", "etag");
    check("GET /s3x/?list-type=2", "", "200", "<Key>session/1.json</Key>");
    check("GET /v1/memories", "", "404", "<Code>NoSuchBucket</Code>");
    check("GET /", "", "501", "<Code>NotImplemented</Code>");
    let shared = ask(server.url.trim_start_matches("http://"), "GET /s3/desk/memory/agent/boats.md", "");
    assert!(shared.contains("Gull lies in Largs."), "the same data: {shared}");
    assert!(server.stop(), "{}", home.log());
}
