//! Files that change together, counted from a real repository on the command line: the numbers of a
//! constructed history.

use serde_json::{Value, json};

use crate::fact_repository::Shop;
use crate::program::Home;

fn text(seed: &str, lines: usize) -> String {
    (0..lines).map(|line| format!("let {seed}_{line} = compute_{seed}({line} * 7);\n")).collect()
}

/// Commits the interface and its document: three times in one commit, once in a pull request of
/// two, once as a squash.
fn history(shop: &Shop<'_>) {
    shop.write("src/api.rs", &text("api", 40));
    shop.write("openapi.yaml", "paths: 0\n");
    shop.commit("the interface");
    for number in 1..3 {
        shop.write("src/api.rs", &format!("// {number}\n{}", text("api", 40)));
        shop.write("openapi.yaml", &format!("paths: {number}\n"));
        shop.write("Cargo.lock", &format!("# {number}\n"));
        shop.commit(&format!("change {number}"));
    }
    // A pull request of two commits, merged unchanged.
    shop.git(&["checkout", "--quiet", "-b", "topic"]);
    shop.write("src/api.rs", &format!("// topic\n{}", text("api", 40)));
    shop.commit("the interface alone");
    shop.write("openapi.yaml", "paths: topic\n");
    shop.commit("and its document");
    shop.git(&["checkout", "--quiet", "main"]);
    shop.git(&["merge", "--quiet", "--no-ff", "-m", "Merge pull request #12 from acme/topic", "topic"]);
    // The file moves, and a squash commit changes it under its new path.
    shop.git(&["mv", "src/api.rs", "src/orders.rs"]);
    shop.commit("a better name");
    shop.write("src/orders.rs", &format!("// squash\n{}", text("api", 40)));
    shop.write("openapi.yaml", "paths: squash\n");
    shop.commit("feat: pages (#13)");
    // Commits without pairs: one file, and too many.
    shop.write("openapi.yaml", "paths: alone\n");
    shop.commit("a typo");
    for number in 0..51 {
        shop.write(&format!("gen/file{number}.txt"), "generated\n");
    }
    shop.write("src/orders.rs", &format!("// all\n{}", text("api", 40)));
    shop.commit("a new licence");
}

fn pairs(found: &Value) -> Vec<(&str, u64)> {
    let pairs = found["pairs"].as_array().unwrap_or_else(|| panic!("{found}"));
    pairs.iter().map(|one| (one["path"].as_str().unwrap(), one["support"].as_u64().unwrap())).collect()
}

#[test]
fn a73_a_history_made_by_hand_is_counted_as_it_is() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    history(&shop);
    shop.json(&["repo", "add"]);
    let of = ["--repo", "acme/shop"];
    let built = shop.json(&[&["graph", "build"], &of[..]].concat());
    // The first commit of the clone, three of both, the pull request once, the move, the squash,
    // the typo, the licence.
    assert_eq!(
        (&built["graph"]["history"], &built["graph"]["commits"], &built["graph"]["n"]),
        (&json!("read"), &json!(10), &json!(9)),
        "{built}"
    );
    let found = shop.json(&[&["graph", "co-change", "src/orders.rs"], &of[..]].concat());
    assert_eq!(pairs(&found), [("openapi.yaml", 5)], "lock files are no files: {found}");
    // The file has 6 changes, one of them (the move) without the document. The document has 6, one
    // of them (the typo) without the file. 5 · 9 / (6 · 6).
    let one = &found["pairs"][0];
    assert_eq!(
        (&found["n_a"], &one["confidence"], &one["reverse_confidence"], &one["lift"]),
        (&json!(6), &json!(0.8333), &json!(0.8333), &json!(1.25)),
        "{found}"
    );
    let squash = shop.git(&["rev-parse", "HEAD~2"]);
    assert_eq!((&one["samples"][0], one["samples"].as_array().unwrap().len()), (&json!(squash), 3), "{one}");
    let former = shop.json(&[&["graph", "co-change", "src/api.rs"], &of[..]].concat());
    assert_eq!(
        (&former["path"], &former["n_a"]),
        (&json!("src/orders.rs"), &json!(6)),
        "a file is its present path"
    );

    // The gate before a pull request.
    let (code, out, said) = shop.run(&[&["graph", "missing", "src/orders.rs", "--json"], &of[..]].concat());
    assert_eq!(code, 5, "{out}{said}");
    let missing: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(missing["files"][0]["path"], "openapi.yaml", "{missing}");
    let both = [&["graph", "missing", "src/orders.rs", "openapi.yaml"], &of[..]].concat();
    assert_eq!(shop.run(&both).0, 0);

    // A task and the squash commit of its pull request are one change.
    let task = json!({ "task_id": "t-001", "repo": "acme/shop", "description": "Pages" }).to_string();
    let server = home.serve(&[]);
    assert_eq!(crate::native::send(&server, "POST", "/v1/tasks", "", &task).0, 201);
    let report =
        json!({ "files_changed": ["src/orders.rs", "openapi.yaml"], "pr": { "number": 13 } }).to_string();
    assert_eq!(crate::native::send(&server, "POST", "/v1/tasks/t-001/complete", "", &report).0, 202);
    let path = "/v1/repos/acme/shop/graph/co-change?path=src/orders.rs";
    let (status, again) = crate::native::send(&server, "GET", path, "", "");
    assert_eq!((status, &again["n"], &again["n_a"]), (200, &json!(9), &json!(6)), "{again}");

    // New commits extend the graph. A rewritten history is read again.
    shop.write("src/orders.rs", &format!("// more\n{}", text("api", 40)));
    shop.write("openapi.yaml", "paths: more\n");
    shop.commit("more");
    let asked = crate::native::send(&server, "POST", "/v1/repos/acme/shop/graph/rebuild", "", "{}");
    assert_eq!(asked.0, 202, "{}", asked.1);
    drop(server);
    let built = shop.json(&[&["graph", "build", "--history", "all"], &of[..]].concat());
    assert_eq!(built["graph"]["n"], json!(10), "{built}");
    let sets = shop.json(&[&["graph", "sets"], &of[..]].concat());
    assert_eq!(sets["sets"], json!([]), "nothing is always changed together: 6 of 7 is less than 0.95");
}

#[test]
fn impact_names_importers_of_a_directory_and_a_module() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.write("src/auth/session.ts", "export const session = 1;\n");
    shop.write("src/cart.ts", "// the cart\nimport { session } from \"./auth/session\";\n");
    shop.write("src/main.ts", "import \"./cart\";\n");
    shop.commit("the cart");
    shop.json(&["repo", "add"]);
    for asked in [&["src/auth"][..], &["--module", "src/auth"], &["--module", "auth"]] {
        let found = shop.json(&[&["graph", "impact"], asked, &["--repo", "acme/shop"]].concat());
        let row = |at: usize| (found["rows"][at]["path"].clone(), found["rows"][at]["distance"].clone());
        assert_eq!(
            (row(0), row(1)),
            ((json!("src/cart.ts"), json!(1)), (json!("src/main.ts"), json!(2))),
            "{found}"
        );
        let site = json!({ "of": "src/auth/session.ts", "line": 2, "by": "path" });
        assert_eq!(
            (&found["rows"][0]["sites"][0], &found["rows"][0]["certainty"]),
            (&site, &json!(0.95)),
            "{found}"
        );
    }
    let (code, out, said) = shop.run(&["graph", "impact", "src/auth", "--repo", "acme/shop"]);
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("src/cart.ts  line 2 names src/auth/session.ts (by path)"), "{out}");
}
