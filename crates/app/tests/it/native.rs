//! The native API over HTTP: shapes, idempotency, rejections, and its document.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::listener::{get, raw};
use crate::program::{Home, Server};

pub(crate) fn send(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(server, &request);
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, memory) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let id = memory["id"].as_str().unwrap();
    let events = format!("/v1/memories/{id}/events");
    let records = format!("/v1/memories/{id}/records");
    let check = |method: &str, path: &str, body: &str, status: u16, code: &str, field: Value| {
        let (got, answer) = send(&server, method, path, "", body);
        let error = &answer["error"];
        assert_eq!((got, &error["code"]), (status, &json!(code)), "{path} {body}: {answer}");
        assert_eq!(error["field"], field, "{path} {body}: {answer}");
        assert!(!error["message"].as_str().unwrap().contains("hush"), "content is never quoted: {answer}");
    };
    let none = Value::Null;
    check("POST", "/v1/memories", r#"{"name":"x","nmae":"hush"}"#, 400, "CANNOT_PARSE", json!("nmae"));
    check("POST", "/v1/memories", r#"{}"#, 400, "CANNOT_PARSE", json!("name"));
    check("POST", "/v1/memories", r#"{"name":"notes"}"#, 409, "CONFLICT", json!("name"));
    check("POST", &events, r#"{"actor":"a","payload":"hush"}"#, 400, "CANNOT_PARSE", json!("payload"));
    check("POST", &events, "{", 400, "CANNOT_PARSE", none.clone());
    check("POST", &events, r#"{"actor":"a b","payload":[]}"#, 400, "INVALID", json!("actor"));
    check("POST", &events, r#"{"actor":"a","payload":[],"time":"hush"}"#, 400, "INVALID", json!("time"));
    let braces = r#"{"records":[{"namespace":"/a/{actorId}/","text":"hush"}]}"#;
    check("POST", &records, braces, 400, "INVALID", json!("namespace"));
    check("POST", "/v1/search", r#"{"memory":"not a name","query":"q"}"#, 400, "INVALID", json!("memory"));
    let unknown = r#"{"memory":"none-0123456789","query":"q"}"#;
    check("POST", "/v1/search", unknown, 404, "NOT_FOUND", none.clone());
    check("GET", "/v1/memories?limit=1000", "", 400, "INVALID", json!("limit"));
    check("GET", "/v1/memories?cursor=zz", "", 400, "INVALID", json!("cursor"));
    check("GET", "/v1/memories?lmit=1", "", 400, "CANNOT_PARSE", json!("lmit"));
    check("GET", "/v1/nothing", "", 404, "NOT_FOUND", none);
    // An array in the place of an object would mean a struct of defaults: a grant of everything.
    for (grants, field) in [("[[]]", "grants[0]"), ("[{},[\"hush\"]]", "grants[1]"), ("{}", "grants")] {
        let body = format!(r#"{{"name":"k","grants":{grants}}}"#);
        check("POST", "/v1/keys", &body, 400, "CANNOT_PARSE", json!(field));
    }
    let window = r#"{"name":"x","settings":{"window":[]}}"#;
    check("POST", "/v1/memories", window, 400, "CANNOT_PARSE", json!("settings.window"));
    let message = r#"{"actor":"a","payload":[{"message":["user","hush"]}]}"#;
    check("POST", &events, message, 400, "CANNOT_PARSE", json!("payload[0].message"));
    assert_eq!(send(&server, "GET", "/v1/keys", "", "").1["keys"], json!([]));
    home.fails(2, &["key", "create", "k", "--grant", "[]"]);
    let (_, listed) = send(&server, "GET", &format!("/v1/memories/{id}/actors"), "", "");
    assert_eq!(listed["actors"], json!([]));
}

#[test]
fn what_would_be_ignored_is_rejected_in_the_native_form() {
    let home = Home::new();
    let server = home.serve(&[]);
    let check = |method: &str, path: &str, headers: &str, status: u16, code: &str, field: Value| {
        let (got, answer) = send(&server, method, path, headers, "");
        let error = &answer["error"];
        assert_eq!((got, &error["code"]), (status, &json!(code)), "{method} {path} {headers}: {answer}");
        assert_eq!(error["field"], field, "{method} {path} {headers}: {answer}");
        assert!(error["message"].as_str().unwrap().contains(' '), "{answer}");
    };
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE"] {
        check(method, "/v1/search", "", 405, "METHOD_NOT_ALLOWED", Value::Null);
        check(method, "/openapi.json", "", 405, "METHOD_NOT_ALLOWED", Value::Null);
        for path in ["/v1", "/v1/", "/v1/nothing", "/v2", "/v2/search"] {
            check(method, path, "", 404, "NOT_FOUND", Value::Null);
        }
    }
    let put = "PUT /v1/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let answer = raw(&server, put);
    assert!(answer.contains("allow: POST\r\n"), "{answer}");
    let answer = get(&server, "/v2/search", "");
    assert!(answer.contains("x-request-id: ") && !answer.contains("x-amzn-requestid"), "{answer}");
    check("POST", "/v1/search?foo=1", "", 400, "INVALID", json!("query"));
    check("GET", "/v1/keys?foo=1", "", 400, "INVALID", json!("query"));
    check("POST", "/v1/import?foo=1", "", 400, "INVALID", json!("query"));
    for method in ["GET", "PUT", "DELETE"] {
        check(method, "/v1/memories/none/objects/a?foo=1", "", 400, "INVALID", json!("query"));
    }
    let (field, bogus) = (json!("Loci-If-Erased"), "Loci-If-Erased: bogus\r\n");
    check("GET", "/v1/keys", bogus, 400, "INVALID", field);
    let twice = "Idempotency-Key: a\r\nIdempotency-Key: b\r\n";
    check("POST", "/v1/keys", twice, 400, "INVALID", json!("Idempotency-Key"));
}

#[test]
fn an_idempotency_key_makes_one_event() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, memory) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let path = format!("/v1/memories/{}/events", memory["id"].as_str().unwrap());
    let body = r#"{"actor":"a","session":"s","payload":[{"json":{"b":1.50,"a":[1,null]}},{"blob":"x"}]}"#;
    let key = "Idempotency-Key: one\r\n";
    let (first, made) = send(&server, "POST", &path, key, body);
    let (second, again) = send(&server, "POST", &path, key, body);
    assert_eq!((first, second, &made["event"]), (201, 201, &again["event"]), "{made} {again}");
    let list = get(&server, &format!("{path}?actor=a&session=s"), "");
    assert!(list.contains(r#"{"b":1.50,"a":[1,null]}"#), "JSON is kept as it was: {list}");
    assert_eq!(list.matches("\"payload\"").count(), 1, "{list}");
}

#[test]
fn a_record_is_made_changed_and_deleted() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, memory) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let base = format!("/v1/memories/{}", memory["id"].as_str().unwrap());
    let new = r#"{"records":[{"namespace":"/a/","text":"The gate code is 4711.","kind":"knowledge","metadata":{"n":1.5,"l":["x"]}}]}"#;
    let (status, made) = send(&server, "POST", &format!("{base}/records"), "", new);
    assert_eq!((status, &made["failed"]), (201, &json!(0)), "{made}");
    let id = made["items"][0]["id"].as_str().unwrap();
    let change = format!(r#"{{"records":[{{"id":"{id}","text":"The gate code is 4712.","if_version":1}}]}}"#);
    let (_, changed) = send(&server, "PATCH", &format!("{base}/records"), "", &change);
    assert_eq!(changed["failed"], 0, "{changed}");
    let (_, refused) = send(&server, "PATCH", &format!("{base}/records"), "", &change);
    assert_eq!(refused["failed"], 1, "the version moved: {refused}");
    let (_, record) = send(&server, "GET", &format!("{base}/records/{id}"), "", "");
    assert_eq!(
        (&record["kind"], &record["version"], &record["metadata"]["n"]),
        (&json!("fact"), &json!(2), &json!(1.5))
    );
    let (_, history) = send(&server, "GET", &format!("{base}/records/{id}/history"), "", "");
    assert_eq!(history["versions"].as_array().unwrap().len(), 2, "{history}");
    let (_, listed) =
        send(&server, "POST", &format!("{base}/records:list"), "", r#"{"namespace_paths":["/a"]}"#);
    assert_eq!(listed["records"].as_array().unwrap().len(), 1, "{listed}");
    let (status, _) = send(&server, "DELETE", &format!("{base}/records/{id}"), "", "");
    assert_eq!(status, 200);
    assert_eq!(send(&server, "GET", &format!("{base}/records/{id}"), "", "").0, 404);
}

#[test]
fn the_document_names_every_operation() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, document) = send(&server, "GET", "/openapi.json", "", "");
    let mut found = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let methods =
            item.as_object().unwrap().keys().filter(|key| item[key.as_str()]["responses"].is_object());
        found.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    let table = loci_api::operation::places();
    // The document shows a parameter for the rest of the path like any other.
    let table = table.map(|place| format!("{} {}", place.method.as_str(), place.path.replace("{*", "{")));
    assert_eq!(found, table.collect());
    let text = document.to_string();
    for (_, name) in text.match_indices("#/components/schemas/").map(|(at, part)| {
        let rest = &text[at + part.len()..];
        (at, rest.split('"').next().unwrap())
    }) {
        assert!(document["components"]["schemas"][name].is_object(), "{name} is not described");
    }
}
