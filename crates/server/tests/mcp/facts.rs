//! Facts that cite code, over MCP: transcripts of standard input and output in both kinds of
//! revisions, and notifications of changes by any process.

use std::sync::{Arc, Mutex};

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::calls::call_context::CallContext;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::BoxFuture;
use loci_model::principal::Principal;
use loci_server::mcp::McpOptions;
use loci_server::mcp::loci::{EngineTools, ToolBox};
use loci_server::mcp::message::Params;
use loci_server::mcp::provider::Caller;
use loci_server::tools::error::ToolError;
use loci_server::tools::profile::Profile;
use loci_server::tools::tool::{ToolOutcome, ToolRight};
use loci_testkit_ports::{CodeHistory, CodeShelf};
use loci_verified::NewFact;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines, ReadHalf, WriteHalf};

use crate::fixture::{World, with_meta};
use crate::stdio::{door, run, tools};

const DIRECTORY: &str = "/src/shop";
const CART: &str = "use crate::money::Cents;\n\n/// What a customer is about to buy.\npub struct Cart {\n    items: Vec<Item>,\n}\n\nimpl Cart {\n    /// Adds an item; a cart holds at most MAX_ITEMS.\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n}\n";
const LIMITS: &str = "/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n/// Requests of one customer in a minute.\npub const MAX_REQUESTS: usize = 120;\n";
const RECENT: &str = "memory://acme/shop/recent";
/// The polling interval of resources, in milliseconds.
const LOOK_EVERY_MS: u64 = 10_000;

/// Returns a server that reads the code of a shop.
pub(crate) fn shop() -> World {
    shop_on(&CodeShelf::default())
}

fn shop_on(shelf: &CodeShelf) -> World {
    let mut history = CodeHistory::new();
    history.commit(&[("src/cart.rs", CART), ("src/limits.rs", LIMITS), ("README.md", "# Shop\n")]);
    shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), history);
    let options = McpOptions { profiles: vec![Profile::Verified], ..McpOptions::default() };
    let world = World::reading(options, Arc::new(shelf.clone()));
    let add = RepositoryAdd { directory: Some(DIRECTORY.into()), ..RepositoryAdd::default() };
    let admin = Principal::administrator("tester");
    let (engine, standing) = (world.test.engine(), CallContext::default());
    let added = world.block_on(engine.verified.repository_add(&admin, &standing, add)).unwrap();
    assert_eq!(added.repository.key, "acme/shop");
    world
}

#[test]
fn initialize_based() {
    run("stdio-facts-legacy", include_str!("golden/stdio-facts-legacy.txt"), &shop());
}

#[test]
fn newest() {
    run("stdio-facts-modern", include_str!("golden/stdio-facts-modern.txt"), &shop());
}

#[test]
fn a_search_of_a_memory_serves_no_facts_of_code() {
    let world = shop();
    let call = |name: &str, headers: &[(&str, &str)], arguments: Value| {
        let answer = world.send("POST", &format!("/v1/tools/{name}"), headers, arguments.to_string());
        assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
        answer.json()
    };
    let cited = json!([{ "path": "src/limits.rs", "line_start": 1, "line_end": 2 }]);
    for fact in ["MAX_ITEMS is what one cart holds.", "No cart holds more items than MAX_ITEMS."] {
        let fact = json!({ "repo": "acme/shop", "subject": "Carts", "fact": fact, "citations": cited });
        call("memory_store", &[], fact);
    }
    let said = json!({ "entries": ["The cart of Anna holds tea"] });
    call("add_memory", &[("x-loci-memory", "code")], said);
    let asked = |limit: u32| json!({ "store": "code", "query": "what MAX_ITEMS a cart holds", "kinds": ["fact"], "limit": limit });
    for limit in [1, 20] {
        let found = call("memory_search", &[], asked(limit));
        let passages: Vec<_> =
            found["results"].as_array().unwrap().iter().map(|hit| &hit["passage"]).collect();
        assert_eq!(passages, ["The cart of Anna holds tea"], "{found}");
        let warning = found["warnings"][0].as_str().unwrap();
        assert!(
            warning.starts_with("FACTS_OF_CODE: 2 ") && warning.contains("repo (acme/shop)"),
            "{warning}"
        );
    }
    let by_repo =
        call("memory_search", &[], json!({ "repo": "acme/shop", "query": "what MAX_ITEMS a cart holds" }));
    assert_eq!(by_repo["memories"].as_array().unwrap().len(), 2, "{by_repo}");
}

/// The loop of an agent that treats an unverified fact as wrong: it sends back the citations while
/// the code cannot be read, and then invalidates the fact.
#[test]
fn what_cannot_be_read_is_not_invalidated() {
    let shelf = CodeShelf::default();
    let world = shop_on(&shelf);
    let call = |name: &str, arguments: Value| {
        world.test.clock().advance_ms(1_000);
        let answer = world.send("POST", &format!("/v1/tools/{name}"), &[], arguments.to_string());
        (answer.status.as_u16(), answer.json())
    };
    let fact = json!({
        "repo": "acme/shop", "subject": "Carts", "fact": "`add_item` refuses more than MAX_ITEMS items with CartFull.",
        "citations": [{ "path": "src/cart.rs", "line_start": 10, "line_end": 13 }],
    });
    assert_eq!(call("memory_store", fact).0, 200);
    let fail = |why: Option<Unverifiable>| shelf.change(DIRECTORY, |history| history.fail(why)).unwrap();
    let (status, recent) = call("memory_get_recent", json!({ "repo": "acme/shop", "verify": "fresh" }));
    assert_eq!((status, &recent["memories"][0]["verdict"]), (200, &json!("valid")), "{recent}");
    let (id, citations) = (&recent["memories"][0]["id"], &recent["memories"][0]["citations"]);
    for why in [Unverifiable::AuthOrMissing, Unverifiable::Network, Unverifiable::Rate] {
        fail(Some(why));
        let (_, found) =
            call("memory_verify_citations", json!({ "repo": "acme/shop", "citations": citations }));
        assert_eq!((&found["valid"], &found["verdict"]), (&json!(false), &json!("unverifiable")), "{found}");
        assert_eq!(found["citations"][0]["error"], format!("unverifiable:{}", why.as_str()));
        let reason = "memory_verify_citations says that it is not valid";
        let (status, refused) = call("memory_invalidate", json!({ "memory_id": id, "reason": reason }));
        let told = refused.pointer("/error").unwrap_or(&refused);
        assert_eq!(
            (&told["code"], &told["retryable"]),
            (&json!("UNVERIFIABLE"), &json!(true)),
            "{status} {refused}"
        );
        fail(None);
        let (_, recent) = call("memory_get_recent", json!({ "repo": "acme/shop", "verify": "fresh" }));
        assert_eq!(recent["memories"][0]["status"], "active", "{recent}");
    }
}

/// An agent verifies before it uses a fact: unverified reads need a capability, a withheld fact has
/// no use, and a fact stored by the `sha` of a read cites the lines of that read.
#[test]
fn an_agent_verifies_before_use() {
    let shelf = CodeShelf::default();
    let world = shop_on(&shelf);
    let call = |name: &str, headers: &[(&str, &str)], arguments: Value| {
        world.test.clock().advance_ms(60_000);
        let answer = world.send("POST", &format!("/v1/tools/{name}"), headers, arguments.to_string());
        let told = answer.json();
        (answer.status.as_u16(), told.get("error").cloned().unwrap_or(told))
    };
    let place = json!({ "repo": "acme/shop", "path": "src/limits.rs", "line_start": 2, "line_end": 2 });
    let (_, read) = call("memory_read_citation", &[], place);
    let citation = json!({ "path": "src/limits.rs", "line_start": 2, "line_end": 2, "sha": read["sha"] });
    let store = |fact: &str| {
        let fact = json!({ "repo": "acme/shop", "subject": "Carts", "fact": fact, "citations": [citation] });
        let (status, stored) = call("memory_store", &[], fact);
        assert_eq!(status, 200, "{stored}");
        stored
    };
    let right = store("MAX_ITEMS is 50.");
    let wrong = store("MAX_ITEMS is 9000.");
    assert!(wrong["warnings"].to_string().contains("CONTRADICTED: MAX_ITEMS is 50"), "{wrong}");
    let unverified = json!({ "repo": "acme/shop", "verify": "none" });
    let (status, refused) = call("memory_get_recent", &[], unverified.clone());
    assert_eq!(
        (status, &refused["code"], &refused["field"]),
        (403, &json!("FORBIDDEN"), &json!("verify")),
        "{refused}"
    );
    let (status, found) = call("memory_get_recent", &[("x-loci-person", "true")], unverified);
    assert_eq!((status, found["memories"].as_array().map(Vec::len)), (200, Some(2)), "{found}");
    let used = |id: &Value| call("memory_log_applied", &[], json!({ "memory_id": id }));
    let (status, done) = used(&right["id"]);
    assert_eq!((status, &done["unverified"]), (200, &json!(false)), "{done}");
    let (status, refused) = used(&wrong["id"]);
    assert_eq!((status, &refused["code"]), (409, &json!("NOT_VERIFIED")), "{refused}");
    let (_, recent) = call("memory_get_recent", &[], json!({ "repo": "acme/shop" }));
    let ids =
        |list: &str| recent[list].as_array().unwrap().iter().map(|fact| &fact["id"]).collect::<Vec<_>>();
    assert_eq!((ids("memories"), ids("withheld")), (vec![&right["id"]], vec![&wrong["id"]]), "{recent}");
    assert_eq!(recent["withheld"][0]["why"], json!(["MAX_ITEMS is 50 there, not 9000"]), "{recent}");
    shelf.change(DIRECTORY, |history| history.write("src/limits.rs", None)).unwrap();
    world.test.clock().advance_ms(11 * 60_000);
    let (_, refused) = used(&right["id"]);
    assert_eq!(refused["code"], "NOT_VERIFIED", "{refused}");
    let (_, stats) = call("memory_stats", &[], json!({ "repo": "acme/shop" }));
    assert_eq!(
        (&stats["verified_before_use_rate"], &stats["applied_count"]),
        (&json!(1.0), &json!(1)),
        "{stats}"
    );
}

/// An agent's key stays that of an agent, with any header and any reported verdicts.
#[test]
fn an_agents_key_is_no_person_and_posts_no_verdict_around_the_rule() {
    let shelf = CodeShelf::default();
    let mut world = shop_on(&shelf);
    let wrong = json!({
        "repo": "acme/shop", "subject": "Carts", "fact": "MAX_ITEMS is 9000.",
        "citations": [{ "path": "src/limits.rs", "line_start": 2, "line_end": 2 }],
    });
    let stored = world.send("POST", "/v1/tools/memory_store", &[], wrong.to_string());
    assert_eq!(stored.status.as_u16(), 200, "{}", stored.text);
    let agent = world.token_of(json!([{ "capabilities": ["read", "write"] }]));
    let lenient = world.token_of(json!([{ "capabilities": ["read", "unverified"] }]));
    let place = "/v1/tools/memory_get_recent";
    let (plain, unchecked) =
        (json!({ "repo": "acme/shop" }), json!({ "repo": "acme/shop", "verify": "none" }));
    let posted =
        |arguments: &Value| json!({ "arguments": arguments, "verdicts": { "ref": "WORKTREE", "facts": [] } });
    let verdicts = format!("{place}/verdicts");
    let person: &[(&str, &str)] = &[("x-loci-person", "1")];
    for (token, path, headers, body, expect) in [
        (&agent, place, &[][..], plain.clone(), Ok(0)),
        (&agent, place, person, plain.clone(), Ok(0)),
        (&agent, place, person, unchecked.clone(), Err(())),
        (&agent, verdicts.as_str(), &[][..], posted(&unchecked), Err(())),
        (&agent, verdicts.as_str(), person, posted(&unchecked), Err(())),
        (&lenient, place, &[][..], plain.clone(), Ok(0)),
        (&lenient, place, person, plain.clone(), Ok(1)),
        (&lenient, place, &[][..], unchecked.clone(), Ok(1)),
    ] {
        world.test.clock().advance_ms(1_000);
        world.token = Some(token.clone());
        let answer = world.send("POST", path, headers, body.to_string());
        let told = answer.json();
        match expect {
            Ok(stated) => {
                assert_eq!(
                    told["memories"].as_array().map(Vec::len),
                    Some(stated),
                    "{path} {headers:?}: {told}"
                );
            }
            Err(()) => {
                let refused = (answer.status.as_u16(), &told["error"]["code"], &told["error"]["field"]);
                assert_eq!(
                    refused,
                    (403, &json!("FORBIDDEN"), &json!("verify")),
                    "{path} {headers:?}: {told}"
                );
            }
        }
    }
}

/// A bad citation has its own verdict and does not affect the others.
#[test]
fn a_bad_citation_fails_no_other() {
    let shelf = CodeShelf::default();
    let world = shop_on(&shelf);
    let bad = [("a/../b", 1, 1), (".git/config", 1, 1), ("src/limits.rs", 4, 2), ("src/limits.rs", 1, 9_999)];
    let place =
        |(path, from, to): (&str, u32, u32)| json!({ "path": path, "line_start": from, "line_end": to });
    let mut citations = vec![place(("src/limits.rs", 2, 2))];
    citations.extend(bad.map(place));
    let call = |citations: &Value| {
        let body = json!({ "repo": "acme/shop", "citations": citations }).to_string();
        let answer = world.send("POST", "/v1/tools/memory_verify_citations", &[], body);
        (answer.status.as_u16(), answer.json())
    };
    let wrong =
        ["gone:PATH_REJECTED", "gone:PATH_REJECTED", "gone:INVALID_ARGUMENT", "gone:INVALID_ARGUMENT"];
    for (why, first) in [(None, Value::Null), (Some(Unverifiable::Network), json!("unverifiable:network"))] {
        shelf.change(DIRECTORY, |history| history.fail(why)).unwrap();
        let (status, found) = call(&json!(citations));
        assert_eq!((status, &found["valid"]), (200, &json!(false)), "{found}");
        let errors: Vec<Value> =
            found["citations"].as_array().unwrap().iter().map(|one| one["error"].clone()).collect();
        let expect: Vec<Value> = [first].into_iter().chain(wrong.map(Value::from)).collect();
        assert_eq!(errors, expect, "{found}");
        assert_eq!((&found["invalid_count"], &found["citations"][1]["exists"]), (&json!(4), &json!(false)));
    }
    for none in [json!("src/limits.rs"), json!([]), json!([7])] {
        let (status, refused) = call(&none);
        assert_eq!(status, 400, "{refused}");
    }
}

/// Shown code has no hidden characters and no secrets; the compared text is unchanged.
#[test]
fn code_is_shown_without_what_hides_and_without_secrets() {
    let shelf = CodeShelf::default();
    let world = shop_on(&shelf);
    let call = |name: &str, arguments: Value| {
        let answer = world.send("POST", &format!("/v1/tools/{name}"), &[], arguments.to_string());
        assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
        answer.json()
    };
    let token = ["ghp_16C7e42F292c6912", "E7710c838347Ae178B4a"].concat();
    let lines = format!("let plain = one;\nlet odd = \"\u{202e}two\u{1b}[31m\";\nlet key = \"{token}\";\n");
    shelf.change(DIRECTORY, |history| history.write("src/odd.rs", Some(&lines))).unwrap();
    let lines = |from: u32, to: u32| json!({ "path": "src/odd.rs", "line_start": from, "line_end": to });
    let read = |from: u32, to: u32| {
        let mut arguments = lines(from, to);
        arguments["repo"] = json!("acme/shop");
        call("memory_read_citation", arguments)
    };
    let plain = read(1, 1);
    assert_eq!(plain["content"], "let plain = one;", "{plain}");
    assert_eq!((plain.get("hidden_characters"), plain.get("masked")), (None, None), "{plain}");
    let shown = "let odd = \"two\";\nlet key = \"[REDACTED:github_token]\";";
    let odd = read(2, 3);
    assert_eq!(odd["content"], shown, "{odd}");
    assert_eq!((&odd["hidden_characters"], &odd["masked"]), (&json!(true), &json!(["github_token"])));
    let given = json!({ "repo": "acme/shop", "citations": [lines(2, 3)] });
    let found = call("memory_verify_citations", given);
    let citation = &found["citations"][0];
    assert_eq!(
        (&citation["content"], &citation["masked"]),
        (&json!(shown), &json!(["github_token"])),
        "{found}"
    );
    assert!(!found.to_string().contains(&token) && !odd.to_string().contains(&token));
}

/// The tools of a server, with a record of the calls.
struct Called {
    tools: EngineTools,
    names: Mutex<Vec<String>>,
}

impl ToolBox for Called {
    fn scopes<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<ToolRight>, ToolError>> {
        self.tools.scopes(caller)
    }
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        name: &'a str,
        arguments: Params,
    ) -> BoxFuture<'a, ToolOutcome> {
        self.names.lock().unwrap().push(name.to_owned());
        self.tools.call(caller, name, arguments)
    }
    fn repositories<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<String>, ToolError>> {
        self.tools.repositories(caller)
    }
    fn mark<'a>(&'a self, caller: &'a Caller, repo: &'a str) -> BoxFuture<'a, Result<String, ToolError>> {
        self.tools.mark(caller, repo)
    }
}

/// A client on standard input and output.
struct Client {
    to: WriteHalf<tokio::io::DuplexStream>,
    lines: Lines<BufReader<ReadHalf<tokio::io::DuplexStream>>>,
    modern: bool,
}

impl Client {
    async fn send(&mut self, method: &str, params: Value) {
        let params = if self.modern { with_meta(params) } else { params };
        let message = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Reads until all expected messages have arrived: responses by method, notifications by URI;
    /// in any order.
    async fn hears(&mut self, mut wanted: Vec<&str>) {
        while !wanted.is_empty() {
            let message = self.next().await;
            let is = |name: &&str| {
                message["id"] == **name
                    || (message["params"]["uri"] == **name
                        && message["method"] == "notifications/resources/updated")
            };
            let place = wanted.iter().position(is).unwrap_or_else(|| panic!("{message}; {wanted:?}"));
            assert_ne!(message["result"]["isError"], true, "{message}");
            wanted.remove(place);
        }
    }
}

#[test]
fn who_listens_hears_of_changes_whoever_makes_them() {
    for modern in [false, true] {
        let world = shop();
        let (near, far) = tokio::io::duplex(1024 * 1024);
        let (input, output) = tokio::io::split(far);
        let (from, to) = tokio::io::split(near);
        let mut client = Client { to, lines: BufReader::new(from).lines(), modern };
        world.block_on(async {
            let called = Arc::new(Called { tools: tools(&world), names: Mutex::default() });
            let served = tokio::spawn(
                door(&world, Arc::clone(&called) as Arc<dyn ToolBox>).serve(BufReader::new(input), output),
            );
            if modern {
                let wanted = json!({ "notifications": { "resourceSubscriptions": [RECENT, "memory://acme/other/recent"] } });
                client.send("subscriptions/listen", wanted).await;
                assert_eq!(client.next().await["method"], "notifications/subscriptions/acknowledged");
            } else {
                client.send("initialize", json!({ "protocolVersion": "2025-11-25" })).await;
                client.hears(vec!["initialize"]).await;
                for uri in [RECENT, "memory://acme/other/recent"] {
                    client.send("resources/subscribe", json!({ "uri": uri })).await;
                    client.hears(vec!["resources/subscribe"]).await;
                }
            }
            let fact = json!({
                "repo": "acme/shop", "subject": "Carts", "fact": "`add_item` refuses more than MAX_ITEMS items with CartFull.",
                "citations": [{ "path": "src/cart.rs", "line_start": 10, "line_end": 13 }],
            });
            client.send("tools/call", json!({ "name": "memory_store", "arguments": fact })).await;
            client.hears(vec!["tools/call", RECENT]).await;
            // A read changes nothing.
            client.send("tools/call", json!({ "name": "memory_get_recent", "arguments": { "repo": "acme/shop" } })).await;
            client.hears(vec!["tools/call"]).await;
            // Another process, unknown to this one.
            let other = NewFact {
                repo: "acme/shop".to_owned(),
                subject: "Limits".to_owned(),
                fact: "MAX_REQUESTS is per customer and minute.".to_owned(),
                citations: vec![CitationInput {
                    place: LineRange { path: "src/limits.rs".to_owned(), line_start: 3, line_end: 4 },
                    sha: None,
                    snippet_hash: None,
                }],
                ..NewFact::default()
            };
            let (engine, admin) = (world.test.engine(), Principal::administrator("other"));
            engine.verified.fact_store(&admin, &CallContext::default(), other, None).await.unwrap();
            let time_passes = async {
                loop {
                    world.test.clock().advance_ms(LOOK_EVERY_MS);
                    for _ in 0..1_000 {
                        tokio::task::yield_now().await;
                    }
                }
            };
            tokio::select! {
                () = client.hears(vec![RECENT]) => {}
                () = time_passes => {}
            }
            client.to.shutdown().await.unwrap();
            while client.lines.next_line().await.unwrap().is_some() {}
            served.await.unwrap().unwrap();
            // Polling for changes calls no tool.
            assert_eq!(*called.names.lock().unwrap(), ["memory_store", "memory_get_recent"]);
        });
    }
}
