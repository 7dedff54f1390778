//! Notifications as receivers see them: signed, in order, repeated with the same id after a failure
//! or a kill; payloads, streams and ends of jobs; and the output of the commands about them. The
//! receiver is a local socket.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use loci_outbound::secret::Secret;
use loci_outbound::signature::Keys;
use serde_json::{Value, json};

use crate::listener::{get, raw};
use crate::program::{Home, Server};

const TOPIC: &str = "arn:aws:sns:us-west-2:000000000000:turns";
const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";
const SECRET: &str = "not so secret";
/// A time limit longer than each pause of the outbox in these tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A received notification.
struct ReceivedWebhook {
    head: String,
    body: String,
    answer: Sender<u16>,
}

impl ReceivedWebhook {
    fn header(&self, name: &str) -> &str {
        let line = |line: &'_ str| line.to_ascii_lowercase().starts_with(&format!("{name}: "));
        self.head.lines().find(|text| line(text)).map_or("", |text| &text[name.len() + 2..])
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn answer(self, status: u16) {
        let _ = self.answer.send(status);
    }
}

/// Starts a receiver that passes each request to the test, and sends the test's answer, or none if
/// the test drops the request.
fn receiver() -> (String, Receiver<ReceivedWebhook>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (heard, notices) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, heard) = (stream.unwrap(), heard.clone());
            std::thread::spawn(move || receive(stream, &heard));
        }
    });
    (url, notices)
}

fn receive(mut stream: TcpStream, heard: &Sender<ReceivedWebhook>) {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    let (head, body) = loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_ascii_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                break (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    };
    let (answer, answers) = channel();
    if heard.send(ReceivedWebhook { head, body, answer }).is_err() {
        return;
    }
    if let Ok(status) = answers.recv() {
        let text = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        let _ = stream.write_all(text.as_bytes());
    }
}

fn configured(home: &Home, url: &str) -> String {
    let (payloads, lines) = (home.path("payloads"), home.path("stream.jsonl"));
    let text = format!(
        "[[target]]\nname = \"{TOPIC}\"\nurl = \"{url}?key=hidden\"\nsecret_env = \"HOOK_SECRET\"\n\
         [[target]]\nname = \"turns-bucket\"\nurl = \"file://{}\"\n\
         [[target]]\nname = \"{STREAM}\"\nurl = \"file://{}\"\n\
         [[webhook]]\ntarget = \"{TOPIC}\"\non = [\"job.done\"]\nmemory = \"work\"\n",
        payloads.display(),
        lines.display()
    );
    let path = home.path("config.toml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn serve(home: &Home, config: &str) -> Server {
    home.serve_with(&["--config", config], &[("HOOK_SECRET", SECRET)])
}

fn post(server: &Server, path: &str, body: &Value) -> Value {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(server, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 20"), "{answer}");
    serde_json::from_str(body).unwrap_or(Value::Null)
}

/// Creates a memory with a self-managed strategy, a stream, and facts. Returns its id.
fn memory(server: &Server) -> String {
    let invocation = json!({ "topicArn": TOPIC, "payloadDeliveryBucketName": "turns-bucket" });
    let own = json!({
        "triggerConditions": [{ "messageBasedTrigger": { "messageCount": 2 } }],
        "invocationConfiguration": invocation,
    });
    let content = json!([{ "type": "MEMORY_RECORDS", "level": "FULL_CONTENT" }]);
    let made = post(
        server,
        "/memories/create",
        &json!({
            "name": "work", "eventExpiryDuration": 30,
            "memoryStrategies": [
                { "semanticMemoryStrategy": { "name": "facts" } },
                { "customMemoryStrategy": { "name": "own", "configuration": { "selfManagedConfiguration": own } } },
            ],
            "streamDeliveryResources": {
                "resources": [{ "kinesis": { "dataStreamArn": STREAM, "contentConfigurations": content } }]
            },
        }),
    );
    made["memory"]["id"].as_str().unwrap().to_owned()
}

fn say(server: &Server, memory: &str, texts: &[&str]) {
    let item = |text: &&str| json!({ "conversational": { "role": "USER", "content": { "text": text } } });
    let payload: Vec<Value> = texts.iter().map(item).collect();
    let event = json!({
        "actorId": "ann", "sessionId": "s1", "eventTimestamp": 1_795_219_200, "payload": payload,
    });
    post(server, &format!("/memories/{memory}/events"), &event);
}

#[test]
fn notifications_come_signed_and_again_after_failures_and_a_kill() {
    let home = Home::new();
    let (url, notices) = receiver();
    let config = configured(&home, &url);
    let server = serve(&home, &config);
    let id = memory(&server);
    say(&server, &id, &["My dog is called Pixel.", "I live in Oslo."]);
    let keys = Keys::read(&Secret::from(SECRET)).unwrap();
    let (mut told, mut tries) = (Vec::new(), 0);
    let mut server = Some(server);
    // The first notification is rejected, and the second is lost in a kill. In the end all arrive.
    while told.len() < 3 {
        let heard = notices.recv_timeout(PATIENCE).expect("a notification");
        tries += 1;
        let (id, seconds) =
            (heard.header("webhook-id").to_owned(), heard.header("webhook-timestamp").to_owned());
        let signature = keys.sign(&id, seconds.parse().unwrap(), heard.body.as_bytes());
        assert_eq!(heard.header("webhook-signature"), signature, "{}", heard.head);
        match tries {
            1 => heard.answer(500),
            2 => {
                drop(server.take());
                drop(heard);
                server = Some(serve(&home, &config));
            }
            _ => {
                told.push((id, heard.header("x-loci-event").to_owned(), heard.json()));
                heard.answer(204);
            }
        }
    }
    let server = server.unwrap();
    let different: BTreeSet<&String> = told.iter().map(|(id, ..)| id).collect();
    assert_eq!(different.len(), 3, "each once that was accepted: {told:?}");
    let of = |kind: &str| -> Vec<&Value> {
        told.iter().filter(|(_, event, _)| event == kind).map(|(.., body)| body).collect()
    };
    let kinds: BTreeSet<&str> =
        of("job_ended").iter().map(|body| body["job"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["extract", "handover"]));
    let [handed] = of("self_managed")[..] else { panic!("{told:?}") };
    let location = handed["s3PayloadLocation"].as_str().unwrap().trim_start_matches("file://").to_owned();
    let payload: Value = serde_json::from_str(&std::fs::read_to_string(location).unwrap()).unwrap();
    let texts: Vec<&str> = payload["currentContext"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["content"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["My dog is called Pixel.", "I live in Oslo."]);
    assert_eq!((&payload["memoryId"], &payload["actorId"]), (&json!(id), &json!("ann")));
    streamed(&home);
    shown(&home, &server, &config);
    let log = home.log();
    for secret in [SECRET, "hidden", "Pixel"] {
        assert!(!log.contains(secret), "{secret} in the log: {log}");
    }
    assert!(server.stop());
}

/// Checks that each event of the stream is a line.
#[expect(clippy::disallowed_methods, reason = "a process is waited for in the machine's time")]
fn streamed(home: &Home) {
    let began = std::time::Instant::now();
    loop {
        let text = std::fs::read_to_string(home.path("stream.jsonl")).unwrap_or_default();
        let kinds: BTreeSet<String> = text
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["memoryStreamEvent"]["eventType"].to_string()
            })
            .collect();
        // The event contains the text, also that of the last record.
        if kinds.len() == 2 && text.contains("Pixel") {
            assert_eq!(
                kinds,
                BTreeSet::from(["\"MemoryRecordCreated\"".into(), "\"StreamingEnabled\"".into()])
            );
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{text}");
        std::thread::yield_now();
    }
}

/// Checks the output of the commands and the metrics.
fn shown(home: &Home, server: &Server, config: &str) {
    let listed = home.json(&["webhooks", "list", "--memory", "work", "--config", config]);
    let deliveries = listed["deliveries"].as_array().unwrap();
    let of_hook = deliveries.iter().filter(|delivery| delivery["target"] == TOPIC).count();
    assert_eq!(of_hook, 3, "{listed}");
    assert!(deliveries.iter().all(|delivery| delivery["body"].is_null()), "{listed}");
    let targets = home.ok(&["webhooks", "targets"]);
    assert!(
        targets.contains(TOPIC) && targets.contains("/hook?…") && !targets.contains("hidden"),
        "{targets}"
    );
    let doctor = home.ok(&["doctor"]);
    assert!(doctor.contains("deliveries"), "{doctor}");
    let figures = get(server, "/metrics", "");
    for line in
        [r#"loci_deliveries_total{kind="job_ended",outcome="accepted"}"#, "loci_delivery_oldest_seconds 0"]
    {
        assert!(figures.contains(line), "{line} in {figures}");
    }
    let missing = home.fails(3, &["webhooks", "retry", "--memory", "work", "none"]);
    assert!(missing.contains("no delivery"), "{missing}");
}

#[test]
fn a_target_is_tested() {
    let home = Home::new();
    let (url, notices) = receiver();
    let config = configured(&home, &url);
    let server = serve(&home, &config);
    for (status, code) in [(200, 0), (404, 5)] {
        let asked =
            home.command(&["webhooks", "test", TOPIC]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let heard = notices.recv_timeout(PATIENCE).expect("a notification");
        assert_eq!((heard.header("x-loci-event"), &heard.json()["type"]), ("test", &json!("test")));
        heard.answer(status);
        let done = asked.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{done:?}");
    }
    let unknown = home.fails(3, &["webhooks", "test", "other"]);
    assert!(unknown.contains("no target of that name"), "{unknown}");
    drop(server);
}
