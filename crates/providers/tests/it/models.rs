//! Runs the exchanges.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use loci_model::ports::observe::{ModelCallObservation, NoObserver, Observe};
use loci_outbound::client::{Outbound, OutboundOptions, OutboundParts};
use loci_outbound::secret::Secret;
use loci_providers::registry::{
    AwsKeys, Endpoint, JsonMode, ModelConfig, ModelEnvironment, Protocol, language_model,
};
use loci_testkit_ports::{JumpingClock, SeededIds};
use serde_json::{Value, json};

use crate::exchange::{self, Exchange, outcome};
use crate::vendor::{Vendor, VendorAnswer, VendorRequest};

/// Texts that may occur only in requests.
const SECRETS: [&str; 4] = ["KEY-SECRET", "AWS-SECRET", "SESSION-SECRET", "My <question>."];

/// An observer that records calls.
#[derive(Default)]
struct Calls(Mutex<Vec<(String, u32, u64)>>);

impl Observe for Calls {
    fn model_call(&self, seen: &ModelCallObservation<'_>) {
        assert_eq!((seen.provider, seen.step.is_some()), ("main", true));
        self.0.lock().unwrap().push((seen.outcome.to_owned(), seen.tries, seen.usage.output_tokens));
    }
}

/// A log in memory, shared by all tests.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn of_process() -> Self {
        static LOG: OnceLock<Log> = OnceLock::new();
        let begin = || {
            let log = Log::default();
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_writer(move || writer.clone())
                .finish();
            tracing::subscriber::set_global_default(subscriber).unwrap();
            log
        };
        LOG.get_or_init(begin).clone()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn config(protocol: Protocol, base: &str, timeout_ms: u64, case: &Value) -> ModelConfig {
    let has = |name: &str| case.get(name).is_none_or(|value| !value.is_null());
    let aws = || AwsKeys {
        access_key: "AKID".to_owned(),
        secret: Secret::from("AWS-SECRET"),
        session_token: case.get("session").map(|_| Secret::from("SESSION-SECRET")),
    };
    let endpoint = Endpoint {
        name: "main".to_owned(),
        protocol,
        base_url: Some(base.to_owned()),
        model: case.get("model").and_then(Value::as_str).unwrap_or("small:1").to_owned(),
        key: has("key").then(|| Secret::from("KEY-SECRET")),
        aws: case.get("aws").map(|_| aws()),
        region: Some("us-east-1".to_owned()),
        timeout_ms,
        concurrency: 4,
    };
    ModelConfig {
        endpoint,
        temperature: has("temperature").then_some(0.0),
        json: match case.get("json").and_then(Value::as_str) {
            None => JsonMode::Auto,
            Some("schema") => JsonMode::Schema,
            Some("object") => JsonMode::Object,
            Some("none") => JsonMode::None,
            Some(other) => panic!("{other}"),
        },
        max_output_tokens: 400,
    }
}

fn assert_request(case: &str, seen: &VendorRequest, expect: &Value) {
    assert_eq!(seen.method, "POST", "{case}");
    assert_eq!(seen.headers["content-type"], "application/json", "{case}");
    for (name, value) in expect.as_object().unwrap() {
        match name.as_str() {
            "path" => assert_eq!(seen.place, value.as_str().unwrap(), "{case}"),
            "body" => assert_eq!(&seen.body, value, "{case}: {}", seen.body),
            "headers" => {
                for (name, value) in value.as_object().unwrap() {
                    let found = seen.headers.get(name).map(|found| found.to_str().unwrap());
                    assert_eq!(found, value.as_str(), "{case}: {name}");
                }
            }
            "authorization_begins" => {
                let found = seen.headers["authorization"].to_str().unwrap();
                assert!(found.starts_with(value.as_str().unwrap()), "{case}: {found}");
            }
            member => assert_eq!(
                seen.body.pointer(member),
                Some(value).filter(|v| !v.is_null()),
                "{case}: {member}"
            ),
        }
    }
}

async fn run(protocol: Protocol, case: Exchange) {
    let name = format!("{protocol:?} {}", case.name);
    let log = Log::of_process();
    let vendor = Vendor::start(&case.answers).await;
    let (clock, calls) = (JumpingClock::default(), Arc::new(Calls::default()));
    let parts =
        OutboundParts::new(Arc::new(clock.clone()), Arc::new(SeededIds::new(1)), Arc::new(NoObserver));
    let outbound = Outbound::new(OutboundOptions::default(), parts).unwrap();
    let around =
        ModelEnvironment { transport: Arc::new(outbound), clock: Arc::new(clock), observe: calls.clone() };
    // Only a silent vendor has a short timeout; its requests must arrive within it.
    let is_silent = case.answers.iter().any(|answer| matches!(answer, VendorAnswer::Silent));
    let timeout_ms = if is_silent { 500 } else { 30_000 };
    let model = language_model(config(protocol, &vendor.url, timeout_ms, &case.config), &around).unwrap();
    let mut last = json!(null);
    for _ in 0..case.calls {
        let came = model.complete(&case.completion).await;
        let shown = format!("{came:?}");
        assert!(SECRETS.iter().all(|secret| !shown.contains(secret)), "{name}: {shown}");
        last = outcome(&came);
    }
    assert_eq!(last, case.expect, "{name}: {last}");
    let seen = vendor.seen();
    assert_eq!(seen.len(), case.tries, "{name}: requests");
    for (seen, expect) in seen.iter().zip(&case.requests) {
        assert_request(&name, seen, expect);
    }
    let told = calls.0.lock().unwrap().clone();
    assert_eq!(told.len(), case.calls, "{name}");
    let tries: u32 = told.iter().map(|(_, tries, _)| tries).sum();
    // A request without a response is reported as one attempt, regardless of the number of
    // attempts.
    let has_answer = case.expect.get("error").is_none_or(|error| error != "timeout" && error != "garbled");
    assert!(!has_answer || usize::try_from(tries).unwrap() == case.tries, "{name}: {told:?}");
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("called"), "{name}: {log}");
    assert!(SECRETS.iter().all(|secret| !log.contains(secret)), "{name}: {log}");
}

async fn run_all(protocol: Protocol, file: &str) {
    let cases = exchange::of(file);
    let has = |name: &str| cases.iter().any(|case| case.name == name);
    for name in [
        "ok",
        "ok, JSON",
        "a limit, then ok",
        "a limit for good",
        "a refusal",
        "cut off",
        "breaks off",
        "silence",
        "another form",
        "a wrong key",
        "out of service, then ok",
        "not the protocol",
    ] {
        assert!(has(name), "{protocol:?} lacks the exchange `{name}`");
    }
    for case in cases {
        run(protocol, case).await;
    }
}

#[tokio::test]
async fn openai() {
    run_all(Protocol::OpenAi, include_str!("exchanges/openai.json")).await;
}

#[tokio::test]
async fn anthropic() {
    run_all(Protocol::Anthropic, include_str!("exchanges/anthropic.json")).await;
}

#[tokio::test]
async fn bedrock() {
    run_all(Protocol::Bedrock, include_str!("exchanges/bedrock.json")).await;
}

#[tokio::test]
async fn gemini() {
    run_all(Protocol::Gemini, include_str!("exchanges/gemini.json")).await;
}

#[test]
fn configurations_that_cannot_work() {
    let parts = OutboundParts::new(
        Arc::new(JumpingClock::default()),
        Arc::new(SeededIds::new(1)),
        Arc::new(NoObserver),
    );
    let around = ModelEnvironment {
        transport: Arc::new(Outbound::new(OutboundOptions::default(), parts).unwrap()),
        clock: Arc::new(JumpingClock::default()),
        observe: Arc::new(NoObserver),
    };
    let check = |protocol: Protocol, change: &dyn Fn(&mut ModelConfig), field: &str| {
        let mut config = config(protocol, "http://127.0.0.1:1", 30_000, &Value::Null);
        change(&mut config);
        let error = language_model(config, &around).err().unwrap();
        assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
        assert!(error.message.contains("`main`"), "{}", error.message);
    };
    check(Protocol::OpenAi, &|c| c.endpoint.model = String::new(), "model.model");
    check(Protocol::OpenAi, &|c| c.endpoint.base_url = Some("127.0.0.1:1".to_owned()), "model.base_url");
    check(Protocol::OpenAi, &|c| c.endpoint.base_url = Some("http://x/?key=1".to_owned()), "model.base_url");
    check(Protocol::OpenAi, &|c| c.endpoint.base_url = Some("http://u:p@x/".to_owned()), "model.base_url");
    check(Protocol::OpenAi, &|c| c.endpoint.key = Some(Secret::from("two\nlines")), "model.key_env");
    check(Protocol::Bedrock, &|c| c.endpoint.region = None, "model.region");
    check(Protocol::Bedrock, &|c| c.endpoint.key = None, "model.access_key_env");
    for protocol in [Protocol::Anthropic, Protocol::Gemini] {
        let without = |c: &mut ModelConfig| (c.endpoint.base_url, c.endpoint.key) = (None, None);
        check(protocol, &without, "model.key_env");
    }
}
