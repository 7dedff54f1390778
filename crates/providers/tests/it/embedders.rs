//! Tests embedders against the simulated vendors.

use std::sync::{Arc, Mutex};

use loci_model::ErrorKind;
use loci_model::ports::observe::{ModelCallObservation, NoObserver, Observe};
use loci_outbound::client::{Outbound, OutboundOptions, OutboundParts};
use loci_outbound::secret::Secret;
use loci_providers::registry::{EmbedderConfig, Endpoint, ModelEnvironment, Protocol, embedder};
use loci_testkit_ports::{JumpingClock, SeededIds};
use serde_json::{Value, json};

use crate::vendor::{Vendor, VendorAnswer};

#[derive(Default)]
struct Outcomes(Mutex<Vec<String>>);

impl Observe for Outcomes {
    fn model_call(&self, seen: &ModelCallObservation<'_>) {
        assert!(seen.step.is_none());
        self.0.lock().unwrap().push(seen.outcome.to_owned());
    }
}

fn config(protocol: Protocol, base: &str, model: &str) -> EmbedderConfig {
    EmbedderConfig {
        endpoint: Endpoint {
            name: "vectors".to_owned(),
            protocol,
            base_url: Some(base.to_owned()),
            model: model.to_owned(),
            key: Some(Secret::from("KEY-SECRET")),
            aws: None,
            region: Some("us-east-1".to_owned()),
            timeout_ms: 30_000,
            concurrency: 2,
        },
        dimensions: 2,
    }
}

fn around(observe: Arc<dyn Observe>) -> ModelEnvironment {
    let clock = JumpingClock::default();
    let parts =
        OutboundParts::new(Arc::new(clock.clone()), Arc::new(SeededIds::new(1)), Arc::new(NoObserver));
    let outbound = Outbound::new(OutboundOptions::default(), parts).unwrap();
    ModelEnvironment { transport: Arc::new(outbound), clock: Arc::new(clock), observe }
}

fn said(status: u16, body: &Value) -> VendorAnswer {
    VendorAnswer::Said { status, headers: Default::default(), body: body.to_string() }
}

/// A protocol with a model, responses that contain the expected vectors, and the expected paths of
/// the requests.
struct Case {
    protocol: Protocol,
    model: &'static str,
    answers: Vec<VendorAnswer>,
    places: &'static [&'static str],
    bodies: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let gemini = |text: &str| {
        json!({"model": "models/g", "content": {"parts": [{"text": text}]},
            "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 2})
    };
    let titan = |text: &str| json!({"inputText": text, "dimensions": 2, "normalize": true});
    vec![
        Case {
            protocol: Protocol::OpenAi,
            model: "text-embedding-3-small",
            // The vectors are not in the order of the texts.
            answers: vec![said(
                200,
                &json!({"data": [{"index": 1, "embedding": [0, 5.0]}, {"index": 0, "embedding": [3, 4]}]}),
            )],
            places: &["/embeddings"],
            bodies: vec![
                json!({"model": "text-embedding-3-small", "input": ["one", "two"], "encoding_format": "float", "dimensions": 2}),
            ],
        },
        Case {
            protocol: Protocol::OpenAi,
            model: "nomic-embed-text",
            answers: vec![said(
                200,
                &json!({"data": [{"index": 0, "embedding": [0.6, 0.8]}, {"index": 1, "embedding": [0.0, 1.0]}]}),
            )],
            places: &["/embeddings"],
            bodies: vec![
                json!({"model": "nomic-embed-text", "input": ["one", "two"], "encoding_format": "float"}),
            ],
        },
        Case {
            protocol: Protocol::Gemini,
            model: "g",
            answers: vec![said(
                200,
                &json!({"embeddings": [{"values": [0.6, 0.8]}, {"values": [0.0, 1.0]}]}),
            )],
            places: &["/v1beta/models/g:batchEmbedContents"],
            bodies: vec![json!({"requests": [gemini("one"), gemini("two")]})],
        },
        Case {
            protocol: Protocol::Bedrock,
            model: "amazon.titan-embed-text-v2:0",
            answers: vec![
                said(200, &json!({"embedding": [3.0, 4.0]})),
                said(200, &json!({"embedding": [0.0, 1.0]})),
            ],
            places: &["/model/amazon.titan-embed-text-v2%3A0/invoke"; 2],
            bodies: vec![titan("one"), titan("two")],
        },
        Case {
            protocol: Protocol::Bedrock,
            model: "cohere.embed-english-v3",
            answers: vec![said(200, &json!({"embeddings": [[3.0, 4.0], [0.0, 1.0]]}))],
            places: &["/model/cohere.embed-english-v3/invoke"],
            bodies: vec![
                json!({"texts": ["one", "two"], "input_type": "search_document", "truncate": "END"}),
            ],
        },
    ]
}

#[tokio::test]
async fn texts_become_unit_vectors() {
    for case in cases() {
        let vendor = Vendor::start(&case.answers).await;
        let outcomes = Arc::new(Outcomes::default());
        let made =
            embedder(config(case.protocol, &vendor.url, case.model), &around(outcomes.clone())).unwrap();
        let vectors = made.embed(vec!["one".to_owned(), " two ".to_owned()]).await.unwrap();
        assert_eq!(vectors, [[0.6, 0.8], [0.0, 1.0]], "{}", case.model);
        let seen = vendor.seen();
        assert_eq!(seen.iter().map(|seen| seen.place.as_str()).collect::<Vec<_>>(), case.places);
        assert_eq!(seen.iter().map(|seen| seen.body.clone()).collect::<Vec<_>>(), case.bodies);
        assert_eq!(outcomes.0.lock().unwrap().len(), case.places.len());
        let word = format!("{:?}/{}/2", case.protocol, case.model).to_lowercase();
        assert_eq!((made.model_id(), made.dimensions()), (word.as_str(), 2));
    }
}

#[tokio::test]
async fn questions_have_vectors_of_their_own_kind_and_do_not_wait() {
    let check = async |protocol, model: &str, answer: Value, pointer: &str, word: &str| {
        let vendor = Vendor::start(&[said(200, &answer)]).await;
        let made = embedder(config(protocol, &vendor.url, model), &around(Arc::new(NoObserver))).unwrap();
        let question = made.embed_question("why?".to_owned()).await.unwrap();
        assert_eq!((question.vector, question.shortened), (vec![0.0, 1.0], false));
        assert_eq!(vendor.seen()[0].body.pointer(pointer), Some(&json!(word)), "{model}");
    };
    let gemini = json!({"embeddings": [{"values": [0.0, 2.0]}]});
    check(Protocol::Gemini, "g", gemini, "/requests/0/taskType", "RETRIEVAL_QUERY").await;
    let cohere = json!({"embeddings": {"float": [[0.0, 2.0]]}});
    check(Protocol::Bedrock, "cohere.embed-v4:0", cohere, "/input_type", "search_query").await;
    let openai = json!({"data": [{"index": 0, "embedding": [0.0, 2.0]}]});
    check(Protocol::OpenAi, "m", openai, "/input/0", "why?").await;

    let vendor = Vendor::start(&[VendorAnswer::Silent]).await;
    let made = embedder(config(Protocol::OpenAi, &vendor.url, "m"), &around(Arc::new(NoObserver))).unwrap();
    let error = made.embed_question("why?".to_owned()).await.unwrap_err();
    assert_eq!((error.kind, vendor.seen().len()), (ErrorKind::Upstream, 1), "{}", error.message);
}

#[tokio::test]
async fn long_texts_are_cut_and_their_vectors_averaged() {
    let two = json!({"data": [{"index": 0, "embedding": [1.0, 0.0]}, {"index": 1, "embedding": [0.0, 1.0]}]});
    let one = json!({"data": [{"index": 0, "embedding": [1.0, 0.0]}]});
    let vendor = Vendor::start(&[said(200, &two), said(200, &one)]).await;
    let made = embedder(config(Protocol::OpenAi, &vendor.url, "m"), &around(Arc::new(NoObserver))).unwrap();
    let vectors = made.embed(vec!["x".repeat(8_000)]).await.unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!(
        vectors.len() == 1 && vectors[0].iter().all(|number| (number - half).abs() < 1e-6),
        "{vectors:?}"
    );
    let question = made.embed_question("x".repeat(8_000)).await.unwrap();
    assert!(question.shortened);
    assert_eq!(vendor.seen()[1].body["input"][0].as_str().map(str::len), Some(4_000));
}

/// Tests that pieces respect the limit of Cohere on Bedrock, which rejects longer texts.
#[tokio::test]
async fn pieces_are_as_long_as_the_model_takes() {
    let vectors = json!({"embeddings": [[1.0, 0.0], [0.0, 1.0]]});
    let vendor = Vendor::start(&[said(200, &vectors)]).await;
    let config = config(Protocol::Bedrock, &vendor.url, "cohere.embed-english-v3");
    let made = embedder(config, &around(Arc::new(NoObserver))).unwrap();
    assert_eq!(made.embed(vec!["x".repeat(4_000)]).await.unwrap().len(), 1);
    let texts = vendor.seen()[0].body["texts"].clone();
    let lengths: Vec<usize> =
        texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).collect();
    assert_eq!(lengths, [2_048, 1_952]);
}

#[tokio::test]
async fn what_goes_wrong() {
    let check = async |answers: &[VendorAnswer], kind: ErrorKind, part: &str, tries: usize| {
        // An error of the texts themselves is permanent, so a retry does not help.
        let passes = kind != ErrorKind::Invalid;
        let vendor = Vendor::start(answers).await;
        let made =
            embedder(config(Protocol::OpenAi, &vendor.url, "m"), &around(Arc::new(NoObserver))).unwrap();
        let error = made.embed(vec!["one".to_owned()]).await.unwrap_err();
        assert_eq!(error.kind, kind, "{}", error.message);
        assert!(
            error.message.contains("embedder `vectors`") && error.message.contains(part),
            "{}",
            error.message
        );
        assert!(error.is_retryable() == passes && !error.message.contains("SECRET"), "{}", error.message);
        assert_eq!(vendor.seen().len(), tries, "{part}");
    };
    let vectors = |vectors: Value| said(200, &json!({"data": vectors}));
    let three = vectors(json!([{"index": 0, "embedding": [1, 2, 3]}]));
    check(&[three], ErrorKind::Upstream, "vectors of 3 numbers", 1).await;
    let nowhere = vectors(json!([{"index": 0, "embedding": [0, 0]}]));
    check(&[nowhere], ErrorKind::Invalid, "no direction", 1).await;
    let long = said(400, &json!({"error": {"code": "string_too_long"}}));
    check(&[long], ErrorKind::Invalid, "400 string_too_long", 1).await;
    let unknown = said(404, &json!({"error": {"code": "model_not_found"}}));
    check(&[unknown], ErrorKind::Upstream, "404 model_not_found", 1).await;
    check(&[vectors(json!([]))], ErrorKind::Upstream, "its protocol", 1).await;
    let words = vectors(json!([{"index": 0, "embedding": ["a", "b"]}]));
    check(&[words], ErrorKind::Upstream, "its protocol", 1).await;
    let denied = said(401, &json!({"error": {"message": "KEY-SECRET is wrong", "code": "invalid_api_key"}}));
    check(&[denied], ErrorKind::Upstream, "401 invalid_api_key", 1).await;
    let limit = said(429, &json!({"error": {"code": "rate_limit_exceeded"}}));
    check(std::slice::from_ref(&limit), ErrorKind::Throttled, "429 rate_limit_exceeded", 3).await;
    check(&[VendorAnswer::BreaksOff], ErrorKind::Upstream, "in the middle", 1).await;
    check(&[VendorAnswer::Silent], ErrorKind::Upstream, "no answer in time", 3).await;

    let good = vectors(json!([{"index": 0, "embedding": [0, 1]}]));
    let vendor = Vendor::start(&[limit, good]).await;
    let made = embedder(config(Protocol::OpenAi, &vendor.url, "m"), &around(Arc::new(NoObserver))).unwrap();
    assert_eq!(made.embed(vec!["one".to_owned()]).await.unwrap(), [[0.0, 1.0]]);
}

#[tokio::test]
async fn configurations_that_cannot_work() {
    let around = around(Arc::new(NoObserver));
    let check = |change: &dyn Fn(&mut EmbedderConfig), field: &str| {
        let mut config = config(Protocol::OpenAi, "http://127.0.0.1:1", "m");
        change(&mut config);
        let error = embedder(config, &around).err().unwrap();
        assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
    };
    check(&|c| c.dimensions = 0, "embedder.dimensions");
    check(&|c| c.dimensions = 8_193, "embedder.dimensions");
    check(&|c| c.endpoint.protocol = Protocol::Anthropic, "embedder.protocol");
    check(&|c| c.endpoint.model = String::new(), "embedder.model");
    check(&|c| (c.endpoint.protocol, c.endpoint.region) = (Protocol::Bedrock, None), "embedder.region");
}
