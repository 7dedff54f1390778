//! The JSON examples of the design of coding agents' memory, sent unchanged to a real server: the
//! answer to each, and its members. Values that the document leaves open (`…`) are filled in here.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

const SHA: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b";
const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/// A call, its status, and members that the answer must contain.
struct Example {
    section: &'static str,
    call: (&'static str, &'static str),
    body: Value,
    status: u16,
    members: &'static [&'static str],
}

fn example(
    section: &'static str,
    call: (&'static str, &'static str),
    body: Value,
    status: u16,
    members: &'static [&'static str],
) -> Example {
    Example { section, call, body, status, members }
}

fn tasks(record: &str) -> Vec<Example> {
    let create = json!({"task_id":"t-001","repo":"acme/shop","forge":"github","forge_repo_id":186853002,
        "kind":"new_task","user":"bob","user_id":"583231","description":"Add pagination to /orders",
        "issue":123,"pr":null,"branch":"agent/t-001","base":"main","base_sha":SHA,
        "prompt":{"template_id":"new-task","template_sha256":DIGEST,"overrides_sha256":DIGEST},
        "prompt_version":"3f2a9c0d11ab","model":"a-model","variant":"B","parent_task_id":null,
        "trace_id":"0af7651916cd43dd8448eb211c80319c"});
    let hydrate = json!({"query":"Add pagination to /orders","paths":["src/api/orders/**"],"user":"bob","ref":"main",
        "commit":SHA,"budget_tokens":2000,"estimator":"mixed","timeout_ms":5000,
        "include":["rules","knowledge","episodes","reflections","preferences","self_feedback","graph"],
        "exclude_repo_docs_sha":[SHA],"render":"markdown",
        "sources":[{"kind":"issue","number":123,"title":"Slow","body":"The list is slow.",
            "comments":[{"author":"ann","body":"Yes.","created_at":"2026-11-21T10:00:00Z"}]}],
        "assemble":false});
    let hydrated = &[
        "version",
        "degraded",
        "warnings",
        "cold_start",
        "arm",
        "snapshot_id",
        "exposure_id",
        "rules",
        "knowledge",
        "episodes",
        "reflections",
        "preferences",
        "related_files",
        "budget.limit",
        "budget.used",
        "budget.estimator",
        "budget.by_kind",
        "budget.dropped",
        "withheld",
        "status.rules",
        "status.knowledge",
        "status.episodes",
        "status.preferences",
        "status.reflections",
        "rendered",
        "memory_hash",
        "content_trust.rules",
        "memory_context.repo_knowledge",
        "memory_context.past_episodes",
    ];
    let feedback = json!({"used":[record],"helpful":[],"harmful":[{"id":record,"reason":"It is old."}]});
    let taken =
        &["task_id", "prompt_version", "memory_arm", "snapshot_id", "forge", "forge_repo_id", "warnings"];
    vec![
        example("4.1", ("POST", "/v1/tasks"), create.clone(), 201, taken),
        example("4.1 again", ("POST", "/v1/tasks"), create, 200, taken),
        example(
            "4.1 show",
            ("GET", "/v1/tasks/t-001"),
            Value::Null,
            200,
            &["input_hash", "model", "snapshot_id"],
        ),
        example("4.2", ("POST", "/v1/tasks/t-001/hydrate"), hydrate, 200, hydrated),
        example("4.7", ("POST", "/v1/tasks/t-001/feedback"), feedback, 200, &["used", "helpful", "harmful"]),
        example(
            "4.7 explain",
            ("GET", "/v1/tasks/t-001/explain"),
            Value::Null,
            200,
            &["exposures", "records"],
        ),
        example(
            "4.8",
            ("POST", "/v1/tasks/t-001/notes"),
            json!({"text":"Port 3000 is used.","topic":"Server","scope":"src/**","category":"gotcha"}),
            202,
            &["learning.id", "learning.action"],
        ),
    ]
}

fn sessions() -> Vec<Example> {
    let events = json!({"task_id":"t-001","events":[{"seq":17,"type":"tool_call","role":"assistant",
        "content":"The session service caches tokens for 5 minutes.","user":"bob","prompt_hash":"3f2a9c0d11ab",
        "commit_sha":null,"at":"2026-11-21T10:00:00Z",
        "tool":{"name":"bash","input_sha256":DIGEST,"output_sha256":DIGEST,"duration_ms":812,"cost_usd":0.0,
            "status":"ok"}}]});
    vec![
        example(
            "5.1",
            ("POST", "/v1/sessions/t-001/events"),
            events,
            202,
            &["accepted", "duplicates", "last_seq"],
        ),
        example(
            "5.1 promote",
            ("POST", "/v1/sessions/t-001/promote"),
            json!({"seq":[17],"as":"knowledge"}),
            200,
            &["events"],
        ),
    ]
}

fn ends(record: &str) -> Vec<Example> {
    let complete = json!({"status":"completed","summary":"Added pagination.","approach":"A cursor.",
        "files_changed":["src/api/orders.ts"],"difficulties":["None."],
        "pr":{"number":57,"url":"https://github.com/acme/shop/pull/57","head_sha":SHA},"branch":"agent/t-001",
        "commits":[SHA],"cost_usd":0.4213,"duration_s":812.4,
        "verification":{"build":true,"lint":true,"tests":"42/42"},"error_message":null,"failure_category":null,
        "learnings_text":"**[Auth module]:** the session service keeps tokens for `5` minutes.",
        "self_feedback_text":"**[Docs]:** `docs/api.md` says nothing of cursors.",
        "extraction_prompts":{"learnings":"learnings@3","self_feedback":"self_feedback@1"},
        "used_memory_ids":[record],"helpful_memory_ids":[],"harmful_memory_ids":[]});
    let completed = &[
        "episode_id",
        "learnings.0.id",
        "learnings.0.action",
        "self_feedback.0.id",
        "jobs",
        "memory_written",
        "degraded",
        "warnings",
    ];
    let finalize = json!({"status":"timed_out","duration_s":900.0,"cost_usd":0.31,"reason":"heartbeat_lost",
        "error_message":"No heartbeat."});
    let narrow = json!({"status":"failed","pr_url":"https://github.com/acme/shop/pull/58","cost":0.5,
        "duration":12.0,"self_feedback":"**[Docs]:** `docs/orders.md` is missing."});
    let learned = json!({"text":"**[Orders]:** `src/api/orders.ts` pages by a cursor."});
    vec![
        example("6.1", ("POST", "/v1/tasks/t-001/complete"), complete, 202, completed),
        example("6.2", ("POST", "/v1/tasks/t-001/finalize"), finalize.clone(), 200, &["wrote", "kind"]),
        example("6.1 learnings", ("POST", "/v1/tasks/t-002/learnings"), learned, 200, &["written"]),
        example("6.2 minimal", ("POST", "/v1/tasks/t-002/finalize"), finalize, 200, &["wrote", "kind"]),
        example("6.1 episode", ("POST", "/v1/tasks/t-002/episode"), narrow, 200, &["written"]),
    ]
}

fn prompts() -> Vec<Example> {
    let prompt = json!({"template_id":"new-task","text":"You work on {repo}.\n{memory_context}\n","overrides":{},
        "tools":["bash"],"extraction_prompts":["learnings@3"],"model":"a-model"});
    let members = &[
        "prompt_version",
        "sha256",
        "components.template",
        "components.overrides",
        "components.tools",
        "components.model",
    ];
    vec![
        example("8", ("POST", "/v1/prompts"), prompt, 200, members),
        example("8 list", ("GET", "/v1/prompts?template_id=new-task"), Value::Null, 200, &["prompts.0.text"]),
    ]
}

fn check(server: &crate::program::Server, example: &Example) -> Value {
    let (method, path) = example.call;
    let body = if example.body.is_null() { String::new() } else { example.body.to_string() };
    let (status, answer) = send(server, method, path, "", &body);
    assert_eq!(status, example.status, "section {}: {answer}", example.section);
    for member in example.members {
        let pointer = format!("/{}", member.replace('.', "/"));
        assert!(answer.pointer(&pointer).is_some(), "section {} has no {member}: {answer}", example.section);
    }
    answer
}

#[test]
fn every_example_is_taken_as_it_stands() {
    let home = Home::new();
    let server = home.serve(&[]);
    let repository = r#"{"name":"github.com/acme/shop","forge_id":"github.com:186853002"}"#;
    assert_eq!(send(&server, "POST", "/v1/repos", "", repository).0, 200);
    let other = json!({ "task_id": "t-002", "repo": "acme/shop", "description": "Another" }).to_string();
    assert_eq!(send(&server, "POST", "/v1/tasks", "", &other).0, 201);
    let (_, noted) = send(&server, "POST", "/v1/tasks/t-002/notes", "", r#"{"text":"Port 4000 is used."}"#);
    let record = noted["learning"]["id"].as_str().unwrap().to_owned();

    let mut answers = std::collections::BTreeMap::new();
    for example in tasks(&record).into_iter().chain(sessions()).chain(ends(&record)).chain(prompts()) {
        answers.insert(example.section, check(&server, &example));
    }
    assert_eq!(answers["4.1"], answers["4.1 again"], "the same answer");
    assert_eq!(answers["4.1"]["warnings"], json!([]), "the number is the repository's");
    let hydrated = &answers["4.2"];
    let unused = json!("SOURCES_UNUSED: sources are read with assemble alone");
    assert!(hydrated["warnings"].as_array().unwrap().contains(&unused), "{hydrated}");
    assert_eq!(hydrated["status"]["graph"], "empty", "{hydrated}");
    let exposure = format!("/v1/exposures/{}", hydrated["exposure_id"].as_str().unwrap());
    let (status, row) = send(&server, "GET", &exposure, "", "");
    assert_eq!((status, &row["memory_hash"]), (200, &hydrated["memory_hash"]), "{row}");
    let (_, task) = send(&server, "GET", "/v1/tasks/t-001", "", "");
    assert_eq!(task["memory_hash"], hydrated["memory_hash"], "{task}");
    // The narrow forms have the same effect as the wide one.
    assert_eq!(answers["6.2"]["kind"], "kept_existing");
    assert_eq!(answers["6.1 learnings"], json!({ "written": true, "warnings": [] }));
    assert_eq!(answers["6.2 minimal"]["kind"], "minimal", "learnings are no episode");
    assert_eq!(answers["6.1 episode"]["written"], json!(true));
    let (_, task) = send(&server, "GET", "/v1/tasks/t-002", "", "");
    assert_eq!(
        (&task["written"]["minimal"], &task["pr"]["number"], &task["cost_usd"]),
        (&json!(false), &json!(58), &json!(0.5)),
        "{task}"
    );
    let nothing = r#"{"text":"No new repository learnings."}"#;
    let (_, wrote) = send(&server, "POST", "/v1/tasks/t-002/learnings", "", nothing);
    assert_eq!(wrote["written"], json!(false), "{wrote}");
    assert!(wrote["warnings"][0].as_str().unwrap().starts_with("NOTHING_TO_STORE"), "{wrote}");
}

#[test]
fn the_number_of_a_forge_is_checked() {
    let home = Home::new();
    let server = home.serve(&[]);
    for (name, number) in [("github.com/acme/shop", 1), ("github.com/acme/web", 2)] {
        let body = json!({ "name": name, "forge_id": format!("github.com:{number}") }).to_string();
        assert_eq!(send(&server, "POST", "/v1/repos", "", &body).0, 200);
    }
    assert_eq!(send(&server, "POST", "/v1/repos", "", r#"{"name":"acme/bare"}"#).0, 200);
    let check = |repo: &str, number: u64, status: u16, says: &str| {
        let new = json!({ "repo": repo, "forge": "github", "forge_repo_id": number, "description": repo });
        let (got, answer) = send(&server, "POST", "/v1/tasks", "", &new.to_string());
        assert_eq!(got, status, "{repo} {number}: {answer}");
        assert!(answer.to_string().contains(says), "{repo} {number}: {answer}");
        answer
    };
    check("acme/shop", 1, 201, r#""warnings":[]"#);
    check("acme/shop", 2, 409, "forge_repo_id");
    check("acme/shop", 3, 409, "forge_repo_id");
    check("acme/bare", 2, 409, "forge_repo_id");
    check("acme/bare", 9, 201, "FORGE_ID_UNCHECKED");
    // An unknown name refers to the repository with this number.
    let renamed = check("acme/store", 1, 201, "REPO_RENAMED");
    assert_eq!(renamed["repo"], "acme/shop");
    check("acme/store", 9, 404, "REPO_UNKNOWN");
}
