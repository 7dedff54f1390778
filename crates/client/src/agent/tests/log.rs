//! The log lines of a test, with their level; for tests.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Lines such as `WARN something failed`.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

/// Runs work and returns its result and log lines.
pub(crate) fn logged<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let lines = Lines::default();
    let done = tracing::subscriber::with_default(tracing_subscriber::registry().with(lines.clone()), work);
    let lines = lines.0.lock().unwrap().clone();
    (done, lines)
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl<S: tracing::Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push(format!("{} {}", event.metadata().level(), message.0));
    }
}
