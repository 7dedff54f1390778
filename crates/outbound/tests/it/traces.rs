//! Tests when spans are sent, and which ones stay queued or are dropped and counted. The collector
//! is a list of responses, and the test controls the time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use http::HeaderMap;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::observe::Observe;
use loci_model::ports::trace::SpanContext;
use loci_outbound::otlp::{Collector, Exporter, Span, SpanKind, headers};
use loci_outbound::request::{OutboundAnswer, OutboundError, OutboundRequest, Transport};
use loci_testkit_ports::ManualClock;
use serde_json::Value;
use tokio::sync::oneshot;

const PAUSE_MS: u64 = 5_000;

/// A collector that returns scripted responses, and then 200. It records the numbers of the spans
/// of each request.
#[derive(Default)]
struct Script {
    turns: Mutex<VecDeque<Result<(u16, &'static str), OutboundError>>>,
    heard: Mutex<Vec<Vec<usize>>>,
    last: Mutex<Option<OutboundRequest>>,
}

impl Transport for Script {
    fn send(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>> {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        let number = |span: &Value| span["name"].as_str().unwrap().parse().unwrap();
        self.heard.lock().unwrap().push(spans.iter().map(number).collect());
        *self.last.lock().unwrap() = Some(request);
        let turn = self.turns.lock().unwrap().pop_front().unwrap_or(Ok((200, "{}")));
        let answer = turn.map(|(status, body)| OutboundAnswer {
            status,
            headers: HeaderMap::new(),
            body: body.into(),
            tries: 1,
            elapsed_ms: 0,
        });
        Box::pin(std::future::ready(answer))
    }
}

#[derive(Default)]
struct Lost(Mutex<u64>);

impl Observe for Lost {
    fn spans_dropped(&self, spans: u64) {
        *self.0.lock().unwrap() += spans;
    }
}

struct World {
    exporter: Arc<Exporter>,
    script: Arc<Script>,
    clock: ManualClock,
    lost: Arc<Lost>,
    pushed: usize,
    stop: Option<oneshot::Sender<()>>,
}

impl World {
    fn new(turns: Vec<Result<(u16, &'static str), OutboundError>>) -> Self {
        let (clock, lost) = (ManualClock::default(), Arc::new(Lost::default()));
        let collector = Collector {
            endpoint: "http://collector:4318/base/".to_owned(),
            headers: headers("x-team=blue").unwrap(),
            version: "1",
        };
        let exporter = Exporter::new(collector, Arc::new(clock.clone()), lost.clone());
        let script = Arc::new(Script { turns: Mutex::new(turns.into()), ..Script::default() });
        Self { exporter: Arc::new(exporter), script, clock, lost, pushed: 0, stop: None }
    }

    fn run(&mut self) {
        let (stop, stopped) = oneshot::channel::<()>();
        let (exporter, script) = (Arc::clone(&self.exporter), Arc::clone(&self.script));
        let stopped = Box::pin(async move { stopped.await.unwrap() });
        tokio::spawn(async move { exporter.run(script.as_ref(), stopped).await });
        self.stop = Some(stop);
    }

    fn push(&mut self, spans: usize) {
        for _ in 0..spans {
            let number = u64::try_from(self.pushed).unwrap();
            self.exporter.push(Span {
                context: SpanContext { trace: [1; 16], span: number.to_be_bytes() },
                parent: None,
                links: Vec::new(),
                name: number.to_string(),
                kind: SpanKind::Internal,
                started: self.clock.now(),
                elapsed_us: 1,
                failed: false,
                attributes: Vec::new(),
            });
            self.pushed += 1;
        }
    }

    /// Returns the first span number and the span count of each request since the last call, when
    /// the sender is idle.
    async fn heard(&self) -> Vec<(usize, usize)> {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let heard = std::mem::take(&mut *self.script.heard.lock().unwrap());
        heard.iter().map(|spans| (spans[0], spans.len())).collect()
    }

    fn lost(&self) -> u64 {
        *self.lost.0.lock().unwrap()
    }
}

#[tokio::test]
async fn full_batches_go_at_once_and_the_rest_in_a_while() {
    let mut world = World::new(Vec::new());
    world.run();
    world.push(511);
    assert_eq!(world.heard().await, []);
    world.push(2);
    assert_eq!(world.heard().await, [(0, 512), (512, 1)]);
    world.push(3);
    assert_eq!(world.heard().await, []);
    world.clock.advance_ms(PAUSE_MS);
    assert_eq!(world.heard().await, [(513, 3)]);
    world.push(1);
    world.stop.take().unwrap().send(()).unwrap();
    assert_eq!(world.heard().await, [(516, 1)], "what is left goes at the end");
    assert_eq!(world.lost(), 0);

    let request = world.script.last.lock().unwrap().take().unwrap();
    assert_eq!(request.url, "http://collector:4318/base/v1/traces");
    let names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "x-team"]);
}

#[tokio::test]
async fn the_oldest_go_where_too_many_wait() {
    let mut world = World::new(Vec::new());
    world.push(4_096 + 4);
    assert_eq!(world.lost(), 4);
    world.run();
    let heard = world.heard().await;
    assert_eq!((heard.len(), heard[0], heard[7]), (8, (4, 512), (4 + 7 * 512, 512)));
}

#[tokio::test]
async fn what_passes_is_waited_for_and_what_is_refused_is_counted() {
    let connect = || OutboundError::Connect("refused".to_owned());
    let mut world = World::new(vec![
        Ok((503, "")),
        Err(connect()),
        Ok((400, "")),
        Ok((200, r#"{"partialSuccess":{"rejectedSpans":"3"}}"#)),
    ]);
    world.push(512 + 10);
    world.run();
    assert_eq!(world.heard().await, [(0, 512)]);
    world.push(600);
    assert_eq!(world.heard().await, [], "a collector that does not answer is left alone for a while");
    world.clock.advance_ms(PAUSE_MS);
    assert_eq!(world.heard().await, [(0, 512)], "the same again");
    assert_eq!(world.lost(), 0);
    world.clock.advance_ms(PAUSE_MS);
    assert_eq!(world.heard().await, [(0, 512), (512, 512), (1_024, 98)]);
    assert_eq!(world.lost(), 512 + 3);
}

#[tokio::test]
async fn a_collector_that_is_away_does_not_hold_up_the_end() {
    let mut world = World::new((0..9).map(|_| Ok((503, ""))).collect());
    world.push(1);
    world.run();
    assert_eq!(world.heard().await, []);
    world.stop.take().unwrap().send(()).unwrap();
    assert_eq!(world.heard().await, [(0, 1)]);
    world.clock.advance_ms(PAUSE_MS);
    assert_eq!(world.heard().await, []);
}
