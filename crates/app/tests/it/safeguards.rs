//! Safeguards of a repository's memory on the command line: quarantine, rollback, erasure, and a
//! namespace as a file.

use std::fs;

use serde_json::json;

use crate::fact_repository::Shop;
use crate::program::Home;

fn noted(shop: &Shop<'_>, task: &str, text: &str) -> String {
    let noted = shop.json(&["task", "note", task, text]);
    noted["learning"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_repository_is_held_back_put_back_and_purged() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination"]);
    let cart = noted(&shop, "t-001", "**Cart:** `add_item` refuses more than 50 items.");
    shop.json(&["task", "create", "--id", "t-002", "Add carts"]);
    let port = noted(&shop, "t-002", "**Tests:** they need a database on port 5432.");

    let hold = ["repo", "quarantine", "acme/shop", "--pattern", "PORT", "--reason", "is it so?"];
    let dry = shop.json(&[&hold[..], &["--dry-run"]].concat());
    assert_eq!((&dry["ids"], &dry["applied"]), (&json!([port]), &json!(false)));
    assert_eq!(shop.json(&hold)["applied"], true);
    let held = shop.json(&["held", "list", "acme/shop", "--quarantined"]);
    assert_eq!(held["records"][0]["id"], json!(port));
    let accept = ["held", "accept", "acme/shop", &port, "--reason", "it is"];
    assert_eq!(shop.json(&accept)["state"], "active");
    assert_eq!(shop.run(&accept).0, 3, "it does not wait any more");

    let snapshots = shop.json(&["repo", "snapshots", "acme/shop"]);
    let all = snapshots["snapshots"].as_array().unwrap();
    let to = all.iter().find(|one| one["task_id"] == "t-002").unwrap()["id"].as_str().unwrap();
    let back = shop.json(&["repo", "rollback", "acme/shop", "--to", to, "--reason", "t-002 was wrong"]);
    assert_eq!((&back["rolled_back"], &back["applied"]), (&json!([port]), &json!(true)), "{back}");
    assert_eq!(shop.run(&["repo", "rollback", "acme/shop", "--to", "snap_99999", "--reason", "?"]).0, 3);
    assert_eq!(shop.json(&["conflicts", "list", "acme/shop"])["conflicts"], json!([]));

    let purge = ["repo", "purge", "acme/shop", "--content", "add_item", "--reason", "gone"];
    assert_eq!(
        (&shop.json(&purge)["ids"], shop.run(&[&purge[..], &["--confirm", "2"]].concat()).0),
        (&json!([cart]), 4)
    );
    assert_eq!(shop.run(&[&purge[..], &["--confirm", "acme/other"]].concat()).0, 2);
    assert_eq!(shop.json(&[&purge[..], &["--confirm", "acme/shop"]].concat())["applied"], true);
    assert_eq!(shop.json(&purge)["matched"], 0);
}

#[test]
fn a89_a_namespace_is_a_file_that_nobody_can_change_unseen() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Add pagination"]);
    let cart = noted(&shop, "t-001", "**Cart:** `add_item` refuses more than 50 items.");
    let file = home.path("shop.jsonl");
    let memories = home.json(&["memory", "list"]);
    let memory = memories["memories"][0]["id"].as_str().unwrap().to_owned();
    let export = ["export", "--memory", &memory, "--namespace", "/acme/shop/", "--manifest"];
    home.ok(&[&export[..], &[file.to_str().unwrap()]].concat());
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(&cart) && text.contains("\"type\":\"task\""), "{text}");
    let manifest = fs::read_to_string(home.path("shop.jsonl.manifest.json")).unwrap();
    assert!(manifest.contains("\"namespace\": \"/acme/shop/\"") && manifest.contains("sha256"), "{manifest}");

    let other = Home::new();
    let import = ["import", "--format", "jsonl", file.to_str().unwrap()];
    fs::write(&file, text.replace("50 items", "51 items")).unwrap();
    let said = other.fails(1, &import);
    assert!(said.contains("differs from"), "{said}");
    fs::write(&file, &text).unwrap();
    assert_eq!(other.json(&import)["records"], 1);
    let found = other.json(&["record", "list", "--memory", &memory, "--namespace", "/acme/shop/knowledge/"]);
    assert_eq!(found["records"][0]["id"], json!(cart), "{found}");
}
