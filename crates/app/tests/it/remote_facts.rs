//! `loci mcp --url`: facts on a server, code on this machine. The server verifies the code that it
//! can read. A worktree and an unpushed commit are verified here, and these verdicts change no
//! fact.

use serde_json::{Value, json};

use crate::fact_repository::{CART, LIMITS, Shop};
use crate::mcp_stdio::Speaking;
use crate::native::send;
use crate::program::{Home, Server};

const LIMIT: &str = "`add_item` refuses more than MAX_ITEMS items with CartFull.";
const TOTAL: &str = "`total_price` sums the price of all items.";

/// Creates a mirror of the shop on a server and two facts about it. Returns their ids.
fn served(shop: &Shop<'_>, server: &Server, home: &Home) -> [String; 2] {
    let mirror = home.path("shop.git");
    shop.json(&["repo", "sync", "--to", mirror.to_str().unwrap(), "--url", &server.url]);
    [(LIMIT, "src/cart.rs:5-8"), (TOTAL, "src/cart.rs:13-15")].map(|(fact, place)| {
        let stored = shop.json(&[
            "fact",
            "store",
            "--repo",
            "acme/shop",
            "--subject",
            "Carts",
            "--cite",
            place,
            fact,
            "--url",
            &server.url,
        ]);
        stored["id"].as_str().unwrap_or_else(|| panic!("{stored}")).to_owned()
    })
}

fn speaking(shop: &Shop<'_>, server: &Server) -> Speaking {
    let mut command = shop.home.command(&["mcp", "--url", &server.url]);
    command.current_dir(shop.path());
    Speaking::start(command, &[])
}

fn called(speaking: &mut Speaking, name: &str, arguments: Value) -> Value {
    let answer = speaking.ask("tools/call", json!({ "name": name, "arguments": arguments }));
    answer["structuredContent"].clone()
}

fn told(result: &Value) -> (Vec<&str>, Value) {
    let memories = result["memories"].as_array().unwrap_or_else(|| panic!("{result}"));
    (memories.iter().map(|one| one["id"].as_str().unwrap()).collect(), result["omitted"].clone())
}

/// Returns the cart without `add_item`, and with additional lines before the rest.
fn without_limit() -> String {
    let (start, end) =
        (CART.find("    /// A cart holds").unwrap(), CART.find("    pub fn total_price").unwrap());
    format!("// One.\n// Two.\n{}{}", &CART[..start], &CART[end..])
}

#[test]
fn what_the_server_cannot_read_is_verified_here() {
    let (home, other) = (Home::new(), Home::new());
    let server = home.serve(&[]);
    let shop = Shop::new(&other, "shop");
    let [limit, total] = served(&shop, &server, &home);
    let mut speaking = speaking(&shop, &server);
    let mut recent = |arguments: Value| {
        let mut all = json!({ "repo": "acme/shop", "verify": "fresh" });
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        called(&mut speaking, "memory.get_recent", all)
    };
    let main = shop.git(&["rev-parse", "HEAD"]);
    let pushed = recent(json!({}));
    assert_eq!((&pushed["ref"], &pushed["commit"]), (&json!("WORKTREE"), &json!(main)), "{pushed}");
    assert_eq!(told(&pushed).0.len(), 2);
    let pushed = recent(json!({ "ref": "HEAD" }));
    assert_eq!((&pushed["ref"], &pushed["commit"]), (&json!("HEAD"), &json!(main)), "{pushed}");
    assert_eq!(told(&pushed).0.len(), 2);

    // The files in the working tree, then an unpushed commit.
    shop.write("src/cart.rs", &without_limit());
    for arguments in [json!({}), json!({ "ref": "WORKTREE" })] {
        let dirty = recent(arguments);
        assert_eq!(told(&dirty), (vec![total.as_str()], json!({ "gone": 1 })), "{dirty}");
        assert_eq!((&dirty["dirty"], &dirty["ref"]), (&json!(true), &json!("WORKTREE")));
    }
    assert_eq!(told(&recent(json!({ "ref": "HEAD" }))).0.len(), 2, "HEAD is still what is committed");
    let commit = shop.commit("no limit any more");
    let own = recent(json!({ "ref": "HEAD" }));
    assert_eq!(told(&own), (vec![total.as_str()], json!({ "gone": 1 })), "{own}");
    assert_eq!((&own["commit"], &own["ref"], own.get("dirty")), (&json!(commit), &json!("HEAD"), None));
    let prompt = recent(json!({ "format": "prompt" }));
    let text = prompt["prompt"].as_str().unwrap();
    assert!(
        text.contains("total_price") && text.contains("src/cart.rs:") && !text.contains("CartFull"),
        "{text}"
    );
    // By path, by words and one by one, the results are equal.
    for (name, arguments) in [
        ("memory_search_by_path", json!({ "repo": "acme/shop", "path": "src/cart.rs" })),
        ("memory_search", json!({ "repo": "acme/shop", "query": "price of items" })),
    ] {
        let found = called(&mut speaking, name, arguments);
        assert_eq!(told(&found).0, [total.as_str()], "{name}: {found}");
    }
    let asked = json!({ "repo": "acme/shop", "memory_id": total, "ref": "HEAD" });
    let verified = called(&mut speaking, "memory_verify_citations", asked);
    let citation = &verified["citations"][0];
    assert_eq!(
        (&verified["valid"], &citation["moved_to"]["path"]),
        (&json!(true), &json!("src/cart.rs")),
        "{verified}"
    );
    assert!(citation["content"].as_str().unwrap().contains("total_price"), "{verified}");
    let gone = called(
        &mut speaking,
        "memory_verify_citations",
        json!({ "repo": "acme/shop", "memory_id": limit, "ref": "WORKTREE" }),
    );
    assert_eq!((&gone["verdict"], &gone["dirty"]), (&json!("gone"), &json!(true)), "{gone}");

    // The verdict is this caller's receipt, and changes nothing.
    let used = called(&mut speaking, "memory_log_applied", json!({ "memory_id": total }));
    assert_eq!((&used["unverified"], &used["refreshed"]), (&json!(false), &json!(true)), "{used}");
    for id in [&limit, &total] {
        let fact = called(&mut speaking, "memory_get", json!({ "memory_id": id }));
        assert!(fact.to_string().contains(r#""status":"active""#), "{fact}");
    }
    // The server itself rejects a worktree of another machine.
    let body = r#"{"repo":"acme/shop","ref":"WORKTREE"}"#;
    let (status, refused) = send(&server, "POST", "/v1/tools/memory_get_recent", "", body);
    assert_eq!((status, &refused["error"]["code"]), (404, &json!("REF_NOT_FOUND")), "{refused}");
    assert!(speaking.ends());
    // A check with --tell stores the same under its own name.
    let (code, _, said) = shop.run(&["verify", "--since", "no-such-branch", "--tell", "--url", &server.url]);
    assert_eq!(code, 3, "{said}");
    let (code, _, said) = shop.run(&["verify", "--since", &main, "--tell", "--url", &server.url]);
    assert_eq!(code, 5, "{said}");
    let history = shop.json(&["fact", "history", &limit, "--url", &server.url]);
    let told = history.to_string().matches(r#""told":true"#).count();
    assert!(told >= 2, "{history}");
}

#[test]
fn other_repositories_and_bad_verdicts_are_the_servers_matter() {
    let (home, other) = (Home::new(), Home::new());
    let server = home.serve(&[]);
    let shop = Shop::new(&other, "shop");
    let [limit, _] = served(&shop, &server, &home);
    // A clone of another origin is not used for this repository, even with an equal name.
    shop.write("src/limits.rs", &LIMITS.replace("50", "80"));
    shop.git(&["remote", "set-url", "origin", "https://elsewhere.example/acme/shop.git"]);
    let mut speaking = speaking(&shop, &server);
    let result =
        called(&mut speaking, "memory_get_recent", json!({ "repo": "acme/shop", "ref": "WORKTREE" }));
    assert_eq!(result["code"], "REF_NOT_FOUND", "{result}");
    assert!(speaking.ends());
    // The endpoint: closed shapes, bounds, and only tools that read facts.
    let check = |path: &str, body: Value, status: u16, part: &str| {
        let (got, answer) = send(&server, "POST", path, "", &body.to_string());
        assert!(got == status && answer.to_string().contains(part), "{path} {body}: {got} {answer}");
    };
    let arguments = json!({ "repo": "acme/shop" });
    let recent = "/v1/tools/memory_get_recent";
    check(&format!("{recent}/evidence"), json!({ "arguments": arguments, "x": 1 }), 400, "unknown field");
    check(&format!("{recent}/evidence"), json!({ "arguments": { "repo": 1 } }), 400, "INVALID_ARGUMENT");
    check("/v1/tools/memory_stats/evidence", json!({ "arguments": arguments }), 400, "no stored facts");
    check("/v1/tools/nothing/evidence", json!({ "arguments": arguments }), 404, "NOT_FOUND");
    let verdicts = |facts: Value| json!({ "ref": "main", "commit": "0".repeat(40), "facts": facts });
    let store = json!({ "arguments": arguments, "verdicts": verdicts(json!([])) });
    check("/v1/tools/memory_log_applied/verdicts", store, 400, "INVALID_ARGUMENT");
    for (facts, part) in [
        (
            json!([{ "memory_id": limit, "digest": "d", "verification": { "verdict": "fine" } }]),
            "verification must be",
        ),
        (json!([{ "memory_id": "x", "digest": "d", "verification": {} }]), "verification must be"),
    ] {
        let body = json!({ "repo": "acme/shop", "verdicts": verdicts(facts.clone()) });
        check("/v1/repos/verdicts", body, 400, part);
        let body = json!({ "arguments": arguments, "verdicts": verdicts(facts) });
        check(&format!("{recent}/verdicts"), body, 400, part);
    }
    let none = json!({ "arguments": arguments, "verdicts": verdicts(json!([])) });
    let (status, served) = send(&server, "POST", &format!("{recent}/verdicts"), "", &none.to_string());
    assert_eq!(status, 200);
    let verdicts: Vec<_> =
        served["memories"].as_array().unwrap().iter().map(|one| one["verdict"].clone()).collect();
    assert_eq!(
        verdicts,
        ["unverifiable", "unverifiable"],
        "what nobody verified is not served as verified: {served}"
    );
}

/// The session-start command of `loci install … --url`, and the other commands about facts, in a
/// clone: the name of the repository is that of its remote, and facts are checked against the
/// working tree.
#[test]
fn commands_in_a_clone_know_its_repository_and_check_its_files() {
    let (home, other) = (Home::new(), Home::new());
    let server = home.serve(&[]);
    let shop = Shop::new(&other, "shop");
    served(&shop, &server, &home);
    let hook = || {
        let url = ["--url", &server.url, "--fail-open"];
        shop.run(&[["fact", "recent", "--cwd", ".", "--format", "prompt"].as_slice(), &url].concat())
    };
    let (code, prompt, said) = hook();
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(prompt.contains("CartFull") && prompt.contains("total_price"), "{prompt}");
    shop.write("src/cart.rs", &without_limit());
    let (_, prompt, _) = hook();
    assert!(!prompt.contains("CartFull") && prompt.contains("total_price"), "{prompt}");
    let url = ["--url", &server.url];
    let json = |arguments: &[&str]| shop.json(&[arguments, &url].concat());
    let recent = json(&["fact", "recent"]);
    assert_eq!((&recent["ref"], &recent["dirty"]), (&json!("WORKTREE"), &json!(true)), "{recent}");
    assert_eq!(told(&recent).1, json!({ "gone": 1 }));
    let committed = json(&["fact", "recent", "--ref", "HEAD"]);
    assert_eq!((&committed["ref"], told(&committed).0.len()), (&json!("HEAD"), 2), "{committed}");
    assert_eq!(told(&json(&["fact", "search", "price of items"])).0.len(), 1);
    assert_eq!(json(&["fact", "stats"])["active_count"], 2, "nothing of a worktree decides");
    // Outside of a clone no repository is known, and the error explains it.
    let outside = home.run(&["fact", "recent", "--url", &server.url]);
    let said = String::from_utf8(outside.stderr).unwrap();
    assert!(said.contains("--repo") && said.contains("there is none at or above"), "{said}");
}

/// An unreadable clone is reported with the reason, with a folder and over a URL.
#[test]
fn why_a_clone_cannot_be_read_is_said() {
    let (home, other) = (Home::new(), Home::new());
    let server = home.serve(&[]);
    let shop = Shop::new(&other, "shop");
    shop.git(&["config", "core.repositoryFormatVersion", "1"]);
    shop.git(&["config", "extensions.refStorage", "reftable"]);
    for arguments in [&["fact", "recent"][..], &["fact", "recent", "--url", &server.url]] {
        let (code, _, said) = shop.run(arguments);
        assert!(
            code != 0 && said.contains("--repo") && said.contains("keeps its refs"),
            "{arguments:?}: {said}"
        );
    }
}
