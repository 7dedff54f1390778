//! The HTTP form, byte by byte: the requests and responses of a client in another language.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use http::Request;
use loci_client::backend::{DirectoryBackend, HTTP_BODY_BYTES_MAX, backend_router};
use tower::ServiceExt;

use crate::runtime;

#[test]
fn requests_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let router = backend_router(Arc::new(DirectoryBackend::open(folder.path()).unwrap()), None);
    let ask = async |line: &str, headers: &[(&str, &str)], body: &str| {
        let (method, uri) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(uri).header("host", "127.0.0.1:1");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let tag = response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, tag, String::from_utf8(body.to_vec()).unwrap())
    };
    let tag = "\"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\"";
    runtime().block_on(async {
        let check = async |line: &str, headers: &[(&str, &str)], body: &str, status: u16, part: &str| {
            let (found, _, text) = ask(line, headers, body).await;
            assert_eq!(found, status, "{line}: {text}");
            assert!(text.contains(part), "{line}: {text}");
        };
        let absent = [("if-none-match", "*")];
        let (status, found, _) = ask("PUT /files/notes/a%20b.md", &absent, "x").await;
        assert_eq!((status, found.as_deref()), (200, Some(tag)));
        let (status, found, text) = ask("GET /files/notes/a%20b.md", &[], "").await;
        assert_eq!((status, found.as_deref(), text.as_str()), (200, Some(tag), "x"));
        let (status, found, text) = ask("HEAD /files/notes/a%20b.md", &[], "").await;
        assert_eq!((status, found.as_deref(), text.as_str()), (200, Some(tag), ""));
        check("GET /capabilities", &[], "", 200, "\"cas\":true").await;
        let files = "{\"files\":[{\"path\":\"notes/a b.md\",\"size\":1}]}";
        check("GET /files?prefix=notes", &[], "", 200, files).await;
        check("GET /files/absent.md", &[], "", 404, "\"code\":\"not_found\"").await;
        check("PUT /files/notes/a%20b.md", &absent, "y", 412, "\"code\":\"precondition_failed\"").await;
        check("PUT /files/notes/a%20b.md", &[("if-match", "\"00\"")], "y", 422, "quoted sha256").await;
        check("PUT /files/a%3Ab.md", &[], "y", 400, "\"code\":\"invalid_path\"").await;
        check("PUT /files/%FF.md", &[], "y", 400, "percent-encoded UTF-8").await;
        check("GET /history?path=a.md", &[], "", 501, "\"code\":\"unsupported\"").await;
        check("GET /history", &[], "", 422, "path").await;
        let json = [("content-type", "application/json; charset=utf-8")];
        check("POST /snapshots", &json, "{\"label\":\"a\"}", 501, "unsupported").await;
        check("POST /snapshots", &json, "no JSON", 422, "cannot be read").await;
        let text = [("content-type", "text/plain")];
        check("POST /snapshots", &text, "{\"label\":\"a\"}", 422, "send Content-Type").await;
        check("POST /restore", &[], "{\"label\":\"a\"}", 422, "send Content-Type").await;
        // An encoded slash is no separator, and an address without files has nothing below it.
        check("GET /files/notes%2Fa%20b.md", &[], "", 400, "\"code\":\"invalid_path\"").await;
        check("GET /files%2Fnotes/a%20b.md", &[], "", 404, "no GET /files%2Fnotes").await;
        check("GET /history/anything?path=a.md", &[], "", 404, "no GET /history/anything").await;
        check("GET /capabilities/more", &[], "", 404, "no GET /capabilities/more").await;
        check("PATCH /files/a.md", &[], "", 404, "no PATCH").await;
        check("DELETE /files/notes/a%20b.md", &[("if-match", tag)], "", 204, "").await;
        check("DELETE /files/notes/a%20b.md", &[], "", 404, "not_found").await;
    });
}

#[test]
fn a_head_has_the_length_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "seven b").unwrap();
    let router = backend_router(Arc::new(DirectoryBackend::open(folder.path()).unwrap()), None);
    let request = Request::builder().method("HEAD").uri("/files/a.md").header("host", "127.0.0.1");
    let response = runtime().block_on(router.oneshot(request.body(Body::empty()).unwrap())).unwrap();
    assert_eq!(response.headers()["content-length"], "7");
}

#[test]
fn a_body_that_breaks_off_is_not_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let router = backend_router(Arc::new(DirectoryBackend::open(folder.path()).unwrap()), None);
    let check = |pieces: Vec<std::io::Result<Bytes>>, expect: u16| {
        let body = Body::from_stream(futures::stream::iter(pieces));
        let request = Request::builder().method("PUT").uri("/files/a.md").header("host", "127.0.0.1");
        let response = runtime().block_on(router.clone().oneshot(request.body(body).unwrap())).unwrap();
        assert_eq!(response.status().as_u16(), expect);
    };
    let large = Bytes::from(vec![b'x'; HTTP_BODY_BYTES_MAX]);
    check(vec![Ok(Bytes::from_static(b"a")), Err(std::io::Error::other("reset"))], 503);
    check(vec![Ok(large), Ok(Bytes::from_static(b"x"))], 413);
    check(vec![Ok(Bytes::from_static(b"a")), Ok(Bytes::from_static(b"b"))], 200);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let router = backend_router(Arc::new(DirectoryBackend::open(folder.path()).unwrap()), None);
    let check = |headers: &[(&str, &str)], expect: u16| {
        for (method, uri) in [("GET", "/capabilities"), ("PUT", "/files/a.md"), ("DELETE", "/files/a.md")] {
            let mut request = Request::builder().method(method).uri(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let request = request.body(Body::empty()).unwrap();
            let status = runtime().block_on(router.clone().oneshot(request)).unwrap().status().as_u16();
            assert_eq!(status == 403, expect == 403, "{method} {headers:?}: {status}");
        }
    };
    let own = ("host", "127.0.0.1:8412");
    check(&[own], 200);
    check(&[own, ("origin", "http://localhost:3000")], 200);
    check(&[own, ("sec-fetch-site", "none")], 200);
    check(&[own, ("origin", "https://evil.example")], 403);
    check(&[own, ("origin", "null")], 403);
    check(&[own, ("sec-fetch-site", "cross-site")], 403);
    check(&[own, ("host", "evil.example")], 403);
    check(&[("host", "192.0.2.1:8412")], 403);
    check(&[("host", "[::1]:8412")], 200);
    check(&[], 403);
}

#[test]
fn other_hosts_and_tokens_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let backend = Arc::new(DirectoryBackend::open(folder.path()).unwrap());
    let router = backend_router(backend, Some("secret".to_owned()));
    let check = |host: &str, token: Option<&str>, expect: u16| {
        let mut request = Request::builder().uri("/capabilities").header("host", host);
        if let Some(token) = token {
            request = request.header("authorization", token);
        }
        let request = request.body(Body::empty()).unwrap();
        let response = runtime().block_on(router.clone().oneshot(request)).unwrap();
        assert_eq!(response.status().as_u16(), expect, "{host} {token:?}");
    };
    check("127.0.0.1:8412", Some("Bearer secret"), 200);
    check("localhost", Some("Bearer secret"), 200);
    check("[::1]:8412", Some("Bearer secret"), 200);
    check("evil.example:8412", Some("Bearer secret"), 403);
    check("localhost.evil.example", Some("Bearer secret"), 403);
    check("", Some("Bearer secret"), 403);
    check("127.0.0.1:8412", None, 403);
    check("127.0.0.1:8412", Some("Bearer secre"), 403);
    check("127.0.0.1:8412", Some("secret"), 403);
}
