//! Traces as a collector receives them: their content, omitted content, and parents of spans. The
//! collector is a local socket.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use loci_api::search::Search;
use loci_client::Client;
use serde_json::{Value, json};

use crate::models::{read, settled, vendor};
use crate::program::Home;

const FACT: &str = "The harbour master keeps a heron.";
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const QUESTION: &str = "Which bird does the master keep?";

/// Accepts each request.
fn collector() -> (String, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (heard, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = read(&mut stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}").unwrap();
            if heard.send(request).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

/// The traces of a server that processed requests of many kinds and ended, and its log.
struct Traced {
    to_collector: Vec<String>,
    to_vendor: Vec<String>,
    log: String,
}

fn traced(capture_content: bool) -> Traced {
    let (collector, requests) = collector();
    let (vendor, asked) = vendor("good-key");
    let home = Home::new();
    let text = format!(
        "[telemetry]\notlp_endpoint = \"{collector}/\"\ncapture_content = {capture_content}\n\
         headers_env = \"TRACE_HEADERS\"\n[log]\nlevel = \"debug\"\n\
         [[model]]\nname = \"main\"\nprotocol = \"openai\"\nbase_url = \"{vendor}\"\nmodel = \"small\"\nkey_env = \"VENDOR_KEY\"\n"
    );
    std::fs::write(home.path("config.toml"), text).unwrap();
    let config = home.path("config.toml");
    let variables = [("TRACE_HEADERS", "authorization=Bearer%20hidden"), ("VENDOR_KEY", "good-key")];
    let server = home.serve_with(&["--config", config.to_str().unwrap()], &variables);
    home.ok(&["memory", "create", "notes", "--strategy", "semantic"]);
    home.ok(&["event", "create", "--memory", "notes", "--actor", "me", "--session", "s1", FACT]);
    let memories = home.json(&["memory", "list"]);
    let memory = memories["memories"][0]["id"].as_str().unwrap();
    settled(&server, memory);
    home.ok(&["search", "--memory", "notes", QUESTION]);
    home.fails(3, &["search", "--memory", "nothing-0123456789", QUESTION]);
    home.ok(&["doctor"]);
    search_within_a_trace(&server.url, memory);
    assert!(server.stop());
    let (to_collector, to_vendor) = (requests.try_iter().collect(), asked.try_iter().collect());
    Traced { to_collector, to_vendor, log: home.log() }
}

/// Searches as a client with an open trace of its own.
fn search_within_a_trace(url: &str, memory: &str) {
    let client = Client::url(url).unwrap().with_trace_source(Arc::new(|| Some(CALLER.to_owned())));
    let search = Search { memory: memory.to_owned(), query: QUESTION.to_owned(), ..Search::default() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(client.search(&search)).unwrap();
}

fn spans(requests: &[String]) -> Vec<Value> {
    let body = |request: &String| -> Value {
        serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let mut all = Vec::new();
    for sent in requests.iter().map(body) {
        let resource = &sent["resourceSpans"][0]["resource"]["attributes"][0];
        assert_eq!(resource, &json!({ "key": "service.name", "value": { "stringValue": "loci" } }));
        all.extend(sent["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone());
    }
    all
}

fn named<'s>(spans: &'s [Value], name: &str) -> Vec<&'s Value> {
    spans.iter().filter(|span| span["name"] == name).collect()
}

/// Returns the value of an attribute, without its type.
fn attribute<'s>(span: &'s Value, name: &str) -> &'s Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == name);
    found.map_or(&Value::Null, |found| found["value"].as_object().unwrap().values().next().unwrap())
}

fn text<'s>(span: &'s Value, name: &str) -> &'s str {
    span[name].as_str().unwrap_or_default()
}

fn parent<'s>(spans: &'s [Value], span: &Value) -> &'s Value {
    let found = spans.iter().find(|other| other["spanId"] == span["parentSpanId"]);
    let found = found.unwrap_or_else(|| panic!("the parent of {span} is missing"));
    assert_eq!(found["traceId"], span["traceId"]);
    found
}

/// Returns the request header that names a span.
fn header_of(span: &Value) -> String {
    format!("traceparent: 00-{}-{}-01", text(span, "traceId"), text(span, "spanId"))
}

#[test]
fn spans_belong_to_the_request_or_job_that_led_to_them() {
    let Traced { to_collector, to_vendor, .. } = traced(false);
    assert!(!to_collector.concat().contains("traceparent"));
    let spans = spans(&to_collector);
    let stored = parent(&spans, named(&spans, "create_event")[0]);
    assert_eq!((&stored["kind"], stored.get("parentSpanId")), (&json!(2), None), "{stored}");
    assert_eq!(attribute(stored, "loci.door"), "v1");
    assert_eq!(attribute(stored, "http.request.method"), "POST");
    assert_eq!(attribute(stored, "http.response.status_code"), "201");
    let below = |name: &str, span: &Value| {
        named(&spans, name).into_iter().filter(|child| child["parentSpanId"] == span["spanId"]).count()
    };
    assert_eq!(below("store write", stored), 1);

    let jobs = named(&spans, "job extract");
    let link = json!([{ "traceId": stored["traceId"], "spanId": stored["spanId"] }]);
    let job = jobs.iter().find(|job| job["links"] == link).unwrap_or_else(|| panic!("{link} in {jobs:?}"));
    assert_ne!(job["traceId"], stored["traceId"]);
    assert!(below("store write", job) > 0 && below("upsert_memory", job) == 1, "{job}");
    let chat = named(&spans, "chat small")[0];
    assert_eq!(parent(&spans, chat)["name"], "POST /v1/doctor");
    assert!(to_vendor.iter().any(|request| request.contains(&header_of(chat))), "{to_vendor:?}");

    let searches = named(&spans, "search_memory");
    let [found, missed, of_caller] = searches.as_slice() else { panic!("{searches:?}") };
    assert_eq!(parent(&spans, found).get("parentSpanId"), None);
    assert_eq!(attribute(parent(&spans, missed), "http.response.status_code"), "404");
    let request = parent(&spans, of_caller);
    assert_eq!(format!("00-{}-{}-01", text(request, "traceId"), text(request, "parentSpanId")), CALLER);
}

#[test]
fn what_is_done_is_told_without_what_is_said() {
    let Traced { to_collector: requests, log, .. } = traced(false);
    let head = requests[0].split_once("\r\n\r\n").unwrap().0.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("authorization: bearer hidden"), "{head}");
    assert!(!log.contains("hidden"), "{log}");
    let told = requests.concat();
    for word in ["heron", "bird", "harbour", "gen_ai.memory.query.text", "gen_ai.memory.records"] {
        assert!(!told.contains(word), "{word} in {told}");
    }

    let spans = spans(&requests);
    let made = named(&spans, "create_memory_store")[0];
    let memory = attribute(made, "gen_ai.memory.store.id").as_str().unwrap();
    assert!(memory.starts_with("notes-"), "{made}");
    assert_eq!((&made["kind"], made.get("status")), (&json!(1), None));
    assert_eq!(made["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(made["spanId"].as_str().unwrap().len(), 16);
    let event = named(&spans, "create_event")[0];
    assert_eq!(attribute(event, "session.id"), "s1");
    assert_eq!(attribute(event, "gen_ai.conversation.id"), "s1");
    assert_eq!(attribute(event, "actor.id"), "me");
    assert!(attribute(event, "event.id").is_string(), "{event}");
    let written = named(&spans, "upsert_memory")[0];
    assert_eq!(attribute(written, "gen_ai.memory.record.count"), "1");
    let searches = named(&spans, "search_memory");
    let [found, missed, _] = searches.as_slice() else { panic!("{searches:?}") };
    assert_eq!(attribute(found, "gen_ai.operation.name"), "search_memory");
    assert_eq!(attribute(found, "gen_ai.memory.store.id"), memory);
    assert_eq!(attribute(found, "gen_ai.memory.record.count"), "1");
    assert_eq!(attribute(found, "error"), false);
    let times = |name: &str| found[name].as_str().unwrap().parse::<u64>().unwrap();
    assert!(times("startTimeUnixNano") < times("endTimeUnixNano"));
    assert_eq!(attribute(missed, "error.type"), "NOT_FOUND");
    assert_eq!((attribute(missed, "error"), attribute(missed, "fault")), (&json!(true), &json!(false)));
    assert_eq!(missed["status"], json!({ "code": 2 }));

    let call = named(&spans, "chat small")[0];
    assert_eq!(call["kind"], 3);
    assert_eq!(attribute(call, "gen_ai.provider.name"), "openai");
    assert_eq!(attribute(call, "gen_ai.request.model"), "small");
    assert_eq!(attribute(call, "gen_ai.response.model"), "small-2026");
    assert_eq!(attribute(call, "gen_ai.usage.input_tokens"), "9");
    assert_eq!(attribute(call, "gen_ai.usage.output_tokens"), "1");
    assert_eq!(
        attribute(call, "gen_ai.response.finish_reasons")["values"],
        json!([{ "stringValue": "stop" }])
    );
}

#[test]
fn what_is_said_is_told_where_the_configuration_says_so() {
    let Traced { to_collector: requests, log, .. } = traced(true);
    let spans = spans(&requests);
    let found = named(&spans, "search_memory")[0];
    assert_eq!(attribute(found, "gen_ai.memory.query.text"), QUESTION);
    let records: Value =
        serde_json::from_str(attribute(found, "gen_ai.memory.records").as_str().unwrap()).unwrap();
    assert_eq!(records[0]["content"], FACT);
    assert!(records[0]["id"].as_str().unwrap().starts_with("mem-"), "{records}");
    assert!(records[0]["score"].is_number(), "{records}");
    assert!(!log.contains("heron") && !log.contains("hidden"), "{log}");
}

#[test]
fn headers_that_cannot_be_read_are_said_without_them() {
    let home = Home::new();
    let text = "[telemetry]\notlp_endpoint = \"http://127.0.0.1:1\"\nheaders_env = \"TRACE_HEADERS\"\n";
    std::fs::write(home.path("config.toml"), text).unwrap();
    let config = home.path("config.toml");
    let mut command = home.command(&["serve", "--config", config.to_str().unwrap()]);
    let output = command.env("TRACE_HEADERS", "hidden").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    let expect = "TRACE_HEADERS, which telemetry.headers_env names: header 1 has no `=`";
    assert!(said.contains(expect) && !said.contains("hidden"), "{said}");
}
