//! Transcripts: a file of requests is sent line by line, and rewritten with the responses. The
//! module does not judge them.
//!
//! `> METHOD path`, `>>`: its body · `<` the response (status, error type or codes, then the body)
//! · `= name /pointer`: keeps a value of the last response, used as `${name}`, or `${%name}`
//! percent-encoded · `@ advance ms`, `@ as caller`, `@ settings id json`, `@ jobs id`, `@ key
//! name`, `@ signed name` · `{{x*9}}`: nine times x.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use expect_test::expect_file;
use http::{Request, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::fixture::World;

/// Sends the requests of a transcript, and compares it, including responses, with its file.
pub(crate) fn run(name: &str, text: &str) {
    let mut world = World::new();
    let mut kept = BTreeMap::new();
    let mut out = String::new();
    let mut last = Value::Null;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with('<') {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if let Some(directive) = line.strip_prefix("@ ") {
            world.direct(&fill(directive, &kept));
        } else if let Some(keep) = line.strip_prefix("= ") {
            let (name, pointer) = keep.split_once(' ').unwrap();
            let value = last.pointer(pointer).unwrap_or_else(|| panic!("{name}: no {pointer} in {last}"));
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            kept.insert(name.to_owned(), value);
        } else if let Some(head) = line.strip_prefix("> ") {
            let mut body = Vec::new();
            while let Some(more) = lines.next_if(|next| next.starts_with(">> ")) {
                out.push_str(more);
                out.push('\n');
                body.push(fill(&more[3..], &kept));
            }
            let (status, answer) = send(&mut world, &fill(head, &kept), body.join("\n"));
            last = serde_json::from_str(&answer).unwrap_or(Value::Null);
            out.push_str(&format!("< {status}\n"));
            if !answer.is_empty() {
                out.push_str(&format!("< {answer}\n"));
            }
        }
    }
    expect_file![format!("{}/tests/agentcore/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"))].assert_eq(&out);
}

fn send(world: &mut World, head: &str, body: String) -> (String, String) {
    let (method, path) = head.split_once(' ').unwrap();
    let request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8411");
    let request = request.header("content-type", "application/json").body(Body::from(body)).unwrap();
    let response = world.serve(request);
    let status = status_line(&response);
    let body = world.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Returns the status, the error's name, and the codes of `x-loci-…` headers. Checks the headers
/// that every response must have.
fn status_line(response: &Response<Body>) -> String {
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(header("x-amzn-requestid").unwrap().len(), 36);
    assert!(header("date").unwrap().ends_with(" GMT"));
    let mut line = response.status().as_u16().to_string();
    for (name, label) in
        [("x-amzn-errortype", ""), ("x-loci-degraded", "degraded="), ("x-loci-warnings", "warnings=")]
    {
        if let Some(value) = header(name) {
            line.push_str(&format!(" {label}{value}"));
        }
    }
    line
}

/// Inserts kept values and repetitions.
fn fill(text: &str, kept: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in kept {
        let encoded = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
        text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${{%{name}}}"), &encoded);
    }
    while let Some((before, rest)) = text.split_once("{{") {
        let (inside, after) = rest.split_once("}}").unwrap();
        let (unit, count) = inside.rsplit_once('*').unwrap();
        text = format!("{before}{}{after}", unit.repeat(count.parse().unwrap()));
    }
    text
}
