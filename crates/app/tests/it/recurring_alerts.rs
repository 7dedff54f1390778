//! An alert that recurs by webhook: its count, and its previous occurrences.

use serde_json::{Value, json};

use crate::alerts::{firing, machine_s, post, settled};
use crate::native::send;
use crate::program::{Home, Server};

const SECRET: &str = "the secret of alerts";
const CONFIG: &str = "[[hook]]\nsource = \"alertmanager\"\nsecrets_env = [\"ALERTS\"]\n";
const FINGERPRINT: &str = "1a30ba71cca2921f";

fn time(seconds: u64) -> Value {
    let at = loci_model::Timestamp::clamped(i64::try_from(seconds).unwrap() * 1_000);
    json!(at.to_rfc3339())
}

/// Returns the alert that began at this time, open or ended.
fn alert(began: u64, ended: Option<u64>) -> Value {
    let mut body = firing(FINGERPRINT);
    body["alerts"][0]["startsAt"] = time(began);
    if let Some(ended) = ended {
        body["status"] = json!("resolved");
        body["alerts"][0]["status"] = json!("resolved");
        body["alerts"][0]["endsAt"] = time(ended);
    }
    body
}

fn ask(server: &Server, path: &str, body: &Value) -> Value {
    let (status, answer) = send(server, "POST", path, "", &body.to_string());
    assert!((200..300).contains(&status), "{path}: {status} {answer}");
    answer
}

#[test]
fn the_third_alert_of_a_kind_says_so_and_what_the_first_was() {
    let home = Home::new();
    home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let config = home.path("config.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let config = config.display().to_string();
    let serve = || home.serve_with(&["--config", &config], &[("ALERTS", SECRET), ("USER", "alice")]);
    let server = serve();
    let now = machine_s();
    let bearer = format!("Authorization: Bearer {SECRET}\r\n");
    let deliver = |server: &Server, body: &Value, deliveries: usize| {
        let (status, taken) = post(server, "alertmanager", &bearer, &body.to_string());
        assert_eq!((status, &taken["state"]), (202, &json!("queued")), "{taken}");
        assert_eq!(settled(server), deliveries);
    };
    let of_alert = json!({
        "query": "api-server restarts", "alert": {"source": "alertmanager", "fingerprint": FINGERPRINT},
    });
    let begin = |server: &Server| ask(server, "/v1/investigations", &of_alert);
    let (first, second, third) = (now - 7_200, now - 3_600, now - 600);

    deliver(&server, &alert(first, None), 1);
    let begun = begin(&server);
    assert_eq!((&begun["joined"], &begun["recurrence"]["count_30d"]), (&json!(true), &json!(1)), "{begun}");
    let incident = begun["incident_id"].clone();
    deliver(&server, &alert(first, Some(first + 60)), 2);
    let path = format!("/v1/investigations/{}/complete", incident.as_str().unwrap());
    ask(&server, &path, &json!({"status": "completed", "root_cause": "the limit was 400Mi"}));
    deliver(&server, &alert(second, None), 3);
    deliver(&server, &alert(second, Some(second + 60)), 4);
    server.kill();
    let server = serve();
    deliver(&server, &alert(third, None), 5);

    let begun = begin(&server);
    let again = &begun["recurrence"];
    assert_eq!(begun["joined"], json!(true), "{begun}");
    assert_eq!((&again["count_30d"], &again["count_365d"]), (&json!(3), &json!(3)), "{begun}");
    let last = again["last"].as_array().unwrap();
    assert_eq!(last.len(), 2, "{again}");
    assert_eq!((&last[0]["at"], last[0].get("root_cause")), (&time(second), None), "{again}");
    let before = (&last[1]["incident_id"], &last[1]["status"], &last[1]["root_cause"]);
    assert_eq!(before, (&incident, &json!("completed"), &json!("the limit was 400Mi")));
    let block = begun["rendered"].as_str().unwrap();
    for part in ["This alert has come 3 times in 30 days", "the limit was 400Mi"] {
        assert!(block.contains(part), "{part} is not in\n{block}");
    }
    let stats = send(&server, "GET", "/v1/sre/stats", "", "").1;
    assert!(stats["recurrence"].to_string().contains('3'), "{stats}");
}
