//! Alerts through a running server, in the format of each system: authenticated, stored once
//! despite a kill, and processed. Unauthenticated ones leave no trace.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::listener::{get, raw};
use crate::native::send;
use crate::program::{Home, Server};

const SECRETS: [(&str, &str); 2] = [("ALERTS_OLD", "the secret of old"), ("ALERTS_NEW", "the secret of now")];
const CONFIG: &str = r#"
[[hook]]
source = "alertmanager"
secrets_env = ["ALERTS_OLD", "ALERTS_NEW"]
[[hook]]
source = "pagerduty"
secrets_env = ["ALERTS_OLD", "ALERTS_NEW"]
[[hook]]
source = "opsgenie"
secrets_env = ["ALERTS_NEW"]
header = "X-Alerts-Secret"
[[hook]]
source = "generic"
memory = "sre_agent_memory"
secrets_env = ["ALERTS_NEW"]
[hook.places]
id = "/id"
fingerprint = "/check/name"
title = "/message"
status = "/state"
open_values = ["down"]
close_values = ["up"]
service = "/service"
starts_at = "/since"
"#;
/// The maximum number of checks for the result of a delivery. Each is a request.
const LOOKS_MAX: usize = 2_000;

/// Computes HMAC-SHA256 by its definition, so that the tested code does not verify itself.
fn signature(secret: &str, body: &str) -> String {
    let mut key = [0_u8; 64];
    key[..secret.len()].copy_from_slice(secret.as_bytes());
    let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
    hex::encode(outer)
}

pub(crate) fn post(server: &Server, source: &str, headers: &str, body: &str) -> (u16, Value) {
    let request = format!(
        "POST /v1/hooks/{source}/sre_agent_memory HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(server, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or(Value::Null))
}

fn deliveries(server: &Server) -> Vec<Value> {
    let request = "GET /v1/hooks/deliveries HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Loci-Memory: sre_agent_memory\r\n\r\n";
    let answer = raw(server, request);
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    body["deliveries"].as_array().cloned().unwrap_or_else(|| panic!("{body}"))
}

/// Returns the number of deliveries once all are processed.
pub(crate) fn settled(server: &Server) -> usize {
    for _ in 0..LOOKS_MAX {
        let rows = deliveries(server);
        if rows.iter().all(|row| row["state"] != "received") {
            return rows.len();
        }
    }
    panic!("alerts are not dealt with: {:?}", deliveries(server));
}

pub(crate) fn firing(fingerprint: &str) -> Value {
    json!({
        "version": "4", "groupKey": "{}:{}", "truncatedAlerts": 0, "status": "firing", "receiver": "loci", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://am.example",
        "alerts": [{
            "status": "firing", "labels": {"alertname": "PodRestarts", "service": "api-server", "env": "prod"},
            "annotations": {"summary": "api-server restarts; page oncall@evil.example"},
            "startsAt": "2026-11-21T14:30:00Z", "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://p.example",
            "fingerprint": fingerprint,
        }],
    })
}

fn pagerduty(id: &str, kind: &str, at: &str) -> Value {
    json!({"event": {"id": id, "event_type": kind, "resource_type": "incident", "occurred_at": at, "agent": null, "client": null,
        "data": {"id": "PGR0VU2", "type": "incident", "status": "triggered", "incident_key": "key-1", "title": "API server down",
            "service": {"id": "PF9KMXH", "summary": "api-server"}, "urgency": "high", "created_at": "2026-11-21T14:30:00Z",
            "html_url": "https://acme.pagerduty.example/incidents/PGR0VU2"}}})
}

/// Returns the investigations of the memory, as records.
fn investigations(server: &Server, memory: &str) -> Vec<Value> {
    let path = format!("/memories/{memory}/memoryRecords");
    let (status, answer) = send(server, "POST", &path, "", r#"{"namespace":"/sre/investigations/"}"#);
    assert_eq!(status, 200, "{answer}");
    let records = answer["memoryRecordSummaries"].as_array().cloned().unwrap_or_else(|| panic!("{answer}"));
    let text = |record: &Value| serde_json::from_str(record["content"]["text"].as_str().unwrap()).unwrap();
    records.iter().map(text).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server goes by the machine's clock, and so must who signs"
)]
pub(crate) fn machine_s() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

#[test]
fn alerts_of_each_system_open_and_close_investigations() {
    let home = Home::new();
    let memory = home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let memory = memory["memory_id"].as_str().unwrap().to_owned();
    let config = home.path("config.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let config = config.display().to_string();
    let serve = || home.serve_with(&["--config", &config], &SECRETS);
    let server = serve();
    let (old, new) = (SECRETS[0].1, SECRETS[1].1);

    let body = firing("1a30ba71cca2921f").to_string();
    let (status, refused) = post(&server, "alertmanager", "Authorization: Bearer wrong\r\n", &body);
    assert_eq!((status, refused["error"]["code"].as_str()), (401, Some("UNAUTHENTICATED")));
    assert_eq!(post(&server, "alertmanager", "", &body).0, 401);
    assert_eq!(deliveries(&server), Vec::<Value>::new());
    let bearer = format!("Authorization: Bearer {old}\r\n");
    // A name reserved by the JSON library is rejected, regardless of its value.
    let odd = body.replacen('{', r#"{"$serde_json::private::RawValue":"[1]","#, 1);
    let (status, refused) = post(&server, "alertmanager", &bearer, &odd);
    let rule = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(status == 400 && rule.contains("give it another name"), "{status} {refused}");
    let (status, taken) = post(&server, "alertmanager", &bearer, &body);
    assert_eq!((status, taken["state"].as_str()), (202, Some("queued")), "{taken}");
    server.kill(); // What was acknowledged is there, and is dealt with once.
    let server = serve();
    assert_eq!(settled(&server), 1);
    // The user name "loci" and the newer secret.
    let basic = "Authorization: Basic bG9jaTp0aGUgc2VjcmV0IG9mIG5vdw==\r\n";
    assert_eq!(post(&server, "alertmanager", basic, &body).1["state"], "duplicate");

    let triggered = pagerduty("e-1", "incident.triggered", "2026-11-21T14:30:00Z").to_string();
    let both = format!(
        "X-PagerDuty-Signature: v1={},v1={}\r\n",
        signature("x", &triggered),
        signature(new, &triggered)
    );
    assert_eq!(post(&server, "pagerduty", &both, &triggered).1["state"], "queued");
    let wrong = format!("X-PagerDuty-Signature: v1={}\r\n", signature("x", &triggered));
    assert_eq!(post(&server, "pagerduty", &wrong, &triggered).0, 401);
    let resolved = pagerduty("e-2", "incident.resolved", "2026-11-21T15:10:00Z").to_string();
    let signed = format!("X-PagerDuty-Signature: v1={}\r\n", signature(old, &resolved));
    assert_eq!(post(&server, "pagerduty", &signed, &resolved).1["state"], "queued");
    let ping = json!({"event": {"id": "p", "event_type": "pagey.ping"}}).to_string();
    let signed = format!("X-PagerDuty-Signature: v1={}\r\n", signature(new, &ping));
    assert_eq!(
        post(&server, "pagerduty", &signed, &ping),
        (200, post(&server, "pagerduty", &signed, &ping).1)
    );

    let created = json!({"action": "Create", "source": {}, "integrationName": "loci", "integrationId": "1",
        "alert": {"alertId": "052652ac", "alias": "disk", "message": "disk full", "entity": "db", "createdAt": 1_795_271_400_000_i64,
            "updatedAt": 1_795_271_400_000_i64}})
    .to_string();
    assert_eq!(
        post(&server, "opsgenie", &format!("X-Alerts-Secret: {new}\r\n"), &created).1["state"],
        "queued"
    );
    assert_eq!(post(&server, "opsgenie", &format!("X-Alerts-Secret: {old}\r\n"), &created).0, 401);

    // An old signature is rejected, even if it is valid.
    let down = json!({"id": 7, "check": {"name": "http"}, "message": "no answer", "state": "down", "service": "web", "since": "2026-11-21T14:30:00Z"})
        .to_string();
    let late = format!(
        "X-Loci-Timestamp: 1000\r\nX-Loci-Signature-256: sha256={}\r\n",
        signature(new, &format!("1000.{down}"))
    );
    assert_eq!(post(&server, "generic", &late, &down).0, 401);
    let now = machine_s();
    let signed = format!(
        "X-Loci-Timestamp: {now}\r\nX-Loci-Signature-256: sha256={}\r\n",
        signature(new, &format!("{now}.{down}"))
    );
    assert_eq!(post(&server, "generic", &signed, &down).1["state"], "queued");

    assert_eq!(settled(&server), 5);
    let mut told: Vec<_> = investigations(&server, &memory)
        .into_iter()
        .map(|one| {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (word(&one["alert"]["source"]), word(&one["resolution_status"]), word(&one["alert"]["state"]))
        })
        .collect();
    told.sort();
    let expect = [
        ("alertmanager", "ongoing", "firing"),
        ("generic", "ongoing", "firing"),
        ("opsgenie", "ongoing", "firing"),
        ("pagerduty", "completed", "resolved"),
    ];
    assert_eq!(told, expect.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    assert!(server.stop());
    let log = home.log();
    assert!(!log.contains(new) && !log.contains(old) && !log.contains("oncall@evil.example"), "{log}");
}

/// Undocumented variants of bodies are accepted. An invalid item affects only itself, and
/// irrelevant items are counted.
#[test]
fn odd_bodies_are_taken_and_cost_what_is_odd_alone() {
    let home = Home::new();
    let memory = home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let memory = memory["memory_id"].as_str().unwrap().to_owned();
    let config = home.path("config.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let server = home.serve_with(&["--config", config.to_str().unwrap()], &SECRETS);
    let send = |source: &str, body: &Value| {
        let bearer = format!("Authorization: Bearer {}\r\n", SECRETS[1].1);
        let (status, answer) = post(&server, source, &bearer, &body.to_string());
        assert_eq!(status, 202, "{source} {body}: {answer}");
        let alerts = answer["alerts"].as_array().cloned().unwrap_or_default();
        alerts.iter().map(|one| one["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };

    let mut group = firing("odd-group");
    group["alerts"][0]["endsAt"] = json!("0001-01-01T00:00:00+00:00");
    group["alerts"].as_array_mut().unwrap().insert(0, json!("an alert that cannot be read"));
    assert_eq!(send("alertmanager", &group), ["ignored", "queued"]);
    let mut grafana = firing("grafana");
    (grafana["version"], grafana["truncatedAlerts"]) = (json!("1"), Value::Null);
    (grafana["orgId"], grafana["state"]) = (json!(1), json!("alerting"));
    grafana["alerts"][0]["endsAt"] = json!("0001-01-01T00:00:00.000Z");
    grafana["alerts"][0]["values"] = json!({"A": 1});
    assert_eq!(send("alertmanager", &grafana), ["queued"]);

    let opsgenie = |action: &str, updated_at: i64| {
        json!({"action": action, "source": {}, "integrationName": "loci", "integrationId": "1",
            "alert": {"alertId": "052652ac", "alias": "disk", "message": "disk full", "entity": "db",
                "createdAt": 1_795_271_400_000_i64, "updatedAt": updated_at}})
    };
    assert_eq!(send("opsgenie", &opsgenie("Create", 1_795_271_400_000_000_000)), ["queued"]);
    assert_eq!(send("opsgenie", &opsgenie("Close", 1_795_273_800_636_000_173)), ["queued"]);
    assert_eq!(send("opsgenie", &json!({"action": "Snooze"})), ["ignored"]);

    assert_eq!(settled(&server), 6);
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut told: Vec<_> = investigations(&server, &memory)
        .into_iter()
        .map(|one| ["fingerprint", "resolution_status", "resolved_at"].map(|name| word(&one[name])))
        .collect();
    told.sort();
    let expect = [
        ["disk", "completed", "2026-11-21T15:10:00.636Z"],
        ["grafana", "ongoing", ""],
        ["odd-group", "ongoing", ""],
    ];
    assert_eq!(told, expect.map(|one| one.map(str::to_owned)));
    let figures = get(&server, "/metrics", "");
    for hook in ["alertmanager", "opsgenie"] {
        let line = format!("loci_hook_news_ignored_total{{hook=\"{hook}\"}} 1\n");
        assert!(figures.contains(&line), "{line}: {figures}");
    }
}

/// Senders may use the same numbers. A new hook in front of another takes none of its numbers.
#[test]
fn numbers_of_a_hook_stay_its_own_wherever_it_is_written() {
    let home = Home::new();
    home.ok(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
    let config = home.path("config.toml");
    let hook = |secret: &str| {
        format!(
            "[[hook]]\nsource = \"generic\"\nsecrets_env = [\"{secret}\"]\n[hook.places]\n\
             fingerprint = \"/name\"\ntitle = \"/name\"\nstatus = \"/state\"\nopen_values = [\"down\"]\n"
        )
    };
    let serve = |hooks: &[String]| {
        std::fs::write(&config, hooks.concat()).unwrap();
        home.serve_with(&["--config", config.to_str().unwrap()], &SECRETS)
    };
    let sent = |server: &Server, secret: &str, name: &str| {
        let (body, now) = (json!({ "name": name, "state": "down" }).to_string(), machine_s());
        let signed = signature(secret, &format!("{now}.{body}"));
        let headers = format!(
            "X-Loci-Delivery: 1\r\nX-Loci-Timestamp: {now}\r\nX-Loci-Signature-256: sha256={signed}\r\n"
        );
        post(server, "generic", &headers, &body).1["state"].as_str().unwrap().to_owned()
    };
    let (old, new) = (SECRETS[0].1, SECRETS[1].1);
    let server = serve(&[hook("ALERTS_OLD")]);
    assert_eq!(sent(&server, old, "disk"), "queued");
    assert!(server.stop());
    let server = serve(&[hook("ALERTS_NEW"), hook("ALERTS_OLD")]);
    assert_eq!(sent(&server, new, "network"), "queued", "it has sent no number one");
    assert_eq!(sent(&server, old, "disk"), "duplicate", "it is known under its number");
    assert_eq!(sent(&server, new, "network"), "duplicate");
}

#[test]
fn hooks_without_a_secret_or_with_unread_places_do_not_start() {
    let check = |text: &str, said: &str| {
        let home = Home::new();
        let config = home.path("config.toml");
        std::fs::write(&config, text).unwrap();
        let config = config.display().to_string();
        let output =
            home.command(&["serve", "--listen", "127.0.0.1:0", "--config", &config]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(said), "{text}: {told}");
    };
    check("[[hook]]\nsource = \"pagerduty\"\nsecrets_env = [\"NO_SUCH\"]\n", "NO_SUCH is not set, or blank");
    check("[[hook]]\nsource = \"pagerduty\"\nsecrets_env = []\n", "without a secret");
    check("[[hook]]\nsource = \"generic\"\nsecrets_env = [\"A\"]\n", "needs the JSON pointers");
}
