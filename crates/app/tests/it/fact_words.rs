//! The words that describe facts in all outputs: only a fact whose cited code is unchanged and
//! supports it may be called verified. Real processes over a real working tree, and one revision
//! for all commands.

use serde_json::{Value, json};

use crate::fact_repository::{CART, LIMITS, Shop, git};
use crate::mcp_stdio::Speaking;
use crate::native::send;
use crate::program::Home;

/// A fact, its citation, and its state after the code has changed.
struct Case {
    fact: &'static str,
    cite: &'static str,
    support: &'static str,
    assurance: &'static str,
    /// Words of its label.
    label: &'static str,
}

const CASES: &[Case] = &[
    Case {
        fact: "A cart holds at most MAX_ITEMS = 50 items.",
        cite: "src/limits.rs:2",
        support: "supported",
        assurance: "verified",
        label: "src/limits.rs:2-2; verified",
    },
    Case {
        fact: "Orders are sharded by region.",
        cite: "src/limits.rs:4",
        support: "not_checked",
        assurance: "cited",
        label: "cites src/limits.rs:4-4, not checked against it",
    },
    Case {
        fact: "A customer has MAX_REQUESTS = 999 requests in a minute.",
        cite: "src/limits.rs:3-4",
        support: "contradicted",
        assurance: "contradicted",
        label: "contradicted by the code; MAX_REQUESTS is 120 there, not 999",
    },
    Case {
        fact: "`add_item` refuses more than MAX_ITEMS items with CartFull.",
        cite: "src/cart.rs:5-8",
        support: "supported",
        assurance: "drifted",
        label: "src/cart.rs:6-9; the cited code has changed: check it before use",
    },
    Case {
        fact: "`total_price` sums the price of all items.",
        cite: "src/cart.rs:13-15",
        support: "supported",
        assurance: "verified",
        label: "src/cart.rs:14-16; verified; moved from src/cart.rs:13-15",
    },
    Case {
        fact: "`old_limit` is read by old clients alone.",
        cite: "src/old.rs:1",
        support: "supported",
        assurance: "gone",
        label: "",
    },
];

/// Words of all facts.
const WORDS: &str = "carts items region requests total_price MAX_ITEMS old_limit";

/// Returns a clone with a fact of each kind, after the edit that determines their states, and their
/// ids.
fn edited<'a>(home: &'a Home) -> (Shop<'a>, Vec<String>) {
    // The test is about the words, not the relevance, so tasks receive all facts.
    let config = home.path(".config/loci");
    std::fs::create_dir_all(&config).unwrap();
    let settings = "[coding]\nnoise_floor = 0.0\nnoise_floor_by_words = 0.0\n";
    std::fs::write(config.join("config.toml"), settings).unwrap();
    let shop = Shop::new(home, "shop");
    shop.write("src/old.rs", "pub fn old_limit() -> usize { 12_345 }\n");
    shop.commit("an old limit");
    let ids = CASES.iter().map(|case| {
        let stored = shop.json(&["fact", "store", "--subject", "Carts", "--cite", case.cite, case.fact]);
        assert_eq!(stored["memory"]["support"]["verdict"], case.support, "{stored}");
        assert_eq!(stored["verification"]["support"]["verdict"], case.support, "{stored}");
        assert_eq!(
            (&stored["verification"]["verdict"], &stored["repo"]),
            (&json!("valid"), &json!("acme/shop"))
        );
        let warned = stored["warnings"].to_string();
        for (code, support) in [("NOT_CHECKED", "not_checked"), ("CONTRADICTED", "contradicted")] {
            assert_eq!(warned.contains(code), case.support == support, "{warned}");
        }
        stored["id"].as_str().unwrap().to_owned()
    });
    let ids = ids.collect();
    shop.write("src/cart.rs", &format!("// Edited.\n{}", CART.replace(">= MAX_ITEMS", "> MAX_ITEMS")));
    std::fs::remove_file(shop.path().join("src/old.rs")).unwrap();
    (shop, ids)
}

/// States of facts whose statement is withheld from a reader.
const FROM_PEOPLE: &[&str] = &["gone"];
const FROM_AGENTS: &[&str] = &["gone", "drifted", "contradicted"];

/// Checks a list of facts: each with its words, or withheld from its reader with the locations to
/// read instead.
fn check_list(answer: &Value, ids: &[String], from_reader: &[&str]) {
    let facts = answer["memories"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let none = Vec::new();
    let withheld = answer["withheld"].as_array().unwrap_or(&none);
    for (case, id) in CASES.iter().zip(ids) {
        let found = |list: &Vec<Value>| list.iter().find(|fact| fact["id"] == **id).cloned();
        let is_drifted = case.assurance == "drifted";
        if from_reader.contains(&case.assurance) {
            let fact = found(withheld).unwrap_or_else(|| panic!("{}: {answer}", case.fact));
            assert!(found(facts).is_none(), "{answer}");
            assert_eq!(fact["assurance"], case.assurance, "{fact}");
            assert!(!fact.to_string().contains(case.fact) && fact.get("fact").is_none(), "{fact}");
            assert!(fact["places"][0]["path"].as_str().unwrap().starts_with("src/"), "{fact}");
            assert!(!fact["why"].as_array().unwrap().is_empty(), "{fact}");
            assert_eq!(fact.get("change").is_some(), is_drifted, "{fact}");
            continue;
        }
        let fact = found(facts).unwrap_or_else(|| panic!("{}: {answer}", case.fact));
        assert_eq!(fact["assurance"], case.assurance, "{fact}");
        assert_eq!(fact["support"]["verdict"], case.support, "{fact}");
        assert!(fact["label"].as_str().unwrap().contains(case.label), "{fact}");
        let diff = fact["change"]["diff"].as_str().unwrap_or_default();
        assert_eq!(diff.contains("-if self.items.len() >= MAX_ITEMS"), is_drifted, "{fact}");
    }
    assert_eq!(facts.len(), CASES.len() - from_reader.len(), "{answer}");
    let warned = answer["warnings"].to_string().contains("WITHHELD: 2 facts");
    assert_eq!(warned, from_reader.len() > 1, "{answer}");
}

/// Checks a text: the word occurs with the verified facts, and with no other.
fn check_text(text: &str, ids: &[String]) {
    let is_entry = |line: &&str| ids.iter().any(|id| line.contains(id.as_str()));
    for (case, id) in CASES.iter().zip(ids) {
        let lines: Vec<&str> = text.lines().collect();
        let Some(at) = lines.iter().position(|line| line.contains(id.as_str())) else {
            assert_eq!(case.assurance, "gone", "{}: {text}", case.fact);
            continue;
        };
        let rest = lines[at + 1..].iter().take_while(|line| !is_entry(line) && line.starts_with([' ', '\t']));
        let entry = std::iter::once(&lines[at]).chain(rest).copied().collect::<Vec<_>>().join("\n");
        let is_verified = entry.replace("not verified", "").contains("verified");
        assert_eq!(is_verified, case.assurance == "verified", "{entry}\n\n{text}");
        assert!(entry.contains(case.label), "{} in {entry}", case.label);
    }
}

/// Checks headings: a fact is under the heading of its kind.
fn check_headings(text: &str, ids: &[String]) {
    for (case, id) in CASES.iter().zip(ids).filter(|(case, _)| case.assurance != "gone") {
        let before = &text[..text.find(id.as_str()).unwrap_or_else(|| panic!("{id}: {text}"))];
        let heading = before.lines().rev().find(|line| {
            ["Verified facts", "Facts that ", "Facts whose "].iter().any(|begin| line.starts_with(begin))
        });
        let expect = match case.assurance {
            "verified" => "Verified facts",
            "cited" => "Facts that cite code and were not checked against it",
            "drifted" => "Facts whose cited code has changed",
            _ => "Facts that the code contradicts",
        };
        assert_eq!(heading.map(|line| line.trim_end_matches(':')), Some(expect), "{}: {text}", case.fact);
    }
}

/// Checks rows of facts with verdict and support: all but the gone one. `id_at` is the location of
/// the id in a row.
fn check_rows(rows: &Value, id_at: &str, ids: &[String]) {
    let all = rows.as_array().unwrap_or_else(|| panic!("{rows}"));
    for (case, id) in CASES.iter().zip(ids) {
        let of = |row: &&Value| {
            row.pointer(id_at).and_then(Value::as_str).is_some_and(|found| found.ends_with(id.as_str()))
        };
        let found = all.iter().find(of);
        assert_eq!(found.is_none(), case.assurance == "gone", "{}: {rows}", case.fact);
        let Some(row) = found else { continue };
        let verdict = if case.assurance == "drifted" { "drifted" } else { "valid" };
        assert_eq!((&row["verdict"], &row["support"]), (&json!(verdict), &json!(case.support)), "{row}");
    }
}

/// Checks the hydration of a task: as rows, and as the block for a model.
fn check_hydrated(hydrated: &Value, ids: &[String]) {
    check_rows(&hydrated["knowledge"], "/id", ids);
    check_text(hydrated["rendered"].as_str().unwrap_or_else(|| panic!("{hydrated}")), ids);
}

/// Checks the verification of a fact by its id.
fn check_verified(verified: &Value, case: &Case, reference: &str) {
    let (verdict, support) = match case.assurance {
        "drifted" => ("drifted", case.support),
        "gone" => ("gone", "not_checked"),
        _ => ("valid", case.support),
    };
    assert_eq!((&verified["verdict"], &verified["ref"]), (&json!(verdict), &json!(reference)), "{verified}");
    assert_eq!(verified["support"]["verdict"], support, "{verified}");
}

/// Checks the display of a fact without verification: its stored support, and no combined word.
fn check_kept(kept: &Value, case: &Case) {
    assert_eq!(kept["memory"]["support"]["verdict"], case.support, "{kept}");
    assert!(kept["memory"]["assurance"].is_null(), "{kept}");
}

#[test]
fn only_what_is_unchanged_and_supported_is_called_verified() {
    let home = Home::new();
    let (shop, ids) = edited(&home);
    check_list(&shop.json(&["fact", "recent"]), &ids, FROM_PEOPLE);
    check_list(&shop.json(&["fact", "recent", "--verify", "fresh"]), &ids, FROM_PEOPLE);
    check_list(&shop.json(&["fact", "search", WORDS]), &ids, FROM_PEOPLE);
    let (_, lines, noted) = shop.run(&["fact", "recent"]);
    check_text(&lines, &ids);
    check_headings(&lines, &ids);
    assert!(lines.starts_with("acme/shop at WORKTREE (") && lines.contains("confirmed today"), "{lines}");
    assert!(
        lines.contains("-if self.items.len() >= MAX_ITEMS") && lines.contains("+if self.items.len() > MAX"),
        "{lines}"
    );
    assert!(noted.contains("src/old.rs:1-1 gone:file_missing"), "{noted}");
    let (_, prompt, _) = shop.run(&["fact", "recent", "--format", "prompt"]);
    check_text(&prompt, &ids);
    check_headings(&prompt, &ids);
    let (_, hook, _) = shop.run(&["fact", "recent", "--format", "prompt", "--hook", "cursor"]);
    let hook: Value = serde_json::from_str(&hook).unwrap();
    check_headings(hook["additional_context"].as_str().unwrap(), &ids);
    for (case, id) in CASES.iter().zip(&ids) {
        check_verified(&shop.json(&["fact", "verify", id]), case, "WORKTREE");
        check_kept(&shop.json(&["fact", "show", id]), case);
    }
}

/// The words that a task receives in a working tree, and programs over HTTP without one: there the
/// edit is committed on a branch, and `HEAD` is read.
#[test]
fn tasks_and_programs_read_the_same_words() {
    let home = Home::new();
    let (shop, ids) = edited(&home);
    let question = "carts, items, orders, requests";
    shop.json(&["task", "create", "raise the limit of items in a cart", "--id", "t-1"]);
    let hydrate = ["task", "hydrate", "t-1", "--query", question, "--timeout-ms", "30000"];
    check_hydrated(&shop.json(&hydrate), &ids);
    check_text(&shop.run(&hydrate).1, &ids);
    check_rows(&shop.json(&["task", "search", "t-1", question])["results"], "/record/id", &ids);

    shop.git(&["checkout", "--quiet", "-b", "change"]);
    shop.commit("an edit");
    let server = home.serve(&[]);
    let post = |path: &str, body: Value| {
        let (status, answer) = send(&server, "POST", path, "", &body.to_string());
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    };
    let call = |name: &str, more: Value| {
        let mut arguments = json!({ "repo": "acme/shop" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(&format!("/v1/tools/{name}"), arguments)
    };
    check_list(&call("memory_get_recent", json!({})), &ids, FROM_AGENTS);
    check_list(&call("memory_get_recent", json!({ "verify": "fresh" })), &ids, FROM_AGENTS);
    check_list(
        &call("memory_search_by_path", json!({ "path": "src", "match": "prefix" })),
        &ids,
        FROM_AGENTS,
    );
    check_list(&call("memory_search", json!({ "query": WORDS })), &ids, FROM_AGENTS);
    let answer = call("memory_get_recent", json!({ "format": "prompt" }));
    let prompt = answer["prompt"].as_str().unwrap();
    check_text(prompt, &ids);
    check_headings(prompt, &ids);
    for (case, id) in CASES.iter().zip(&ids) {
        check_verified(&call("memory_verify_citations", json!({ "memory_id": id })), case, "HEAD");
        check_kept(&post("/v1/tools/memory_get", json!({ "memory_id": id })), case);
    }
    let asked = json!({ "query": question, "timeout_ms": 30_000 });
    check_hydrated(&post("/v1/tasks/t-1/hydrate", asked), &ids);
    let found = post("/v1/repos/acme/shop/search", json!({ "query": question }));
    check_rows(&found["results"], "/record/id", &ids);
}

#[test]
fn agents_read_the_same_words() {
    let home = Home::new();
    let (shop, ids) = edited(&home);
    let mut command = home.command(&["mcp", "--profile", "core,verified,coding"]);
    command.current_dir(shop.path());
    let mut speaking = Speaking::start(command, &[]);
    let began = speaking.ask("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }));
    assert!(began["instructions"].as_str().unwrap().contains("in a clone of acme/shop"), "{began}");
    let mut call = |name: &str, arguments: Value| {
        let answer = speaking.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        answer["structuredContent"].clone()
    };
    // No tool receives the repository or the revision: the defaults are the clone and its files.
    check_list(&call("memory_get_recent", json!({})), &ids, FROM_AGENTS);
    check_list(
        &call("memory_search_by_path", json!({ "path": "src", "match": "prefix" })),
        &ids,
        FROM_AGENTS,
    );
    let prompt = call("memory_get_recent", json!({ "format": "prompt" }));
    check_headings(prompt["prompt"].as_str().unwrap(), &ids);
    let hydrated =
        call("memory_hydrate", json!({ "repo": "acme/shop", "query": "carts, items, orders, requests" }));
    check_hydrated(&hydrated, &ids);
    let error = call("memory_stats", json!({ "repo": "acme/other" }));
    assert!(error["message"].as_str().unwrap().contains("the clone here is acme/shop"), "{error}");
    // The prompts use the clone's repository too.
    let prompts = speaking.ask("prompts/list", json!({}));
    let is_needed = |prompt: &Value| {
        let arguments = prompt["arguments"].as_array().into_iter().flatten();
        arguments.filter(|one| one["name"] == "repo").any(|one| one["required"] == true)
    };
    assert!(!prompts["prompts"].as_array().unwrap().iter().any(is_needed), "{prompts}");
    let get = |name: &str| json!({ "name": name, "arguments": { "paths": "src/limits.rs" } });
    let review = speaking.ask("prompts/get", get("review_with_memory"));
    let review = review["messages"][0]["content"]["text"].as_str().unwrap();
    check_text(review, &ids[..2]);
    assert!(review.contains(ids[2].as_str()) && !review.contains(CASES[2].fact), "{review}");
    let start = speaking.ask("prompts/get", get("session_start"));
    check_headings(start["messages"][0]["content"]["text"].as_str().unwrap(), &ids);
    assert!(speaking.ends());
}

/// One revision for all commands: storing, listing, verifying and correcting a fact in a working
/// tree takes effect at once, and the fact gets the commit that contains the code.
#[test]
fn every_verb_reads_the_working_tree() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.write("src/limits.rs", &LIMITS.replace("50", "60"));
    let stored = shop.json(&[
        "fact",
        "store",
        "--subject",
        "Limits",
        "--cite",
        "src/limits.rs:2",
        "A cart holds MAX_ITEMS = 60 items.",
    ]);
    assert_eq!((&stored["ref"], &stored["repo"]), (&json!("WORKTREE"), &json!("acme/shop")), "{stored}");
    assert!(stored["warnings"].to_string().contains("UNCOMMITTED: src/limits.rs:2-2"), "{stored}");
    assert_eq!(stored["memory"]["citations"][0].get("sha"), None, "{stored}");
    let id = stored["id"].as_str().unwrap();
    let verdict = |arguments: &[&str]| shop.json(arguments)["verdict"].as_str().unwrap().to_owned();
    assert_eq!(verdict(&["fact", "verify", id]), "valid");
    assert_eq!(verdict(&["fact", "verify", id, "--ref", "HEAD"]), "drifted");
    assert_eq!(verdict(&["fact", "refresh", id]), "valid");
    hydrated_at_the_working_tree(&shop, id);
    assert_eq!(shop.json(&["fact", "recent"])["memories"][0]["assurance"], "verified");

    let newer = "A cart holds MAX_ITEMS = 60 items since the sale.";
    let corrected = shop.json(&["fact", "supersede", id, newer, "--cite", "src/limits.rs:2"]);
    assert_eq!(corrected["repo"], "acme/shop", "{corrected}");
    let recent = || shop.json(&["fact", "recent"])["memories"][0].clone();
    let at_once = recent();
    assert_eq!(
        (&at_once["fact"], &at_once["verdict"]),
        (&json!(newer), &json!("valid")),
        "no drift: {at_once}"
    );

    let brought = shop.commit("sixty items");
    shop.write("src/limits.rs", &format!("//! Limits.\n{}", LIMITS.replace("50", "60")));
    shop.commit("a header");
    recent();
    let anchored = recent();
    assert_eq!(anchored["citations"][0]["sha"], *brought, "the commit that brought the lines: {anchored}");
    assert_eq!(anchored["verdict"], "valid");
    let history = shop.json(&["fact", "history", corrected["new_memory_id"].as_str().unwrap()]);
    assert!(history["events"].to_string().contains("\"committed\":true"), "{history}");
    let newest = corrected["new_memory_id"].as_str().unwrap();
    for (reference, expect) in
        [("HEAD", "valid"), ("HEAD~1", "valid"), ("main~2", "drifted"), ("HEAD^^", "drifted")]
    {
        let found = shop.json(&["fact", "verify", newest, "--ref", reference]);
        assert_eq!((&found["verdict"], &found["ref"]), (&json!(expect), &json!(reference)), "{found}");
    }
    let refused = shop.run(&["fact", "verify", newest, "--ref", "HEAD~x"]);
    assert!(refused.0 != 0 && refused.2.contains("ref "), "{refused:?}");
    // A fact about unchanged committed files is stored at their commit.
    let stored =
        shop.json(&["fact", "store", "--subject", "A", "--cite", "src/cart.rs:13-15", "`total_price` sums."]);
    assert_eq!(
        (&stored["ref"], stored["memory"]["citations"][0].get("sha").is_some()),
        (&json!("HEAD"), true)
    );
}

/// A task receives the facts that are valid in the working tree, by the command and by the tool.
fn hydrated_at_the_working_tree(shop: &Shop<'_>, id: &str) {
    let of_task = ["task", "create", "raise the limit of items in a cart", "--id", "t-1"];
    shop.json(&of_task);
    let hydrate = |more: &[&str]| {
        let asked =
            ["task", "hydrate", "t-1", "--query", "a cart holds MAX_ITEMS items", "--timeout-ms", "30000"];
        let found = shop.json(&[&asked[..], more].concat());
        let knowledge = found["knowledge"].as_array().unwrap_or_else(|| panic!("{found}")).clone();
        knowledge.into_iter().find(|one| one["id"].as_str().is_some_and(|found| found.ends_with(id)))
    };
    assert_eq!(hydrate(&[]).expect("the fact holds in the working tree")["verdict"], "valid");
    let at_head = hydrate(&["--ref", "HEAD"]);
    assert!(at_head.as_ref().is_none_or(|one| one["verdict"] == "drifted"), "{at_head:?}");
    let searched = |more: &[&str]| {
        let asked = ["task", "search", "t-1", "a cart holds MAX_ITEMS items"];
        let found = shop.json(&[&asked[..], more].concat());
        let results = found["results"].as_array().unwrap().clone();
        results.into_iter().find(|one| one["record"]["id"].as_str().is_some_and(|found| found.ends_with(id)))
    };
    assert_eq!(searched(&[]).expect("the fact is found")["verdict"], "valid");
    let mut speaking = shop.home.command(&["mcp"]);
    speaking.current_dir(shop.path());
    let mut speaking = Speaking::start(speaking, &[]);
    let arguments =
        json!({ "task_id": "t-1", "query": "a cart holds MAX_ITEMS items", "timeout_ms": 30_000 });
    let called = json!({ "name": "memory_hydrate", "arguments": arguments });
    let found = speaking.ask("tools/call", called)["structuredContent"].clone();
    let shown = found["knowledge"].as_array().unwrap_or_else(|| panic!("{found}"));
    let shown = shown.iter().find(|one| one["id"].as_str().is_some_and(|found| found.ends_with(id)));
    assert_eq!(shown.expect("the fact is shown")["verdict"], "valid");
    assert!(speaking.ends());
}

#[test]
fn clones_without_a_remote_have_a_name_that_is_said() {
    let home = Home::new();
    let shop = Shop::new(&home, "bazaar");
    shop.git(&["remote", "remove", "origin"]);
    let root = shop.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let name = format!("local/bazaar-{}", &root[..8]);
    let (_, out, _) = shop.run(&["fact", "recent"]);
    assert!(out.starts_with(&format!("{name} at WORKTREE")), "{out}");
    assert!(out.contains("loci fact store"), "an empty repository says what to do: {out}");
    let mut command = home.command(&["mcp"]);
    command.current_dir(shop.path());
    let mut speaking = Speaking::start(command, &[]);
    let began = speaking.ask("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }));
    assert!(began["instructions"].as_str().unwrap().contains(&name), "{began}");
    assert!(speaking.ends());

    // Two clones with equal directory names before their first commits are distinct.
    for folder in ["one", "other"] {
        std::fs::create_dir_all(home.path(folder).join("fresh")).unwrap();
        git(&home.path(folder).join("fresh"), &["init", "--quiet"]);
    }
    let named = |folder: &str| {
        let output =
            home.command(&["fact", "recent", "--json"]).current_dir(home.path(folder).join("fresh")).output();
        let answer: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        answer["repo"].as_str().unwrap().to_owned()
    };
    let names = [named("one"), named("other"), named("one")];
    assert_eq!(names[0], names[2]);
    assert_ne!(names[0], names[1]);
}

#[test]
fn clones_that_cannot_be_read_say_what_to_do() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    git(&home.path(""), &["clone", "--quiet", "--shared", &shop.at(), "borrowing"]);
    git(&home.path("borrowing"), &["remote", "set-url", "origin", "https://git.example/acme/borrowing.git"]);
    let store = ["fact", "store", "--subject", "A", "--cite", "src/limits.rs:2", "MAX_ITEMS = 50."];
    let said = |folder: &str, arguments: &[&str]| {
        let output = home.command(arguments).current_dir(home.path(folder)).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let borrowing = said("borrowing", &store);
    assert!(borrowing.contains("verified.roots") && borrowing.contains("git repack -a -d"), "{borrowing}");
    // A submodule is another repository, and so are its files.
    git(
        &home.path("shop"),
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &shop.at(), "inner"],
    );
    shop.commit("a submodule");
    for path in ["inner:1", "inner/src/limits.rs:2"] {
        let refused = said("shop", &["fact", "store", "--subject", "A", "--cite", path, "MAX_ITEMS = 50."]);
        assert!(refused.contains("submodule") && refused.contains("loci repo add"), "{path}: {refused}");
    }
}
