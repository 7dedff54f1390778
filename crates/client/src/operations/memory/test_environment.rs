//! The environment of the tests of operations agents: the real server, a gate in front of it that
//! may be closed and counts connections, the received requests, and all log lines.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use loci_client_testkit::TestLoci;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::call::Client;

/// The maximum of scheduler rounds of a wait.
const ROUNDS_MAX: usize = 20_000_000;

/// A port that forwards to a server while it is open, and hangs up while it is closed.
#[derive(Clone, Default)]
pub(super) struct Door {
    is_open: Arc<AtomicBool>,
    knocks: Arc<AtomicUsize>,
}

impl Door {
    /// Creates a gate to a server at `target`; closed at first. Returns its URL and the gate.
    pub(super) async fn to(target: &str) -> (String, Self) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (door, target) = (Self::default(), target.trim_start_matches("http://").to_owned());
        let kept = door.clone();
        tokio::spawn(async move {
            while let Ok((mut caller, _)) = listener.accept().await {
                kept.knocks.fetch_add(1, Ordering::Relaxed);
                if kept.is_open.load(Ordering::Relaxed) {
                    let mut server = TcpStream::connect(&target).await.unwrap();
                    tokio::spawn(async move {
                        // Either side may hang up.
                        let _ = tokio::io::copy_bidirectional(&mut caller, &mut server).await;
                    });
                }
            }
        });
        (url, door)
    }

    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    /// Returns the number of connections.
    pub(super) fn knocks(&self) -> usize {
        self.knocks.load(Ordering::Relaxed)
    }
}

/// Lets other tasks run until a condition holds.
pub(super) async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..ROUNDS_MAX {
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it did not come about");
}

/// Lets other tasks run for a while in which nothing must happen.
pub(super) async fn a_while() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// A request as the server received it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Came {
    pub(super) call: String,
    pub(super) body: Value,
}

/// The requests in order of arrival.
pub(super) type Arrivals = Arc<Mutex<Vec<Came>>>;

/// Returns a client of a server in this process, and its recorded requests.
pub(super) fn noting(loci: &TestLoci) -> (Client, Arrivals) {
    let arrivals = Arrivals::default();
    let noted = Arc::clone(&arrivals);
    let note = move |request: Request, next: Next| {
        let noted = Arc::clone(&noted);
        async move {
            let (parts, body) = request.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.unwrap();
            let call = format!("{} {}", parts.method, parts.uri);
            let body = serde_json::from_slice(&bytes).unwrap_or_default();
            noted.lock().unwrap().push(Came { call, body });
            next.run(Request::from_parts(parts, Body::from(bytes))).await
        }
    };
    (Client::in_process(loci.router().layer(from_fn(note))), arrivals)
}

/// Lines such as `WARN memory is offline kind="save"`, with every field, from every crate.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Returns the number of lines that this crate logged at a level.
    pub(super) fn of(&self, level: &str) -> usize {
        let ours = format!("{level} loci_client");
        self.lines().iter().filter(|line| line.starts_with(&ours)).count()
    }
}

/// Runs work on a runtime and logs it at every level.
pub(super) fn run<F: Future>(work: impl FnOnce(Log) -> F) -> F::Output {
    let log = Log::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    tracing::subscriber::with_default(subscriber, || runtime.block_on(work(log)))
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl<S: tracing::Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
}
