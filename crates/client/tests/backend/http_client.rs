//! The client of the HTTP form against servers with invalid responses.

use std::sync::Arc;

use axum::Router;
use axum::http::{Uri, header};
use axum::response::IntoResponse;
use loci_client::backend::{
    DirectoryBackend, FileBackend, FilePrecondition, HttpBackend, backend_router, copy_files,
};

use crate::runtime;

/// Serves a response for each path and returns the client of the server.
async fn connected(answer: fn(&str) -> (u16, String)) -> HttpBackend {
    let router = Router::new().fallback(move |uri: Uri| async move {
        let asked = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        let (status, body) = match asked.as_str() {
            "/capabilities" => (200, "{}".to_owned()),
            asked => answer(asked),
        };
        let status = axum::http::StatusCode::from_u16(status).unwrap();
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    HttpBackend::connect(&url, None).await.unwrap()
}

#[test]
fn a_404_of_another_address_is_no_absent_file() {
    let check = |answer: fn(&str) -> (u16, String), expect: Result<(), &str>| {
        runtime().block_on(async {
            let backend = connected(answer).await;
            let read = backend.read("a.md").await.map(|file| assert!(file.is_none()));
            let deleted = backend.delete("a.md", &FilePrecondition::Any).await.map(|done| assert!(!done));
            for found in [read, deleted] {
                assert_eq!(found.map_err(|error| error.kind.code()), expect);
            }
            // A response to HEAD has no body.
            assert!(!backend.exists("a.md").await.unwrap());
        });
    };
    check(|_| (404, "{\"code\": \"not_found\"}".to_owned()), Ok(()));
    check(|_| (404, "<h1>Not Found</h1>".to_owned()), Err("broken"));
    check(|_| (404, String::new()), Err("broken"));
    check(|_| (404, "{\"code\": \"other\"}".to_owned()), Err("broken"));
}

/// Returns the response of a page with one file.
fn page(path: &str, next: &str) -> (u16, String) {
    let next = if next.is_empty() { String::new() } else { format!(", \"next\": \"{next}\"") };
    (200, format!("{{\"files\": [{{\"path\": \"{path}\", \"size\": 1}}]{next}}}"))
}

#[test]
fn a_listing_whose_pages_do_not_rise_is_broken() {
    let check = |answer: fn(&str) -> (u16, String), expect: Result<usize, &str>| {
        runtime().block_on(async {
            let listed = connected(answer).await.list("").await;
            assert_eq!(listed.map(|files| files.len()).map_err(|error| error.kind.code()), expect);
        });
    };
    check(|asked| if asked.contains("cursor=1") { page("b", "") } else { page("a", "1") }, Ok(2));
    // Two pages that name each other.
    check(|asked| if asked.contains("cursor=1") { page("b", "2") } else { page("a", "1") }, Err("broken"));
    check(|_| page("a", "1"), Err("broken"));
    check(|_| (200, "{\"files\": [], \"next\": \"1\"}".to_owned()), Err("broken"));
}

#[test]
fn a_copy_reports_the_files_that_a_server_skips() {
    runtime().block_on(async {
        const ANSWER: &str = "{\"files\": [], \"skipped\": [{\"path\": \"a:b\", \"code\": \"invalid_path\", \
                      \"message\": \"a colon\"}]}";
        let backend = connected(|_| (200, ANSWER.to_owned())).await;
        let folder = tempfile::tempdir().unwrap();
        let to = loci_client::backend::DirectoryBackend::open(folder.path()).unwrap();
        let mut report = Default::default();
        copy_files(&backend, &to, "", &mut report).await.unwrap();
        assert_eq!(report.refused.len(), 1);
        assert_eq!(report.refused[0].path, "a:b");
    });
}

#[test]
fn a_redirect_is_not_followed() {
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let target = DirectoryBackend::open(folder.path()).unwrap();
        target.write("a.md", b"kept", &FilePrecondition::Any).await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, backend_router(Arc::new(target), None)).await });
        let router = Router::new().fallback(move |uri: Uri| async move {
            let asked = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
            if asked == "/capabilities" {
                return "{}".into_response();
            }
            let location = [(header::LOCATION, format!("{url}{asked}"))];
            (axum::http::StatusCode::TEMPORARY_REDIRECT, location).into_response()
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let redirecting = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let backend = HttpBackend::connect(&redirecting, None).await.unwrap();
        assert!(backend.read("a.md").await.is_err());
        assert!(backend.write("a.md", b"other", &FilePrecondition::Any).await.is_err());
        assert!(backend.delete("a.md", &FilePrecondition::Any).await.is_err());
        assert_eq!(std::fs::read(folder.path().join("a.md")).unwrap(), b"kept");
    });
}
