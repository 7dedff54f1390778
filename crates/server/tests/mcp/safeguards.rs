//! The safeguards of a repository's memory over the native API: contradictions, quarantine,
//! decisions, rollback, erasure.

use serde_json::{Value, json};

use super::coding::Shop;

const REPO: &str = "/v1/repos/acme/shop";
const JEST: &str = "The project uses Jest for tests.";
const VITEST: &str = "The project uses Vitest for tests.";

/// Advances the clock of the server.
fn later(shop: &Shop) {
    shop.world.test.clock().advance_ms(1_000);
}

fn noted(shop: &Shop, task: &str, note: Value) -> Value {
    later(shop);
    shop.asked("POST", &format!("/v1/tasks/{task}/notes"), note)["learning"].clone()
}

fn shown(shop: &Shop, task: &str) -> String {
    let asked = json!({ "query": "tests of the project", "include": ["knowledge"] });
    let found = shop.asked("POST", &format!("/v1/tasks/{task}/hydrate"), asked);
    found["rendered"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_repository_is_kept_safe_by_the_native_api() {
    let shop = Shop::new();
    shop.task("s-1", json!({ "repo": "acme/shop" }));
    let jest = noted(&shop, "s-1", json!({ "text": JEST }));
    let again = noted(&shop, "s-1", json!({ "text": JEST }));
    assert_eq!((&jest["action"], &again["action"]), (&json!("added"), &json!("duplicate")));
    later(&shop);
    shop.task("s-2", json!({ "repo": "acme/shop" }));
    let vitest = noted(&shop, "s-2", json!({ "text": VITEST }));
    assert_eq!(vitest["action"], "superseded", "{vitest}");
    let late = json!({ "text": "The project uses Mocha for tests.", "observed_at": "2020-01-01T00:00:00Z" });
    assert_eq!(noted(&shop, "s-2", late)["action"], "outdated");

    // Held back by its content, from the next hydration on.
    assert!(shown(&shop, "s-2").contains("Vitest"));
    let ask = |dry: bool| json!({ "pattern": "vitest", "reason": "is it?", "dry_run": dry });
    let dry =
        shop.asked("POST", &format!("{REPO}/quarantine"), json!({ "pattern": "vitest", "reason": "is it?" }));
    assert_eq!(
        (&dry["matched"], &dry["applied"]),
        (&json!(1), &json!(false)),
        "a dry run unless said otherwise"
    );
    later(&shop);
    shop.asked("POST", &format!("{REPO}/quarantine"), ask(false));
    assert!(!shown(&shop, "s-2").contains("Vitest"));
    let held = shop.asked("GET", &format!("{REPO}/held?state=quarantined"), Value::Null);
    assert_eq!(held["records"][0]["id"], vitest["id"]);
    assert_eq!(shop.asked("GET", &format!("{REPO}/held"), Value::Null)["records"], json!([]));
    let accept = format!("{REPO}/held/{}/accept", vitest["id"].as_str().unwrap());
    assert_eq!(shop.asked("POST", &accept, json!({ "reason": "seen" }))["state"], "active");
    assert_eq!(shop.answered("POST", &accept, json!({ "reason": "seen" })).0, 404);
    later(&shop);
    shop.asked("POST", &format!("{REPO}/quarantine"), ask(false));
    let release = shop.asked("POST", &format!("{REPO}/quarantine/release"), ask(false));
    assert_eq!(release["matched"], 1);

    // Back to the state before the second task, and forward again.
    let snapshots = shop.asked("GET", &format!("{REPO}/snapshots"), Value::Null);
    let of = |task: &str| {
        let all = snapshots["snapshots"].as_array().unwrap();
        all.iter().find(|one| one["task_id"] == task).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let back = |to: &str, dry: bool| {
        later(&shop);
        let ask = json!({ "to": to, "reason": "it was wrong", "dry_run": dry });
        shop.asked("POST", &format!("{REPO}/rollback"), ask)
    };
    let dry = back(&of("s-2"), true);
    assert_eq!((&dry["applied"], &dry["restored"]), (&json!(false), &json!([jest["id"]])), "{dry}");
    let done = back(&of("s-2"), false);
    let block = shown(&shop, "s-2");
    assert!(block.contains("Jest") && !block.contains("Vitest"), "{block}");
    back(done["before"].as_str().unwrap(), false);
    let block = shown(&shop, "s-2");
    assert!(block.contains("Vitest") && !block.contains("Jest"), "{block}");
    assert_eq!(
        shop.answered("POST", &format!("{REPO}/rollback"), json!({ "to": "snap_0x", "reason": "?" })).0,
        404
    );

    // No contradictions.
    assert_eq!(shop.asked("GET", &format!("{REPO}/conflicts"), Value::Null)["conflicts"], json!([]));
    assert_eq!(shop.answered("GET", &format!("{REPO}/conflicts?state=shut"), Value::Null).0, 400);
    let resolve = format!("{REPO}/conflicts/conflict_none/resolve");
    assert_eq!(shop.answered("POST", &resolve, json!({ "keep": "both" })).0, 404);

    // Erased after the number was confirmed.
    let purge = |confirm: Value| {
        let mut ask = json!({ "filter": { "task": "s-2", "kind": "knowledge" }, "reason": "gone" });
        if !confirm.is_null() {
            ask["confirm"] = confirm;
            ask["dry_run"] = json!(false);
        }
        shop.answered("POST", &format!("{REPO}/purge"), ask)
    };
    let (_, dry) = purge(Value::Null);
    assert_eq!((&dry["matched"], &dry["applied"]), (&json!(2), &json!(false)), "{dry}");
    assert_eq!(purge(json!(1)).0, 409);
    assert_eq!(purge(json!(2)).1["applied"], true);
    assert!(!shown(&shop, "s-2").contains("Vitest"));
    assert_eq!(purge(Value::Null).1["matched"], 0);
}
