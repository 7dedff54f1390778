//! Configured models: `doctor` verifies them, keys are named and never shown, and signatures for
//! others are valid at Loci's own interface. The vendor is a local socket.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::program::Home;

/// Answers requests of OpenAI's protocol one after the other: successfully with this key, else with
/// 401.
pub(crate) fn vendor(key: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (heard, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = read(&mut stream);
            let knows = request.to_ascii_lowercase().contains(&format!("authorization: bearer {key}"));
            let (status, body) = match knows {
                true if request.contains("/embeddings ") => ("200 OK", embeddings(&request)),
                true => ("200 OK", COMPLETION.to_owned()),
                false => ("401 Unauthorized", DENIED.to_owned()),
            };
            let head =
                format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
            if heard.send(request).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

const COMPLETION: &str = r#"{"model":"small-2026","choices":[{"message":{"content":"ok"},"finish_reason":"stop"}],
    "usage":{"prompt_tokens":9,"completion_tokens":1}}"#;
const DENIED: &str = r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#;

/// Returns one direction for boats and vessels, and another for everything else.
fn embeddings(request: &str) -> String {
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let texts = body["input"].as_array().unwrap();
    let vector = |text: &Value| {
        let text = text.as_str().unwrap().to_lowercase();
        let place = if text.contains("boat") || text.contains("vessel") { 0 } else { 1 };
        (0..64).map(|at| if at == place { 1.0 } else { 0.0 }).collect::<Vec<f32>>()
    };
    let item = |(index, text)| json!({"index": index, "embedding": vector(text)});
    json!({"data": texts.iter().enumerate().map(item).collect::<Vec<_>>()}).to_string()
}

pub(crate) fn read(stream: &mut impl Read) -> String {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "the request broke off: {text}");
        bytes.extend_from_slice(&piece[..read]);
    }
}

/// Waits until nothing is pending in a memory.
pub(crate) fn settled(server: &crate::program::Server, id: &str) {
    let wait = format!(
        "POST /v1/memories/{id}/extraction:wait HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    let waited = crate::listener::raw(server, &wait);
    assert!(waited.contains("\"complete\":true"), "{waited}");
}

/// Returns a home whose configuration names the model.
fn home(url: &str) -> Home {
    let home = Home::new();
    let text = format!(
        "[[model]]\nname = \"main\"\nprotocol = \"openai\"\nbase_url = \"{url}\"\nmodel = \"small\"\nkey_env = \"VENDOR_KEY\"\n"
    );
    std::fs::write(home.path("config.toml"), text).unwrap();
    home
}

/// Runs `doctor` with this key. Returns its exit code, the finding about the model, and its output.
fn doctor(home: &Home, key: Option<&str>, more: &[&str]) -> (Option<i32>, Option<Value>, String) {
    let config = home.path("config.toml");
    let arguments = [&["--config", config.to_str().unwrap(), "doctor", "--json"], more].concat();
    let mut command = home.command(&arguments);
    if let Some(key) = key {
        command.env("VENDOR_KEY", key);
    }
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let report: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"));
    let of_model = |finding: &&Value| finding["name"] == "model main";
    let finding = report["findings"].as_array().unwrap().iter().find(of_model).cloned();
    (output.status.code(), finding, told + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn doctor_proves_a_model() {
    let (url, requests) = vendor("good-key");
    let home = home(&url);

    let (code, finding, _) = doctor(&home, Some("good-key"), &[]);
    let finding = finding.unwrap();
    assert_eq!((code, &finding["ok"]), (Some(0), &Value::Bool(true)), "{finding}");
    let detail = finding["detail"].as_str().unwrap();
    assert!(detail.starts_with("small-2026 answers, 9 + 1 tokens, ") && detail.ends_with(" ms"), "{detail}");
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");

    let (code, finding, told) = doctor(&home, Some("bad-key"), &[]);
    let finding = finding.unwrap();
    assert_eq!((code, &finding["ok"]), (Some(5), &Value::Bool(false)), "{finding}");
    assert!(finding["detail"].as_str().unwrap().contains("401 invalid_api_key"), "{finding}");
    assert!(!told.contains("bad-key"), "{told}");
    assert_eq!(requests.try_iter().count(), 1);

    let (code, finding, _) = doctor(&home, None, &[]);
    let finding = finding.unwrap();
    let expect = "model `main` has no key: the variable VENDOR_KEY, which key_env names, is not set";
    assert_eq!((code, &finding["detail"]), (Some(5), &Value::from(expect)));

    let (code, finding, _) = doctor(&home, Some("good-key"), &["--offline"]);
    assert_eq!((code, finding), (Some(0), None));
    assert_eq!(requests.try_iter().count(), 0, "without a key, and offline, nobody is called");

    let config = home.path("config.toml");
    let mut print = home.command(&["--config", config.to_str().unwrap(), "config", "print"]);
    let printed = String::from_utf8(print.env("VENDOR_KEY", "good-key").output().unwrap().stdout).unwrap();
    assert!(printed.contains("VENDOR_KEY") && !printed.contains("good-key"), "{printed}");
}

#[test]
fn another_embedder_makes_all_vectors_anew() {
    let (url, requests) = vendor("good-key");
    let home = Home::new();
    home.ok(&["memory", "create", "notes", "--strategy", "semantic"]);
    let say = |text: &str| {
        home.ok(&["event", "create", "--memory", "notes", "--actor", "me", "--session", "s", text]);
    };
    say("My boat is called Gull and lies in Largs.");
    say("The cat sleeps on the oven.");
    let text = format!(
        "[embedding]\nuse = \"far\"\n[[embedder]]\nname = \"far\"\nprotocol = \"openai\"\nbase_url = \"{url}\"\n\
         model = \"m\"\ndimensions = 64\nkey_env = \"VENDOR_KEY\"\n"
    );
    let config = home.path("config.toml");
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();

    let server = home.serve_with(&["--config", config], &[("VENDOR_KEY", "good-key")]);
    say("Largs has a long pier.");
    // Nothing is pending any more, including vectors.
    let memories = home.json(&["memory", "list"]);
    let id = memories["memories"][0]["id"].as_str().unwrap();
    settled(&server, id);
    let asked = requests.try_iter().collect::<String>();
    for text in ["My boat is called Gull", "The cat sleeps", "Largs has a long pier"] {
        assert!(asked.contains(text), "{text} was not embedded anew");
    }
    let report = home.json(&["doctor"]);
    let findings = report["findings"].as_array().unwrap();
    let detail = |begins: &str| {
        let named = |finding: &&Value| finding["name"].as_str().unwrap().starts_with(begins);
        findings.iter().find(named).unwrap()["detail"].as_str().unwrap().to_owned()
    };
    assert!(detail("embedder").starts_with("openai/m/64 answers, 64 numbers, "), "{report}");
    let index = detail("index of");
    let passages = index.split_once(" passages").unwrap().0;
    assert!(index.contains(&format!("{passages} passages, {passages} vectors")), "{index}");

    let found = home.json(&["search", "--memory", "notes", "Which vessel?"]);
    assert!(found.to_string().contains("Gull"), "{found}");
    assert!(server.stop());

    let missing = home.serve_with(&["--config", config], &[]);
    let found = home.json(&["search", "--memory", "notes", "boat"]);
    assert!(found.to_string().contains("embedding_unavailable"), "by words, and says so: {found}");
    let report: Value = serde_json::from_slice(&home.run(&["doctor", "--json"]).stdout).unwrap();
    assert!(report.to_string().contains("embedder `far` has no key: the variable VENDOR_KEY"), "{report}");
    assert!(missing.stop());
}

#[test]
fn what_we_sign_our_own_door_accepts() {
    use http::{HeaderMap, Method};
    use loci_model::Timestamp;
    use loci_outbound::request::{AddressOrigin, OutboundRequest, Retry};
    use loci_outbound::secret::Secret;
    use loci_outbound::sign_v4::{PathRule, Signer};
    use loci_server::auth::sigv4::{Claim, Envelope, PathEncoding, Rules};

    let at = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
    let signer = |token: Option<&str>| Signer {
        access_key: "AKID".to_owned(),
        secret: Secret::from("the secret/of+it"),
        session_token: token.map(Secret::from),
        region: "eu-central-1".to_owned(),
        service: "bedrock",
    };
    let check = |place: &str, token: Option<&str>, rule: PathRule, encoding: PathEncoding| {
        let mut request = OutboundRequest {
            method: Method::POST,
            url: format!("http://127.0.0.1:8411{place}"),
            headers: vec![(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"))],
            body: b"{\"a\": 1}".to_vec(),
            reach: AddressOrigin::Configured,
            retry: Retry::Safe,
            timeout_ms: None,
            signing: None,
        };
        signer(token).sign(&mut request, at, rule).unwrap();
        let mut headers: HeaderMap = request.headers.iter().cloned().collect();
        headers.insert("host", http::HeaderValue::from_static("127.0.0.1:8411"));
        let (path, query) = place.split_once('?').unwrap_or((place, ""));
        let envelope = Envelope { method: "POST", path, query, headers: &headers };
        let rules = Rules {
            service: "bedrock",
            now_unix_s: at.millis() / 1_000,
            path: encoding,
            unsigned_payload: false,
            presigned: false,
            body_bytes_max: 1_000,
        };
        let claim = Claim::read(&envelope, &rules).unwrap();
        assert!(claim.verify(&envelope, &rules, "the secret/of+it", &request.body).is_ok(), "{place}");
        assert!(claim.verify(&envelope, &rules, "the secret/of+it", b"{}").is_err(), "{place}");
        assert!(claim.verify(&envelope, &rules, "another secret", &request.body).is_err(), "{place}");
    };
    let model = "/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse";
    check(model, None, PathRule::Twice, PathEncoding::Twice);
    check(model, Some("a token"), PathRule::Twice, PathEncoding::Twice);
    check("/", None, PathRule::Twice, PathEncoding::Twice);
    check("/a?b=2&a=x%20y&flag=", None, PathRule::Twice, PathEncoding::Twice);
    check("/bucket/key%20of%2Fit", None, PathRule::Once, PathEncoding::Once);
}
