//! The pages of one retrieval belong to one list, even if records are written in between.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

fn write(server: &Server, numbers: std::ops::Range<u32>, text: impl Fn(u32) -> String) -> Vec<String> {
    let records: Vec<Value> =
        numbers.map(|number| json!({ "namespace": "/ports/", "text": text(number) })).collect();
    let body = json!({ "records": records }).to_string();
    let (status, made) = send(server, "POST", "/v1/memories/notes/records", "", &body);
    assert_eq!((status, &made["failed"]), (201, &json!(0)), "{made}");
    let items = made["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_written_between_pages_moves_nothing() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, made) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let memory = made["id"].as_str().unwrap();
    write(&server, 0..80, |number| {
        format!("The service number {number} listens on port {}.", 4_000 + number)
    });
    // Vectors computed between two questions would change the results of the first.
    let wait = r#"{"timeout_ms":60000}"#;
    let (_, waited) = send(&server, "POST", "/v1/memories/notes/extraction:wait", "", wait);
    assert_eq!(waited["complete"], json!(true), "{waited}");
    let page = |size: u32, token: Option<&str>| {
        let body = json!({
            "searchCriteria": { "searchQuery": "which service listens on which port", "topK": 50 },
            "namespace": "/ports/", "maxResults": size, "nextToken": token
        });
        let mut body = body;
        if token.is_none() {
            body.as_object_mut().unwrap().remove("nextToken");
        }
        let (status, answer) =
            send(&server, "POST", &format!("/memories/{memory}/retrieve"), "", &body.to_string());
        assert_eq!(status, 200, "{answer}");
        let one = |hit: &Value| {
            (hit["memoryRecordId"].as_str().unwrap().to_owned(), hit["score"].as_f64().unwrap())
        };
        let hits: Vec<_> = answer["memoryRecordSummaries"].as_array().unwrap().iter().map(one).collect();
        (hits, answer["nextToken"].as_str().map(str::to_owned))
    };
    let (whole, none) = page(50, None);
    assert_eq!((whole.len(), none), (50, None));
    let (mut paged, mut token) = page(10, None);
    let gone = whole[45].0.clone();
    for round in 1..5 {
        // Records written now would rank before all others, or between them.
        write(&server, 0..20, |number| {
            format!("Which service listens on which port: service {round}{number}, port {number}.")
        });
        if round == 2 {
            let path = format!("/v1/memories/notes/records/{gone}");
            assert_eq!(send(&server, "DELETE", &path, "", "").0, 200);
        }
        let (next, more) = page(10, token.as_deref());
        paged.extend(next);
        token = more;
    }
    assert_eq!(token, None);
    let left: Vec<_> = whole.into_iter().filter(|(id, _)| *id != gone).collect();
    assert_eq!(paged, left, "each of the first list once, in its order, with its score");
    assert!(paged.is_sorted_by(|one, next| one.1 >= next.1));
    assert_eq!(paged.iter().map(|(id, _)| id).collect::<BTreeSet<_>>().len(), 49);
}
