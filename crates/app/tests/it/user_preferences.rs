//! Preferences of users, and themes of tasks, on the command line.

use serde_json::json;

use crate::fact_repository::Shop;
use crate::program::Home;

#[test]
fn what_somebody_wants() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "--user", "Bob", "Add paging. Please keep PRs small."]);
    let shown = shop.json(&["prefs", "show", "bob"]);
    let one = &shown["preferences"][0];
    assert_eq!((&one["dimension"], &one["origin"]), (&json!("pr_size"), &json!("explicit")), "{shown}");
    let set = shop.json(&["prefs", "set", "bob", "pr_size", "Large ones.", "--repo", "acme/shop"]);
    assert_eq!((&set["created"], &set["preference"]["repo"]), (&json!(true), &json!("acme/shop")), "{set}");
    let (code, _, said) = shop.run(&["prefs", "set", "bob", "mood", "Good."]);
    assert!(code == 2 || code == 1, "{said}");
    assert!(said.contains("pr_size"), "{said}");
    shop.json(&["prefs", "rm", "bob", one["preference_id"].as_str().unwrap()]);
    let (code, ..) = shop.run(&["prefs", "rm", "bob", one["preference_id"].as_str().unwrap()]);
    assert_eq!(code, 3);
    let out = shop.json(&["prefs", "opt-out", "bob"]);
    assert_eq!(out["user"]["implicit_inference"], json!(false), "{out}");
    let export = shop.json(&["prefs", "export", "bob"]);
    assert_eq!(
        (export["tasks"].as_array().map(Vec::len), &export["user"]["login"]),
        (Some(1), &json!("bob"))
    );
    let (code, ..) = shop.run(&["prefs", "forget", "bob", "--confirm", "alice"]);
    assert_ne!(code, 0);
    let gone = shop.json(&["prefs", "forget", "bob", "--confirm", "bob"]);
    assert_eq!(gone["tasks"], json!(1), "{gone}");
    assert_eq!(shop.json(&["prefs", "show", "bob"])["preferences"], json!([]));
    assert_eq!(shop.json(&["task", "show", "t-001"])["user"], gone["pseudonym"]);
}

#[test]
fn what_tasks_have_in_common() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    for id in ["t-001", "t-002", "t-003"] {
        shop.json(&["task", "create", "--id", id, "--user", "bob", "Add paging."]);
        shop.json(&["task", "finalize", id, "--status", "timed_out"]);
    }
    let tried = shop.json(&["reflect", "acme/shop", "--dry-run"]);
    let one = &tried["reflections"][0];
    assert_eq!(
        (&one["subject"], &one["hits"], &one["of"]),
        (&json!("failure/timeout"), &json!(3), &json!(3))
    );
    assert!(shop.json(&["reflect", "acme/shop"])["job"].is_string());
    let (code, ..) = shop.run(&["reflect", "acme/nowhere"]);
    assert_eq!(code, 3);
}
