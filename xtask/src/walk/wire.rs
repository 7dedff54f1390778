//! Sends requests to the walk's server over a plain socket and returns its responses as JSON. It
//! knows no workflow, and it does not interpret a response.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;

/// A method and a path.
pub(super) type Call<'c> = (&'c str, &'c str);

/// Sends a request to the server at `url`, with further headers as lines that end with CRLF.
/// Returns the status and the body, which is null if there is none.
pub(super) fn send(
    url: &str,
    (method, path): Call<'_>,
    headers: &str,
    body: Option<&Value>,
) -> Result<(u16, Value)> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).context("the server")?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("an answer")?;
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("a status")?;
    Ok((status, serde_json::from_str(body).unwrap_or_default()))
}

/// Sends a request, requires one status, and returns the body.
pub(super) fn ask(url: &str, call: Call<'_>, body: Option<&Value>, expect: u16) -> Result<Value> {
    let (status, answer) = send(url, call, "", body)?;
    ensure!(status == expect, "{} {}: {status}: {answer}", call.0, call.1);
    Ok(answer)
}
