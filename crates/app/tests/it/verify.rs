//! `loci verify` as CI runs it: a clone, a store or a server, a change, and the facts that it
//! invalidates.

use std::fs;

use serde_json::{Value, json};

use crate::fact_repository::{CART, LIMITS, Shop, git};
use crate::program::Home;

const LIMIT: &str = "`add_item` refuses more than MAX_ITEMS items with CartFull.";
const TOTAL: &str = "`total_price` sums the price of all items.";
const REQUESTS: &str = "A customer has MAX_REQUESTS (120) requests in a minute.";

/// Stores three facts, and makes a change that removes the code of one, moves that of another and
/// keeps the third.
fn changed<'a>(home: &'a Home) -> (Shop<'a>, [String; 3]) {
    let shop = Shop::new(home, "shop");
    let ids = [
        shop.fact(LIMIT, &["src/cart.rs:5-8", "src/limits.rs:2"]),
        shop.fact(TOTAL, &["src/cart.rs:13-15"]),
        shop.fact(REQUESTS, &["src/limits.rs:4"]),
    ];
    shop.git(&["checkout", "--quiet", "-b", "change"]);
    shop.write("src/cart.rs", &without_limit());
    shop.commit("no limit any more");
    (shop, ids)
}

/// Returns the cart without its limit, and with additional lines before the rest.
fn without_limit() -> String {
    let start = CART.find("        if self.items").unwrap();
    let end = CART.find("        self.items.push").unwrap();
    format!("// New.\n// More.\n{}{}", &CART[..start], &CART[end..])
}

fn ids(report: &Value, list: &str) -> Vec<String> {
    let all = report[list].as_array().unwrap_or_else(|| panic!("{report}"));
    all.iter().map(|one| one["memory_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_change_says_which_memories_it_invalidates() {
    let home = Home::new();
    let (shop, [limit, total, _]) = changed(&home);
    let before: Vec<_> = [&limit, &total].map(|id| shop.state(id)).into();
    let (code, out, said) = shop.run(&["verify", "--rev", "HEAD", "--since", "main", "--json"]);
    assert_eq!(code, 5, "{out}{said}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["summary"], "this change invalidates 1 memory");
    assert!(said.contains("this change invalidates 1 memory"), "{said}");
    assert_eq!(ids(&report, "invalidated"), [limit.as_str()], "{report}");
    assert_eq!(ids(&report, "relocated"), [total.as_str()], "{report}");
    assert_eq!(
        report["counts"],
        json!({ "facts": 3, "holding": 1, "verified": 2, "cited": 0, "contradicted": 0 })
    );
    let moved = &report["relocated"][0]["citations"][0];
    assert_ne!(moved["place"], moved["before"], "{moved}");
    assert_eq!((&moved["place"]["path"], &moved["side"]), (&json!("src/cart.rs"), &json!("rev")));

    // On the same commit nothing is invalidated, nor by a branch without commits.
    assert_eq!(shop.run(&["verify", "--rev", "main", "--since", "HEAD"]).0, 0);
    assert_eq!(shop.run(&["verify", "--rev", "main"]).0, 0);
    assert_eq!(
        shop.run(&["verify", "--since", "HEAD"]).0,
        0,
        "what did not hold before is not its change's fault"
    );
    let after: Vec<_> = [&limit, &total].map(|id| shop.state(id)).into();
    assert_eq!(before, after, "nothing was changed, and nothing is told of it");
    // Facts whose code a revert restores are valid again.
    shop.git(&["revert", "--no-edit", "HEAD"]);
    let reverted = shop.git(&["rev-parse", "HEAD~1"]);
    let (code, out, _) = shop.run(&["verify", "--since", &reverted, "--json"]);
    let back: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, ids(&back, "restored")), (0, vec![limit]), "{back}");
}

/// Without `--rev` the files of the working tree are checked, committed or not. A bare clone has
/// none, so `HEAD` is checked.
#[test]
fn the_working_tree_is_checked_where_there_is_one() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let limit = shop.fact(LIMIT, &["src/cart.rs:5-8", "src/limits.rs:2"]);
    git(&home.path(""), &["clone", "--quiet", "--bare", &shop.at(), "bare.git"]);
    let bare = home.path("bare.git");
    let bare = bare.to_str().unwrap();
    let head = shop.git(&["rev-parse", "HEAD"]);
    shop.write("src/cart.rs", &without_limit());
    let check = |arguments: &[&str], name: &str, invalidated: &[&str]| {
        let all = [&["verify", "--name", "acme/shop", "--json"][..], arguments].concat();
        let (code, out, said) = shop.run(&all);
        assert_eq!(code, if invalidated.is_empty() { 0 } else { 5 }, "{arguments:?}: {said}");
        let report: Value = serde_json::from_str(&out).unwrap();
        let rev = &report["rev"];
        assert_eq!((&rev["name"], &rev["commit"]), (&json!(name), &json!(head)), "{arguments:?}: {report}");
        assert_eq!(rev["dirty"] == true, name == "WORKTREE", "{arguments:?}: {report}");
        assert_eq!(ids(&report, "invalidated"), invalidated, "{arguments:?}: {report}");
    };
    let none: &[&str] = &[];
    for arguments in [none, &["--since", "HEAD"], &["--since", "main"], &["--ref", "WORKTREE"]] {
        check(arguments, "WORKTREE", &[limit.as_str()]);
    }
    for arguments in [["--rev", "HEAD"], ["--ref", "HEAD"], ["--repo", bare]] {
        check(&arguments, "HEAD", &[]);
    }
    let (_, table, _) = shop.run(&["verify"]);
    assert!(table.contains("and the files of the worktree"), "{table}");
}

/// A fact that the code contradicts fails the check, and an unchecked fact does not count as
/// verified.
#[test]
fn what_the_code_says_of_facts_is_counted() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.fact("A cart holds at most MAX_ITEMS = 50 items.", &["src/limits.rs:2"]);
    shop.fact("Orders are sharded by region.", &["src/limits.rs:4"]);
    assert_eq!(shop.run(&["verify"]).0, 0);
    let wrong = shop.fact("A cart holds at most MAX_ITEMS = 70 items.", &["src/limits.rs:2"]);
    let (code, out, _) = shop.run(&["verify", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, ids(&report, "invalidated")), (5, vec![wrong]), "{report}");
    let counts = json!({ "facts": 3, "holding": 2, "verified": 1, "cited": 1, "contradicted": 1 });
    assert_eq!(report["counts"], counts);
    assert_eq!(report["invalidated"][0]["other_values"][0]["found"], "50", "{report}");
    for format in ["table", "markdown", "sarif"] {
        let (code, out, _) = shop.run(&["verify", "--format", format]);
        assert!(code == 5 && out.contains("MAX_ITEMS is 50 there, not 70"), "{out}");
    }
    assert_eq!(shop.run(&["verify", "--since", "HEAD"]).0, 0, "no change made it so");
}

/// A change of the target branch after the branch began is not part of the branch's change, in
/// either direction.
#[test]
fn a_branch_is_compared_from_where_it_parted() {
    let home = Home::new();
    let (shop, [limit, _, requests]) = changed(&home);
    shop.git(&["checkout", "--quiet", "main"]);
    shop.write("src/limits.rs", &LIMITS.replace("120", "240"));
    let target = shop.commit("twice the requests");
    let raised = shop.fact("A customer has MAX_REQUESTS (240) requests in a minute.", &["src/limits.rs:4"]);
    shop.git(&["checkout", "--quiet", "change"]);
    let (code, out, said) = shop.run(&["verify", "--since", "main", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, ids(&report, "invalidated")), (5, vec![limit.clone()]), "{report}{said}");
    assert_eq!(ids(&report, "before"), [raised.as_str()], "it never held on the branch");
    let base = shop.git(&["merge-base", "change", "main"]);
    assert_eq!((&report["since"]["commit"], &report["since"]["name"]), (&json!(base), &json!("main")));
    assert_eq!(report["since"]["parted_from"], *target);
    let (_, table, _) = shop.run(&["verify", "--since", "main"]);
    assert!(table.contains("(merge base with main)"), "{table}");

    // After the branch has merged main, the result of that merge counts.
    shop.git(&["merge", "--quiet", "--no-edit", "main"]);
    let (_, out, _) = shop.run(&["verify", "--since", "main", "--json"]);
    let merged: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ids(&merged, "invalidated"), [limit.as_str()], "{merged}");
    assert_eq!(ids(&merged, "before"), [requests.as_str()], "main changed it before");
    assert_eq!(merged["since"].get("parted_from"), None, "main itself is the base: {merged}");

    // A shallow clone reports what to fetch, and so does an unrelated history.
    git(
        &home.path(""),
        &[
            "clone",
            "-q",
            "--depth=1",
            "--no-single-branch",
            "--branch",
            "change",
            &format!("file://{}", shop.at()),
            "cut",
        ],
    );
    git(&home.path("cut"), &["update-ref", "refs/heads/old", "origin/main"]);
    git(&home.path("cut"), &["checkout", "--quiet", "--orphan", "other"]);
    git(&home.path("cut"), &["commit", "--quiet", "--message", "another beginning"]);
    let cut = home.path("cut");
    let verify = ["verify", "--name", "acme/shop", "--repo", cut.to_str().unwrap(), "--since", "origin/main"];
    let said = home.fails(3, &[&verify[..], &["--rev", "other"]].concat());
    assert!(said.contains("no commit in common") || said.contains("not in this clone"), "{said}");
    let said = home.fails(3, &[&verify[..], &["--rev", "origin/change"]].concat());
    assert!(said.contains("merge base") && said.contains("git fetch --unshallow"), "{said}");
}

#[test]
fn every_format_says_the_same() {
    let home = Home::new();
    let (shop, _) = changed(&home);
    let files = [home.path("r.json"), home.path("r.md"), home.path("r.sarif")];
    let named = |format: &str, place: usize| format!("{format}={}", files[place].display());
    let arguments = [
        "verify",
        "--since",
        "main",
        "--write",
        &named("json", 0),
        "--write",
        &named("markdown", 1),
        "--write",
        &named("sarif", 2),
    ];
    let (code, table, said) = shop.run(&arguments);
    assert_eq!(code, 5, "{said}");
    assert!(
        table.contains("Invalidated") && table.contains("src/cart.rs:") && table.contains(LIMIT),
        "{table}"
    );
    let read = |place: usize| fs::read_to_string(&files[place]).unwrap();
    let json: Value = serde_json::from_str(&read(0)).unwrap();
    assert_eq!(ids(&json, "invalidated").len(), 1);
    assert!(read(1).starts_with("## This change invalidates 1 memory"), "{}", read(1));
    let sarif: Value = serde_json::from_str(&read(2)).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(run["versionControlProvenance"][0]["repositoryUri"], "https://git.example/acme/shop");
    let results = run["results"].as_array().unwrap();
    assert!(results.iter().any(|one| one["level"] != "note"), "{sarif}");
    let (_, again, _) = shop.run(&["verify", "--since", "main", "--format", "sarif"]);
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), sarif, "twice the same");
}

#[test]
fn what_cannot_be_read_is_said_and_invalidates_nothing() {
    let home = Home::new();
    let (shop, [limit, ..]) = changed(&home);
    // A missing revision is an error, not an empty report.
    let (code, _, said) = shop.run(&["verify", "--since", "nowhere"]);
    assert!(code == 3 && said.contains("nowhere") && said.contains("fetch-depth: 0"), "{code}: {said}");
    // The blob of the changed file is missing, as in a partial clone.
    let blob = shop.git(&["rev-parse", "HEAD:src/cart.rs"]);
    let object = shop.path().join(".git/objects").join(&blob[..2]).join(&blob[2..]);
    fs::remove_file(object).unwrap();
    let at_head = ["verify", "--rev", "HEAD", "--since", "main"];
    let (code, out, said) = shop.run(&[&at_head[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{report}{said}");
    assert!(ids(&report, "unchecked").contains(&limit), "{report}");
    assert_eq!(report["unchecked"][0]["verdict"], "unverifiable");
    let (_, sarif, _) = shop.run(&[&at_head[..], &["--format", "sarif"]].concat());
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"], json!([]));
    let told = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(told.as_array().unwrap().len(), ids(&report, "unchecked").len());
}

#[test]
fn facts_come_from_a_server_or_from_an_exported_file() {
    let home = Home::new();
    let (shop, [limit, ..]) = changed(&home);
    let clone = home.path("elsewhere");
    git(&home.path(""), &["clone", "--quiet", "--branch", "change", &shop.at(), "elsewhere"]);
    git(&clone, &["remote", "set-url", "origin", "git@git.example:acme/shop.git"]);
    let clone = clone.to_str().unwrap();
    let server = home.serve(&[]);
    let other = Home::new();
    let check = |arguments: &[&str]| {
        let all = [&["verify", "--repo", clone, "--since", "origin/main", "--json"], arguments].concat();
        let output = other.run(&all);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{arguments:?}: {said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(ids(&report, "invalidated"), [limit.as_str()], "{report}");
    };
    check(&["--url", &server.url]);
    check(&["--url", &server.url, "--name", "acme/shop"]);
    let unknown = other.fails(3, &["verify", "--repo", clone, "--url", &server.url, "--name", "acme/other"]);
    assert!(unknown.contains("acme/other"), "{unknown}");
    assert!(server.stop(), "{}", home.log());
    let file = home.path("facts.jsonl");
    home.ok(&["export", "--memory", "code", file.to_str().unwrap()]);
    other.ok(&["import", "--format", "jsonl", file.to_str().unwrap()]);
    check(&[]);
}

#[test]
fn a_repository_that_is_not_known_is_not_an_empty_report() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.fact(LIMIT, &["src/cart.rs:5-8"]);
    shop.git(&["remote", "set-url", "origin", "https://git.example/acme/other.git"]);
    let (code, out, said) = shop.run(&["verify"]);
    assert!(
        code == 3 && said.contains("--name") && said.contains("git.example/acme/other"),
        "{code} {out} {said}"
    );
    assert_eq!(shop.run(&["verify", "--name", "acme/shop"]).0, 0);
    let said = home.fails(3, &["verify", "--repo", home.path("").to_str().unwrap()]);
    assert!(said.contains("no git repository"), "{said}");
    let (code, _, said) = shop.run(&["verify", "--name", "acme/shop", "--write", "pdf=x"]);
    assert!(code == 2 && said.contains("--write must be"), "{said}");
    shop.write("src/limits.rs", &LIMITS.replace("50", "80"));
    shop.write(
        "src/cart.rs",
        &CART.replace("return Err(CartFull)", "panic!()").replace("MAX_ITEMS {", "70 {"),
    );
    let (code, _, _) = shop.run(&["verify", "--name", "acme/shop", "--rev", "WORKTREE", "--since", "HEAD"]);
    assert_eq!(code, 5, "files that are not committed are checked as well");
}
