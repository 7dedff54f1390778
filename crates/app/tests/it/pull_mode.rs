//! Pull mode over HTTP and on the command line: a question is leased, answered invalidly, and
//! answered correctly.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

const MEMORY: &str = r#"{"name":"notes","strategies":[{"kind":"semantic","name":"facts","namespace":"/facts/{actorId}/"}],
                         "settings":{"model_mode":"pull"}}"#;
const EVENT: &str =
    r#"{"actor":"alice","session":"s1","payload":[{"message":{"role":"user","text":"I live in Bern"}}]}"#;

/// Stores one message that waits for extraction. Returns the memory's id.
fn told(server: &Server) -> String {
    let (status, memory) = send(server, "POST", "/v1/memories", "", MEMORY);
    assert_eq!(status, 201, "{memory}");
    let id = memory["id"].as_str().unwrap().to_owned();
    let (status, made) = send(server, "POST", &format!("/v1/memories/{id}/events"), "", EVENT);
    assert_eq!(status, 201, "{made}");
    let end = format!("/v1/memories/{id}/actors/alice/sessions/s1/end");
    assert_eq!(send(server, "POST", &end, "", ""), (200, json!({"due": 1})));
    id
}

fn next(server: &Server) -> Value {
    let (status, question) =
        send(server, "POST", "/v1/jobs/next", "", r#"{"kinds":"extract","wait_ms":20000}"#);
    assert_eq!(status, 200, "{question}");
    question
}

#[test]
fn a_question_is_answered_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let id = told(&server);
    let question = next(&server);
    assert_eq!(
        (&question["memory"], &question["kind"], &question["prompt_version"]),
        (&json!(id), &json!("extract"), &json!("semantic.extract@1"))
    );
    assert!(question["input"].as_str().unwrap().contains("I live in Bern"));
    let (status, _) = send(&server, "POST", "/v1/jobs/next", "", r#"{"wait_ms":0}"#);
    assert_eq!(status, 204, "the one question is leased");
    let wait = format!("/v1/memories/{id}/extraction:wait");
    let (_, state) = send(&server, "POST", &wait, "", r#"{"timeout_ms":1000}"#);
    assert_eq!((&state["complete"], &state["waiting"]), (&json!(false), &json!(1)), "{state}");

    let job = format!("/v1/jobs/{}", question["job_id"].as_str().unwrap());
    let result = |output: &str| {
        let body = json!({"output": output, "model": "own", "cost_usd": 0.001}).to_string();
        send(&server, "POST", &format!("{job}/result"), "", &body)
    };
    let (status, refused) = result(r#"[{"sentence":"Bern"}]"#);
    assert_eq!((status, &refused["error"]["code"]), (422, &json!("BAD_REPLY")), "{refused}");
    assert!(refused["error"]["details"]["violations"].to_string().contains("`fact` is missing"), "{refused}");
    let good = r#"[{"fact":"Alice lives in Bern.","sources":[1]}]"#;
    let (status, taken) = result(good);
    assert_eq!(status, 200, "{taken}");
    assert_eq!((&taken["accepted"], &taken["state"]), (&json!(1), &json!("done")), "{taken}");
    let record = taken["records"][0].as_str().unwrap();
    let (_, record) = send(&server, "GET", &format!("/v1/memories/{id}/records/{record}"), "", "");
    assert_eq!(record["text"], "Alice lives in Bern.");
    assert_eq!(result(good), (200, taken));
    assert_eq!(result("[]").1["error"]["code"], "ALREADY_ANSWERED");
    let (status, _) = send(&server, "POST", "/v1/jobs/nonsense/fail", "", "{}");
    assert_eq!(status, 400);
}

#[test]
fn a_question_is_answered_by_the_command_line() {
    let home = Home::new();
    let server = home.serve(&[]);
    told(&server);
    let question = home.json(&["job", "next", "--memory", "notes", "--poll-ms", "20000"]);
    let job = question["job_id"].as_str().unwrap();
    home.fails(3, &["job", "next", "--memory", "notes"]);
    home.ok(&["job", "fail", job, "--error", "out of credit"]);
    let again = home.json(&["job", "next", "--memory", "notes", "--kind", "extract"]);
    assert_eq!(again["job_id"], job);
    let file = home.path("answer.json");
    std::fs::write(&file, "Sure! []").unwrap();
    let answer = ["job", "result", job, "--output", file.to_str().unwrap()];
    assert!(home.fails(2, &answer).contains("form"));
    std::fs::write(&file, r#"[{"fact":"Alice lives in Bern.","sources":[1]}]"#).unwrap();
    let taken = home.json(&answer);
    assert_eq!(
        (&taken["accepted"], &taken["discarded"], &taken["state"]),
        (&json!(1), &json!(0), &json!("done"))
    );
}

#[test]
fn a_reflection_is_asked_for() {
    let home = Home::new();
    let server = home.serve(&[]);
    let memory = r#"{"name":"work","strategies":[{"kind":"episodic","name":"episodes","namespace":"/episodes/{actorId}/"}],
                     "settings":{"model_mode":"pull"}}"#;
    let (_, memory) = send(&server, "POST", "/v1/memories", "", memory);
    let strategy = memory["strategies"][0]["id"].as_str().unwrap();
    let id = memory["id"].as_str().unwrap();
    let place = format!("/v1/memories/{id}/strategies/{strategy}/reflect");
    let (status, asked) = send(&server, "POST", &place, "", r#"{"window":9,"namespace":"/episodes/alice/"}"#);
    assert_eq!(status, 200, "{asked}");
    // Without episodes no question is asked.
    let wait = format!("/v1/memories/{id}/extraction:wait");
    let (_, state) = send(&server, "POST", &wait, "", "{}");
    assert_eq!((&state["complete"], &state["failed"]), (&json!(true), &json!(0)), "{state}");
    let job = format!("/v1/memories/{id}/jobs/{}", asked["job"].as_str().unwrap());
    let (_, job) = send(&server, "GET", &job, "", "");
    assert_eq!(
        (&job["kind"], &job["state"], &job["actor"]),
        (&json!("reflect"), &json!("done"), &json!("alice"))
    );
    let (status, refused) = send(&server, "POST", &place, "", "{}");
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("INVALID")), "{refused}");
    let by_name = ["memory", "reflect", "work", "episodes", "--namespace", "/episodes/bob/"];
    assert!(home.json(&by_name)["job"].is_string());
    home.fails(3, &["memory", "reflect", "work", "none-such-0123456789", "--namespace", "/episodes/bob/"]);
}
