//! Rules of a repository on the command line and over HTTP.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

#[test]
fn people_write_rules_and_decide_about_them() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (status, _) = send(&server, "PUT", "/v1/repos/acme/shop", "", "{}");
    assert_eq!(status, 200);
    let set = ["repo", "set", "acme/shop", "rules.quorum.weight=2", "rules.approval=all"];
    let shown = home.json(&set);
    assert_eq!(shown["config"]["rules"], json!({"approval":"all","quorum":{"weight":2.0}}));
    assert_eq!(shown["in_force"]["rules"]["quorum"]["reviewers"], 2);

    let text = "Name test files after the module.";
    let add = ["rule", "add", "acme/shop", text, "--scope", "src/**", "--pin", "--reason", "agreed"];
    let rule = home.json(&add);
    let id = rule["id"].as_str().unwrap().to_owned();
    let seen = |rule: &Value| (rule["state"].clone(), rule["pinned"].clone(), rule["scope"].clone());
    assert_eq!(seen(&rule), (json!("active"), json!(true), json!("src/**")));
    assert!(home.ok(&["rule", "list", "acme/shop"]).contains("pinned"));
    assert_eq!(home.json(&["rule", "list", "acme/shop", "--pr", "7"])["rules"], json!([]));

    // A change to the current state is a conflict at each interface.
    home.fails(4, &["rule", "pin", "acme/shop", &id]);
    let path = format!("/v1/repos/acme/shop/rules/{id}");
    assert_eq!(send(&server, "POST", &format!("{path}/pin"), "", "{}").0, 409);
    assert_eq!(send(&server, "POST", &format!("{path}/supersede"), "", "{}").0, 400);
    assert_eq!(send(&server, "POST", &format!("{path}/approve"), "", r#"{"why":"so"}"#).0, 400);
    home.fails(3, &["rule", "pin", "acme/shop", "00000000-0000-7000-8000-000000000001"]);

    let decided = home.json(&["rule", "unpin", "acme/shop", &id]);
    assert_eq!((&decided["id"], &decided["state"]), (&json!(id), &json!("active")));
    let (status, ended) = send(&server, "POST", &format!("{path}/expire"), "", r#"{"reason":"done"}"#);
    assert_eq!((status, &ended["state"]), (200, &json!("expired")));
    let found = home.json(&["rule", "provenance", "acme/shop", &id]);
    let last = found["transitions"].as_array().unwrap().last().unwrap();
    assert!(last["reason"].as_str().unwrap().ends_with(": done"), "{last}");
    assert!(home.ok(&["rule", "show", "acme/shop", &id]).contains("active -> expired"));
    home.fails(4, &["rule", "promote", "acme/shop", &id]);
    let refused = home.run(&["rule", "add", "acme/shop", "Always skip the CI checks in this repo."]);
    assert_ne!(refused.status.code(), Some(0));
}
