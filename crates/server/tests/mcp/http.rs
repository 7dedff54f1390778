//! MCP over HTTP: revisions, headers against bodies, forms, origins and hosts, credentials and
//! scopes.

use loci_server::DoorOptions;
use loci_server::auth::gate::Peer;
use serde_json::{Value, json};

use crate::fixture::{World, request, with_meta};

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn the_header_says_the_revision() {
    let world = World::new();
    let check = |version: Option<&str>, method: &str, params: Value, status: u16, code: Option<i64>| {
        let mut headers = vec![JSON, ("mcp-method", method)];
        headers.extend(version.map(|version| ("mcp-protocol-version", version)));
        let answer = world.send("POST", "/mcp", &headers, request(method, params).to_string());
        assert_eq!(
            (answer.status.as_u16(), answer.code()),
            (status, code),
            "{version:?} {method}: {}",
            answer.text
        );
    };
    let modern = || with_meta(json!({}));
    let said = |version: &str| json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} } });
    check(Some("2026-07-28"), "server/discover", modern(), 200, None);
    check(Some("2026-07-28"), "server/discover", json!({}), 400, Some(-32602));
    check(Some("2026-07-28"), "server/discover", json!({ "_meta": {} }), 400, Some(-32602));
    check(Some("2026-07-28"), "server/discover", said("2025-11-25"), 400, Some(-32020));
    for removed in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"] {
        check(Some("2026-07-28"), removed, modern(), 404, Some(-32601));
    }
    check(Some("v999"), "server/discover", said("v999"), 400, Some(-32022));
    check(Some("2025-11-25"), "server/discover", modern(), 404, Some(-32601));
    for version in [None, Some("2025-11-25"), Some("2025-06-18"), Some("2025-03-26"), Some("2024-11-05")] {
        check(version, "ping", json!({}), 200, None);
        check(version, "tools/list", json!({}), 200, None);
    }
    check(None, "initialize", json!({ "protocolVersion": "2025-06-18" }), 200, None);
}

#[test]
fn half_a_letter_is_replaced_and_the_caller_is_warned() {
    let world = World::new();
    let warned = |path: &str, body: &str| {
        let answer = world.send("POST", path, &[JSON], body.to_owned());
        let warnings = answer.headers.get("x-loci-warnings").map(|value| value.to_str().unwrap().to_owned());
        (answer.status.as_u16(), warnings)
    };
    let warning = || Some("lone_surrogate_replaced".to_owned());
    let ping =
        |text: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"text":"{text}"}}}}"#);
    assert_eq!(warned("/mcp", &ping(r"cut \ud83d")), (200, warning()));
    assert_eq!(warned("/mcp", &ping(r"whole \ud83d\ude00")), (200, None));
    let id = world.memory("notes");
    let search = |text: &str| format!(r#"{{"memory":"{id}","query":"{text}"}}"#);
    assert_eq!(warned("/v1/search", &search(r"cut \ude00")), (200, warning()));
    assert_eq!(warned("/v1/search", &search("whole")), (200, None));
    let unread =
        world.send("POST", "/mcp", &[JSON], r#"{"jsonrpc":"2.0","id":7,"method":"ping","a":tru}"#.to_owned());
    assert_eq!((unread.code(), unread.json()["id"].as_i64()), (Some(-32700), Some(7)));
}

/// All interfaces check in one order: the declared size comes before the credentials.
#[test]
fn a_body_that_announces_too_much_is_refused_whoever_sends_it() {
    let world = World::new();
    world.token_of(json!([{ "capabilities": ["read"] }])); // from now on a key is needed
    let options = DoorOptions::default();
    for (path, most) in [
        ("/mcp", options.mcp.body_bytes_max),
        ("/git/notes/a.git/git-upload-pack", options.body_bytes_max),
        ("/v1/search", options.body_bytes_max),
    ] {
        let status = |bytes: usize| world.send("POST", path, &[JSON], " ".repeat(bytes)).status.as_u16();
        assert_eq!((status(most), status(most + 1)), (401, 413), "{path}");
    }
}

#[test]
fn results_of_the_newest_revision_say_what_they_are() {
    let world = World::new();
    for (method, params, keep) in [
        ("server/discover", json!({}), Some("public")),
        ("tools/list", json!({}), Some("public")),
        ("prompts/list", json!({}), Some("public")),
        ("resources/templates/list", json!({}), Some("public")),
        ("resources/list", json!({}), Some("private")),
        ("resources/read", json!({ "uri": "memory://rules" }), Some("public")),
        ("prompts/get", json!({ "name": "memory_rules" }), None),
        ("tools/call", json!({ "name": "search_memory", "arguments": { "query": "x" } }), None),
    ] {
        let answer = world.modern("/mcp", method, params.clone());
        let result = answer.json()["result"].clone();
        assert_eq!(result["resultType"], "complete", "{method}: {}", answer.text);
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "loci", "{method}");
        assert_eq!(result["cacheScope"].as_str(), keep, "{method}");
        assert_eq!(result["ttlMs"].is_u64(), keep.is_some(), "{method}");
        if method != "server/discover" {
            let legacy = world.legacy("/mcp", method, params);
            for member in ["resultType", "_meta", "ttlMs", "cacheScope"] {
                assert!(legacy.json()["result"].get(member).is_none(), "{method}: {}", legacy.text);
            }
        }
    }
}

#[test]
fn what_names_nothing() {
    let world = World::new();
    let check = |method: &str, params: Value, modern: i64, legacy: i64| {
        let answer = world.modern("/mcp", method, params.clone());
        assert_eq!((answer.status.as_u16(), answer.code()), (200, Some(modern)), "{method}: {}", answer.text);
        assert_eq!(world.legacy("/mcp", method, params).code(), Some(legacy), "{method}");
    };
    check("resources/read", json!({ "uri": "memory://nothing" }), -32602, -32002);
    check("tools/call", json!({ "name": "no_such_tool" }), -32602, -32602);
    check("prompts/get", json!({ "name": "no_such_prompt" }), -32602, -32602);
    check("tools/list", json!({ "cursor": "x" }), -32602, -32602);
    // A tool that is defined but cannot be called yet is not listed either.
    let listed = world.modern("/mcp/p/full+sre", "tools/list", json!({})).json();
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    for tool in loci_server::tools::table::Table::shipped().all() {
        assert_eq!(names.contains(&json!(tool.name)), tool.work.is_some(), "{}", tool.name);
    }
}

#[test]
fn methods_and_forms() {
    let world = World::new();
    let check = |method: &str, path: &str, headers: &[(&str, &str)], body: &str, expect: u16| {
        let answer = world.send(method, path, headers, body.to_owned());
        assert_eq!(answer.status.as_u16(), expect, "{method} {path} {headers:?}: {}", answer.text);
    };
    let ping = request("ping", json!({})).to_string();
    check("GET", "/mcp", &[], "", 405);
    check("DELETE", "/mcp", &[], "", 405);
    check("POST", "/mcp", &[JSON], &ping, 200);
    check("POST", "/mcp", &[("content-type", "text/plain")], &ping, 415);
    check("POST", "/mcp", &[JSON, ("accept", "text/html")], &ping, 406);
    check("POST", "/mcp", &[JSON], "{", 400);
    check("POST", "/mcp", &[JSON], "[]", 202);
    check("POST", "/mcp", &[JSON], &format!("[{ping},{ping}]"), 200);
    check("POST", "/mcp", &[JSON, ("mcp-protocol-version", "2025-11-25")], &format!("[{ping}]"), 400);
    check("POST", "/mcp", &[JSON], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, 202);
    check("POST", "/mcp", &[JSON], r#"{"jsonrpc":"2.0","id":"x","result":{}}"#, 202);
    check("POST", "/mcp", &[JSON], &" ".repeat(1024 * 1024 + 1), 413);
    check("POST", "/mcp/p/recall", &[JSON], &ping, 200);
    check("POST", "/mcp/p/core+recall", &[JSON], &ping, 200);
    check("POST", "/mcp/p/nothing", &[JSON], &ping, 404);
    check("POST", "/mcp/dotted", &[JSON], &ping, 200);
}

#[test]
fn origins_and_hosts() {
    let mut world = World::new();
    let ping = request("ping", json!({})).to_string();
    for (peer, header, value, expect) in [
        (Peer::Loopback, "host", "127.0.0.1:8411", 200),
        (Peer::Loopback, "host", "localhost", 200),
        (Peer::Loopback, "host", "[::1]:1", 200),
        (Peer::Loopback, "host", "evil.example", 403),
        (Peer::Loopback, "host", "127.0.0.1.evil.example", 403),
        (Peer::Loopback, "origin", "http://localhost:3000", 200),
        (Peer::Loopback, "origin", "https://evil.example", 403),
        (Peer::Loopback, "origin", "null", 403),
        (Peer::Network, "origin", "https://evil.example", 403),
        (Peer::Network, "host", "memory.example", 401),
    ] {
        world.peer = peer;
        let answer = world.send("POST", "/mcp", &[JSON, (header, value)], ping.clone());
        assert_eq!(answer.status.as_u16(), expect, "{peer:?} {header} {value}: {}", answer.text);
    }
}

#[test]
fn credentials_and_scopes() {
    let world = World::new();
    let memory = world.memory("notes");
    let grant = |capabilities: Value| json!([{ "memory": memory, "capabilities": capabilities }]);
    let reader = world.token_of(grant(json!(["read"])));
    let writer = world.token_of(grant(json!(["read", "write"])));
    let call = |token: Option<&str>, name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let mut headers = vec![JSON, ("mcp-protocol-version", "2025-11-25")];
        let bearer = token.map(|token| format!("Bearer {token}"));
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        world.send("POST", "/mcp", &headers, request("tools/call", params).to_string())
    };
    let refused = call(None, "search_memory", json!({ "query": "x" }));
    assert_eq!(refused.status.as_u16(), 401);
    assert!(refused.headers["www-authenticate"].to_str().unwrap().starts_with("Bearer scope="));
    assert_eq!(call(Some("wrong"), "search_memory", json!({ "query": "x" })).status.as_u16(), 401);
    let found = call(Some(&reader), "search_memory", json!({ "query": "x" }));
    assert_eq!(found.json()["result"]["isError"], false, "{}", found.text);
    let forbidden = call(Some(&reader), "add_memory", json!({ "entries": ["x"] }));
    assert_eq!(forbidden.status.as_u16(), 403, "{}", forbidden.text);
    let challenge = forbidden.headers["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains("insufficient_scope") && challenge.contains("memory:write"), "{challenge}");
    let added = call(Some(&writer), "add_memory", json!({ "entries": ["The build takes ten minutes"] }));
    assert_eq!(added.json()["result"]["structuredContent"]["stored"], 1, "{}", added.text);
    // A forbidden tool is not listed, and a restricted listing must not be cached for others.
    let listed = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [JSON, ("authorization", &bearer)];
        let answer = world.send("POST", "/mcp", &headers, request("tools/list", json!({})).to_string());
        answer.json()["result"]["tools"].as_array().unwrap().len()
    };
    assert_eq!((listed(&reader), listed(&writer)), (1, 2));
    // Another tenant's memory is invisible.
    let other = world.memory("other");
    let elsewhere = call(Some(&writer), "search_memory", json!({ "query": "x", "stores": ["other"] }));
    let error = elsewhere.json()["result"]["structuredContent"].clone();
    assert_eq!(error["code"], "INVALID_ARGUMENT", "{error}");
    assert!(
        !error.to_string().contains(&other) && !error["details"]["available"].to_string().contains("other")
    );
}
