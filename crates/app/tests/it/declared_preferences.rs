//! Preferences of users in operations memory through the binary: declared by a file, listed,
//! confirmed.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

const ENSURE: [&str; 5] = ["memory", "ensure", "sre_agent_memory", "--profile", "sre"];
const FILE: &str = "users:
  Alice:
    preferences:
      - preference_type: escalation
        preference_value: {primary_contact: ops.team@example.com, escalation_delay_minutes: 15}
        context: team handbook
      - preference_type: notification
        preference_value: {quiet_hours: {start: '00:00', end: '00:00'}, timezone: Europe/Berlin}
";

#[test]
fn a_file_is_applied_and_applied_again() {
    let home = Home::new();
    let told = home.fails(2, &["prefs", "list"]);
    assert!(told.contains("no .memory_id here; run \"loci memory ensure sre_agent_memory\""), "{told}");
    home.ok(&ENSURE);
    std::fs::write(home.path("prefs.yaml"), FILE).unwrap();
    let output = home.run(&["prefs", "apply", "prefs.yaml", "--dry-run"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), lines.matches("add  Alice").count()), (Some(0), 4), "{lines}");
    let first = home.json(&["prefs", "apply", "prefs.yaml"]);
    assert_eq!((&first["changed"], &first["unchanged"]), (&json!(4), &json!(0)));
    assert_eq!(home.ok(&["prefs", "apply", "prefs.yaml", "--prune"]), "unchanged: 4\n");
    home.ok(&["prefs", "apply", "prefs.yaml", "--dry-run"]);
    let alice = home.json(&["prefs", "list", "Alice"]);
    assert_eq!(alice["effective"], json!({"quiet_now": true, "timezone": "Europe/Berlin"}));
    let escalation = &alice["preferences"][0];
    assert_eq!(escalation["preference_value"]["primary_contact"], "ops.team@example.com");
    assert_eq!(escalation["entries"][0]["source"], "declared");
    // An error names its location, and nothing is changed.
    let bad =
        FILE.replace("15}", "20}").replace("preference_type: notification", "preference_type: Notification");
    std::fs::write(home.path("bad.yaml"), bad).unwrap();
    let told = home.fails(2, &["prefs", "apply", "bad.yaml"]);
    assert!(told.contains("users.Alice.preferences[1]"), "{told}");
    assert_eq!(home.json(&["prefs", "list", "Alice"]), alice);
    // Preferences that the file no longer contains are removed with --prune.
    std::fs::write(
        home.path("less.yaml"),
        FILE.replace("escalation_delay_minutes: 15", "escalation_delay_minutes: 30"),
    )
    .unwrap();
    let changed = home.ok(&["prefs", "apply", "less.yaml"]);
    assert_eq!(changed, "change  Alice  escalation/escalation_delay_minutes  15 → 30\nunchanged: 3\n");
    let past = home.json(&["prefs", "history", "Alice", "--key", "escalation_delay_minutes"]);
    let values: Vec<&Value> =
        past["preferences"].as_array().unwrap().iter().map(|one| &one["value"]).collect();
    assert_eq!(values, [&json!(30), &json!(15)]);
}

#[test]
fn what_waits_is_confirmed_or_rejected() {
    let home = Home::new();
    let memory = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    for contact in ["a@example.com", "b@example.com"] {
        let body = json!({
            "memory_type": "preference", "actor_id": "Alice",
            "data": {"preference_type": "escalation", "preference_value": {"contact": contact}},
        });
        let (status, _) =
            send(&server, "POST", &format!("/v1/memories/{memory}/save"), "", &body.to_string());
        assert_eq!(status, 200);
    }
    let waiting = home.json(&["prefs", "list", "--pending"]);
    let id = |value: &str| {
        let all = waiting["preferences"].as_array().unwrap();
        all.iter().find(|one| one["value"] == value).unwrap()["preference_id"].as_str().unwrap().to_owned()
    };
    assert!(home.ok(&["prefs", "reject", &id("b@example.com")]).contains("contact  rejected"));
    let body = json!({"memory": "sre_agent_memory"}).to_string();
    let path = format!("/v1/preferences/{}/confirm", id("a@example.com"));
    let (status, kept) = send(&server, "POST", &path, "", &body);
    assert_eq!((status, &kept["action"]), (200, &json!("added")), "{kept}");
    assert_eq!(send(&server, "POST", &path, "", &body).0, 404);
    assert_eq!(home.json(&["prefs", "list", "--pending"])["preferences"], json!([]));
    let alice = home.json(&["prefs", "list", "Alice"]);
    assert_eq!(alice["preferences"][0]["preference_value"], json!({"contact": "a@example.com"}));
}

#[test]
fn records_are_listed_by_type_and_a_memory_is_made_anew() {
    let home = Home::new();
    let old = home.json(&ENSURE)["memory_id"].as_str().unwrap().to_owned();
    std::fs::write(home.path("prefs.yaml"), FILE).unwrap();
    home.ok(&["prefs", "apply", "prefs.yaml"]);
    let listed = home.json(&["sre", "list"]);
    let types: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["memory_type"]).collect();
    assert_eq!(types, [&json!("preferences"), &json!("infrastructure"), &json!("investigations")]);
    let records = listed[0]["actors"]["Alice"].as_array().unwrap();
    assert_eq!(records.len(), 4);
    let id = records[0]["id"].as_str().unwrap();
    assert_eq!(home.json(&["sre", "get", id])["id"], json!(id));
    home.ok(&["sre", "delete", id]);
    let told = home.fails(2, &["sre", "delete", "--type", "preference", "--actor", "Alice"]);
    assert!(told.contains("delete 3 records"), "{told}");
    assert_eq!(home.json(&["sre", "list", "--type", "preference", "--actor", "Bob"])[0]["actors"], json!({}));
    let told = home.fails(2, &["memory", "recreate", "sre_agent_memory"]);
    assert!(told.contains("records and 2 events"), "{told}");
    home.fails(2, &["memory", "recreate", "sre_agent_memory", "--yes-destroy", "sre_agent"]);
    let new = home.json(&["memory", "recreate", "sre_agent_memory", "--yes-destroy", "sre_agent_memory"]);
    let new = new["memory_id"].as_str().unwrap();
    assert_ne!(new, old);
    assert_eq!(std::fs::read_to_string(home.path(".memory_id")).unwrap(), format!("{new}\n"));
    assert_eq!(home.json(&["sre", "list"])[0]["actors"], json!({}));
    assert_eq!(home.ok(&ENSURE), format!("{new}\n"));
}
