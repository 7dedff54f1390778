//! Sessions of tasks on the command line and over HTTP: events, state, promotion, end and search,
//! and the case without a reachable server.

use serde_json::json;

use crate::fact_repository::Shop;
use crate::program::Home;

/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";

#[test]
fn a_session_is_said_kept_and_found_again() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&[
        "task",
        "create",
        "--id",
        "t-001",
        "--user",
        "bob",
        "--issue",
        "7",
        "Add pagination to /orders",
    ]);
    let append = ["session", "append", "t-001"];
    let said = ["--seq", "17", "--type", "decision", "We take cursors, not offsets."];
    let done = shop.json(&[&append[..], &said].concat());
    assert_eq!(done, json!({ "accepted": 1, "duplicates": 0, "last_seq": 17, "warnings": [] }));
    shop.write(
        "events.jsonl",
        "{\"seq\":18,\"type\":\"tool_call\",\"tool\":{\"name\":\"bash\",\"duration_ms\":812,\"status\":\"ok\"}}\n\
         {\"seq\":19,\"type\":\"note\",\"content\":\"**Cart:** `add_item` refuses more than 50 items.\"}\n",
    );
    let (code, out, _) = shop.run(&[&append[..], &["--file", "events.jsonl"]].concat());
    assert!(code == 0 && out.contains("2 added, 0 known, the last is 19"), "{out}");
    let (_, out, _) = shop.run(&[&append[..], &["--file", "events.jsonl"]].concat());
    assert!(out.contains("0 added, 2 known"), "{out}");
    let (code, out, _) = shop.run(&["session", "show", "t-001", "--after", "17"]);
    assert!(code == 0 && out.contains("[bash 812 ms ok]") && !out.contains("cursors"), "{out}");
    let shown = shop.json(&["session", "show", "t-001", "--types", "decision"]);
    assert_eq!((&shown["events"][0]["role"], shown.get("ended_at")), (&json!("assistant"), None), "{shown}");

    let promoted = shop.json(&["session", "promote", "t-001", "19"]);
    let learned = &promoted["events"][0]["learnings"][0];
    assert_eq!((&learned["action"], &learned["topic"]), (&json!("added"), &json!("Cart")), "{promoted}");

    home.fails(3, &["session", "state", "t-001", "--memory", "code"]);
    shop.write("state.json", "{\"step\":3}");
    let put = ["session", "state", "t-001", "--put", "state.json"];
    assert_eq!(shop.json(&put), json!({ "version": 1 }));
    let (code, _, said) = shop.run(&put);
    assert!(code != 0 && said.contains("version"), "{said}");
    assert_eq!(shop.json(&["session", "state", "t-001"]), json!({ "state": { "step": 3 }, "version": 1 }));

    let report = ["task", "complete", "t-001", "--status", "completed", "--summary", "Orders come in pages."];
    shop.json(&[&report[..], &["--pr", "57", "--file", "src/cart.rs"]].concat());
    shop.json(&["task", "finalize", "t-001", "--status", "completed"]);
    assert_eq!(shop.json(&["session", "end", "t-001"]), json!({ "ended": false }));
    assert!(shop.json(&["session", "show", "t-001"])["ended_at"].is_string());

    let find = |flags: &[&str]| {
        let found = shop.json(&[&["attribution"], flags].concat());
        found["items"].as_array().unwrap().len()
    };
    for flags in [
        ["--pr", "57"],
        ["--issue", "7"],
        ["--task", "t-001"],
        ["--session", "t-001"],
        ["--user", "bob"],
        ["--status", "completed"],
        ["--repo", "acme/shop"],
        ["--path", "src"],
        ["--words", "OFFSETS pages"],
        ["--since", "2026-01-01T00:00:00Z"],
    ] {
        assert_eq!(find(&flags), 1, "{flags:?}");
    }
    for flags in [["--pr", "58"], ["--words", "elsewhere"], ["--until", "2001-01-01T00:00:00Z"]] {
        assert_eq!(find(&flags), 0, "{flags:?}");
    }
    let found = shop.json(&["attribution", "--words", "offsets"]);
    let one = &found["items"][0];
    assert_eq!(
        (&one["snippets"][0]["seq"], &one["told"]["summary"]),
        (&json!(17), &json!("Orders come in pages."))
    );
    let (code, out, _) = shop.run(&["attribution", "--pr", "57"]);
    assert!(code == 0 && out.contains("t-001  completed") && out.contains("17  decision  We take"), "{out}");
    home.fails(2, &["attribution", "--commit", "abc"]);
}

#[test]
fn what_is_said_offline_waits_and_comes_into_the_archive() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination to /orders"]);
    let append = ["session", "append", "t-001", "--seq", "1", "--type", "note", "The tests need a database."];
    let (code, out, said) = shop.run(&[&append[..], &["--url", NOWHERE]].concat());
    assert_eq!((code, out.as_str()), (0, ""), "{said}");
    assert!(said.contains("spooled in") && said.contains("loci session append:"), "{said}");
    assert_ne!(shop.run(&[&append[..], &["--url", NOWHERE, "--strict"]].concat()).0, 0);
    let file = shop.path().join(".git/loci/spool.jsonl");
    let kept = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, kept.replace(&format!("\"url\":\"{NOWHERE}\","), "")).unwrap();
    shop.json(&["task", "finalize", "t-001", "--status", "failed"]);
    assert_eq!(shop.json(&["spool", "show"]), json!([]));
    let shown = shop.json(&["session", "show", "t-001"]);
    assert_eq!(shown["events"].as_array().unwrap().len(), 1, "said twice, there once: {shown}");
    assert!(shown["ended_at"].is_string(), "{shown}");
    shop.write("bad.jsonl", "{\"seq\":");
    let (code, _, said) = shop.run(&["session", "append", "t-001", "--file", "bad.jsonl"]);
    assert!(code == 0 && said.contains("line 1"), "{said}");
    assert_ne!(shop.run(&["session", "append", "t-001", "--file", "bad.jsonl", "--strict"]).0, 0);
}
